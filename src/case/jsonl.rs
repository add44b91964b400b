//! Reading case files: UTF-8 with or without BOM, LF or CRLF, blank lines; one bad line is an error with its number, never one case fewer.

use std::path::Path;

use memchr::memmem;

use super::import::adopt;
use super::test_case::TestCase;
use crate::error::{Error, Result};
use crate::id::normalize_id;

/// The format's version that this release reads and writes.
pub const CASE_VERSION: u64 = 1;

/// The text of a case file, or what is wrong with its bytes.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    decode(bytes).map_err(|message| Error::Format { path: path.to_path_buf(), message })
}

fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let sixteen_bit = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) || (bytes.len() > 3 && bytes[..4].contains(&0));
    if sixteen_bit {
        return Err("the file is UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`".into());
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + memchr::memchr_iter(b'\n', &error.as_bytes()[..valid]).count();
        format!("line {line} is not UTF-8 (byte {valid}); save the file as UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..3);
    }
    Ok(text)
}

/// The non-blank lines of a case file with their numbers, from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.split('\n').enumerate().map(|(i, line)| (i + 1, line.strip_suffix('\r').unwrap_or(line)));
    numbered.filter(|(_, line)| !line.trim().is_empty())
}

/// Reads one line into a case; the id is NFC and trimmed. The message says what is wrong and what to do.
pub fn parse_line(line: &str) -> Result<TestCase, String> {
    let mut case: TestCase = serde_json::from_str(line).map_err(|error| {
        let text = error.to_string();
        let column = error.column();
        let message = text.split(" at line ").next().unwrap_or(&text);
        if text.contains("EOF while parsing") {
            format!("the JSON object is cut off (column {column})")
        } else {
            format!("{message} (column {column})")
        }
    })?;
    adopt(&mut case)?;
    case.id = normalize_id(&case.id);
    if case.version == Some(0) {
        return Err(format!("case format version 0 does not exist; write {CASE_VERSION}, or leave `version` out"));
    }
    if case.version.is_some_and(|v| v > CASE_VERSION) {
        return Err(format!("case format version {} needs a newer ragtest than {}", case.version.unwrap_or(0), env!("CARGO_PKG_VERSION")));
    }
    Ok(case)
}

/// The lines that hold `id` as a JSON string: the few that are worth parsing when one case is wanted. An id that is written with escapes
/// is not found this way; the caller then reads everything.
pub fn lines_with_id<'a>(text: &'a str, id: &str) -> Vec<(usize, &'a str)> {
    let Ok(needle) = serde_json::to_string(id) else { return Vec::new() };
    let mut found: Vec<(usize, &str)> = Vec::new();
    let mut from = 0;
    let bytes = text.as_bytes();
    while let Some(at) = memmem::find(&bytes[from..], needle.as_bytes()) {
        let at = from + at;
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |n| n + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
        let number = 1 + memchr::memchr_iter(b'\n', &bytes[..start]).count();
        found.push((number, text[start..end].trim_end_matches('\r')));
        from = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const TWO: &str = "{\"id\":\"a\",\"query\":\"q\"}\n{\"id\":\"b\",\"query\":\"q\"}\n";

    #[rstest]
    #[case::plain(TWO.as_bytes().to_vec())]
    #[case::bom([b"\xef\xbb\xbf", TWO.as_bytes()].concat())]
    #[case::crlf(TWO.replace('\n', "\r\n").into_bytes())]
    #[case::blank_lines(format!("\n\n{}\n  \n", TWO.replace('\n', "\n\n")).into_bytes())]
    #[case::no_last_line_end(TWO.trim_end().as_bytes().to_vec())]
    fn all_spellings_give_the_same_cases(#[case] bytes: Vec<u8>) {
        let text = decode(bytes).expect("decodes");
        let ids: Vec<_> = lines(&text).map(|(_, line)| parse_line(line).expect("parses").id).collect();
        assert_eq!(ids, ["a", "b"]);
    }

    #[rstest]
    #[case::utf16(b"\xff\xfe{\0".to_vec(), "UTF-16")]
    #[case::utf16_without_bom(b"{\0\"\0i\0".to_vec(), "UTF-16")]
    #[case::latin1(b"{}\n{\"id\":\"caf\xe9\"}".to_vec(), "line 2 is not UTF-8")]
    fn other_encodings_are_refused_by_name(#[case] bytes: Vec<u8>, #[case] words: &str) {
        let message = decode(bytes).expect_err("refused");
        assert!(message.contains(words), "{message}");
    }

    #[rstest]
    #[case::cut("{\"id\":\"a\",\"query\":", "cut off")]
    #[case::nan("{\"id\":\"a\",\"query\":\"q\",\"min\":{\"recall@5\":NaN}}", "column")]
    #[case::newer("{\"id\":\"a\",\"query\":\"q\",\"version\":2}", "newer ragtest")]
    #[case::list("[1]", "expected a JSON object")]
    #[case::trailing("{\"id\":\"a\",\"query\":\"q\"} x", "trailing")]
    fn bad_lines_say_why(#[case] line: &str, #[case] words: &str) {
        let message = parse_line(line).expect_err("refused");
        assert!(message.contains(words), "{message}");
    }

    #[test]
    fn a_line_is_found_by_its_id_alone() {
        let text = "{\"id\":\"a\"}\n{\"id\": \"bb\"}\r\n{\"id\":\"b\",\"tags\":[\"a\"]}";
        let numbers = |id| lines_with_id(text, id).into_iter().map(|(n, _)| n).collect::<Vec<_>>();
        assert_eq!(numbers("a"), [1, 3]);
        assert_eq!(numbers("bb"), [2]);
        assert!(numbers("none").is_empty());
        assert!(!lines_with_id(text, "bb")[0].1.ends_with('\r'));
    }
}
