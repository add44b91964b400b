//! What an answer says against the reference: its opposite, another number, something else in its place.

use std::collections::BTreeSet;

use super::clause::{Clause, Kind, Term, is_cue};
use super::completeness::{FACTOID, Said};
use super::passage::{Passage, Sentence, excerpt};
use super::question::Question;
use super::token::Token;

fn keys(passage: &Passage) -> BTreeSet<&str> {
    passage.terms().map(|term| term.key.as_str()).collect()
}

/// The clauses that hold the reference deny it, or the reference denies what they say. Of several, those nearest to the question count.
///
/// A sentence that the sources have word for word may deny something else beside that: it opposes the reference only where it denies the
/// reference's own words, or denies nothing at all where the reference does.
pub(super) fn negation_conflict(reference: &Passage, wanted: &[&Term], said: &Said<'_>) -> Option<String> {
    let Said { answer, material, question, sources, .. } = said;
    let denying = reference.sentences.iter().flat_map(|s| &s.clauses).find(|c| c.negation.is_some());
    let held: BTreeSet<&str> = wanted.iter().filter_map(|term| material.find(term)).map(|id| material.name(id)).collect();
    let hits = |clause: &Clause| clause.terms.iter().filter(|t| held.contains(t.key.as_str())).count();
    let nearness = |clause: &Clause| clause.terms.iter().filter(|term| question.has(term)).count();
    let mut holding: Vec<(usize, &Clause)> =
        material.clauses().filter(|(_, clause)| hits(clause) > 0 && hits(clause) * 2 >= wanted.len()).collect();
    let nearest = holding.iter().map(|(_, clause)| nearness(clause)).max()?;
    holding.retain(|(_, clause)| nearness(clause) == nearest);
    let (number, first) = holding.first()?;
    let is_quoted = |number| sources.quotes(material.sentence(number));
    let opposite = match denying {
        None => {
            let denies_it = |number, clause| !is_quoted(number) || denies_words_of(clause, material.sentence(number), reference);
            holding.iter().all(|(number, c)| c.negation.is_some() && !question.denies_too(c) && denies_it(*number, c))
        }
        Some(denying) => {
            let focus = denying.denied().filter(|_| !question.denies_too(denying))?;
            let shared = denying.terms.iter().filter(|term| first.terms.iter().any(|t| t.key == term.key)).count();
            let about_it = shared * 5 >= denying.terms.len() * 3;
            let denies = |number, clause: &Clause| clause.negation.is_some() || (is_quoted(number) && has_cue(material.sentence(number)));
            about_it && !holding.iter().any(|(number, c)| denies(*number, c)) && first.terms.iter().any(|t| t.key == focus.key)
        }
    };
    opposite.then(|| format!("{} says the opposite of the reference", answer.excerpt(material.sentence(*number))))
}

/// Whether what a clause denies is what the reference says: the first denied word and half of those next to it.
fn denies_words_of(clause: &Clause, sentence: &Sentence, reference: &Passage) -> bool {
    const NEXT: usize = 3;
    let tokens = &sentence.tokens;
    let is_limited = |cue| is_condition(tokens, clause, cue) || is_bound(&tokens[cue..clause.tokens.end], reference);
    if clause.negation.is_some_and(is_limited) {
        return false;
    }
    // "... are prohibited": what is denied stands before.
    let Some(focus) = clause.denied() else { return true };
    let denied: Vec<&Term> = clause.terms.iter().filter(|term| term.at >= focus.at).take(NEXT).collect();
    let words = keys(reference);
    let known = |term: &&&Term| words.contains(term.key.as_str());
    known(&&focus) && denied.iter().filter(known).count() * 2 >= denied.len()
}

/// "Where it is not cancelled, ..." says what follows then.
fn is_condition(tokens: &[Token], clause: &Clause, cue: usize) -> bool {
    const REACH: usize = 5;
    let before = &tokens[clause.tokens.start.max(cue.saturating_sub(REACH))..cue];
    before.iter().any(|token| matches!(token.word.as_str(), "if" | "where" | "when" | "unless" | "once" | "provided"))
}

/// "Must not be filled with more than 2.5 bar" allows 2.5 bar, and "is not sent after May" sends it until May; unless the reference has the same
/// bound.
fn is_bound(denied: &[Token], reference: &Passage) -> bool {
    const BOUNDS: [&str; 9] = ["than", "exceed", "below", "above", "beyond", "over", "under", "after", "before"];
    let in_reference = |bound: &str| reference.sentences.iter().flat_map(|s| &s.tokens).any(|token| token.word == bound);
    denied.iter().any(|token| BOUNDS.contains(&token.word.as_str()) && !in_reference(&token.word))
}

fn has_cue(sentence: &Sentence) -> bool {
    (0..sentence.tokens.len()).any(|at| is_cue(&sentence.tokens, at))
}

/// The answer has another number of the kind that the reference has.
pub(super) fn number_conflict(missing: &[&Term], answer: &Passage, reference: &Passage, question: &Question) -> Option<String> {
    let gone: Vec<&Term> = missing.iter().copied().filter(|t| t.kind == Kind::Number && t.digits).collect();
    let known = keys(reference);
    let is_new = |term: &&Term| term.kind == Kind::Number && term.digits && !question.has(term) && !known.contains(term.key.as_str());
    let alike = |a: &Term, b: &Term| (a.key.len() == 5) == (b.key.len() == 5) && (a.unit == b.unit || a.unit.is_none() || b.unit.is_none());
    let (other, term) =
        answer.terms().filter(is_new).find_map(|other| Some((other, gone.iter().take(FACTOID).find(|term| alike(term, other))?)))?;
    Some(format!("has {} where the reference has {}", other.key.trim_start_matches('#'), term.key.trim_start_matches('#')))
}

/// A factoid of which next to nothing is there, and something else instead.
pub(super) fn replaced(recall: f64, wanted: &[&Term], answer: &Passage, reference: &Passage, question: &Question) -> Option<String> {
    let known = keys(reference);
    let is_other = |term: &&Term| !question.has(term) && !known.contains(term.key.as_str());
    (recall < 0.34 && wanted.len() <= FACTOID).then(|| answer.terms().find(is_other)).flatten()?;
    let said = answer.sentences.first().map(|s| answer.excerpt(s)).unwrap_or_default();
    Some(format!("says {said} where the reference says {}", excerpt(&reference.text)))
}
