//! Whether the sources support what an answer says, clause by clause.

use std::collections::BTreeMap;

use super::clause::{Clause, Kind, Term};
use super::material::Material;
use super::negation::opposes;
use super::passage::{Passage, Role, Sentence};
use super::phrases::ANTONYMS;
use super::question::Question;

/// Shares of a clause's own terms that its best sentences must hold.
const FULL: f64 = 0.8;
const WEAK: f64 = 0.5;

/// How well the sources support a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Support {
    /// They say something else.
    Contradicted,
    /// They do not say it.
    Absent,
    /// They say part of it.
    Weak,
    /// They say it.
    Full,
}

/// A clause's support with the words that decided it.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// How well.
    pub support: Support,
    /// The sentence and the evidence.
    pub reason: String,
}

/// The findings for all statements of an answer, in order. Clauses without a claim have none.
///
/// A clause that holds words of the reference may put them in other words: it is partly supported at least, unless it invents a name or number.
pub(super) fn findings(answer: &Passage, material: &Material, reference: Option<&Material>, question: &Question) -> Vec<Finding> {
    let mut found = Vec::new();
    for sentence in answer.sentences.iter().filter(|s| matches!(s.role, Role::Statement | Role::Question)) {
        for clause in &sentence.clauses {
            found.extend(
                check(sentence, clause, material, reference, question)
                    .map(|(support, why)| Finding { support, reason: format!("{} {why}", answer.excerpt(sentence)) }),
            );
        }
    }
    found
}

/// One clause. `None`: it claims nothing.
fn check(
    sentence: &Sentence,
    clause: &Clause,
    material: &Material,
    reference: Option<&Material>,
    question: &Question,
) -> Option<(Support, String)> {
    let subject_end = if question.is_blank() { subject_end(sentence, clause) } else { 0 };
    let is_own = |term: &Term| term.at >= subject_end && !question.has(term);
    let own: Vec<&Term> = clause.terms.iter().filter(|term| is_own(term)).collect();
    if clause.terms.is_empty() {
        return None;
    }
    // What the sources say as it stands is no less true for what they say elsewhere.
    if material.quotes(sentence) {
        return Some((Support::Full, "stands in the sources as it is".to_owned()));
    }
    let matched: Vec<(&Term, Option<usize>)> = clause.terms.iter().map(|term| (term, material.find(term))).collect();
    let best = best_sentences(&matched, material);
    if let Some(conflict) = unit_conflict(&matched, material) {
        return Some((Support::Contradicted, conflict));
    }
    // Only the nearest sentence: another may say the like of another subject.
    if let Some(number) = best.first().filter(|number| !question.denies_too(clause) && opposes(clause, &matched, **number, material)) {
        return Some((Support::Contradicted, format!("says the opposite of {}", material.excerpt(*number))));
    }
    if own.is_empty() {
        return (!question.is_blank()).then_some((Support::Full, "repeats the question".to_owned()));
    }
    let held = |id: usize| best.iter().any(|sentence| material.postings(id).contains(sentence));
    let missing: Vec<&Term> = matched.iter().filter(|(term, id)| is_own(term) && !id.is_some_and(held)).map(|(term, _)| *term).collect();
    let shown = |terms: &[&Term]| terms.iter().take(4).map(|t| t.key.trim_start_matches('#')).collect::<Vec<_>>().join(", ");
    let nearest = best.first().map_or_else(|| "nothing like it".to_owned(), |s| material.excerpt(*s));
    let invented: Vec<&Term> = missing.iter().copied().filter(|t| is_hard(t) && material.find(t).is_none()).collect();
    if let Some((word, other)) = missing.iter().find_map(|term| Some((*term, antonym(term, clause, *best.first()?, material)?))) {
        return Some((Support::Contradicted, format!("says \"{}\" where {nearest} says \"{other}\"", word.key)));
    }
    if let Some((number, other)) = invented.iter().find_map(|number| Some((number, rival(number, clause, *best.first()?, material)?))) {
        let (number, other) = (number.key.trim_start_matches('#'), other.key.trim_start_matches('#'));
        return Some((Support::Contradicted, format!("has {number} where {nearest} has {other}")));
    }
    if !invented.is_empty() {
        return Some((Support::Absent, format!("has {}, which no source has; nearest: {nearest}", shown(&invented))));
    }
    if speaks_of_itself(sentence, clause) && !missing.is_empty() {
        return Some((Support::Absent, format!("speaks of the speaker ({}), not of the sources", shown(&missing))));
    }
    let share = (own.len() - missing.len()) as f64 / own.len() as f64;
    // "..., not the assistant": sets the statement apart, denies nothing that the sources say.
    let sets_apart = clause.negation == Some(clause.tokens.start);
    let of_reference = |reference: &Material| own.iter().filter(|term| reference.find(term).is_some()).count() * 2 > reference.keys();
    // With a reference to measure the answer by, one other word is a paraphrase; so is a number in words, which may count a list.
    let paraphrases =
        reference.is_some() && missing.len() == 1 && clause.terms.len() > 1 || missing.iter().all(|term| term.kind == Kind::Number);
    let may_paraphrase = sets_apart || paraphrases || reference.is_some_and(of_reference);
    Some(if share >= FULL {
        (Support::Full, format!("is supported by {nearest}"))
    } else if share >= WEAK || may_paraphrase {
        (Support::Weak, format!("is partly supported ({} missing) by {nearest}", shown(&missing)))
    } else {
        (Support::Absent, format!("has no support ({} missing); nearest: {nearest}", shown(&missing)))
    })
}

