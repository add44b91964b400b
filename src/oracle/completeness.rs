//! How much of the reference answer is in an answer.

use std::collections::BTreeSet;

use super::clause::{Kind, Term};
use super::conflict::{negation_conflict, number_conflict, replaced};
use super::decisive;
use super::material::{Material, capital_runs};
use super::passage::{Passage, Sentence, excerpt};
use super::question::Question;
use super::token::{Border, Token};
use crate::verdict::Rating;

/// References of at most this many own terms are short: every term counts.
const SHORT: usize = 4;
/// Longer ones up to here are still factoids: without them the answer is wrong, not just incomplete.
pub(super) const FACTOID: usize = 8;

/// What an answer holds of a reference.
#[derive(Clone, Debug)]
pub(super) struct Coverage {
    /// Completeness.
    pub rating: Rating,
    /// The share of the reference's own terms that the answer holds, 0 to 1.
    pub recall: f64,
    /// What decided it.
    pub reason: String,
    /// The answer says something else in the reference's place.
    pub conflict: Option<String>,
}

/// An answer's statements with what it takes to compare them with a reference.
#[derive(Debug)]
pub(super) struct Said<'a> {
    /// The statements.
    pub answer: &'a Passage,
    /// The statements, indexed.
    pub material: Material,
    /// The question.
    pub question: &'a Question,
    /// The texts that the answer may quote.
    pub sources: &'a Material,
    /// No keyword of the case is missing.
    pub has_keywords: bool,
}

/// Compares an answer's statements with the best alternative of a reference.
pub(super) fn coverage(reference: &str, said: &Said<'_>) -> Coverage {
    let candidates = alternatives(reference).into_iter().map(|alternative| cover(&alternative, said));
    let better = |a: &Coverage, b: &Coverage| {
        (a.conflict.is_none(), a.rating).cmp(&(b.conflict.is_none(), b.rating)).then(a.recall.total_cmp(&b.recall))
    };
    candidates.rev().max_by(better).unwrap_or(Coverage {
        rating: Rating::True,
        recall: 1.0,
        reason: "the reference is blank".to_owned(),
        conflict: None,
    })
}

