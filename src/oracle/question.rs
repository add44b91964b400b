//! The question: its words support nothing, since every answer may repeat them.

use std::collections::BTreeSet;

use super::clause::{Clause, Term};
use super::material::Material;
use super::passage::{Passage, Role, Sentence};

/// The question's terms.
#[derive(Debug)]
pub(super) struct Question {
    material: Material,
    terms: usize,
    /// What it denies: "which country did it *not invade*?"
    denied: Vec<Option<String>>,
    /// Its words.
    words: Vec<String>,
    /// It asks for yes or no: a statement in its own words answers it.
    asks_yes_or_no: bool,
}

impl Question {
    pub(super) fn new(query: &str) -> Self {
        let passage = Passage::source(query);
        let clauses = passage.sentences.iter().flat_map(|s| &s.clauses);
        let denied = clauses.filter(|c| c.negation.is_some()).map(|c| c.denied().map(|term| term.key.clone())).collect();
        let words = words_of(&passage);
        let terms = passage.terms().count();
        let first = passage.sentences.last().and_then(|s| s.tokens.first()).map_or("", |token| token.word.as_str());
        let asks_yes_or_no = [
            "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "should", "may", "must",
        ]
        .contains(&first);
        Self { asks_yes_or_no, material: Material::new(vec![passage]), terms, denied, words }
    }

    /// No question at all, and no bare claim either: every word counts.
    pub(super) fn none() -> Self {
        Self { terms: usize::MAX, ..Self::new("") }
    }

    /// Whether yes or no answers it.
    pub(super) fn asks_yes_or_no(&self) -> bool {
        self.asks_yes_or_no
    }

    /// No question: a bare claim is checked.
    pub(super) fn is_blank(&self) -> bool {
        self.terms == 0
    }

    /// Whether the question itself has this term.
    pub(super) fn has(&self, term: &Term) -> bool {
        self.material.find(term).is_some()
    }

    /// Whether a clause denies what the question denies: then it says nothing against the sources.
    pub(super) fn denies_too(&self, clause: &Clause) -> bool {
        clause.negation.is_some() && self.denied.contains(&clause.denied().map(|term| term.key.clone()))
    }

    /// Whether an answer only repeats the question: its very words, or no term of its own and most of the question's. A statement in the
    /// words of a yes-or-no question answers it.
    pub(super) fn is_echoed_by(&self, answer: &Passage) -> bool {
        let answers = |sentence: &Sentence| {
            let denies = sentence.clauses.iter().any(|clause| clause.negation.is_some() && !self.denies_too(clause));
            sentence.role == Role::Statement && (self.asks_yes_or_no || denies)
        };
        let own = answer.terms().filter(|term| !self.has(term)).count();
        let repeated: BTreeSet<_> = answer.terms().map(|term| term.key.as_str()).collect();
        let most = repeated.len() >= 3 && repeated.len() * 10 >= self.terms * 7;
        words_of(answer) == self.words || (own == 0 && most && !answer.sentences.iter().any(answers))
    }
}

fn words_of(passage: &Passage) -> Vec<String> {
    passage.sentences.iter().flat_map(|s| &s.tokens).map(|token| token.word.clone()).collect()
}