/// Terms that must not be invented: names, numbers in digits, identifiers.
fn is_hard(term: &Term) -> bool {
    match term.kind {
        Kind::Name => term.key.chars().count() > 1,
        Kind::Number => term.digits,
        Kind::Word => term.key.contains(|c: char| c.is_ascii_digit()),
    }
}

/// The opposite of a term, where the nearest sentence has that instead.
fn antonym(term: &Term, clause: &Clause, sentence: usize, material: &Material) -> Option<&'static str> {
    let opposites = ANTONYMS.iter().filter_map(|(a, b)| match term.key.as_str() {
        key if key == *a => Some(*b),
        key if key == *b => Some(*a),
        _ => None,
    });
    let has = |key: &str| material.sentence(sentence).clauses.iter().flat_map(|c| &c.terms).any(|other| other.key == key);
    let unless_denied = clause.negation.is_none();
    opposites.filter(|_| unless_denied).find(|key| has(key) && !clause.terms.iter().any(|other| other.key == **key))
}

/// Another number of the same kind in the nearest sentence: the one that the sources have.
fn rival<'m>(number: &Term, clause: &Clause, sentence: usize, material: &'m Material) -> Option<&'m Term> {
    let is_year = |term: &Term| term.key.len() == 5 && term.unit.is_none();
    let alike =
        |other: &&Term| other.kind == Kind::Number && other.digits && other.unit == number.unit && is_year(other) == is_year(number);
    let mut others = material.sentence(sentence).clauses.iter().flat_map(|c| &c.terms).filter(alike);
    others.find(|other| number.kind == Kind::Number && !clause.terms.iter().any(|term| term.key == other.key))
}

/// The end of the capitalised subject at the start of a bare claim; its source may call it by another name or by a pronoun.
fn subject_end(sentence: &Sentence, clause: &Clause) -> usize {
    let links = |word: &str| matches!(word, "of" | "the" | "a" | "an" | "and" | "in");
    let tokens = sentence.tokens.get(clause.claim_start..clause.tokens.end).unwrap_or_default();
    let end = tokens.iter().position(|token| !token.is_capital() && !links(&token.word)).unwrap_or(0);
    // "The" alone is no name.
    let named = tokens[..end].iter().any(|token| token.is_capital() && !links(&token.word));
    if named { clause.claim_start + end } else { 0 }
}

fn speaks_of_itself(sentence: &Sentence, clause: &Clause) -> bool {
    let words = sentence.tokens[clause.tokens.clone()].iter().take(3).map(|t| t.word.as_str());
    words.clone().any(|w| w == "i") || sentence.tokens[clause.tokens.clone()].first().is_some_and(|t| t.word == "my")
}

/// The sentence that holds most of the terms, and the one that adds most to it.
fn best_sentences(matched: &[(&Term, Option<usize>)], material: &Material) -> Vec<usize> {
    let mut best = Vec::new();
    let mut open: Vec<usize> = matched.iter().filter_map(|(_, id)| *id).collect();
    for _ in 0..2 {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        open.iter().flat_map(|id| material.postings(*id)).for_each(|s| *counts.entry(*s).or_default() += 1);
        // Of equals the first wins.
        let Some((sentence, _)) = counts.into_iter().rev().max_by_key(|(_, count)| *count) else { break };
        open.retain(|id| !material.postings(*id).contains(&sentence));
        best.push(sentence);
    }
    best
}

fn unit_conflict(matched: &[(&Term, Option<usize>)], material: &Material) -> Option<String> {
    let (term, _) = matched.iter().find(|(term, id)| id.is_some_and(|id| material.unit_conflict(term, id)))?;
    Some(format!("gives {} in another unit than the sources", term.key.trim_start_matches('#')))
}
