//! Reading a BEIR folder.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use ragtest::Question;
use ragtest::corpus::Chunk;
use serde_json::Value;

use crate::read;

/// A BEIR folder in memory: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.
#[derive(Debug)]
pub struct Beir {
    /// The paragraphs.
    pub chunks: Arc<[Chunk]>,
    /// Id and question.
    pub queries: Vec<(String, Question)>,
    /// For each query: the grade of each labelled paragraph.
    pub labels: BTreeMap<String, BTreeMap<String, u32>>,
}

impl Beir {
    /// Reads the three files.
    pub fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let chunks: Result<_, Box<dyn Error>> = rows(&folder.join("corpus.jsonl"))?
            .iter()
            .map(|row| Ok(Chunk { id: field(row, "_id")?, text: field(row, "text")?, ..Chunk::default() }))
            .collect();
        let queries: Result<_, Box<dyn Error>> =
            rows(&folder.join("queries.jsonl"))?.iter().map(|row| Ok((field(row, "_id")?, Question::new(field(row, "text")?)))).collect();
        let mut labels: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        for line in read(&folder.join("qrels.tsv"))?.lines().skip(1) {
            let [query, document, grade] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!("qrels.tsv: {line:?} has not three columns").into());
            };
            labels.entry(query.to_owned()).or_default().insert(document.to_owned(), grade.parse()?);
        }
        Ok(Self { chunks: chunks?, queries: queries?, labels })
    }
}

fn rows(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    Ok(read(path)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn field(row: &Value, name: &str) -> Result<String, String> {
    row[name].as_str().map(str::to_owned).ok_or_else(|| format!("a row lacks the text {name:?}"))
}
