//! `corpus.jsonl` of the BEIR benchmark: many documents, one a line.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{has_text, plain};
use crate::corpus::{Document, Heading};
use crate::error::{ExtractError, ExtractErrorKind};
use crate::id::normalize_id;

/// The file name that BEIR fixes, for messages.
const FILE: &str = "corpus.jsonl";

/// A line. BEIR's `metadata` and whatever else a set adds carry no text.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "_id")]
    id: Id,
    #[serde(default)]
    title: Option<String>,
    text: String,
}

/// Some sets number their documents.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

/// The documents of a BEIR `corpus.jsonl` (Thakur et al. 2021): `{"_id", "title", "text"}` a line, a title becoming the document's heading.
/// Blank lines are skipped. A line that cannot be read, has no text, or repeats an id is an error that names it.
pub fn read_beir(bytes: &[u8]) -> Result<Vec<Document>, ExtractError> {
    let text = plain::decode(bytes).map_err(|kind| ExtractError::new(FILE, kind))?;
    let mut documents = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (number, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
        if line.trim().is_empty() {
            continue;
        }
        let malformed = |message: String| ExtractError::new(FILE, ExtractErrorKind::Malformed(format!("line {number}: {message}")));
        let document = document(line).map_err(malformed)?;
        if let Some(first) = seen.insert(document.id.clone(), number) {
            return Err(malformed(format!("id {:?} stands in line {first} too", document.id)));
        }
        documents.push(document);
    }
    if documents.is_empty() {
        return Err(ExtractError::new(FILE, ExtractErrorKind::NoText));
    }
    Ok(documents)
}

fn document(line: &str) -> Result<Document, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let id = match line.id {
        Id::Text(text) => normalize_id(&text),
        Id::Number(number) => number.to_string(),
    };
    if id.is_empty() {
        return Err("`_id` is empty".into());
    }
    // Escapes bring in what the decoding of the file could not see.
    let body = plain::normalize(line.text.trim());
    let title = line.title.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let title = plain::nfc(title);
    let (text, headings) = if title.is_empty() {
        (body, Vec::new())
    } else {
        (format!("{title}\n\n{body}").trim_end().to_owned(), vec![Heading { level: 1, text: title, offset: 0 }])
    };
    if !has_text(&text) {
        return Err(format!("document {id:?} has no text"));
    }
    Ok(Document { id, text, headings, ..Document::default() })
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
    #[case::not_a_number("{\"_id\": \"a\", \"text\": NaN}", "line 1")]
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
    fn utf_16_is_refused_by_name() {
        let bytes: Vec<u8> = TWO.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(matches!(read_beir(&bytes), Err(ExtractError { kind: ExtractErrorKind::Encoding(_), .. })));
    }
}
