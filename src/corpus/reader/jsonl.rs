//! `corpus.jsonl` of the BEIR benchmark: many documents, one a line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;

use super::{has_text, plain};
use crate::corpus::{Document, Heading};
use crate::error::{ExtractError, ExtractErrorKind};
use crate::id::normalize_id;
use crate::text::Language;

/// The file name that BEIR fixes, for messages.
const FILE: &str = "corpus.jsonl";

/// A line. BEIR's `metadata` and whatever else a set adds carry no text.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "_id", borrow)]
    id: Id<'a>,
    #[serde(default, borrow)]
    title: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// Some sets number their documents.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Number(u64),
}

/// Where a document stands in a file of many.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BeirLine {
    pub(crate) id: String,
    /// The bytes of its line.
    pub(crate) span: Range<usize>,
}

/// The documents of a BEIR `corpus.jsonl` (Thakur et al. 2021): `{"_id", "title", "text"}` a line, a title becoming the document's heading.
/// Blank lines are skipped. A line that cannot be read, has no text, or repeats an id is an error that names it.
pub fn read_beir(bytes: &[u8]) -> Result<Vec<Document>, ExtractError> {
    let failed = |kind| ExtractError::new(FILE, kind);
    let lines = list_beir(bytes).map_err(failed)?;
    let read = |line: BeirLine| read_line(&bytes[line.span]).map_err(|message| failed(ExtractErrorKind::Malformed(message)));
    lines.into_iter().map(read).collect()
}

/// The lines of a file, each checked as [`read_beir`] does, without the texts.
pub(crate) fn list_beir(bytes: &[u8]) -> Result<Vec<BeirLine>, ExtractErrorKind> {
    plain::check_encoding(bytes)?;
    let mut listed: Vec<BeirLine> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (number, span) in lines(bytes) {
        let malformed = |message: String| ExtractErrorKind::Malformed(format!("line {number}: {message}"));
        let (id, line) = parse(&bytes[span.clone()]).map_err(malformed)?;
        if !has_text(&line.text) && !line.title.as_deref().is_some_and(has_text) {
            return Err(malformed(format!("document {id:?} has no text")));
        }
        if let Some(first) = seen.insert(id.clone(), number) {
            return Err(malformed(format!("id {id:?} stands in line {first} too")));
        }
        listed.push(BeirLine { id, span });
    }
    if listed.is_empty() { Err(ExtractErrorKind::NoText) } else { Ok(listed) }
}

/// Whether a file is of this format, told by its first line.
pub(crate) fn is_beir(bytes: &[u8]) -> bool {
    lines(bytes).next().is_some_and(|(_, span)| parse(&bytes[span]).is_ok())
}

/// The document of a file of one line.
pub(super) fn read(bytes: &[u8]) -> Result<Document, ExtractErrorKind> {
    match list_beir(bytes)?.as_slice() {
        [line] => read_line(&bytes[line.span.clone()]).map_err(ExtractErrorKind::Malformed),
        several => {
            let several = several.len();
            Err(ExtractErrorKind::Malformed(format!("the file holds {several} documents; name it as `documents` of a corpus")))
        }
    }
}

/// The lines that are not blank, with their numbers from 1, without line ends and byte order mark.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut end = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let spans = bytes[end..].split(|byte| *byte == b'\n').map(move |line| {
        let start = end;
        end = start + line.len() + 1;
        start..start + line.trim_ascii_end().len()
    });
    spans.enumerate().map(|(index, span)| (index + 1, span)).filter(|(_, span)| !span.is_empty())
}

fn parse(line: &[u8]) -> Result<(String, Line<'_>), String> {
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err("no JSON object".into());
    }
    let line: Line = serde_json::from_slice(line).map_err(|error| error.to_string().replace(" at line 1 column ", ", column "))?;
    let id = match &line.id {
        Id::Text(text) => normalize_id(text),
        Id::Number(number) => number.to_string(),
    };
    if id.is_empty() { Err("`_id` is empty".into()) } else { Ok((id, line)) }
}

fn read_line(line: &[u8]) -> Result<Document, String> {
    let (id, line) = parse(line)?;
    // Escapes bring in what the decoding of the file could not see.
    let body = plain::normalize(line.text.trim());
    let title = line.title.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let title = plain::nfc(title);
    let (text, headings) = if title.is_empty() {
        (body, Vec::new())
    } else {
        (format!("{title}\n\n{body}").trim_end().to_owned(), vec![Heading { level: 1, text: title, offset: 0 }])
    };
    let language = Language::of(&text);
    Ok(Document { id, text, headings, language, ..Document::default() })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const TWO: &str = "{\"_id\": \"d1\", \"title\": \"Refunds\", \"text\": \"Within 30 days.\", \"metadata\": {}}\n\n{\"_id\": 2, \"text\": \"Only\\r\\ntext\"}\n";

    #[test]
    fn reads_every_spelling_of_the_file() {
        let documents = read_beir(TWO.as_bytes()).expect("reads");
        assert_eq!(documents.len(), 2);
        assert_eq!((documents[0].id.as_str(), documents[0].text.as_str()), ("d1", "Refunds\n\nWithin 30 days."));
        assert_eq!(documents[0].heading_path(0), ["Refunds"]);
        assert_eq!((documents[1].id.as_str(), documents[1].text.as_str()), ("2", "Only\ntext"));
        let windows = format!("\u{feff}{}", TWO.replace('\n', "\r\n"));
        assert_eq!(read_beir(windows.as_bytes()).expect("reads"), documents);
    }

    #[rstest]
    #[case::broken("{\"_id\": \"a\", \"text\": \"x\"}\n\n{\"_id\": \"b\"", "line 3")]
    #[case::not_a_number("{\"_id\": \"a\", \"text\": NaN}", "line 1: expected value, column")]
    #[case::list("\n[1]", "line 2: no JSON object")]
    #[case::no_text_field("{\"_id\": \"a\"}", "`text`")]
    #[case::empty_id("{\"_id\": \" \", \"text\": \"x\"}", "`_id` is empty")]
    #[case::no_text("{\"_id\": \"a\", \"title\": \" \", \"text\": \"\\n\"}", "\"a\" has no text")]
    #[case::same_id("{\"_id\": \"e\u{301}\", \"text\": \"x\"}\n{\"_id\": \" \u{e9}\", \"text\": \"y\"}", "line 1 too")]
    #[case::nothing("\n\n", "no text")]
    fn errors_name_the_line(#[case] text: &str, #[case] part: &str) {
        let message = read_beir(text.as_bytes()).expect_err("an error").to_string();
        assert!(message.contains(part), "{message}");
    }

    #[test]
    fn lines_are_listed_where_they_stand() {
        let bytes = format!("\u{feff}{}", TWO.replace('\n', "\r\n"));
        for line in list_beir(bytes.as_bytes()).expect("lists") {
            let alone = read(&bytes.as_bytes()[line.span]).expect("one line is a file of one");
            assert_eq!(alone.id, line.id);
        }
        let error = read(bytes.as_bytes()).expect_err("two documents");
        assert!(error.to_string().contains("2 documents"), "{error}");
        assert!(is_beir(bytes.as_bytes()) && !is_beir(b"{\"id\": \"case\"}") && !is_beir(b""));
    }

    #[test]
    fn utf_16_is_refused_by_name() {
        let bytes: Vec<u8> = TWO.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(matches!(read_beir(&bytes), Err(ExtractError { kind: ExtractErrorKind::Encoding(_), .. })));
    }
}
