//! `metrics`: scores TREC files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ragtest::case::jsonl::read_text;
use ragtest::metrics::{Measure, Metric};
use ragtest::text::plain;
use ragtest::trec::{LineProblem, Qrels, Run, Scores, Scoring, score};
use serde_json::{Map, Value, json};

use crate::output::{self, Output, complain};

/// What is computed when nothing is asked for.
const DEFAULT: [&str; 7] = ["recall@5", "recall@10", "precision@5", "hit@5", "mrr", "ndcg@10", "map"];
/// What can be computed without the texts.
const KNOWN: &str = "recall@k precision@k hit@k mrr mrr@k ndcg@k ndcg_exp@k map map@k";
/// How far curves go.
const CURVE: usize = 20;
/// How many queries of a kind are named in the text.
const NAMED: usize = 8;

/// Scores a TREC run file against a qrels file, as trec_eval does
#[derive(Args)]
#[command(long_about = "\
Scores a TREC run file (query Q0 document rank score tag) against TREC qrels (query iteration document grade) or BEIR qrels
(query-id, corpus-id and score between tabs, below their header).

  cargo ragtest metrics qrels.txt run.txt
  cargo ragtest metrics qrels/test.tsv run.txt -m recall@5 -m ndcg@10 --per-query
  cargo ragtest metrics qrels.txt run.txt --curve recall -o curve.csv

Metrics: recall@k precision@k hit@k mrr mrr@k ndcg@k ndcg_exp@k map map@k. Values are those of trec_eval; ndcg has its linear gain, ndcg_exp
the gain 2^grade - 1. Lists are in the order of their ranks; where ranks are equal, by score and then by id, both descending. A labelled query
that the run lacks counts 0 and is listed. Queries without labels, or without a relevant document, are not scored and counted.

Exit codes: 0 done; 2 a file cannot be read, a metric is not known, or no query can be scored.")]
pub(crate) struct Options {
    /// The labels: TREC qrels, or BEIR's qrels.tsv
    #[arg(value_name = "QRELS")]
    qrels: PathBuf,
    /// The ranked lists: a TREC run file
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A metric such as recall@5; may be repeated
    #[arg(short, long = "metric", value_name = "METRIC", value_delimiter = ',', env = "RAGTEST_METRIC", hide_env = true)]
    metrics: Vec<String>,
    /// Computes a metric at 1 to 20, for example recall; may be repeated
    #[arg(long, value_name = "METRIC", value_delimiter = ',', env = "RAGTEST_CURVE", hide_env = true)]
    curve: Vec<String>,
    /// From which grade on a document is relevant; nDCG goes by the grades themselves
    #[arg(long, value_name = "GRADE", default_value_t = 1, env = "RAGTEST_MIN_GRADE", hide_env = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    min_grade: u32,
    /// Counts a labelled query without a relevant document as 0, as trec_eval does
    #[arg(long, env = "RAGTEST_TREC", hide_env = true, value_parser = output::switch)]
    trec: bool,
    /// Prints each query's values too
    #[arg(long, env = "RAGTEST_PER_QUERY", hide_env = true, value_parser = output::switch)]
    per_query: bool,
    /// Writes a file as well: .csv (the curve, else a line a query) or .json
    #[arg(short, long, value_name = "FILE", env = "RAGTEST_OUTPUT", hide_env = true)]
    output: Option<PathBuf>,
    /// Prints one JSON document
    #[arg(long, env = "RAGTEST_JSON", hide_env = true, value_parser = output::switch)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<Output> {
    let names: Vec<&str> = options.metrics.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let curves: Vec<&str> = options.curve.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let default = if curves.is_empty() { &DEFAULT[..] } else { &[] };
    let mut metrics = (if names.is_empty() { default } else { &names[..] }).iter().map(|name| parse(name)).collect::<Result<Vec<_>>>()?;
    let single = metrics.len();
    for curve in &curves {
        for k in 1..=CURVE {
            metrics.push(parse(&format!("{curve}@{k}"))?);
        }
    }
    let scoring = Scoring { metrics, min_grade: options.min_grade, unlabelled_as_zero: options.trec };

    let texts = (read_text(&options.qrels)?, read_text(&options.run)?);
    let qrels = Qrels::parse(&texts.0).map_err(|problem| in_file(&options.qrels, &problem))?;
    let run = Run::parse(&texts.1).map_err(|problem| in_file(&options.run, &problem))?;
    let scores = score(&qrels, &run, &scoring);
    if (0..scoring.metrics.len()).all(|metric| scores.mean(metric).n == 0) {
        bail!("score {}: no query of {} has a relevant document", options.run.display(), options.qrels.display());
    }
    if scores.missing.len() == scores.queries.len() {
        complain(&format!("warning: {} holds no query that {} labels", options.run.display(), options.qrels.display()));
    }

    let report = Report { scoring: &scoring, scores: &scores, single, curves: &curves };
    if let Some(path) = options.output.as_deref().filter(|path| !path.as_os_str().is_empty()) {
        let text = match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") if curves.is_empty() => report.per_query_csv(),
            Some("csv") => report.curve_table(",", &|cell| cell),
            Some("json") => format!("{:#}\n", report.json()),
            _ => bail!("write {}: give the file the extension .csv or .json", path.display()),
        };
        std::fs::write(path, text).with_context(|| format!("write {}", path.display()))?;
    }
    if options.json {
        return Ok(Output::json(&report.json(), true));
    }
    Ok(Output { text: report.text(options.per_query), green: true })
}

