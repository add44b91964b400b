//! Readability: how hard a text is to read, from the lengths of its sentences and words.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::fold::is_cjk;
use super::language::Language;
use super::sentence::{ends_in_abbreviation, sentences};
use super::syllable::{english, german};

/// The version of [`Formula::Flesch`]: formula, syllables, sentences. It changes whenever the score of any text does.
pub const FLESCH_VERSION: &str = "flesch/1";
/// The version of [`Formula::Amstad`].
pub const AMSTAD_VERSION: &str = "amstad/1";
/// The version of [`Formula::Length`].
pub const LENGTH_VERSION: &str = "length/1";

/// How a score came to be. Scores of different formulas do not compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Formula {
    /// English: Flesch Reading Ease, 206.835 - 1.015 words/sentences - 84.6 syllables/words (Flesch 1948). Plain English lies at 60 to 70;
    /// the value has no bounds.
    #[serde(rename = "flesch/1")]
    Flesch,
    /// German: 180 - words/sentences - 58.5 syllables/words (Amstad 1978).
    #[serde(rename = "amstad/1")]
    Amstad,
    /// Any other language: minus the letters of a sentence, times one plus the share of Han characters among the letters. No published
    /// scale, an order only: within one language long sentences are the harder ones, and in Japanese those with more Kanji.
    #[serde(rename = "length/1")]
    Length,
}

impl Formula {
    /// The formula of a language.
    pub fn of(language: Language) -> Self {
        match language {
            Language::English => Self::Flesch,
            Language::German => Self::Amstad,
            _ => Self::Length,
        }
    }

    /// Name and version, as files record it.
    pub fn version(self) -> &'static str {
        match self {
            Self::Flesch => FLESCH_VERSION,
            Self::Amstad => AMSTAD_VERSION,
            Self::Length => LENGTH_VERSION,
        }
    }
}

/// A readability score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Readability {
    /// The lower, the harder to read. Finite.
    pub score: f64,
    /// What computed it.
    pub formula: Formula,
}

/// The readability of `text` as a text of `language`; `None` without a word. A number counts as a word of one syllable, and so does a symbol
/// with a letter or digit in it; a line or heading of one or two words is no sentence of its own.
pub fn readability(text: &str, language: Language) -> Option<Readability> {
    let text = join_hyphens(text);
    let formula = Formula::of(language);
    let score = match formula {
        Formula::Flesch => counts(&text, english).map(|(words, syllables)| 206.835 - 1.015 * words - 84.6 * syllables),
        Formula::Amstad => counts(&text, german).map(|(words, syllables)| 180.0 - words - 58.5 * syllables),
        Formula::Length => length(&text),
    };
    score.map(|score| Readability { score, formula })
}

/// The ids of scored texts, the lowest score first, ties by id. All scores should be of one formula.
pub fn hardest_first<'a>(scored: impl IntoIterator<Item = (&'a str, Readability)>) -> Vec<&'a str> {
    let mut scored: Vec<_> = scored.into_iter().collect();
    let order = |a: &(&str, Readability), b: &(&str, Readability)| -> Ordering { a.1.score.total_cmp(&b.1.score).then(a.0.cmp(b.0)) };
    scored.sort_by(order);
    scored.into_iter().map(|(id, _)| id).collect()
}

/// Words per sentence and syllables per word.
fn counts(text: &str, syllables_of: fn(&str) -> usize) -> Option<(f64, f64)> {
    let (mut words, mut syllables) = (0_usize, 0_usize);
    for token in text.split_whitespace().filter(|token| is_word(token)) {
        let plain = strip_apostrophes(token);
        let parts = plain.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|part| part.contains(char::is_alphabetic));
        words += 1;
        syllables += parts.map(syllables_of).sum::<usize>().max(1);
    }
    (words > 0).then(|| (words as f64 / count_sentences(text) as f64, syllables as f64 / words as f64))
}

/// Typographic apostrophes as plain ones, lower case.
fn strip_apostrophes(token: &str) -> String {
    token.replace('\u{2019}', "'").to_lowercase()
}

fn is_word(token: &str) -> bool {
    token.contains(char::is_alphanumeric)
}

/// The sentences of more than two words, at least 1. A full stop before a small letter ends one too: technical prose starts sentences with
/// names such as `printf`.
fn count_sentences(text: &str) -> usize {
    let mut count = 0;
    for range in sentences(text) {
        let sentence = &text[range];
        let mut words = 0;
        let mut end = 0;
        for token in sentence.split_whitespace() {
            // Tokens come in order, so the next one is behind the last.
            end += sentence[end..].find(token).unwrap_or_default() + token.len();
            words += usize::from(is_word(token));
            if words > 2 && ends_sentence(&sentence[..end], &sentence[end..]) {
                count += 1;
                words = 0;
            }
        }
        count += usize::from(words > 2);
    }
    count.max(1)
}

