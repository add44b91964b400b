//! Plain text: what a sentence says without its typography, markup and citation markers.

use unicode_normalization::UnicodeNormalization;

use crate::text::fold_char;

/// NFKC, plain quotes and dashes, no control characters, Penn Treebank brackets as brackets. Case, accents and line breaks stay.
/// Superscript digits that mark a note go; those of a unit or power (`km²`, `10²`) stay.
pub(super) fn plain(text: &str) -> String {
    let text = if text.is_ascii() { text.to_owned() } else { drop_note_marks(text).nfkc().filter_map(fold_char).collect() };
    let text: String = text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c }).collect();
    if !text.contains("B-") {
        return text;
    }
    text.replace("-LRB-", "(").replace("-RRB-", ")").replace("-LSB-", "(").replace("-RSB-", ")")
}

/// Plain text of an answer: without markup, citation markers and delimiter lines.
pub(super) fn answer(text: &str) -> String {
    let text = plain(&text.replace(['`', '*'], ""));
    let text = drop_spans(&text, '<', '>', 40, is_tag);
    let text = drop_spans(&text, '[', ']', 40, is_citation);
    let text = drop_spans(&text, '\u{3010}', '\u{3011}', 40, |_| true);
    let text = drop_spans(&text, '(', ')', 60, is_source_note);
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if !is_delimiter(line) {
            push_line(line, &mut out);
        }
    }
    out
}

/// Whether nothing is left to read.
pub(super) fn is_blank(text: &str) -> bool {
    !text.contains(char::is_alphanumeric)
}

fn drop_note_marks(text: &str) -> String {
    const SUPERSCRIPTS: [char; 10] =
        ['\u{2070}', '\u{b9}', '\u{b2}', '\u{b3}', '\u{2074}', '\u{2075}', '\u{2076}', '\u{2077}', '\u{2078}', '\u{2079}'];
    if !text.contains(SUPERSCRIPTS) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = 0;
    let mut dropping = false;
    for c in text.chars() {
        if SUPERSCRIPTS.contains(&c) {
            let after_digit = out.ends_with(|last: char| last.is_numeric());
            dropping = dropping || (!after_digit && (letters == 0 || letters > 2));
            if !dropping {
                out.push(c);
            }
            continue;
        }
        dropping = false;
        letters = if c.is_alphabetic() { letters + 1 } else { 0 };
        out.push(c);
    }
    out
}

/// Leaves out the bracketed spans that `unwanted` names. Brackets further apart than `longest` bytes are no span.
fn drop_spans(text: &str, open: char, close: char, longest: usize, unwanted: impl Fn(&str) -> bool) -> String {
    if !text.contains(open) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(open) {
        let inside = start + open.len_utf8();
        let limit = rest.floor_char_boundary((inside + longest).min(rest.len()));
        out.push_str(&rest[..start]);
        match rest[inside..limit].find(close) {
            Some(length) if unwanted(&rest[inside..inside + length]) => {
                out.push(' ');
                rest = &rest[inside + length + close.len_utf8()..];
            }
            _ => {
                out.push(open);
                rest = &rest[inside..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn is_tag(inside: &str) -> bool {
    inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '|' | '!'))
}

/// `1`, `1, 2`, `chunk-3`, `doc 2`, `refunds.md#4`, `/INST`.
fn is_citation(inside: &str) -> bool {
    let inside = inside.trim().trim_start_matches('^');
    let lower = inside.to_ascii_lowercase();
    let named = ["chunk", "doc", "source", "ref", "citation", "passage", "context", "note", "/inst", "inst", "page", "p."];
    let numbers = inside.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | ';' | '[' | '^'));
    let id =
        !inside.contains(' ') && inside.contains(['#', '_', '-', '.', '/']) && inside.contains(|c: char| c.is_ascii_digit() || c == '.');
    (numbers && !inside.is_empty()) || id || named.iter().any(|name| lower.starts_with(name))
}

fn is_source_note(inside: &str) -> bool {
    let lower = inside.trim().to_ascii_lowercase();
    ["source:", "sources:", "see [", "see chunk", "see source", "chunk ", "chunk-", "ref:", "citation"]
        .iter()
        .any(|start| lower.starts_with(start))
}

/// A line of rules and brackets with a few words at most: `=== END ===`, `|---|---|`.
fn is_delimiter(line: &str) -> bool {
    let line = line.trim();
    if line.len() > 200 {
        return false;
    }
    let marks = line.chars().filter(|c| matches!(c, '=' | '-' | '<' | '>' | '#' | '_' | '~' | '|' | '+' | '{' | '}' | '[' | ']')).count();
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    marks >= 3 && letters == 0
        || marks >= 6 && line.split_whitespace().count() <= 6 && line.starts_with(['=', '-', '<', '#', '~', '+', '[', '{'])
}

/// Without the mark of a heading or quote; every numbered item gets the same mark, so that its number is not a claim.
fn push_line(line: &str, out: &mut String) {
    let blanks = [' ', '\t'];
    let trimmed = line.trim_start_matches(blanks).trim_start_matches(['#', '>']).trim_start_matches(blanks);
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=3).contains(&digits) && trimmed[digits..].starts_with(['.', ')']) && trimmed[digits + 1..].starts_with(' ');
    if numbered {
        out.push('-');
        out.push_str(&trimmed[digits + 1..]);
    } else {
        out.push_str(trimmed);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::numbers("It is 5 [1][2, 3].", "It is 5   .")]
    #[case::chunk("It is 5 [chunk-3].", "It is 5  .")]
    #[case::words_stay("an array [of items]", "an array [of items]")]
    #[case::bold("**Yes**, `x`", "Yes, x")]
    #[case::tag("<b>Yes</b></answer>", "Yes  ")]
    #[case::less_than("a < b", "a < b")]
    #[case::delimiter("Yes.\n=== END OF ANSWER ===\n", "Yes.\n")]
    #[case::list("1. one\n2) two", "- one\n- two")]
    #[case::note_mark("in 2017 \u{2076}.", "in 2017 .")]
    #[case::power("10\u{b2} km\u{b2}", "102 km2")]
    #[case::treebank("Kyle -LRB- born 1974 -RRB-", "Kyle ( born 1974 )")]
    #[case::curly("can\u{2019}t", "can't")]
    #[case::control("a\u{0}b", "a b")]
    fn cleans(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(answer(text), expected);
    }

    proptest! {
        #[test]
        fn never_panics(text in any::<String>()) {
            answer(&text);
        }
    }
}
