//! Lines and their columns.

use std::fmt;

/// What is wrong with a line, and what to do. Beside a file name it reads `qrels.txt:3: ...`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineProblem {
    /// The line, from 1.
    pub line: usize,
    /// The problem and its remedy.
    pub message: String,
}

impl LineProblem {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl fmt::Display for LineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

/// The non-blank lines with their numbers, from 1. A byte order mark and carriage returns are no part of them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len()));
    let numbered = ends.enumerate().map(move |(index, end)| {
        let line = &text[start..end];
        start = end + 1;
        (index + 1, line.strip_suffix('\r').unwrap_or(line))
    });
    numbered.filter(|(_, line)| !line.bytes().all(|byte| byte.is_ascii_whitespace()))
}

/// The line's `N` columns between spaces and tabs, or how many it has.
pub(super) fn columns<const N: usize>(line: &str) -> Result<[&str; N], usize> {
    let bytes = line.as_bytes();
    let is_gap = |byte: u8| byte == b' ' || byte == b'\t';
    let mut found = [""; N];
    let mut at = 0;
    let mut count = 0;
    loop {
        while at < bytes.len() && is_gap(bytes[at]) {
            at += 1;
        }
        if at == bytes.len() {
            break;
        }
        let start = at;
        while at < bytes.len() && !is_gap(bytes[at]) {
            at += 1;
        }
        if let Some(column) = found.get_mut(count) {
            *column = &line[start..at];
        }
        count += 1;
    }
    if count == N { Ok(found) } else { Err(count) }
}

/// What a line with a wrong number of columns probably is.
pub(super) fn wrong_columns(line: &str, count: usize, wanted: &str) -> String {
    let hint = match count {
        1 if line.contains([',', ';']) => "; columns are separated by spaces or tabs, not by commas",
        3 => "; BEIR's three columns need their header line `query-id<tab>corpus-id<tab>score`",
        4 => "; four columns are those of a qrels file, which is the first argument",
        6 => "; six columns are those of a run file, which is the second argument",
        _ => "",
    };
    let columns = if count == 1 { "1 column".to_owned() } else { format!("{count} columns") };
    format!("{columns} where there must be {wanted}{hint}")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::spaces("a b c", Ok(["a", "b", "c"]))]
    #[case::runs_of_gaps("  a\t \tb  c ", Ok(["a", "b", "c"]))]
    #[case::other_scripts("文 b\u{a0}b c", Ok(["文", "b\u{a0}b", "c"]))]
    #[case::short("a b", Err(2))]
    #[case::long("a b c d e", Err(5))]
    #[case::empty("", Err(0))]
    fn columns_stand_between_gaps(#[case] line: &str, #[case] expected: Result<[&str; 3], usize>) {
        assert_eq!(columns(line), expected);
    }

    #[test]
    fn lines_keep_their_numbers_in_every_spelling() {
        let plain = "a\n\nb\n";
        for text in [plain.to_owned(), plain.replace('\n', "\r\n"), format!("\u{feff}{plain}"), "a\n \t\nb".to_owned()] {
            assert_eq!(lines(&text).collect::<Vec<_>>(), [(1, "a"), (3, "b")], "{text:?}");
        }
        assert_eq!(lines("").count(), 0);
    }
}