/// The alternatives of a reference: short ones, separated by `/`. A slash between digits is part of a date or fraction unless a date follows.
pub(super) fn alternatives(reference: &str) -> Vec<String> {
    const LONGEST_ALTERNATIVE: usize = 8;
    let mut parts: Vec<String> = vec![String::new()];
    for (at, c) in reference.char_indices() {
        let (before, after) = (&reference[..at], &reference[at + c.len_utf8()..]);
        let digits = before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit());
        if c == '/' && !before.is_empty() && !after.is_empty() && (!digits || starts_date(after)) {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    let alternatives = parts.iter().all(|part| {
        let words = part.split_whitespace().count();
        (1..=LONGEST_ALTERNATIVE).contains(&words) && part.chars().filter(|c| c.is_alphanumeric()).count() > 1
    }) && !reference.split_whitespace().any(is_path);
    if alternatives { parts } else { vec![reference.to_owned()] }
}

/// `/etc/hosts`, `./run`, `https://...`, `v2/settings.toml`.
fn is_path(word: &str) -> bool {
    let extension = || word.rsplit_once('.').is_some_and(|(_, end)| end.starts_with(|c: char| c.is_ascii_lowercase()));
    word.contains('/') && (word.starts_with(['/', '.', '~']) || word.contains("://") || extension())
}

fn starts_date(text: &str) -> bool {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let until = text.split('/').next().unwrap_or_default().to_ascii_lowercase();
    let is_year = until.len() == 4 && until.bytes().all(|b| b.is_ascii_digit());
    is_year || until.split_whitespace().nth(1).is_some_and(|word| MONTHS.iter().any(|month| word.starts_with(month)))
}

fn cover(reference: &str, said: &Said<'_>) -> Coverage {
    let Said { answer, material, question, .. } = said;
    let passage = Passage::source(&without_brackets(reference));
    let reply = polarity(&passage, said);
    if let Some(Reply::Decided(verdict)) = reply {
        return verdict;
    }
    let all: Vec<&Term> = unique(passage.terms());
    let own: Vec<&Term> = all.iter().copied().filter(|term| !question.has(term)).collect();
    // A choice between things that the question names: there its words count.
    let mut wanted = if own.is_empty() { all } else { own };
    if wanted.is_empty() {
        return Coverage { rating: Rating::True, recall: 1.0, reason: "the reference has no word of its own".to_owned(), conflict: None };
    }
    let hit: Vec<bool> = wanted.iter().map(|term| material.find(term).is_some()).collect();
    let abbreviated = abbreviated(&passage, material);
    let by_surname = is_called_by_surname(&passage, answer);
    let some_name = wanted.iter().zip(&hit).any(|(term, hit)| *hit && term.kind == Kind::Name);
    let wanted_keys: BTreeSet<&str> = wanted.iter().map(|term| term.key.as_str()).collect();
    let is_wanted = |term: &Term| wanted_keys.contains(term.key.as_str());
    let initial = |term: &Term| some_name && term.kind == Kind::Name && material.has_initial(&term.key);
    let holds = |term: &Term| {
        by_surname || material.find(term).is_some() || abbreviated.contains(term.key.as_str()) || initial(term) || !is_wanted(term)
    };
    let mut missing: Vec<&Term> = wanted.iter().copied().filter(|term| !holds(term)).collect();
    let spare = decisive::spare(&wanted, &missing, said);
    let is_spare = |term: &Term| spare.contains(term.key.as_str());
    wanted.retain(|term| !is_spare(term));
    missing.retain(|term| !is_spare(term));
    let holds = |term: &Term| holds(term) || is_spare(term);
    let recall = 1.0 - weight(&missing) / weight(&wanted);
    let conflict = negation_conflict(&passage, &wanted, said)
        .or_else(|| number_conflict(&missing, answer, &passage, question))
        .or_else(|| replaced(recall, &wanted, answer, &passage, question).filter(|_| reply.is_none()));
    let rating = by_recall(recall, wanted.len())
        .min(by_numbers(&wanted, &missing))
        .min(by_items(&passage, &holds, &is_wanted))
        .min(by_sentences(&passage, &holds, &is_wanted));
    // The reply itself is half of what was asked, unless it is but a denial quoted from somewhere.
    let replies = reply.is_some_and(|reply| matches!(reply, Reply::Agrees { quoted: false }) || recall > 0.0);
    let rating = if replies { rating.max(Rating::Partially) } else { rating };
    let rating = if quotes_another_row(&passage, said) { Rating::False } else { rating };
    let names: Vec<&str> = missing.iter().take(5).map(|term| term.key.trim_start_matches('#')).collect();
    let reason = if missing.is_empty() {
        format!("holds all of {}", excerpt(reference))
    } else {
        format!("holds {} of {} words of {}; missing: {}", wanted.len() - missing.len(), wanted.len(), excerpt(reference), names.join(", "))
    };
    Coverage { rating, recall, reason, conflict }
}

/// Identifiers (`settings.toml`, `retry_count`) say twice as much as words.
fn weight(terms: &[&Term]) -> f64 {
    (terms.len() + terms.iter().filter(|term| decisive::is_identifier(term)).count()) as f64
}

/// The terms of a reference that an answer abbreviates: `United States` by `US`.
fn abbreviated<'t>(reference: &'t Passage, answer: &Material) -> BTreeSet<&'t str> {
    let of_run = |sentence: &'t Sentence| {
        let runs = capital_runs(sentence).into_iter().filter(|(_, initials)| answer.has_key(initials));
        runs.flat_map(|(range, _)| sentence.clauses.iter().flat_map(|c| &c.terms).filter(move |term| range.contains(&term.at)))
    };
    reference.sentences.iter().flat_map(of_run).map(|term| term.key.as_str()).collect()
}

