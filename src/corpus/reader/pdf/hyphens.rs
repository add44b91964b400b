//! Words that a line end divides.

use std::collections::HashSet;

use super::lines::Line;

/// Puts the rest of a divided word back onto its first half. Whether the hyphen is part of the word is looked up in the other words of the
/// document; where they do not tell, it is not.
pub(super) fn join(pages: &mut [&mut Vec<Line>]) {
    if !pages.iter().any(|lines| lines.windows(2).any(|pair| divided(&pair[0], &pair[1]).is_some())) {
        return;
    }
    let words: HashSet<String> = pages.iter().flat_map(|lines| lines.iter()).flat_map(|line| words(&line.text)).collect();
    for lines in pages {
        let mut at = 0;
        while at + 1 < lines.len() {
            match divided(&lines[at], &lines[at + 1]).map(|word| word.whole(&words)) {
                Some((upper, lower)) => {
                    lines[at].text = upper;
                    if lower.is_empty() {
                        lines.remove(at + 1);
                    } else {
                        lines[at + 1].text = lower;
                        at += 1;
                    }
                }
                None => at += 1,
            }
        }
    }
}

/// Lower-case words with their inner hyphens.
fn words(line: &str) -> impl Iterator<Item = String> {
    line.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()).filter(|word| !word.is_empty())
}

/// A word on two lines.
struct Divided<'a> {
    /// The upper line without the hyphen.
    upper: &'a str,
    hyphen: char,
    /// The rest of the word, with what stands close behind it.
    rest: &'a str,
    /// The lower line behind that.
    lower: &'a str,
}

fn divided<'a>(upper: &'a Line, lower: &'a Line) -> Option<Divided<'a>> {
    let text = upper.text.trim_end();
    let hyphen = text.chars().next_back().filter(|c| matches!(c, '-' | '\u{2010}' | '\u{ad}'))?;
    let text = &text[..text.len() - hyphen.len_utf8()];
    if upper.size != lower.size || !text.ends_with(char::is_alphabetic) || !lower.text.starts_with(char::is_lowercase) {
        return None;
    }
    let (rest, after) = lower.text.split_once([' ', '\t']).unwrap_or((&lower.text, ""));
    Some(Divided { upper: text, hyphen, rest, lower: after.trim_start() })
}

impl Divided<'_> {
    /// Both lines with the word whole on the upper one.
    fn whole(&self, words: &HashSet<String>) -> (String, String) {
        let first = self.upper.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(|c: char| !c.is_alphanumeric());
        let second = self.rest.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or_default();
        let known = |between: &str| words.contains(&format!("{first}{between}{second}").to_lowercase());
        // In names of options, files and addresses no hyphen is set that was not there.
        let plain = first.chars().all(char::is_alphabetic);
        let kept = self.hyphen != '\u{ad}' && !known("") && (known("-") || !plain);
        let hyphen = if kept { "-" } else { "" };
        (format!("{}{hyphen}{}", self.upper, self.rest), self.lower.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn joined(lines: &[&str]) -> Vec<String> {
        let mut lines: Vec<_> = lines.iter().map(|text| Line { text: (*text).to_owned(), ..Line::default() }).collect();
        join(&mut [&mut lines]);
        lines.into_iter().map(|line| line.text).collect()
    }

    #[rstest]
    #[case::divided(&["an exam-", "ple, and more"], &["an example,", "and more"])]
    #[case::last_word(&["an exam-", "ple", "and"], &["an example", "and"])]
    #[case::twice(&["un-", "der-", "stood it"], &["understood", "it"])]
    #[case::soft(&["an exam\u{ad}", "ple of"], &["an example", "of"])]
    #[case::compound(&["a well-", "known rule", "well-known"], &["a well-known", "rule", "well-known"])]
    #[case::both_known(&["an e-", "mail to", "email or e-mail"], &["an email", "to", "email or e-mail"])]
    #[case::chain(&["state-of-the-", "art work"], &["state-of-the-art", "work"])]
    #[case::option(&["give --no-", "check here"], &["give --nocheck", "here"])]
    #[case::option_named(&["give --no-", "check here", "see --no-check"], &["give --no-check", "here", "see --no-check"])]
    #[case::file(&["file a_b-", "c.txt"], &["file a_b-c.txt"])]
    #[case::list(&["the -", "x option"], &["the -", "x option"])]
    #[case::name(&["Anna-", "Lena"], &["Anna-", "Lena"])]
    fn words_are_joined(#[case] lines: &[&str], #[case] expected: &[&str]) {
        assert_eq!(joined(lines), expected);
    }

    #[test]
    fn other_sizes_are_other_text() {
        let line = |text: &str, size| Line { text: text.into(), size, ..Line::default() };
        let mut lines = vec![line("Part one-", 30), line("two words", 20)];
        join(&mut [&mut lines]);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].text, "Part one-");
    }

    proptest! {
        #[test]
        fn only_hyphens_and_line_ends_go(lines in proptest::collection::vec("[a-cA \u{e9}\u{ad}.-]{0,8}", 0..6)) {
            let shown = |lines: &[String]| lines.concat().replace(|c: char| c.is_whitespace() || "-\u{ad}".contains(c), "");
            let given: Vec<&str> = lines.iter().map(String::as_str).collect();
            prop_assert_eq!(shown(&joined(&given)), shown(&lines));
        }
    }
}
