//! `docs show --sections`: the slices that cases are generated from, with their length and readability.

use std::fmt::Write;

use anyhow::Result;
use ragtest::corpus::{Document, Section, sections};
use ragtest::text::{Language, Readability, excerpt, plain, readability};
use serde_json::{Value, json};

/// A section and how hard it is to read.
struct Scored {
    section: Section,
    readability: Option<Readability>,
}

fn scored(document: &Document, max_tokens: usize) -> Vec<Scored> {
    // A table alone names no language; the document does.
    let language = document.language.unwrap_or(Language::Other);
    let score = |section: Section| Scored { readability: readability(section.text(document), language), section };
    sections(document, max_tokens).into_iter().map(score).collect()
}

/// One line a section.
pub(crate) fn list(document: &Document, max_tokens: usize) -> String {
    let scored = scored(document, max_tokens);
    let mut text = String::new();
    for Scored { section, readability } in &scored {
        let score = readability.map_or_else(|| "unscored".to_owned(), |r| format!("{} {:.1}", r.formula.version(), r.score));
        let path = section.headings.join(" > ");
        let shown = excerpt(section.text(document), 60);
        let _ = writeln!(text, "{}: {} tokens, {score}, [{}] {}", plain(&section.id), section.tokens, plain(&path), plain(&shown));
    }
    text
}

/// The sections as JSON.
pub(crate) fn values(document: &Document, max_tokens: usize) -> Result<Value> {
    let value = |Scored { section, readability }: &Scored| {
        Ok(json!({
            "id": section.id,
            "span": [section.span.start, section.span.end],
            "headings": section.headings,
            "tokens": section.tokens,
            "text_hash": section.text_hash,
            "readability": readability.map(serde_json::to_value).transpose()?,
        }))
    };
    scored(document, max_tokens).iter().map(value).collect::<Result<Vec<_>>>().map(Value::Array)
}
