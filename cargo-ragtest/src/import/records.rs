//! Rows of JSON lines, JSON lists and CSV files.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ragtest::case::jsonl::{lines, read_text};
use serde_json::{Map, Value};

/// A row and its place.
pub(super) type Record = (String, Map<String, Value>);

/// The rows of a file: `.csv` and `.tsv` by their header, `.json` a list of objects, else an object a line. Cells of a CSV file are texts.
pub(super) fn read(path: &Path) -> Result<Vec<Record>> {
    let text = read_text(path)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let records = match extension.as_str() {
        "csv" | "tsv" => from_csv(path, &text, extension == "tsv")?,
        "json" => from_json(path, &text)?,
        _ => lines(&text)
            .map(|(number, line)| {
                let place = format!("{}:{number}", path.display());
                let row = serde_json::from_str(line).map_err(|error| anyhow!("read {place}: {error}; write one JSON object a line"))?;
                Ok((place, row))
            })
            .collect::<Result<_>>()?,
    };
    if records.is_empty() {
        bail!("read {}: the file holds no row", path.display());
    }
    Ok(records)
}

fn from_json(path: &Path, text: &str) -> Result<Vec<Record>> {
    let value: Value = serde_json::from_str(text).map_err(|error| anyhow!("read {}: {error}", path.display()))?;
    let Value::Array(rows) = value else { bail!("read {}: it is no list of objects", path.display()) };
    let row = |(index, row)| match row {
        Value::Object(row) => Ok((format!("{}: row {}", path.display(), index + 1), row)),
        _ => Err(anyhow!("read {}: row {} is no object", path.display(), index + 1)),
    };
    rows.into_iter().enumerate().map(row).collect()
}

fn from_csv(path: &Path, text: &str, tabs: bool) -> Result<Vec<Record>> {
    // The reader counts lines one short where they end with a carriage return.
    let text = text.replace("\r\n", "\n");
    let header = text.lines().next().unwrap_or_default();
    // Spreadsheets of many countries separate by semicolons.
    let delimiter = if tabs || (header.contains('\t') && !header.contains(',')) {
        b'\t'
    } else if header.contains(';') && !header.contains(',') {
        b';'
    } else {
        b','
    };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
    let wrong = |error: csv::Error| anyhow!("read {}: {error}", path.display());
    let columns: Vec<String> = reader.headers().map_err(wrong)?.iter().map(|column| column.trim().to_owned()).collect();
    let mut seen = BTreeSet::new();
    if let Some(twice) = columns.iter().find(|column| !seen.insert(*column)) {
        bail!("read {}:1: column {twice:?} stands twice; rename one of them", path.display());
    }
    let mut records = Vec::new();
    for row in reader.records() {
        let row = row.map_err(wrong)?;
        let line = row.position().map_or(0, csv::Position::line);
        let cells = columns.iter().zip(&row).map(|(column, cell)| (column.clone(), Value::from(cell)));
        records.push((format!("{}:{line}", path.display()), cells.collect()));
    }
    Ok(records)
}

/// The texts of a cell: a list, a list that was written into a text (as JSON, or as Python prints it), or one text.
pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => {
            let listed = serde_json::from_str(text).ok().or_else(|| python_list(text.trim()));
            listed.unwrap_or_else(|| vec![text.clone()])
        }
        Value::Null => Vec::new(),
        other => vec![other.to_string()],
    }
}

/// `['it''s', "so"]`: texts in either kind of quotes, with backslashes.
fn python_list(text: &str) -> Option<Vec<String>> {
    let mut chars = text.strip_prefix('[')?.strip_suffix(']')?.chars();
    let mut items = Vec::new();
    loop {
        let Some(quote) = chars.find(|c| !c.is_whitespace() && *c != ',') else { return Some(items) };
        if quote != '\'' && quote != '"' {
            return None;
        }
        let mut item = String::new();
        loop {
            match chars.next()? {
                '\\' => match chars.next()? {
                    'n' => item.push('\n'),
                    't' => item.push('\t'),
                    'r' => item.push('\r'),
                    other => item.push(other),
                },
                c if c == quote => break,
                c => item.push(c),
            }
        }
        items.push(item);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_in_cells_are_read_in_every_spelling() {
        let expected = vec!["it's".to_owned(), "say \"so\"\n".to_owned()];
        for value in [json!(["it's", "say \"so\"\n"]), json!(r#"["it's", "say \"so\"\n"]"#), json!(r#"["it's", 'say "so"\n']"#)] {
            assert_eq!(texts(&value), expected, "{value}");
        }
        assert_eq!(texts(&json!("[see note] one text")), ["[see note] one text"]);
        assert_eq!(texts(&json!("[1, 2]")), ["[1, 2]"]);
        assert!(texts(&json!(" ")).is_empty() && texts(&json!(null)).is_empty() && texts(&json!("[]")).is_empty());
    }
}
