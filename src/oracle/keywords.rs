//! Keywords, by code alone: NFKC, case fold, word borders, stems. Digits are never folded into words.

use crate::text::{Language, fold, stem, words};
use crate::verdict::Rating;

/// All, some or none of the keywords; `None` without keywords. The reason names what is missing.
pub(super) fn rate(keywords: &[String], answer: &str) -> (Option<Rating>, String) {
    let keywords: Vec<&String> = keywords.iter().filter(|k| !k.trim().is_empty()).collect();
    if keywords.is_empty() {
        return (None, "the case has no keywords".to_owned());
    }
    // A line may end inside a keyword.
    let folded = on_one_line(answer);
    let stems = stems(answer);
    let missing: Vec<&str> = keywords.iter().filter(|k| !occurs(k, &folded, &stems)).map(|k| k.as_str()).collect();
    let all = keywords.len();
    match missing.len() {
        0 => (Some(Rating::True), format!("has all {all} keywords")),
        n if n == all => (Some(Rating::False), format!("has none of the {all} keywords: {}", missing.join(", "))),
        n => (Some(Rating::Partially), format!("has {} of {all} keywords; missing: {}", all - n, missing.join(", "))),
    }
}

fn on_one_line(text: &str) -> String {
    fold(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn stems(text: &str) -> Vec<String> {
    words(text).iter().map(|word| stem(word, Language::English)).collect()
}

/// As it stands between word borders, or with the same stems in a row.
fn occurs(keyword: &str, folded: &str, answer_stems: &[String]) -> bool {
    let literal = on_one_line(keyword);
    if stands_between_borders(&literal, folded) {
        return true;
    }
    // `C++` or `$5`: without its signs it would be another word.
    let plain = literal.starts_with(char::is_alphanumeric) && literal.ends_with(char::is_alphanumeric);
    let wanted = stems(&literal);
    // Numbers are compared as they stand: in the list of words, `1,250` has lost its thousands.
    let has_digits = literal.bytes().any(|b| b.is_ascii_digit());
    plain && !has_digits && !wanted.is_empty() && answer_stems.windows(wanted.len()).any(|window| window == wanted)
}

/// Whether `needle` occurs in `text` and is not a part of a longer word. Both folded.
pub(super) fn stands_between_borders(needle: &str, text: &str) -> bool {
    let (Some(first), Some(last)) = (needle.chars().next(), needle.chars().next_back()) else { return false };
    let no_border = |inside: char, outside: Option<char>| {
        outside.is_some_and(|outside| {
            inside.is_alphanumeric() && outside.is_alphanumeric() && !crate::text::is_cjk(inside) && !crate::text::is_cjk(outside)
        })
    };
    memchr::memmem::find_iter(text.as_bytes(), needle.as_bytes()).any(|at| {
        let (before, after) = (&text[..at], &text[at + needle.len()..]);
        let inside_number = first.is_ascii_digit() && ends_in_number(before) || last.is_ascii_digit() && starts_in_number(after);
        !inside_number && !no_border(first, before.chars().next_back()) && !no_border(last, after.chars().next())
    })
}

/// Whether a number that follows `text` would be the end of a longer one (`1,` or `3.`), or negative.
fn ends_in_number(text: &str) -> bool {
    let mut back = text.chars().rev();
    match back.next() {
        Some('.' | ',') => back.next().is_some_and(|c| c.is_ascii_digit()),
        // `LP-12` is an identifier, ` -12` a negative number.
        Some('-') => back.next().is_none_or(char::is_whitespace),
        _ => false,
    }
}

/// Whether a number before `text` would go on in it (`.9`, `,000`).
fn starts_in_number(text: &str) -> bool {
    let mut ahead = text.chars();
    matches!(ahead.next(), Some('.' | ',')) && ahead.next().is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::as_is("timeout", "The timeout is 5 s.", true)]
    #[case::across_a_line_end("60 days", "It is kept for 60\ndays.", true)]
    #[case::case_folds("Timeout", "the TIMEOUT is", true)]
    #[case::full_width("LP-4021", "\u{ff2c}\u{ff30}-\u{ff14}\u{ff10}\u{ff12}\u{ff11}", true)]
    #[case::stem("refund", "Refunds are due", true)]
    #[case::part_of_a_word("port", "an important transport", false)]
    #[case::digits("12", "in 2012", false)]
    #[case::thousands("250 EUR", "a fee of 1,250 EUR", false)]
    #[case::decimals("12", "version 3.12", false)]
    #[case::longer_version("v2.1", "since v2.1.9", false)]
    #[case::negative("5", "it is -5 degrees", false)]
    #[case::end_of_sentence("30", "It is 30. Not more.", true)]
    #[case::number_word("two", "2 days", false)]
    #[case::sign("C++", "written in C", false)]
    #[case::sign_there("C++", "written in C++.", true)]
    #[case::file("settings.toml", "see `settings.toml`.", true)]
    #[case::phrase("retry count", "the retry counts", true)]
    #[case::phrase_apart("retry count", "retry the count", false)]
    #[case::han("\u{5317}\u{4eac}", "\u{5728}\u{5317}\u{4eac}\u{5927}", true)]
    fn matches_whole_words(#[case] keyword: &str, #[case] answer: &str, #[case] expected: bool) {
        assert_eq!(rate(&[keyword.to_owned()], answer).0 == Some(Rating::True), expected);
    }

    #[test]
    fn all_some_none_and_no_keywords() {
        let two = ["a1".to_owned(), "b2".to_owned()];
        assert_eq!(rate(&two, "a1 b2").0, Some(Rating::True));
        assert_eq!(rate(&two, "a1").0, Some(Rating::Partially));
        assert_eq!(rate(&two, "c3").0, Some(Rating::False));
        assert_eq!(rate(&[], "a1").0, None);
        assert_eq!(rate(&[" ".to_owned()], "a1").0, None);
    }
}