/// Whether the reference is a person's name (two or three capitalised words) and the answer has the last of them without another first name:
/// `Ms. Gomez` for `Maria Gomez`.
fn is_called_by_surname(reference: &Passage, answer: &Passage) -> bool {
    const TITLES: [&str; 9] = ["mr", "mrs", "ms", "dr", "prof", "professor", "president", "sir", "judge"];
    let [sentence] = reference.sentences.as_slice() else { return false };
    let [.., surname] = sentence.tokens.as_slice() else { return false };
    let is_name = (2..=3).contains(&sentence.tokens.len()) && sentence.tokens.iter().all(|t| t.is_capital() && t.number.is_none());
    let alone = |tokens: &[Token]| {
        let [before, name] = tokens else { return false };
        name.is_capital() && name.word == surname.word && (!before.is_capital() || TITLES.contains(&before.word.as_str()))
    };
    is_name && answer.sentences.iter().any(|s| s.tokens.windows(2).any(alone))
}

/// The reference without remarks in brackets, where something else is left.
fn without_brackets(reference: &str) -> String {
    let mut depth = 0_usize;
    let kept: String = reference
        .chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect();
    if kept.contains(char::is_alphanumeric) { kept } else { reference.to_owned() }
}

fn unique<'t>(terms: impl Iterator<Item = &'t Term>) -> Vec<&'t Term> {
    let mut seen = BTreeSet::new();
    terms.filter(|term| seen.insert(term.key.as_str())).collect()
}

/// What an answer replies to a yes-or-no question.
enum Reply {
    /// All there is to say.
    Decided(Coverage),
    /// As the reference does, which says more; in a sentence that the sources have, not in so many words.
    Agrees { quoted: bool },
}

/// A reference that says yes or no.
fn polarity(reference: &Passage, said: &Said<'_>) -> Option<Reply> {
    let Said { answer, question, sources, .. } = said;
    let says = |passage: &Passage| {
        let tokens = &passage.sentences.first()?.tokens;
        let is_reply = question.asks_yes_or_no() || tokens.get(1).is_none_or(|next| next.border != Border::None);
        match tokens.first()?.word.as_str() {
            "yes" if is_reply => Some(true),
            "no" if is_reply => Some(false),
            _ => None,
        }
    };
    let expected = says(reference)?;
    // Of quoted sentences the one that is most about the matter replies.
    let about_it = |sentence: &&Sentence| {
        let terms: BTreeSet<&str> = sentence.clauses.iter().flat_map(|c| &c.terms).map(|term| term.key.as_str()).collect();
        unique(reference.terms()).iter().filter(|term| terms.contains(term.key.as_str())).count()
    };
    let first = answer.sentences.first()?;
    let quoted = says(answer).is_none() && sources.quotes(first);
    let replying = if quoted { answer.sentences.iter().rev().max_by_key(about_it)? } else { first };
    let negated = replying.clauses.iter().any(|c| c.negation.is_some());
    let said = says(answer).unwrap_or(!negated);
    let alone = reference.sentences.iter().map(|s| s.tokens.len()).sum::<usize>() == 1;
    let word = |yes| if yes { "yes" } else { "no" };
    Some(if said != expected {
        let conflict = format!("says {} where the reference says {}", word(said), word(expected));
        Reply::Decided(Coverage { rating: Rating::False, recall: 0.0, reason: conflict.clone(), conflict: Some(conflict) })
    } else if alone {
        let reason = format!("says {}, as the reference does", word(said));
        Reply::Decided(Coverage { rating: Rating::True, recall: 1.0, reason, conflict: None })
    } else {
        Reply::Agrees { quoted }
    })
}

