//! Whether the sources support what an answer says, clause by clause.

use std::collections::BTreeMap;

use super::material::Material;
use super::passage::{Clause, Kind, Passage, Role, Sentence, Term};
use super::question::Question;

/// Shares of a clause's own terms that its best sentences must hold.
const FULL: f64 = 0.75;
const WEAK: f64 = 0.5;
/// Share of what one clause denies that the other must say before they are opposites.
const SAME_STATEMENT: f64 = 0.6;

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
            found.extend(check(sentence, clause, material, reference, question).map(|(support, why)| Finding {
                support,
                reason: format!("{} {why}", answer.excerpt(sentence)),
            }));
        }
    }
    found
}

/// One clause. `None`: it claims nothing.
fn check(sentence: &Sentence, clause: &Clause, material: &Material, reference: Option<&Material>, question: &Question) -> Option<(Support, String)> {
    let subject_end = if question.is_blank() { subject_end(sentence) } else { 0 };
    let own: Vec<&Term> = clause.terms.iter().filter(|t| t.at >= subject_end && !question.has(t)).collect();
    if clause.terms.is_empty() {
        return None;
    }
    let matched: Vec<(&Term, Option<usize>)> = clause.terms.iter().map(|term| (term, material.find(term))).collect();
    let best = best_sentences(&matched, material);
    if let Some(conflict) = unit_conflict(&matched, material) {
        return Some((Support::Contradicted, conflict));
    }
    if let Some(conflict) = best.iter().find_map(|number| negation_conflict(clause, *number, material, question)) {
        return Some((Support::Contradicted, conflict));
    }
    if own.is_empty() {
        return (!question.is_blank()).then_some((Support::Full, "repeats the question".to_owned()));
    }
    let holds = |term: &Term| matched.iter().any(|(t, id)| t.at == term.at && id.is_some_and(|id| best.iter().any(|s| material.postings(id).contains(s))));
    let missing: Vec<&Term> = own.iter().copied().filter(|term| !holds(term)).collect();
    let shown = |terms: &[&Term]| terms.iter().take(4).map(|t| t.key.trim_start_matches('#')).collect::<Vec<_>>().join(", ");
    let nearest = best.first().map_or_else(|| "nothing like it".to_owned(), |s| material.excerpt(*s));
    let invented: Vec<&Term> = missing.iter().copied().filter(|t| is_hard(t) && material.find(t).is_none()).collect();
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
    let holds_reference = reference.is_some_and(of_reference);
    Some(if share >= FULL {
        (Support::Full, format!("is supported by {nearest}"))
    } else if share >= WEAK || sets_apart || holds_reference {
        (Support::Weak, format!("is partly supported ({} missing) by {nearest}", shown(&missing)))
    } else {
        (Support::Absent, format!("has no support ({} missing); nearest: {nearest}", shown(&missing)))
    })
}

/// Terms that must not be invented: names and numbers in digits.
fn is_hard(term: &Term) -> bool {
    match term.kind {
        Kind::Name => term.key.chars().count() > 1,
        Kind::Number => term.digits,
        Kind::Word => false,
    }
}

/// The end of the capitalised subject at the start of a bare claim; its source may call it by another name or by a pronoun.
fn subject_end(sentence: &Sentence) -> usize {
    let links = |word: &str| matches!(word, "of" | "the" | "a" | "an" | "and" | "in");
    let end = sentence.tokens.iter().position(|token| !token.capital && !links(&token.word)).unwrap_or(0);
    // "The" alone is no name.
    if sentence.tokens[..end].iter().any(|token| token.capital && !links(&token.word)) { end } else { 0 }
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

/// Whether the clause and a clause of a source sentence say the same thing, one of them negated: what one denies, the other says.
fn negation_conflict(clause: &Clause, sentence: usize, material: &Material, question: &Question) -> Option<String> {
    let source = material.sentence(sentence);
    if question.negated && clause.negation.is_some() {
        return None;
    }
    let (same_sign, opposite): (Vec<_>, Vec<_>) = source.clauses.iter().partition(|c| c.negation.is_some() == clause.negation.is_some());
    let about_it = |others: &[&Clause]| others.iter().map(|other| common(&clause.terms, &other.terms)).max().unwrap_or(0);
    let whole_sentence: Vec<Term> = source.clauses.iter().flat_map(|c| c.terms.iter().cloned()).collect();
    if opposite.is_empty() || common(&clause.terms, &whole_sentence) < 2 {
        return None;
    }
    let says_opposite = opposite.iter().any(|other| {
        let (denying, saying) = if clause.negation.is_some() { (clause, *other) } else { (*other, clause) };
        denies(denying, saying)
    });
    // The source affirms it in another clause: "X, not Y".
    let says_same = !same_sign.is_empty() && clause.negation.is_none() && about_it(&same_sign) > about_it(&opposite);
    (says_opposite && !says_same).then(|| format!("says the opposite of {}", material.excerpt(sentence)))
}

/// Whether one clause denies what the other says.
fn denies(denying: &Clause, saying: &Clause) -> bool {
    let says = |term: &Term| saying.terms.iter().any(|other| same(term, other));
    let Some(focus) = denying.denied() else { return false };
    let denied: Vec<&Term> = denying.terms.iter().filter(|term| term.at >= focus.at).take(64).collect();
    let said = denied.iter().filter(|term| says(term)).count();
    says(focus) && said as f64 >= SAME_STATEMENT * denied.len() as f64
}

fn common(clause: &[Term], source: &[Term]) -> usize {
    const LONGEST: usize = 64;
    clause.iter().take(LONGEST).filter(|term| source.iter().take(LONGEST).any(|other| same(term, other))).count()
}

fn same(a: &Term, b: &Term) -> bool {
    a.key == b.key || (a.kind != Kind::Number && super::material::similar(&a.key, &b.key, a.kind))
}
