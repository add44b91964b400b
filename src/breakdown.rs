//! Values by strategy, tag, document or system: what a mean over everything hides.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::case::TestCase;
use crate::config::GateConfig;
use crate::gate::{CaseRecord, GateResult, decide};
use crate::metrics::Metric;
use crate::record::RunRecord;

/// What is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dimension {
    /// How the case came to be.
    Strategy,
    /// The case's tags; a case with several stands in several groups, one without any in none.
    Tag,
    /// The case's home document; `-` without one.
    Document,
    /// The system that was asked.
    System,
}

/// An expected case of a run, on one system.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The system.
    pub system: &'a str,
    /// The case.
    pub case: &'a TestCase,
    /// Its record; `None` = the run holds none.
    pub record: Option<Arc<RunRecord>>,
}

/// The metrics of each group, in their order, counted as gates count: a system's error is 0 in retrieval metrics, a judge's error is left
/// out and listed, and every value says over how many cases it is. No threshold is looked at.
pub fn breakdown(entries: &[Entry<'_>], metrics: &[Metric], by: Dimension) -> BTreeMap<String, Vec<GateResult>> {
    let mut groups: BTreeMap<&str, Vec<CaseRecord<'_>>> = BTreeMap::new();
    for Entry { system, case, record } in entries {
        let names: Vec<&str> = match by {
            Dimension::Strategy => vec![case.strategy().name()],
            Dimension::Tag => case.tags.iter().map(String::as_str).collect(),
            Dimension::Document => vec![case.home().unwrap_or("-")],
            Dimension::System => vec![system],
        };
        for name in names {
            groups.entry(name).or_default().push((case, record.clone()));
        }
    }
    let values = |cases: &[CaseRecord<'_>]| {
        let value = |metric: &Metric| {
            let named = GateConfig { metric: metric.to_string(), ..GateConfig::default() };
            decide(&named, *metric, cases, 1.0, None)
        };
        metrics.iter().map(value).collect()
    };
    groups.into_iter().map(|(name, cases)| (name.to_owned(), values(&cases))).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::metrics::JudgedList;
    use crate::verdict::Outcome;

    fn case(line: &str) -> TestCase {
        serde_json::from_str(line).expect("parses")
    }

    fn record(ranked: Option<&[i64]>) -> Option<Arc<RunRecord>> {
        let line = r#"{"format":1,"case_id":"c","suite":"s","system":"x","strategy":"positive","query":"q","citations":[],"prompt_metadata":{},
            "tool_calls":[],"prior_context":[],"latency_ms":1.0,"usage":{},"metrics":{},"outcome":"pass","document_origin":"manual",
            "answer_review":"unreviewed","harness":{"run_id":"r","started_at":"","judged":{"items":[],"hits":[]},"fingerprints":{},"tags":[],"expect":"answer","reason":""}}"#;
        let mut record: RunRecord = serde_json::from_str(line).expect("parses");
        record.retrieved_chunks = Some(Vec::new());
        record.harness.judged = JudgedList::plain(ranked?, &[1]);
        record.outcome = Outcome::Pass;
        Some(Arc::new(record))
    }

    #[rstest]
    #[case::strategy(Dimension::Strategy, "complex 0.0000/1 | positive 0.6667/3")]
    #[case::tag(Dimension::Tag, "new 0.5000/2 | smoke 0.6667/3")]
    #[case::document(Dimension::Document, "- 1.0000/1 | a.md 0.3333/3")]
    #[case::system(Dimension::System, "one 0.6667/3 | two 0.0000/1")]
    fn every_value_says_over_how_many(#[case] by: Dimension, #[case] expected: &str) {
        let cases = [
            case(r#"{"id":"1","query":"q","document":"a.md","tags":["smoke"],"evidence":[{"chunk_id":"x"}]}"#),
            case(r#"{"id":"2","query":"q","tags":["smoke","new"],"evidence":[{"chunk_id":"x"}]}"#),
            case(r#"{"id":"3","query":"q","strategy":"complex","document":"a.md","tags":["new"],"evidence":[{"chunk_id":"x"}]}"#),
            case(r#"{"id":"4","query":"q","document":"a.md","keywords":["k"]}"#),
        ];
        let lists: [Option<&[i64]>; 4] = [Some(&[1]), Some(&[1]), None, Some(&[1])];
        let mut entries: Vec<Entry> =
            cases.iter().zip(lists).map(|(case, list)| Entry { system: "one", case, record: record(list) }).collect();
        entries.push(Entry { system: "two", case: &cases[0], record: record(Some(&[0])) });
        let groups = breakdown(&entries, &[Metric::parse("recall@5").expect("known")], by);
        let shown = groups.iter().map(|(name, results)| format!("{name} {:.4}/{}", results[0].value.unwrap_or(f64::NAN), results[0].n));
        assert_eq!(shown.collect::<Vec<_>>().join(" | "), expected);
    }

    #[test]
    fn a_missing_case_is_named() {
        let case = case(r#"{"id":"1","query":"q","evidence":[{"chunk_id":"x"}]}"#);
        let entries = [Entry { system: "one", case: &case, record: None }];
        let groups = breakdown(&entries, &[Metric::parse("recall@5").expect("known")], Dimension::System);
        assert_eq!((groups["one"][0].value, &groups["one"][0].missing[..]), (Some(0.0), &["1".to_owned()][..]));
    }
}
