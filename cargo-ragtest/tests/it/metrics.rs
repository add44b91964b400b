//! `metrics`: scores of TREC files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;

use crate::package::{Said, command};

const QRELS: &str = "q1 0 a 1\nq1 0 b 2\nq2 0 a 1\nq3 0 a 0\n";
const RUN: &str = "q1 Q0 b 1 2.5 t\nq1 Q0 x 2 1.5 t\nq3 Q0 a 1 1 t\nq4 Q0 a 1 1 t\n";

struct Files(tempfile::TempDir);

impl Files {
    fn new(qrels: impl AsRef<[u8]>, run: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(folder.path().join("qrels.txt"), qrels).expect("write");
        std::fs::write(folder.path().join("run.txt"), run).expect("write");
        Self(folder)
    }

    fn score(&self, more: &[&str]) -> Said {
        let mut arguments = vec!["ragtest", "metrics", "qrels.txt", "run.txt"];
        arguments.extend(more);
        command(self.0.path(), &arguments, &[])
    }
}

#[test]
fn json_has_the_shape_of_the_contract() {
    let files = Files::new(QRELS, RUN);
    let json = files.score(&["-m", "recall@5", "-m", "mrr", "--json"]).exits(0).json();
    let expected = json!({
        "format": 1,
        "aggregate": {
            "recall@5": { "value": 0.25, "n": 2, "not_scored": 2 },
            "mrr": { "value": 0.5, "n": 2, "not_scored": 2 },
        },
        "per_query": { "q1": { "recall@5": 0.5, "mrr": 1.0 }, "q2": { "recall@5": 0.0, "mrr": 0.0 } },
        "missing": ["q2"],
        "without_relevant": ["q3"],
        "unlabelled": ["q4"],
    });
    assert_eq!(json, expected);
    let as_trec_eval = files.score(&["-m", "mrr", "--json", "--trec"]).exits(0).json();
    assert_eq!(as_trec_eval["aggregate"]["mrr"], json!({ "value": 1.0 / 3.0, "n": 3, "not_scored": 1 }));
}

#[test]
fn the_table_says_over_how_many_and_what_is_left_out() {
    let said = Files::new(QRELS, RUN).score(&["-m", "recall@5", "--per-query"]).exits(0);
    let expected = "\
metric             value       n  not scored
recall@5          0.2500       2           2

query     recall@5
q1          0.5000
q2          0.0000
q3               -

1 labelled, missing in the run: each counts 0: q2
1 labelled without a relevant document: each is not scored (--trec counts it 0): q3
1 in the run without labels: not scored: q4
TREC files hold no texts: context_precision and context_tokens are not computed, and recall alone rewards large chunks.
";
    assert_eq!(said.out, expected);
    let said = Files::new(QRELS, RUN).score(&[]).exits(0);
    for metric in ["recall@5", "recall@10", "precision@5", "hit@5", "mrr", "ndcg@10", "map"] {
        assert!(said.out.contains(&format!("\n{metric} ")), "{}", said.out);
    }
}

#[test]
fn beir_qrels_and_windows_files_give_the_same() {
    let expected = Files::new(QRELS, RUN).score(&["--json"]).exits(0).json();
    let beir = QRELS.replace(" 0 ", "\t").replace(' ', "\t");
    let beir = format!("query-id\tcorpus-id\tscore\n{beir}");
    let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    for (qrels, run) in [(beir.clone(), RUN.to_owned()), (windows(&beir), windows(RUN)), (windows(QRELS), RUN.replace(' ', "\t"))] {
        assert_eq!(Files::new(&qrels, &run).score(&["--json"]).exits(0).json(), expected, "{qrels}");
    }
}

#[test]
fn curves_are_printed_and_written() {
    let files = Files::new(QRELS, RUN);
    let said = files.score(&["--curve", "recall", "--curve", "ndcg", "-o", "curve.csv"]).exits(0);
    assert!(said.out.starts_with("k         recall         ndcg\n1         0.2500       0.5000\n"), "{}", said.out);
    let csv = std::fs::read_to_string(files.0.path().join("curve.csv")).expect("written");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[1]), (21, "k,recall,ndcg", "1,0.2500,0.5000"));
    files.score(&["-m", "recall@5", "-o", "queries.csv"]).exits(0);
    let csv = std::fs::read_to_string(files.0.path().join("queries.csv")).expect("written");
    assert_eq!(csv, "query,recall@5\nq1,0.5\nq2,0\nq3,\n");
    let said = files.score(&["-o", "values.txt"]).exits(2);
    assert!(said.err.contains(".csv or .json"), "{}", said.err);
}

