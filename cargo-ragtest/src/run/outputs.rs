//! A finished run in other formats: records, summary, the curve of metric@1..20, ranked lists for TREC tools.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Result, bail};
use ragtest::metrics::{Measure, Metric};
use ragtest::record::{RetrievedChunk, RunRecord, append_line};
use serde_json::{Value, json};

use crate::decision::{Decided, Finished};

/// The format of a file, by its extension.
#[derive(Clone, Copy)]
pub(super) enum Format {
    /// Run records.
    Jsonl,
    /// Manifest, aggregates, gates, outcome counts.
    Json,
    /// metric@1..20 by suite and system.
    Csv,
    /// Ranked chunks.
    Trec,
}

/// How far the curve goes: as deep as the list that the built-in pipeline exposes.
const DEEPEST: usize = 20;

/// The columns of the curve.
const CURVE: [Measure; 9] = [
    Measure::Recall,
    Measure::Precision,
    Measure::Hit,
    Measure::Mrr,
    Measure::Ndcg,
    Measure::NdcgExp,
    Measure::Map,
    Measure::ContextPrecision,
    Measure::ContextTokens,
];

impl Format {
    pub(super) fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl") => Ok(Self::Jsonl),
            Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            Some("trec") => Ok(Self::Trec),
            _ => bail!("write {}: its extension names no format; use .jsonl, .json, .csv or .trec", path.display()),
        }
    }

    pub(super) fn render(self, finished: &Finished, decided: &Decided, system: Option<&str>) -> Result<Vec<u8>> {
        match self {
            Self::Jsonl => {
                let mut out = Vec::new();
                finished.records.values().try_for_each(|record| append_line(&mut out, record).map(drop))?;
                Ok(out)
            }
            Self::Json => Ok(format!("{:#}\n", summary(finished, decided)).into_bytes()),
            Self::Csv => curve(finished),
            Self::Trec => Ok(trec(finished, system)?.into_bytes()),
        }
    }
}

fn summary(finished: &Finished, decided: &Decided) -> Value {
    let mut value = finished.to_json(decided);
    value["manifest"] = json!(finished.manifest);
    let mut aggregates = serde_json::Map::new();
    for (suite, system) in pairs(finished) {
        let records = of(finished, suite, system);
        let mut metrics = serde_json::Map::new();
        let measured = CURVE.iter().filter_map(|measure| metric_at(*measure, 5)).chain(Metric::parse("mrr").ok());
        for metric in measured {
            let (mean, n) = mean_of(&records, metric);
            metrics.insert(metric.to_string(), json!({ "value": mean, "n": n, "not_scored": records.len() - n }));
        }
        let by_system = aggregates.entry(suite).or_insert_with(|| json!({}));
        by_system[system] = Value::Object(metrics);
    }
    value["aggregates"] = Value::Object(aggregates);
    value
}

fn metric_at(measure: Measure, k: usize) -> Option<Metric> {
    Some(Metric { measure, k: Some(NonZeroUsize::new(k)?) })
}

/// Suites and systems that have records.
fn pairs(finished: &Finished) -> std::collections::BTreeSet<(&str, &str)> {
    finished.records.keys().map(|key| (key.suite.as_str(), key.system.as_str())).collect()
}

fn of<'a>(finished: &'a Finished, suite: &str, system: &str) -> Vec<&'a RunRecord> {
    let records = finished.records.iter().filter(|(key, _)| key.suite == suite && key.system == system);
    records.map(|(_, record)| record.as_ref()).collect()
}

/// The mean over the records that the metric applies to, and how many they are. A labelled query whose system erred counts 0.
fn mean_of(records: &[&RunRecord], metric: Metric) -> (Option<f64>, usize) {
    let scored = records.iter().filter(|record| record.retrieved_chunks.is_some() || record.error.is_some());
    let values: Vec<f64> = scored.filter_map(|record| metric.of_list(&record.harness.judged)).collect();
    let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    (mean, values.len())
}

fn curve(finished: &Finished) -> Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let names = CURVE.iter().filter_map(|measure| metric_at(*measure, 1)).map(|m| m.to_string().trim_end_matches("@1").to_owned());
    out.write_record(["suite", "system", "k", "n"].into_iter().map(str::to_owned).chain(names))?;
    for (suite, system) in pairs(finished) {
        let records = of(finished, suite, system);
        for k in 1..=DEEPEST {
            let means: Vec<_> = CURVE.iter().filter_map(|measure| metric_at(*measure, k)).map(|metric| mean_of(&records, metric)).collect();
            let n = means.first().map_or(0, |(_, n)| *n);
            let shown = means.iter().map(|(mean, _)| mean.map(|mean| format!("{mean:.4}")).unwrap_or_default());
            out.write_record([suite.to_owned(), system.to_owned(), k.to_string(), n.to_string()].into_iter().chain(shown))?;
        }
    }
    Ok(out.into_inner()?)
}

/// `query Q0 chunk rank score tag` a line. TREC tools order by score: where a list's own scores do not fall, ranks stand in for them.
fn trec(finished: &Finished, system: Option<&str>) -> Result<String> {
    let systems: std::collections::BTreeSet<&str> = finished.records.keys().map(|key| key.system.as_str()).collect();
    let system = match (system, systems.len()) {
        (Some(system), _) if systems.contains(system) => system,
        (None, 1) => systems.first().copied().unwrap_or_default(),
        _ => {
            let known: Vec<_> = systems.into_iter().collect();
            bail!("write a trec file: it holds one system; name it with --system (known: {})", known.join(", "));
        }
    };
    let several = finished.records.keys().any(|key| finished.records.keys().next().is_some_and(|first| first.suite != key.suite));
    let mut out = String::new();
    for record in finished.records.iter().filter(|(key, _)| key.system == system).map(|(_, record)| record) {
        // Ids are unique inside a suite only.
        let query = if several { format!("{}::{}", record.suite, record.case_id) } else { record.case_id.clone() };
        let chunks = record.retrieved_chunks.as_deref().unwrap_or_default();
        let falls = chunks.iter().all(|chunk| chunk.score.is_some()) && chunks.windows(2).all(|pair| pair[0].score > pair[1].score);
        for (index, chunk) in chunks.iter().enumerate() {
            let rank = index + 1;
            let score = chunk.score.filter(|_| falls).unwrap_or((chunks.len() - index) as f64);
            let _ = writeln!(out, "{} Q0 {} {rank} {score} {}", field(&query), field(&id_of(chunk)), field(system));
        }
    }
    Ok(out)
}

/// The chunk's id, else its source's; a chunk without any is named by its rank.
fn id_of(chunk: &RetrievedChunk) -> String {
    let id = chunk.chunk_id.as_ref().or(chunk.source_id.as_ref()).filter(|id| !id.is_empty());
    id.cloned().unwrap_or_else(|| format!("rank-{}", chunk.rank))
}

/// TREC files have no quoting: white space is written as `%20` and its like, and so is `%`.
fn field(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() || c == '%' {
            out.extend(c.to_string().bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_hold_no_white_space() {
        assert_eq!(field("a b%\u{a0}#1"), "a%20b%25%C2%A0#1");
    }
}
