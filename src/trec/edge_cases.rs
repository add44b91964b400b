//! The values on which the tools of the field differ, row by row. Where trec_eval has a value it is ours; the rows say where it is not.

use rstest::rstest;

use super::{Qrels, Run, Scores, Scoring, score};
use crate::metrics::Metric;

/// `q=a:1,b:2;p=z:1` as a qrels file.
fn qrels_text(compact: &str) -> String {
    let labels = |(query, labels): (&str, &str)| -> String {
        let line = |label: &str| label.split_once(':').map(|(document, grade)| format!("{query} 0 {document} {grade}\n"));
        labels.split(',').filter_map(line).collect()
    };
    compact.split(';').filter_map(|part| part.split_once('=')).map(labels).collect()
}

/// `q=a,b;p=z` as a run file: in rank order, and with scores where they are written (`a:1.0`).
fn run_text(compact: &str) -> String {
    let list = |(query, list): (&str, &str)| -> String {
        let ranked = list.split(',').filter(|document| !document.is_empty()).enumerate();
        let line = |(index, row): (usize, &str)| {
            let (document, score) = row.split_once(':').map_or((row, (100 - index).to_string()), |(d, s)| (d, s.to_owned()));
            format!("{query} Q0 {document} {} {score} t\n", index + 1)
        };
        ranked.map(line).collect()
    };
    compact.split(';').filter_map(|part| part.split_once('=')).map(list).collect()
}

fn scoring(metrics: &[&str]) -> Scoring {
    let metrics = metrics.iter().map(|name| Metric::parse(name).expect("known")).collect();
    Scoring { metrics, min_grade: 1, unlabelled_as_zero: false }
}

/// Asserts the means `metric=value ...`, to four digits.
fn assert_means(scores: &Scores, metrics: &[&str], values: &[f64], row: &str) {
    for (place, (metric, expected)) in metrics.iter().zip(values).enumerate() {
        let value = scores.mean(place).value.unwrap_or(f64::NAN);
        assert!((value - expected).abs() < 5e-5, "{row}: {metric} = {value}, not {expected}");
    }
}

fn split(expected: &str) -> (Vec<&str>, Vec<f64>) {
    let pairs = expected.split(' ').map(|pair| pair.split_once('=').expect("name=value"));
    pairs.map(|(name, value)| (name, value.parse::<f64>().expect("number"))).unzip()
}

#[rstest]
#[case::row_01_gain("q=402:3,108:2", "q=201,402,999,108,555", "ndcg@5=.6462 ndcg_exp@5=.6419 map=.5 mrr=.5 precision@5=.4 recall@5=1")]
#[case::row_02_ideal_cut("q=a:1,b:2,c:3", "q=b,a,c", "ndcg@2=.6173 ndcg_exp@2=.4083 recall@2=.6667 precision@2=1")]
#[case::row_03_full_ndcg("q=a:1,b:1,c:1", "q=a,b,x,y", "ndcg@2=1 recall@2=.6667 precision@2=1 map=.6667")]
// trec_eval orders ties by id and gives .3333 and 1 in the next two: here the list's order stands.
#[case::row_04_ties_first("q=a:1", "q=a:1.0,b:1.0,c:1.0", "precision@1=1 mrr=1")]
#[case::row_05_ties_last("q=c:1", "q=a:1.0,b:1.0,c:1.0", "precision@1=0 mrr=.3333 mrr@1=0")]
#[case::row_09_short_list("q=a:1,b:1,c:1", "q=a,b", "precision@5=.4 recall@5=.6667 ndcg@5=.7654 map=.6667")]
#[case::row_10_negative_grade("q=a:2,b:-1,c:1", "q=b,a,c", "ndcg@3=.6697 ndcg_exp@3=.6590 precision@3=.6667 recall@3=1 map=.5833")]
#[case::row_11_below_minus_one("q=a:1,b:-2", "q=b,a", "ndcg@2=.6309 ndcg_exp@2=.6309 recall@2=1")]
#[case::row_12_mrr_cut("q=d:1", "q=a,b,c,d", "mrr=.25 mrr@3=0 recall@3=0 ndcg@3=0")]
#[case::row_13_missing_query("q=a:1;p=z:1", "q=a", "recall@1=.5 precision@1=.5 mrr=.5 map=.5")]
#[case::row_14_empty_list("q=a:1;p=z:1", "q=a;p=", "recall@1=.5 precision@1=.5 mrr=.5 ndcg@1=.5")]
#[case::row_16_every_grade("q=a:1,b:3", "q=a,b", "precision@1=1 recall@1=.5 ndcg@1=.3333 ndcg_exp@1=.1429")]
#[case::row_17_double_precision("q=b:1", "q=a:0.123456789,b:0.123456788", "precision@1=0 mrr=.5 map=.5")]
#[case::row_18_large_grade("q=a:5,b:1", "q=b,a", "ndcg@2=.7378 ndcg_exp@2=.6500 precision@2=1 recall@2=1")]
#[case::row_18_huge_grade("q=a:2147483647,b:1", "q=b,a", "ndcg@2=.6309 ndcg_exp@2=.6309")]
#[case::row_19_empty_run("q=a:1", "", "precision@1=0 recall@1=0 mrr=0 ndcg@1=0 map=0 hit@1=0")]
fn values(#[case] qrels: &str, #[case] run: &str, #[case] expected: &str) {
    let (qrels_text, run_text) = (qrels_text(qrels), run_text(run));
    let (metrics, values) = split(expected);
    let scores = score(&Qrels::parse(&qrels_text).expect("qrels"), &Run::parse(&run_text).expect("run"), &scoring(&metrics));
    assert_means(&scores, &metrics, &values, expected);
    assert_eq!(scores.missing.is_empty(), run_text.lines().count() > 1 || !qrels.contains(';') && !run.is_empty());
}