/// Labels, run, further arguments, words of the message.
type Refused<'a> = (&'a [u8], &'a [u8], &'a [&'a str], &'a [&'a str]);

#[test]
fn what_is_wrong_is_named_with_file_line_and_remedy() {
    let wide: Vec<u8> = QRELS.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: [Refused; 16] = [
        (b"q 0 a 1.5", RUN.as_bytes(), &[], &["qrels.txt:1:", "not a whole number"]),
        (b"q 0 a 1\nq 0 a 2", RUN.as_bytes(), &[], &["qrels.txt:2:", "first in line 1"]),
        (b"q 0 a", RUN.as_bytes(), &[], &["qrels.txt:1:", "four (query, iteration, document, grade)"]),
        (b"q,0,a,1", RUN.as_bytes(), &[], &["qrels.txt:1:", "commas"]),
        (b"", RUN.as_bytes(), &[], &["qrels.txt:1:", "holds no label"]),
        (&wide, RUN.as_bytes(), &[], &["qrels.txt", "UTF-16"]),
        (RUN.as_bytes(), QRELS.as_bytes(), &[], &["qrels.txt:1:", "second argument"]),
        (QRELS.as_bytes(), b"q1 Q0 caf\xe9 1 1 t", &[], &["run.txt", "line 1 is not UTF-8"]),
        (QRELS.as_bytes(), b"q1 Q0 a 1 1 t\nq1 Q0 b 2 NaN t", &[], &["run.txt:2:", "\"NaN\""]),
        (QRELS.as_bytes(), b"q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t", &[], &["run.txt:2:", "the list's order is the truth"]),
        (QRELS.as_bytes(), b"q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t", &[], &["run.txt:2:", "a second time"]),
        (QRELS.as_bytes(), RUN.as_bytes(), &["-m", "recal@5"], &["`recall`", "known: recall@k precision@k"]),
        (QRELS.as_bytes(), RUN.as_bytes(), &["-m", "recall@0"], &["k = 0 is refused"]),
        (QRELS.as_bytes(), RUN.as_bytes(), &["-m", "context_tokens@5"], &["TREC files hold none", "known:"]),
        (QRELS.as_bytes(), RUN.as_bytes(), &["-m", "pass_rate"], &["needs answers", "known:"]),
        (b"q1 0 a 0", RUN.as_bytes(), &[], &["no query of qrels.txt has a relevant document"]),
    ];
    for (qrels, run, more, words) in cases {
        let said = Files::new(qrels, run).score(more).exits(2);
        assert!(said.err.starts_with("error: failed to ") && said.out.is_empty(), "{}", said.err);
        for word in words {
            assert!(said.err.contains(word), "{word}: {}", said.err);
        }
    }
}

#[test]
fn an_empty_run_scores_0() {
    let said = Files::new(QRELS, "").score(&["-m", "recall@5", "--json"]).exits(0);
    assert_eq!(said.json()["aggregate"]["recall@5"], json!({ "value": 0.0, "n": 2, "not_scored": 1 }));
    assert!(said.err.contains("holds no query that qrels.txt labels"), "{}", said.err);
}

/// trec_eval's own test data, where `RAGTEST_TREC_FIXTURE` names its folder (`qrels.test`, `results.test`, `expected.tsv`: measure, query, value).
#[test]
#[expect(clippy::print_stdout, reason = "a test says that it skips itself")]
fn trec_eval_s_fixture_is_reproduced_for_each_query() {
    let Some(folder) = std::env::var_os("RAGTEST_TREC_FIXTURE").filter(|folder| !folder.is_empty()).map(PathBuf::from) else {
        println!("skipped: RAGTEST_TREC_FIXTURE is not set");
        return;
    };
    let expected = std::fs::read_to_string(folder.join("expected.tsv")).expect("expected.tsv");
    let mut rows: BTreeMap<(String, String), &str> = BTreeMap::new();
    for line in expected.lines() {
        let [measure, query, value] = line.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
        if let Some(metric) = our_name(measure) {
            rows.insert((metric, query.to_owned()), value);
        }
    }
    assert!(rows.len() >= 40, "{} values", rows.len());
    let mut arguments = vec!["metrics", "qrels.test", "results.test", "--json"];
    let metrics: std::collections::BTreeSet<&str> = rows.keys().map(|(metric, _)| metric.as_str()).collect();
    for metric in &metrics {
        arguments.extend(["-m", metric]);
    }
    let json = command(&folder, &arguments, &[]).exits(0).json();
    for ((metric, query), value) in rows {
        let ours = if query == "all" { &json["aggregate"][&metric]["value"] } else { &json["per_query"][&query][&metric] };
        assert_eq!(format!("{:.4}", ours.as_f64().expect("scored")), value, "{metric} of {query}");
    }
}

/// trec_eval's name of a measure in ours.
fn our_name(measure: &str) -> Option<String> {
    match measure {
        "map" => return Some("map".into()),
        "recip_rank" => return Some("mrr".into()),
        _ => {}
    }
    let (name, cut) = measure.rsplit_once('_')?;
    let ours = match name {
        "P" => "precision",
        "recall" => "recall",
        "ndcg_cut" => "ndcg",
        "success" => "hit",
        "map_cut" => "map",
        _ => return None,
    };
    Some(format!("{ours}@{cut}"))
}
