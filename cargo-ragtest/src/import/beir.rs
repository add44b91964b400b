//! BEIR folders, and TREC queries with their qrels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use ragtest::case::jsonl::{lines, read_text};
use ragtest::id::normalize_id;
use ragtest::trec::{Labels, Qrels};
use serde_json::{Map, Value, json};

use super::{Found, Row};

/// The highest grade of a case's evidence.
const HIGHEST: i32 = 3;

/// A folder with `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv` or `qrels.tsv`.
pub(super) fn folder(folder: &Path, queries: Option<&Path>, qrels: Option<&Path>) -> Result<Found> {
    let queries = queries.map_or_else(|| folder.join("queries.jsonl"), Path::to_path_buf);
    let qrels = match qrels {
        Some(path) => path.to_path_buf(),
        None => labels_of(folder)?,
    };
    let mut found = files(&queries, &qrels)?;
    let corpus = folder.join("corpus.jsonl");
    if corpus.is_file() {
        let known = ids(&corpus)?;
        let lost = found
            .rows
            .iter()
            .flat_map(|row| row.case["evidence"].as_array().into_iter().flatten())
            .filter_map(|item| item["source_id"].as_str());
        let lost: BTreeSet<String> = lost.filter(|id| !known.contains(*id)).map(str::to_owned).collect();
        found.left.extend(lost.iter().map(|id| format!("document {id:?} has a label and is missing in {}", corpus.display())));
        found.documents = Some(corpus.display().to_string().replace('\\', "/"));
    } else {
        found.left.push(format!("{} is missing: the suite needs its documents", corpus.display()));
    }
    Ok(found)
}

fn labels_of(folder: &Path) -> Result<PathBuf> {
    let places = ["qrels/test.tsv", "qrels.tsv"].map(|name| folder.join(name));
    places.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        anyhow!("find the labels: {} holds neither qrels/test.tsv nor qrels.tsv; name them with --qrels FILE", folder.display())
    })
}

/// Queries and their labels.
pub(super) fn files(queries: &Path, qrels: &Path) -> Result<Found> {
    let texts = read_queries(queries)?;
    let text = read_text(qrels)?;
    let labels = Qrels::parse(&text).map_err(|problem| anyhow!("read {}:{problem}", qrels.display()))?;
    let mut found = Found::default();
    let mut labelled = BTreeSet::new();
    for query in labels.queries() {
        labelled.insert(query.query);
        let place = format!("{}: query {:?}", qrels.display(), query.query);
        let evidence = evidence(query, &mut found);
        let Some(text) = texts.get(query.query) else {
            found.left.push(format!("{place} has labels and no text in {}", queries.display()));
            continue;
        };
        if evidence.is_empty() {
            found.left.push(format!("{place} has no relevant document, so nothing to check"));
            continue;
        }
        let case = json!({ "id": query.query, "strategy": "positive", "query": text, "evidence": evidence });
        let Value::Object(case) = case else { continue };
        found.rows.push(Row { place, case });
    }
    for _ in texts.keys().filter(|id| !labelled.contains(id.as_str())) {
        found.count(format!("a query of {} without labels in {}", queries.display(), qrels.display()));
    }
    Ok(found)
}

fn evidence(query: &Labels, found: &mut Found) -> Vec<Value> {
    let mut items = Vec::new();
    for label in &query.labels {
        if label.grade <= 0 {
            found.count("a label of grade 0 or less; unlabelled documents are not relevant anyway");
            continue;
        }
        if label.grade > HIGHEST {
            found.count(format!("grade {}, written as {HIGHEST}: a case has grades 1 to 3", label.grade));
        }
        items.push(json!({ "source_id": normalize_id(label.document), "grade": label.grade.min(HIGHEST) }));
    }
    items
}

/// Query texts by id: JSON objects with `_id` and `text`, or lines with a tab between id and text.
fn read_queries(path: &Path) -> Result<BTreeMap<String, String>> {
    let content = read_text(path)?;
    let mut texts = BTreeMap::new();
    for (number, line) in lines(&content) {
        let place = format!("{}:{number}", path.display());
        let (id, text) = if line.trim_start().starts_with('{') {
            let row: Map<String, Value> = serde_json::from_str(line).map_err(|error| anyhow!("read {place}: {error}"))?;
            match (id_of(&row), row.get("text").and_then(Value::as_str)) {
                (Some(id), Some(text)) => (id, text.to_owned()),
                _ => bail!("read {place}: a query needs the texts `_id` and `text`"),
            }
        } else {
            match line.split_once('\t') {
                Some((id, text)) => (id.trim().to_owned(), text.trim().to_owned()),
                None => bail!("read {place}: write a JSON object with `_id` and `text`, or id and text with a tab between them"),
            }
        };
        if texts.insert(id.clone(), text).is_some() {
            bail!("read {place}: query {id:?} stands twice; keep one of them");
        }
    }
    Ok(texts)
}

fn ids(corpus: &Path) -> Result<BTreeSet<String>> {
    let content = read_text(corpus)?;
    let id = |(number, line): (usize, &str)| {
        let row: Map<String, Value> = serde_json::from_str(line).map_err(|error| anyhow!("read {}:{number}: {error}", corpus.display()))?;
        id_of(&row).map(|id| normalize_id(&id)).ok_or_else(|| anyhow!("read {}:{number}: a document needs an `_id`", corpus.display()))
    };
    lines(&content).map(id).collect()
}

/// Some sets number their queries and documents.
fn id_of(row: &Map<String, Value>) -> Option<String> {
    match row.get("_id")? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}
