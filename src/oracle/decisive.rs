//! The words of a reference that decide, and those that only name the scale of a value.

use std::collections::BTreeSet;

use super::clause::{Kind, Term};
use super::completeness::Said;
use super::passage::Sentence;

/// Stems of words that say of a value only which end of a scale it is or what it measures; the question asked for that.
const SCALE: [&str; 34] = [
    "amount", "biggest", "ceil", "cost", "durat", "fewest", "floor", "greatest", "highest", "larg", "largest", "least", "length", "limit",
    "littl", "longest", "lowest", "max", "maxim", "maximum", "min", "minim", "minimum", "permit", "period", "price", "shortest", "singl",
    "size", "smallest", "total", "upper", "valu", "widest",
];

/// Stems of names of currencies; a number that has the currency as its unit says it too.
const CURRENCIES: [(&str, &str); 7] =
    [("dollar", "$"), ("usd", "$"), ("euro", "\u{20ac}"), ("eur", "\u{20ac}"), ("gbp", "\u{a3}"), ("pound", "\u{a3}"), ("currenc", "")];

/// `settings.toml`, `retry_count`, `LP4021`.
pub(super) fn is_identifier(term: &Term) -> bool {
    term.kind != Kind::Number && !term.key.starts_with('#') && term.key.contains(|c: char| matches!(c, '.' | '_') || c.is_ascii_digit())
}

fn decides(term: &Term) -> bool {
    matches!(term.kind, Kind::Number | Kind::Name) || is_identifier(term)
}

/// The missing words that an answer need not have: it has all that decides, in a sentence about the matter, and these name the scale only.
pub(super) fn spare<'t>(wanted: &[&'t Term], missing: &[&'t Term], said: &Said<'_>) -> BTreeSet<&'t str> {
    let names_the_scale = |term: &&&Term| {
        let unit = CURRENCIES.iter().find(|(stem, _)| *stem == term.key).map(|(_, unit)| *unit);
        SCALE.contains(&term.key.as_str())
            || unit.is_some_and(|unit| unit.is_empty() || wanted.iter().any(|other| other.unit == Some(unit)))
    };
    let spare: BTreeSet<&str> = missing.iter().filter(names_the_scale).map(|term| term.key.as_str()).collect();
    if spare.is_empty() || !said.has_keywords || missing.iter().any(|term| decides(term)) {
        return BTreeSet::new();
    }
    let values: BTreeSet<&str> = wanted.iter().filter(|term| decides(term)).map(|term| term.key.as_str()).collect();
    let in_its_unit = |term: &Term| {
        let mut same = said.answer.terms().filter(|other| other.key == term.key);
        term.kind != Kind::Number || same.any(|other| other.unit == term.unit || other.unit.is_none())
    };
    let in_another_unit = !wanted.iter().filter(|term| decides(term)).all(|term| in_its_unit(term));
    let is_value = |term: &Term| values.contains(term.key.as_str());
    let is_of_the_matter = |term: &Term| said.question.has(term) || wanted.iter().any(|other| other.key == term.key);
    let about_it = |sentence: &Sentence| {
        let terms = || sentence.clauses.iter().flat_map(|c| &c.terms);
        terms().any(is_value) && terms().any(|term| !is_value(term) && is_of_the_matter(term))
    };
    if in_another_unit || !said.answer.sentences.iter().any(about_it) { BTreeSet::new() } else { spare }
}