#[test]
fn row_06_a_document_twice_is_refused() {
    let problem = Run::parse(&run_text("q=a,a,b")).map(|_| ()).expect_err("refused");
    assert!(problem.line == 2 && problem.message.contains("a second time"), "{problem}");
}

#[test]
fn row_07_without_relevant_documents_a_query_is_not_scored() {
    let metrics = ["ndcg@2", "recall@2", "precision@2"];
    let (qrels, run) = (qrels_text("q=a:0,b:0;p=z:1"), run_text("q=a,b;p=z,y"));
    let (qrels, run) = (Qrels::parse(&qrels).expect("qrels"), Run::parse(&run).expect("run"));
    let scores = score(&qrels, &run, &scoring(&metrics));
    assert_means(&scores, &metrics, &[1.0, 1.0, 0.5], "not scored");
    assert_eq!((scores.mean(0).n, scores.mean(0).not_scored, &scores.without_relevant[..]), (1, 1, &["q"][..]));
    let as_zero = score(&qrels, &run, &Scoring { unlabelled_as_zero: true, ..scoring(&metrics) });
    assert_means(&as_zero, &metrics, &[0.5, 0.5, 0.25], "as trec_eval");
    assert_eq!((as_zero.mean(0).n, as_zero.mean(0).not_scored), (2, 0));
}

#[test]
fn row_08_without_labels_a_query_is_not_scored() {
    let metrics = ["ndcg@2", "recall@2", "precision@2"];
    let (qrels, run) = (qrels_text("p=z:1"), run_text("q=a,b;p=z,y"));
    let scores = score(&Qrels::parse(&qrels).expect("qrels"), &Run::parse(&run).expect("run"), &scoring(&metrics));
    assert_means(&scores, &metrics, &[1.0, 1.0, 0.5], "unlabelled");
    assert_eq!((scores.mean(0).n, scores.mean(0).not_scored, &scores.unlabelled[..]), (1, 1, &["q"][..]));
}

#[test]
fn row_13_the_missing_query_is_named() {
    let (qrels, run) = (qrels_text("q=a:1;p=z:1"), run_text("q=a"));
    let scores = score(&Qrels::parse(&qrels).expect("qrels"), &Run::parse(&run).expect("run"), &scoring(&["recall@1"]));
    assert_eq!((scores.missing, scores.queries.len()), (vec!["p"], 2));
}