fn parse(name: &str) -> Result<Metric> {
    let metric = Metric::parse(name).map_err(|problem| anyhow::anyhow!("compute a metric: {problem} (known: {KNOWN})"))?;
    if matches!(metric.measure, Measure::ContextPrecision | Measure::ContextTokens) {
        bail!("compute {name}: it needs the chunks' texts, and TREC files hold none (known: {KNOWN})");
    }
    if !metric.is_retrieval() {
        bail!("compute {name}: it needs answers, and TREC files hold none (known: {KNOWN})");
    }
    Ok(metric)
}

fn in_file(path: &Path, problem: &LineProblem) -> anyhow::Error {
    anyhow::anyhow!("read {}:{problem}", path.display())
}

struct Report<'a> {
    scoring: &'a Scoring,
    scores: &'a Scores<'a>,
    /// The metrics before those of the curves.
    single: usize,
    curves: &'a [&'a str],
}

impl Report<'_> {
    fn json(&self) -> Value {
        let names: Vec<String> = self.scoring.metrics.iter().map(ToString::to_string).collect();
        let aggregate: Map<String, Value> = names
            .iter()
            .enumerate()
            .map(|(place, name)| {
                let mean = self.scores.mean(place);
                (name.clone(), json!({ "value": mean.value, "n": mean.n, "not_scored": mean.not_scored }))
            })
            .collect();
        let per_query = self.scores.queries.iter().filter(|query| query.values.iter().any(Option::is_some)).map(|query| {
            let values = names.iter().zip(&query.values).filter_map(|(name, value)| Some((name.clone(), json!((*value)?))));
            (query.query.to_owned(), Value::Object(values.collect()))
        });
        json!({
            "format": 1,
            "aggregate": aggregate,
            "per_query": per_query.collect::<Map<String, Value>>(),
            "missing": self.scores.missing,
            "without_relevant": self.scores.without_relevant,
            "unlabelled": self.scores.unlabelled,
        })
    }

    fn text(&self, per_query: bool) -> String {
        let mut text = String::new();
        if self.single > 0 {
            let _ = writeln!(text, "{:<16} {:>7} {:>7} {:>11}", "metric", "value", "n", "not scored");
            for (place, metric) in self.scoring.metrics.iter().take(self.single).enumerate() {
                let mean = self.scores.mean(place);
                let _ = writeln!(text, "{:<16} {:>7} {:>7} {:>11}", metric.to_string(), shown(mean.value), mean.n, mean.not_scored);
            }
        }
        if !self.curves.is_empty() {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(&self.curve_table(" ", &|cell| format!("{cell:>12}")));
        }
        if per_query {
            let _ = write!(text, "\n{}", self.per_query());
        }
        text.push('\n');
        let counted_zero = if self.scoring.unlabelled_as_zero { "counts 0" } else { "is not scored (--trec counts it 0)" };
        let kinds = [
            (&self.scores.missing, "labelled, missing in the run: each counts 0"),
            (&self.scores.without_relevant, &*format!("labelled without a relevant document: each {counted_zero}")),
            (&self.scores.unlabelled, "in the run without labels: not scored"),
        ];
        for (queries, what) in kinds.into_iter().filter(|(queries, _)| !queries.is_empty()) {
            let named: Vec<_> = queries.iter().take(NAMED).map(|query| plain(query)).collect();
            let more = if queries.len() > NAMED { ", ..." } else { "" };
            let _ = writeln!(text, "{} {what}: {}{more}", queries.len(), named.join(", "));
        }
        text.push_str(
            "TREC files hold no texts: context_precision and context_tokens are not computed, and recall alone rewards large chunks.\n",
        );
        text
    }

    fn per_query(&self) -> String {
        let longest = self.scores.queries.iter().map(|query| query.query.chars().count()).max().unwrap_or_default().max(5);
        let metrics: Vec<String> = self.scoring.metrics.iter().take(self.single.max(1)).map(ToString::to_string).collect();
        let mut text = format!("{:<longest$}", "query");
        for metric in &metrics {
            let _ = write!(text, " {metric:>12}");
        }
        for query in &self.scores.queries {
            let _ = write!(text, "\n{:<longest$}", plain(query.query));
            for value in query.values.iter().take(metrics.len()) {
                let _ = write!(text, " {:>12}", shown(*value));
            }
        }
        text.push('\n');
        text
    }

    fn per_query_csv(&self) -> String {
        let quoted = |text: &str| if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() };
        let mut text = "query".to_owned();
        for metric in &self.scoring.metrics {
            let _ = write!(text, ",{metric}");
        }
        for query in &self.scores.queries {
            let _ = write!(text, "\n{}", quoted(query.query));
            for value in &query.values {
                let _ = write!(text, ",{}", value.map_or(String::new(), |value| value.to_string()));
            }
        }
        text.push('\n');
        text
    }

    /// A line a cut, a column a curve.
    fn curve_table(&self, between: &str, cell: &dyn Fn(String) -> String) -> String {
        let mut lines = vec![self.curves.iter().map(|curve| cell((*curve).to_owned())).collect::<Vec<_>>()];
        for k in 0..CURVE {
            let value = |curve: usize| cell(shown(self.scores.mean(self.single + curve * CURVE + k).value));
            lines.push((0..self.curves.len()).map(value).collect());
        }
        let mut text = String::new();
        for (k, cells) in lines.into_iter().enumerate() {
            let first = if k == 0 { "k".to_owned() } else { k.to_string() };
            let first = if between == " " { format!("{first:<3}") } else { first };
            let _ = writeln!(text, "{first}{between}{}", cells.join(between));
        }
        text
    }
}

/// Four digits, as trec_eval prints.
fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
}
