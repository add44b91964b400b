//! Retrieval metrics from TREC files: 10,000 queries with 10 labels and 100 results each, read, checked and scored.

use std::fmt::Write;
use std::path::Path;

use ragtest::metrics::Metric;
use ragtest::trec::{Qrels, Run, Scoring, score};
use ragtest_benches::{Outcome, Random, Table, fastest, read, size};

const RESULTS: usize = 100;
const LABELS: usize = 10;

fn main() -> Outcome {
    let queries = size(10_000);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (qrels, run) = (folder.join("qrels.txt"), folder.join("run.txt"));
    let (labels, results) = files(queries);
    std::fs::write(&qrels, labels)?;
    std::fs::write(&run, &results)?;
    let metrics = ["recall@10", "mrr", "ndcg@10"].into_iter().map(Metric::parse).collect::<Result<_, _>>()?;
    let scoring = Scoring { metrics, min_grade: 1, unlabelled_as_zero: false };
    let all = || -> Result<Vec<Option<f64>>, Box<dyn std::error::Error>> {
        let (qrels, run) = (read(&qrels)?, read(&run)?);
        let (qrels, run) = (Qrels::parse(&qrels).map_err(|p| p.to_string())?, Run::parse(&run).map_err(|p| p.to_string())?);
        let scores = score(&qrels, &run, &scoring);
        Ok((0..scoring.metrics.len()).map(|metric| scores.mean(metric).value).collect())
    };
    let means = all()?;
    if means.iter().any(|mean| mean.is_none_or(|mean| mean <= 0.0)) {
        return Err(format!("the means are {means:?}: the data is wrong").into());
    }
    let mut table = Table::new("Retrieval metrics");
    let part = format!("recall@10, mrr, ndcg@10 of {queries} queries x {RESULTS} results ({} MB), from files", results.len() / 1_000_000);
    table.row(part, format!("{:.3} s", fastest(all)), "<= 0.15 s", "trec_eval 0.71, ranx 0.29 after 4 s of import and building");
    let texts = (read(&qrels)?, read(&run)?);
    table.row("of it: reading both files", format!("{:.3} s", fastest(|| (read(&qrels), read(&run)))), "-", "-");
    table.row("of it: the run's lines", format!("{:.3} s", fastest(|| Run::parse(&texts.1).map(drop))), "-", "-");
    table.row("of it: the labels' lines", format!("{:.3} s", fastest(|| Qrels::parse(&texts.0).map(drop))), "-", "-");
    table.print();
    std::fs::remove_file(&qrels)?;
    std::fs::remove_file(&run)?;
    Ok(())
}

/// A qrels file and a run file. Half of the labels are in the list.
fn files(queries: usize) -> (String, String) {
    let mut random = Random::new(3);
    let (mut labels, mut results) = (String::new(), String::new());
    for query in 0..queries {
        let first = random.below(100_000);
        for rank in 1..=RESULTS {
            let score = 30.0 - rank as f64 / 7.0;
            let _ = writeln!(results, "query-{query} Q0 doc-{:07} {rank} {score:.6} ragtest", (first + rank * 7919) % 10_000_000);
        }
        for label in 0..LABELS {
            let rank = 1 + (label * 2 * RESULTS / LABELS) + random.below(RESULTS / LABELS);
            let _ = writeln!(labels, "query-{query} 0 doc-{:07} {}", (first + rank * 7919) % 10_000_000, 1 + random.below(3));
        }
    }
    (labels, results)
}