fn ends_sentence(before: &str, rest: &str) -> bool {
    let bare = before.trim_end_matches([')', ']', '"', '\'', '\u{201d}', '\u{2019}', '\u{bb}']);
    // `e. g.`, written with a gap.
    let letter = bare.strip_suffix('.').and_then(|bare| bare.rsplit([' ', '\n', '(']).next()).is_some_and(|word| word.len() == 1);
    bare.ends_with(['.', '!', '?', '\u{2026}']) && !letter && !ends_in_abbreviation(bare, rest)
}

/// Minus the letters of a sentence, times one plus the share of Han characters.
fn length(text: &str) -> Option<f64> {
    let (mut letters, mut han) = (0_usize, 0_usize);
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        letters += 1;
        han += usize::from(is_cjk(c) && !matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}'));
    }
    let sentences = sentences(text).into_iter().filter(|range| is_word(&text[range.clone()])).count().max(1);
    (letters > 0).then(|| -(letters as f64 / sentences as f64) * (1.0 + han as f64 / letters as f64))
}

/// Words that a line end divides are whole again.
fn join_hyphens(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let divided = line.trim_end().strip_suffix(['-', '\u{2010}']).filter(|rest| rest.ends_with(char::is_lowercase));
        match (divided, lines.peek()) {
            (Some(rest), Some(next)) if next.starts_with(char::is_lowercase) => joined.push_str(rest),
            _ => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("The cat sat on the mat.", Language::English, Some(206.835 - 1.015 * 6.0 - 84.6))]
    #[case::two_sentences("The cat sat here. The table was empty.", Language::English, Some(206.835 - 1.015 * 4.0 - 84.6 * 10.0 / 8.0))]
    #[case::divided("It is conve-\nnient to have.", Language::English, Some(206.835 - 1.015 * 5.0 - 84.6 * 7.0 / 5.0))]
    #[case::numbers("Wait 1,024 ms now.", Language::English, Some(206.835 - 1.015 * 4.0 - 84.6 * 4.0 / 4.0))]
    #[case::german("Der Hund liegt im Garten.", Language::German, Some(180.0 - 5.0 - 58.5 * 6.0 / 5.0))]
    #[case::japanese("返金は三十日。", Language::Other, Some(-6.0 * (1.0 + 5.0 / 6.0)))]
    #[case::russian("Это так. Да.", Language::Other, Some(-4.0))]
    #[case::blank(" \n-- \n", Language::English, None)]
    #[case::symbols("?!", Language::Other, None)]
    fn scores(#[case] text: &str, #[case] language: Language, #[case] expected: Option<f64>) {
        let found = readability(text, language);
        assert_eq!(found.map(|r| r.formula), expected.map(|_| Formula::of(language)));
        let difference = found.map_or(0.0, |r| r.score) - expected.unwrap_or_default();
        assert!(difference.abs() < 1e-9, "{found:?} for {expected:?}");
    }

    #[rstest]
    #[case::small_start("Open the file first. printf shows it then.", 2)]
    #[case::abbreviation("Use a tool, e.g. the small one. Then stop at once.", 2)]
    #[case::wide_abbreviation("Use a tool (e. g. the small one) here. Then stop at once.", 2)]
    #[case::initials("It is by R. A. Becker and J. M. Chambers. They wrote it.", 2)]
    #[case::file_names("Edit the file main.rs and run it.", 1)]
    #[case::labels("A.\n\nNote well.\n\nThis is a sentence.", 1)]
    #[case::closed("(This is one of them.) \u{201c}Here is another one.\u{201d} and more of it.", 3)]
    fn sentences_are_counted_as_read(#[case] text: &str, #[case] expected: usize) {
        assert_eq!(count_sentences(text), expected);
    }

    #[test]
    fn the_lowest_score_comes_first_and_ids_break_ties() {
        let scored = |score| Readability { score, formula: Formula::Flesch };
        let ranked = hardest_first([("c", scored(50.0)), ("b", scored(-3.0)), ("a", scored(50.0))]);
        assert_eq!(ranked, ["b", "a", "c"]);
    }

    #[test]
    fn files_record_formula_and_version() {
        for formula in [Formula::Flesch, Formula::Amstad, Formula::Length] {
            assert_eq!(serde_json::to_value(formula).expect("json"), formula.version());
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_finite_score(text in "(\\PC|[a-z.' \\n-]){0,200}") {
            for language in [Language::English, Language::German, Language::Other] {
                if let Some(found) = readability(&text, language) {
                    prop_assert!(found.score.is_finite());
                    prop_assert_eq!(readability(&text, language), Some(found));
                }
            }
        }
    }
}
