//! Rows whose columns become fields of a case by a table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail};
use ragtest::text::excerpt;
use serde_json::{Map, Value, json};

use super::contexts::Contexts;
use super::records::{self, texts};
use super::{Found, Row};

/// What a column becomes.
#[derive(Clone, Copy)]
pub(super) enum To {
    /// A field with one text.
    Text(&'static str),
    /// A field with a list of texts; in a CSV cell they stand between semicolons.
    List(&'static str),
    /// Evidence by id: `source_id` or `chunk_id`.
    Ids(&'static str),
    /// The quote of the case's document.
    Quote,
    /// Texts of chunks; their documents have to be found.
    Contexts,
    /// What a system returned: no part of a case.
    Result,
}

/// Column and target.
pub(super) type Table = &'static [(&'static str, To)];

/// The fields of a case that `--map` knows; without it columns of these names count.
const FIELDS: Table = &[
    ("id", To::Text("id")),
    ("query", To::Text("query")),
    ("reference_answer", To::Text("reference_answer")),
    ("answer_expectation", To::Text("answer_expectation")),
    ("expect", To::Text("expect")),
    ("strategy", To::Text("strategy")),
    ("document", To::Text("document")),
    ("quote", To::Quote),
    ("source_id", To::Ids("source_id")),
    ("chunk_id", To::Ids("chunk_id")),
    ("keywords", To::List("keywords")),
    ("required_facts", To::List("required_facts")),
    ("forbidden_facts", To::List("forbidden_facts")),
    ("tags", To::List("tags")),
    ("access_scope", To::Text("access_scope")),
    ("knowledge_snapshot_id", To::Text("knowledge_snapshot_id")),
    ("owner", To::Text("owner")),
];

/// A test set or an evaluation data set of ragas, in its names of today and of before.
pub(super) const RAGAS: Table = &[
    ("user_input", To::Text("query")),
    ("question", To::Text("query")),
    ("reference", To::Text("reference_answer")),
    ("ground_truth", To::Text("reference_answer")),
    ("reference_contexts", To::Contexts),
    ("reference_context_ids", To::Ids("chunk_id")),
    ("synthesizer_name", To::List("tags")),
    ("evolution_type", To::List("tags")),
    ("response", To::Result),
    ("answer", To::Result),
    ("retrieved_contexts", To::Result),
    ("retrieved_context_ids", To::Result),
    ("contexts", To::Result),
];

/// A test set of Giskard's RAG evaluation toolkit.
pub(super) const RAGET: Table = &[
    ("id", To::Text("id")),
    ("question", To::Text("query")),
    ("reference_answer", To::Text("reference_answer")),
    ("reference_context", To::Contexts),
];

/// A CSV file (or rows of JSON) by the mapping.
pub(super) fn csv(path: &Path, mapping: &BTreeMap<String, String>) -> Result<Found> {
    let known = || FIELDS.iter().map(|(field, _)| *field).collect::<Vec<_>>().join(", ");
    if let Some(field) = mapping.keys().find(|field| !FIELDS.iter().any(|(known, _)| known == field)) {
        bail!("read --map: {field:?} is no field that can be imported (known: {})", known());
    }
    let rows = records::read(path)?;
    let columns: BTreeSet<&str> = rows.iter().flat_map(|(_, row)| row.keys().map(String::as_str)).collect();
    if let Some((field, column)) = mapping.iter().find(|(_, column)| !columns.contains(column.as_str())) {
        let columns: Vec<&str> = columns.into_iter().collect();
        bail!("read {}: column {column:?} of --map {field} is missing (columns: {})", path.display(), columns.join(", "));
    }
    if !mapping.contains_key("query") && !columns.contains("query") {
        let columns: Vec<&str> = columns.into_iter().collect();
        bail!(
            "read {}: say which column holds the question, for example --map query={}",
            path.display(),
            columns.first().unwrap_or(&"Question")
        );
    }
    Ok(convert(rows, FIELDS, mapping, None))
}

/// The generated test sets.
pub(super) fn generated(path: &Path, table: Table, mapping: &BTreeMap<String, String>, documents: Option<&Path>) -> Result<Found> {
    if !mapping.is_empty() {
        bail!("read --map: this shape has fixed columns; --map is for csv and promptfoo");
    }
    let contexts = documents.map(Contexts::open).transpose()?;
    let mut found = convert(records::read(path)?, table, mapping, contexts.as_ref());
    found.documents = documents.map(|place| place.display().to_string().replace('\\', "/"));
    Ok(found)
}

fn convert(rows: Vec<records::Record>, table: Table, mapping: &BTreeMap<String, String>, contexts: Option<&Contexts>) -> Found {
    let mut found = Found::default();
    for (place, row) in rows {
        let mut case = Map::new();
        let mut evidence = Vec::new();
        for (column, value) in row {
            let mapped = mapping.iter().find(|(_, mapped)| **mapped == column).map(|(field, _)| field.as_str());
            let free = Some(column.as_str()).filter(|column| !mapping.contains_key(*column));
            let target = mapped.or(free).and_then(|name| table.iter().find(|(known, _)| *known == name)).map(|(_, to)| *to);
            let is_blank =
                value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) || value == json!([]) || value == json!({});
            match target {
                _ if is_blank => {}
                None => found.count(format!("column `{column}`: no field of a case")),
                Some(To::Result) => found.count(format!("column `{column}`: results are no part of a case")),
                Some(To::Text(field)) => {
                    case.insert(field.into(), text(value));
                }
                Some(To::List(field)) => {
                    case.insert(field.into(), list(&value).into());
                }
                Some(To::Ids(key)) => evidence.extend(list(&value).into_iter().map(|id| json!({ key: id }))),
                Some(To::Quote) => evidence.push(json!({ "quote": text(value) })),
                Some(To::Contexts) => {
                    for context in texts(&value).iter().flat_map(|context| parts(context)) {
                        match contexts.map(|contexts| contexts.evidence(context)) {
                            Some(Some(item)) => evidence.push(item),
                            Some(None) => found.left.push(format!("{place}: no document holds the context {:?}", excerpt(context, 60))),
                            None => found.count(format!("context of column `{column}`: name its documents with --documents PLACE")),
                        }
                    }
                }
            }
        }
        // A quote stands in the case's document.
        for item in evidence.iter_mut().filter(|item| item["document"].is_null()) {
            if let (Some(_), Some(document)) = (item.get("quote"), case.get("document")) {
                item["document"] = document.clone();
            }
        }
        if !evidence.is_empty() {
            case.insert("evidence".into(), evidence.into());
        }
        found.rows.push(Row { place, case });
    }
    found
}

fn text(value: Value) -> Value {
    match value {
        Value::Number(number) => number.to_string().into(),
        Value::String(text) => text.trim().into(),
        // The loader refuses it and says why.
        other => other,
    }
}

fn list(value: &Value) -> Vec<String> {
    let split = |text: String| text.split([';', '\n']).map(|part| part.trim().to_owned()).collect::<Vec<_>>();
    texts(value).into_iter().flat_map(split).filter(|part| !part.is_empty()).collect()
}

/// RAGET writes several contexts into one text, each below `Document 12: `.
fn parts(context: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    for (at, _) in context.match_indices("Document ").filter(|(at, _)| *at == 0 || context[..*at].ends_with('\n')) {
        let digits = context[at + 9..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && context[at + 9 + digits..].starts_with(':') {
            parts.push(&context[start..at]);
            start = at + 10 + digits;
        }
    }
    parts.push(&context[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_of_one_text_come_apart() {
        assert_eq!(parts("Document 1: One.\n\nDocument 23: Two,\nmore."), ["One.", "Two,\nmore."]);
        assert_eq!(parts("Document management: see\nDocument 7 too"), ["Document management: see\nDocument 7 too"]);
    }
}
