//! Clarity. Word counts carry no signal for style; this catches only text that is repeated, cut or broken.

use std::collections::HashMap;

use super::clean;
use super::passage::Passage;
use crate::text::is_stop_word;
use crate::verdict::Rating;

/// Rates the form of an answer. `raw` is the answer as it came.
pub(super) fn rate(raw: &str, answer: &Passage) -> (Rating, String) {
    if clean::is_blank(raw) {
        return (Rating::False, "the answer is blank".to_owned());
    }
    if let Some(sentence) = repeated(answer) {
        return (Rating::False, format!("repeats {sentence} again and again"));
    }
    let broken = raw.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER || (c.is_control() && !c.is_whitespace())).count();
    if broken * 20 > raw.chars().count() {
        return (Rating::False, "is full of unreadable characters".to_owned());
    }
    if raw.matches("```").count() % 2 == 1 {
        return (Rating::Partially, "opens a code block that it never closes".to_owned());
    }
    match cut_end(answer) {
        Some(end) => (Rating::Partially, format!("ends in the middle of a sentence: {end}")),
        None => (Rating::True, "can be read".to_owned()),
    }
}

/// A sentence that makes up half of a long text, or one word that does.
fn repeated(answer: &Passage) -> Option<String> {
    const FEW: usize = 4;
    let mut counts: HashMap<Vec<&str>, usize> = HashMap::new();
    for sentence in &answer.sentences {
        let count = counts.entry(sentence.words()).or_default();
        *count += 1;
        if *count > FEW && *count * 2 > answer.sentences.len() {
            return Some(answer.excerpt(sentence));
        }
    }
    let words: Vec<&str> = answer.sentences.iter().flat_map(super::passage::Sentence::words).collect();
    let mut run = 1;
    for pair in words.windows(2) {
        run = if pair[0] == pair[1] { run + 1 } else { 1 };
        if run > FEW && run * 4 > words.len() {
            return Some(format!("\"{}\"", pair[0]));
        }
    }
    None
}

/// The last words, where a long answer ends without a full stop on a word that needs another.
fn cut_end(answer: &Passage) -> Option<String> {
    const SHORT: usize = 8;
    let last = answer.sentences.last()?;
    let text = answer.text[last.range.clone()].trim_end();
    let ends_open = text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '-' | '('));
    let word = last.tokens.last()?;
    let needs_more = is_stop_word(&word.word)
        && !matches!(
            word.word.as_str(),
            "it" | "them" | "that" | "this" | "so" | "does" | "do" | "did" | "is" | "are" | "in" | "on" | "up" | "out" | "over"
        );
    let cut = ends_open && last.tokens.len() >= SHORT && (needs_more || text.ends_with([',', '-', '(']));
    cut.then(|| {
        let from = text.floor_char_boundary(text.len().saturating_sub(40));
        format!("\"...{}\"", &text[from..])
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::good("The limit is 30 days.", Rating::True)]
    #[case::short("30 days", Rating::True)]
    #[case::blank(" **. ** ", Rating::False)]
    #[case::loop_("It is. It is. It is. It is. It is. It is.", Rating::False)]
    #[case::stuck("the the the the the the the", Rating::False)]
    #[case::cut("He is known as the king and considered to be one of the", Rating::Partially)]
    #[case::fence("Use this:\n```\nlet x = 1;", Rating::Partially)]
    #[case::mojibake("\u{fffd}\u{fffd}a\u{fffd}", Rating::False)]
    fn rates(#[case] answer: &str, #[case] expected: Rating) {
        assert_eq!(rate(answer, &Passage::answer(answer)).0, expected);
    }
}