/// Whether the answer is nothing but rows of a table, none of them the one that question and reference name by number or code.
fn quotes_another_row(reference: &Passage, said: &Said<'_>) -> bool {
    let names_it = |term: &&Term| term.digits || decisive::is_identifier(term);
    let mut named = reference.terms().filter(|term| said.question.has(term)).filter(names_it).peekable();
    let is_row = |sentence: &Sentence| sentence.tokens.iter().any(|t| t.border == Border::Cell) && said.sources.quotes(sentence);
    let rows_only = !said.answer.sentences.is_empty() && said.answer.sentences.iter().all(is_row);
    rows_only && named.peek().is_some() && named.all(|term| said.material.find(term).is_none())
}

fn by_recall(recall: f64, terms: usize) -> Rating {
    let (full, some) = if terms <= SHORT { (0.75, 0.6) } else { (0.7, 0.5) };
    if recall >= full {
        Rating::True
    } else if recall >= some {
        Rating::Partially
    } else {
        Rating::False
    }
}

/// Numbers of a factoid are all needed; of a longer reference most.
fn by_numbers(wanted: &[&Term], missing: &[&Term]) -> Rating {
    let count = |terms: &[&Term]| terms.iter().filter(|t| t.kind == Kind::Number && t.digits).count();
    match (count(wanted), count(missing)) {
        (_, 0) => Rating::True,
        (all, gone) if wanted.len() <= FACTOID || gone * 2 > all => Rating::False,
        _ => Rating::Partially,
    }
}

/// The items of a short list: half of them is not complete, a place within a place is.
fn by_items(reference: &Passage, holds: &impl Fn(&Term) -> bool, is_wanted: &impl Fn(&Term) -> bool) -> Rating {
    let [sentence] = reference.sentences.as_slice() else { return Rating::True };
    let (items, joined) = items(sentence);
    let items: Vec<_> = items.into_iter().filter(|item| item.iter().any(|term| is_wanted(term))).collect();
    if items.len() < 2 || items.iter().any(|item| item.len() > FACTOID) {
        return Rating::True;
    }
    let covered = |item: &Vec<&Term>| {
        let hits = item.iter().filter(|term| holds(term)).count();
        hits * 2 >= item.len() && (hits * 2 > item.len() || item.len() > 2)
    };
    let hits = items.iter().filter(|item| covered(item)).count();
    // "Linz, Austria" or "settings.toml, key timeout": the rest says more of the first.
    let narrows = items.len() == 2 || items.iter().flatten().all(|term| term.kind == Kind::Name || term.at == 0);
    let is_place = !joined && covered(&items[0]) && narrows;
    if hits == items.len() {
        Rating::True
    } else if hits * 2 > items.len() || is_place {
        Rating::Partially
    } else {
        Rating::False
    }
}

/// The items of a sentence, split at commas and `and`, and whether an `and` joins them. A bare number (a year) stays with what is before it.
fn items(sentence: &Sentence) -> (Vec<Vec<&Term>>, bool) {
    let mut items: Vec<Vec<&Term>> = Vec::new();
    let mut joined = false;
    let mut last = None;
    for term in sentence.clauses.iter().flat_map(|c| &c.terms) {
        let between = last.map_or(term.at..term.at, |last| last + 1..term.at);
        let and = between.clone().any(|at| sentence.tokens[at].word == "and");
        let comma = (between.start..=term.at).any(|at| sentence.tokens[at].border != Border::None);
        joined |= and;
        let new = last.is_none() || ((and || comma) && term.kind != Kind::Number);
        match items.last_mut() {
            Some(item) if !new => item.push(term),
            _ => items.push(vec![term]),
        }
        last = Some(term.at);
    }
    (items, joined)
}