#[test]
fn row_15_increasing_scores_are_refused() {
    let problem = Run::parse(&run_text("q=a:1.0,b:2.0")).map(|_| ()).expect_err("refused");
    assert!(problem.line == 2 && problem.message.contains("the list's order is the truth"), "{problem}");
}

#[test]
fn row_16_the_lowest_grade_leaves_ndcg_alone() {
    let metrics = ["precision@1", "recall@1", "mrr", "ndcg@1", "ndcg_exp@1", "map"];
    let (qrels, run) = (qrels_text("q=a:1,b:3"), run_text("q=a,b"));
    let (qrels, run) = (Qrels::parse(&qrels).expect("qrels"), Run::parse(&run).expect("run"));
    let scores = score(&qrels, &run, &Scoring { min_grade: 2, ..scoring(&metrics) });
    assert_means(&scores, &metrics, &[0.0, 0.0, 0.5, 0.3333, 0.1429, 0.5], "-l 2");
    let none = score(&qrels, &run, &Scoring { min_grade: 4, ..scoring(&metrics) });
    let counts = |metric: usize| (none.mean(metric).n, none.mean(metric).not_scored);
    assert_eq!((counts(0), counts(3)), ((0, 1), (1, 0)), "no document has grade 4, but nDCG goes by the grades");
}

#[rstest]
#[case::row_20_k_0("recall@0")]
#[case::row_20_k_0_of_mrr("mrr@0")]
fn row_20_k_0_is_refused(#[case] name: &str) {
    assert!(Metric::parse(name).expect_err("refused").contains("k = 0"));
}

#[rstest]
#[case::fractional_grade("q 0 a 1\nq 0 b 1.5\n", "q Q0 a 1 1 t", "2")]
#[case::nan_grade("q 0 a 1\nq 0 b NaN\n", "q Q0 a 1 1 t", "2")]
#[case::nan_score("q 0 a 1\n", "q Q0 a 1 1 t\nq Q0 b 2 nan t", "2")]
fn row_21_other_numbers_are_refused_with_their_line(#[case] qrels: &str, #[case] run: &str, #[case] line: &str) {
    let problem = Qrels::parse(qrels).err().or_else(|| Run::parse(run).err()).expect("refused").to_string();
    assert!(problem.starts_with(&format!("{line}: ")), "{problem}");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Any grades, any list, any cut: every share is between 0 and 1, and is there exactly where something is relevant.
        #[test]
        fn shares_stay_between_zero_and_one(
            grades in prop::collection::btree_map(0..12_u8, -3..5_i32, 1..8),
            list in Just((0..12_u8).collect::<Vec<_>>()).prop_shuffle(),
            length in 0..12_usize,
            k in 1..15_usize,
            min_grade in 0..4_u32,
        ) {
            let qrels: Vec<String> = grades.iter().map(|(document, grade)| format!("q 0 d{document} {grade}")).collect();
            let run: Vec<String> = list[..length].iter().enumerate().map(|(i, d)| format!("q Q0 d{d} {i} 0 t")).collect();
            let names: Vec<String> = ["recall", "precision", "hit", "mrr", "ndcg", "ndcg_exp", "map"].iter().map(|m| format!("{m}@{k}")).collect();
            let scoring = Scoring { min_grade, ..scoring(&names.iter().map(String::as_str).collect::<Vec<_>>()) };
            let (qrels, run) = (qrels.join("\n"), run.join("\n"));
            let (qrels, run) = (Qrels::parse(&qrels).expect("qrels"), Run::parse(&run).expect("run"));
            let scores = score(&qrels, &run, &scoring);
            for (metric, value) in scoring.metrics.iter().zip(&scores.queries[0].values) {
                let lowest = if metric.to_string().starts_with("ndcg") { 1 } else { min_grade.max(1) };
                let relevant = grades.values().any(|grade| *grade >= i32::try_from(lowest).expect("small"));
                prop_assert_eq!(value.is_some(), relevant);
                prop_assert!(value.is_none_or(|value| (0.0..=1.0).contains(&value) && value.is_sign_positive()), "{} = {:?}", metric, value);
            }
        }
    }
}
