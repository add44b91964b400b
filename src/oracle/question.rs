//! The question: its words support nothing, since every answer may repeat them.

use std::collections::BTreeSet;

use super::material::Material;
use super::passage::{Passage, Role, Sentence, Term};

/// The question's terms.
#[derive(Debug)]
pub(super) struct Question {
    material: Material,
    terms: usize,
    /// It asks for what is *not* so.
    pub negated: bool,
    /// It asks for yes or no: a statement in its own words answers it.
    asks_yes_or_no: bool,
}

impl Question {
    pub(super) fn new(query: &str) -> Self {
        let passage = Passage::source(query);
        let negated = passage.sentences.iter().flat_map(|s| &s.clauses).any(|c| c.negation.is_some());
        let terms = passage.terms().count();
        let first = passage.sentences.last().and_then(|s| s.tokens.first()).map_or("", |token| token.word.as_str());
        let asks_yes_or_no = [
            "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "should", "may", "must",
        ]
        .contains(&first);
        Self { asks_yes_or_no, material: Material::new(vec![passage]), terms, negated }
    }

    /// No question: a bare claim is checked.
    pub(super) fn is_blank(&self) -> bool {
        self.terms == 0
    }

    /// Whether the question itself has this term.
    pub(super) fn has(&self, term: &Term) -> bool {
        self.material.find(term).is_some()
    }

    /// Whether an answer only repeats the question: no term of its own, most of the question's. A statement in the words of a yes-or-no
    /// question answers it.
    pub(super) fn is_echoed_by(&self, answer: &Passage) -> bool {
        let answers = |sentence: &Sentence| {
            let denies = sentence.clauses.iter().any(|clause| clause.negation.is_some()) && !self.negated;
            sentence.role == Role::Statement && (self.asks_yes_or_no || denies)
        };
        let own = answer.terms().filter(|term| !self.has(term)).count();
        let repeated: BTreeSet<_> = answer.terms().map(|term| term.key.as_str()).collect();
        own == 0 && repeated.len() >= 3 && repeated.len() * 10 >= self.terms * 7 && !answer.sentences.iter().any(answers)
    }
}