/// The sentences of a long reference: half of them is not complete.
fn by_sentences(reference: &Passage, holds: &impl Fn(&Term) -> bool, is_wanted: &impl Fn(&Term) -> bool) -> Rating {
    const COVERED: f64 = 0.4;
    let shares: Vec<f64> = reference
        .sentences
        .iter()
        .map(|s| s.clauses.iter().flat_map(|c| &c.terms).filter(|term| is_wanted(term)).collect::<Vec<_>>())
        .filter(|terms| terms.len() >= 2)
        .map(|terms| terms.iter().filter(|term| holds(term)).count() as f64 / terms.len() as f64)
        .collect();
    let covered = shares.iter().filter(|share| **share >= COVERED).count();
    if shares.len() < 2 || covered == shares.len() {
        Rating::True
    } else if covered * 2 > shares.len() {
        Rating::Partially
    } else {
        Rating::False
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::names("Italy/Norway", &["Italy", "Norway"])]
    #[case::dates("30 March 2018/27 October 2017", &["30 March 2018", "27 October 2017"])]
    #[case::years("April 1979/1979", &["April 1979", "1979"])]
    #[case::fraction("3/4 of it", &["3/4 of it"])]
    #[case::season("in 2018/19", &["in 2018/19"])]
    #[case::path("/etc/hosts", &["/etc/hosts"])]
    #[case::long("a sentence of a good many words that goes on/and on", &["a sentence of a good many words that goes on/and on"])]
    fn alternatives_are_short(#[case] reference: &str, #[case] expected: &[&str]) {
        assert_eq!(alternatives(reference), expected);
    }

    #[rstest]
    #[case::same("Where?", "Upstate New York", "It takes place in upstate New York.", Rating::True, false)]
    #[case::extra("When?", "1945", "It was first released in 1945 in the musical Carousel.", Rating::True, false)]
    #[case::one_of_three("Which?", "carrots, turnips and lemons", "carrots", Rating::False, false)]
    #[case::two_of_three("Which?", "carrots, turnips and lemons", "carrots and turnips", Rating::Partially, false)]
    #[case::year_missing("When?", "October 6, 1973", "On October 6", Rating::False, false)]
    #[case::other_year("When?", "October 6, 1973", "On October 6, 1974", Rating::False, true)]
    #[case::denied("What?", "the mosaics", "It is not the mosaics.", Rating::True, true)]
    #[case::other("Who?", "Otto Stern", "Max Volmer", Rating::False, true)]
    #[case::initials("Who?", "Sir Benegal Narsing Rau", "B. N. Rau", Rating::True, false)]
    #[case::abbreviation("Where?", "the United States", "in the US", Rating::True, false)]
    #[case::number_words("How many?", "21", "There were twenty-one of them.", Rating::True, false)]
    #[case::roman("Which war?", "World War II", "World War 2", Rating::True, false)]
    #[case::surname("Who?", "Maria Gomez", "Ms. Gomez is.", Rating::True, false)]
    #[case::other_first_name("Who?", "Maria Gomez", "Juan Gomez is.", Rating::False, false)]
    #[case::percent("How much?", "3.5 percent", "3.5%", Rating::True, false)]
    #[case::hour("When?", "At 10 am", "at 10:00 a.m.", Rating::True, false)]
    #[case::denial_beside(
        "What is the policy?",
        "Refunds are possible. Shipping is not refunded.",
        "A refund is possible; shipping is not refunded.",
        Rating::True,
        false
    )]
    #[case::choice("Was it Hole or The Wolfhounds?", "The Wolfhounds", "Hole was first.", Rating::False, true)]
    #[case::yes("Are both American?", "yes", "Yes, both are.", Rating::True, false)]
    #[case::no("Are both American?", "yes", "No, one is not.", Rating::False, true)]
    #[case::remark("How?", "total cost (TC)", "the total cost", Rating::True, false)]
    fn covers(#[case] query: &str, #[case] reference: &str, #[case] answer: &str, #[case] rating: Rating, #[case] conflict: bool) {
        let answer = Passage::answer(answer);
        let (question, sources) = (Question::new(query), Material::default());
        let material = Material::new(vec![answer.clone()]);
        let said = Said { answer: &answer, material, question: &question, sources: &sources, has_keywords: true };
        let found = coverage(reference, &said);
        assert_eq!((found.rating, found.conflict.is_some()), (rating, conflict), "{found:?}");
    }
}
