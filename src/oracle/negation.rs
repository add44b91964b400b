//! Whether a clause and a source sentence say the same thing, one of them negated.

use super::clause::{Clause, Kind, Term};
use super::material::{Material, similar};

/// Share of what one side denies that the other must say before they are opposites.
const SAME_STATEMENT: f64 = 0.6;
/// Terms of a clause that are compared at most.
const LONGEST: usize = 64;

/// Whether one side denies what the other says. `matched` are the clause's terms with their keys in `material`.
pub(super) fn opposes(clause: &Clause, matched: &[(&Term, Option<usize>)], sentence: usize, material: &Material) -> bool {
    let source = material.sentence(sentence);
    let (denials, statements): (Vec<&Clause>, Vec<&Clause>) = source.clauses.iter().partition(|c| c.negation.is_some());
    let in_sentence = |id: usize| material.postings(id).contains(&sentence);
    let shared = matched.iter().filter(|(_, id)| id.is_some_and(in_sentence)).count();
    if shared < 2 {
        return false;
    }
    if clause.negation.is_none() {
        // "X, not Y": what the source says itself outweighs what it sets apart.
        let stated = overlap(clause, &statements);
        return denials.iter().any(|denial| overlap(clause, &[denial]) >= stated && denied_by(denial, |term| says(&[clause], term)));
    }
    let stated = |term: &Term| {
        let here = matched.iter().any(|(other, id)| other.at == term.at && id.is_some_and(in_sentence));
        here && !says(&denials, term)
    };
    overlap(clause, &denials) <= overlap(clause, &statements) && denied_by(clause, stated)
}

/// Whether `said` holds for what a clause denies: its first denied term, and most of all.
fn denied_by(denial: &Clause, said: impl Fn(&Term) -> bool) -> bool {
    let Some(focus) = denial.denied() else { return false };
    let denied: Vec<&Term> = denial.terms.iter().filter(|term| term.at >= focus.at).take(LONGEST).collect();
    let count = denied.iter().filter(|term| said(term)).count();
    said(focus) && count as f64 >= SAME_STATEMENT * denied.len() as f64
}

fn overlap(clause: &Clause, others: &[&Clause]) -> usize {
    clause.terms.iter().take(LONGEST).filter(|term| says(others, term)).count()
}

fn says(clauses: &[&Clause], term: &Term) -> bool {
    let same = |other: &Term| other.key == term.key || (term.kind != Kind::Number && similar(&term.key, &other.key, term.kind));
    clauses.iter().flat_map(|clause| clause.terms.iter().take(LONGEST)).any(same)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::oracle::passage::Passage;

    #[rstest]
    #[case::answer_denies("Daag is not a film.", "Daag is a 1973 film.", true)]
    #[case::source_denies("She writes for television.", "She is yet to write for television.", true)]
    #[case::both("Water damage is not covered.", "Damage by water is not covered.", false)]
    #[case::neither("Water damage is covered.", "Water damage is covered.", false)]
    #[case::other_denied("The plan does not cover pets.", "The plan covers dental care.", false)]
    #[case::set_apart("The colour is blue.", "The colour is blue, not green.", false)]
    #[case::the_one_set_apart("The colour is green.", "The colour is blue, not green.", true)]
    #[case::across_clauses("It was not inspired by a story.", "She was inspired to open it, which is the largest, by a story.", true)]
    fn opposites(#[case] answer: &str, #[case] source: &str, #[case] expected: bool) {
        let material = Material::new(vec![Passage::source(source)]);
        let passage = Passage::answer(answer);
        let clause = &passage.sentences[0].clauses[0];
        let matched: Vec<_> = clause.terms.iter().map(|term| (term, material.find(term))).collect();
        assert_eq!(opposes(clause, &matched, 0, &material), expected);
    }
}
