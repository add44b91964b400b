//! The baseline: the committed results snapshot of a suite. One text that people review as a diff and that `max_drop`, `no-regressions` and
//! `[suite] S::baseline` read back.
//!
//! ```text
//! format 1
//! suite handbook
//!
//! system default
//!   corpus           4be0...
//!   chunking         9d21...
//! aggregates
//!   recall@5                  0.9512  n 41
//! cases: outcome, recall@5, first rank, label, id
//!   pass       1.00    1  supported   cfg-001
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::error::{Error, Result};
use crate::metrics::Metric;
use crate::record::RunRecord;
use crate::verdict::Outcome;

/// The format's version.
pub const BASELINE_FORMAT: u32 = 1;

/// The cut of the recall column.
const RECALL: &str = "recall@5";

/// A suite's results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    /// The suite.
    pub suite: String,
    /// Results by system.
    pub systems: BTreeMap<String, SystemResults>,
}

/// One system's results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemResults {
    /// What decided them: corpus, chunking, embedding, prompt, judge, ...
    pub fingerprints: BTreeMap<String, String>,
    /// Metric (or gate) name to value and n.
    pub aggregates: BTreeMap<String, (Option<f64>, usize)>,
    /// Case id to result.
    pub cases: BTreeMap<String, CaseResult>,
}

/// One line of the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// The outcome's name; a failure names its origin: `fail:retrieval`.
    pub outcome: String,
    /// recall@5 in hundredths; `None` = not scored.
    pub recall: Option<u32>,
    /// The rank of the first evidence.
    pub first_rank: Option<usize>,
    /// The oracle's label, or `-`.
    pub label: String,
}

impl CaseResult {
    /// The line of a record.
    pub fn of(record: &RunRecord) -> Self {
        let recall = Metric::parse(RECALL).ok().and_then(|metric| metric.of_list(&record.harness.judged));
        let scored = record.retrieved_chunks.is_some() || record.error.is_some();
        let outcome = match (&record.outcome, record.origin) {
            (Outcome::Fail(_), Some(origin)) => format!("fail:{}", origin.name()),
            (outcome, _) => outcome.name().to_owned(),
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "hundredths of a share")]
        let recall = recall.filter(|_| scored).map(|share| (share * 100.0).round() as u32);
        Self {
            outcome,
            recall,
            first_rank: record.harness.judged.items.iter().filter_map(|item| item.met_at).min(),
            label: record.answer_review_auto.map_or("-", crate::verdict::AnswerLabel::name).to_owned(),
        }
    }

    /// Whether the baseline has the case as failing. An error is no failure: nothing was measured then.
    pub fn is_failing(&self) -> bool {
        self.outcome.starts_with("fail")
    }
}

/// What changed between two baselines of one system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Lower recall, or supported before and not any more.
    pub regressions: Vec<String>,
    /// Cases of the baseline that the run lacks.
    pub missing: Vec<String>,
    /// Failing before and passing now.
    pub repaired: Vec<String>,
    /// Fingerprints that differ, as `name before -> after`.
    pub fingerprints: Vec<String>,
}

impl SystemResults {
    /// Compares this (the committed side) with a run. Walks the union of both sides: what vanished is never left out.
    pub fn compare(&self, now: &Self) -> Changes {
        let mut changes = Changes::default();
        let names = self.fingerprints.keys().chain(now.fingerprints.keys()).collect::<std::collections::BTreeSet<_>>();
        for name in names {
            let side = |results: &Self| results.fingerprints.get(name).cloned().unwrap_or_else(|| "none".into());
            let (before, after) = (side(self), side(now));
            if before != after {
                changes.fingerprints.push(format!("{name} {before} -> {after}"));
            }
        }
        for (id, before) in &self.cases {
            let Some(after) = now.cases.get(id) else {
                changes.missing.push(id.clone());
                continue;
            };
            if before.recall.is_some() && after.recall < before.recall {
                let shown = |recall: Option<u32>| recall.map_or("not scored".into(), |r| format!("{:.2}", f64::from(r) / 100.0));
                changes.regressions.push(format!("{id}: {RECALL} {} -> {}", shown(before.recall), shown(after.recall)));
            } else if before.label == "supported" && after.label != "supported" {
                changes.regressions.push(format!("{id}: {} -> {} ({})", before.label, after.label, after.outcome));
            } else if before.outcome == "pass" && after.outcome != "pass" {
                changes.regressions.push(format!("{id}: {} -> {}", before.outcome, after.outcome));
            } else if before.outcome != "pass" && after.outcome == "pass" {
                changes.repaired.push(id.clone());
            }
        }
        changes
    }
}

impl Baseline {
    /// The text of the snapshot.
    pub fn render(&self) -> String {
        let mut out = format!("format {BASELINE_FORMAT}\nsuite {}\n", self.suite);
        for (name, results) in &self.systems {
            let _ = writeln!(out, "\nsystem {name}");
            for (part, print) in &results.fingerprints {
                let _ = writeln!(out, "  {part:<12} {print}");
            }
            let _ = writeln!(out, "aggregates");
            for (metric, (value, n)) in &results.aggregates {
                let value = value.map_or("none".to_owned(), |value| format!("{value:.4}"));
                let _ = writeln!(out, "  {metric:<32} {value:>10}  n {n}");
            }
            let _ = writeln!(out, "cases: outcome, {RECALL}, first rank, label, id");
            for (id, case) in &results.cases {
                let recall = case.recall.map_or("-".into(), |r| format!("{}.{:02}", r / 100, r % 100));
                let rank = case.first_rank.map_or("-".into(), |rank| rank.to_string());
                let _ = writeln!(out, "  {:<16} {recall:>4} {rank:>3}  {:<10}  {id}", case.outcome, case.label);
            }
        }
        out
    }

    /// Reads a snapshot's text back. The message says which line is wrong.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut baseline = Self::default();
        let mut system: Option<(String, SystemResults)> = None;
        let mut part = Part::Fingerprints;
        for (index, line) in text.lines().enumerate() {
            let wrong =
                || format!("line {}: {line:?} is not part of a results snapshot; accept a new one with `cargo insta review`", index + 1);
            if let Some(inside) = line.strip_prefix("  ") {
                let (_, results) = system.as_mut().ok_or_else(wrong)?;
                read_row(part, inside, results).ok_or_else(wrong)?;
                continue;
            }
            match line.split_once(' ').unwrap_or((line, "")) {
                ("format", version) if version.parse::<u32>().is_ok_and(|v| v > BASELINE_FORMAT) => {
                    return Err(format!("format {version} needs a newer ragtest than {}", env!("CARGO_PKG_VERSION")));
                }
                ("format", "1") | ("", "") => {}
                ("suite", name) => name.clone_into(&mut baseline.suite),
                ("system", name) => {
                    baseline.systems.extend(system.replace((name.to_owned(), SystemResults::default())));
                    part = Part::Fingerprints;
                }
                ("aggregates", _) => part = Part::Aggregates,
                ("cases:", _) => part = Part::Cases,
                _ => return Err(wrong()),
            }
        }
        baseline.systems.extend(system);
        Ok(baseline)
    }
}

/// The content of an insta snapshot file: what follows its header. `None` where the file does not exist.
pub fn read_snapshot(path: &std::path::Path) -> Result<Option<String>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text.replace("\r\n", "\n"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(path)(error)),
    };
    let content = text.strip_prefix("---\n").and_then(|rest| Some(rest.split_once("\n---\n")?.1));
    let message = "the file is no insta snapshot; delete it and accept a new one with `cargo insta review`".to_owned();
    content.map(|content| Some(content.trim_end().to_owned())).ok_or_else(|| Error::Format { path: path.to_path_buf(), message })
}

#[derive(Clone, Copy)]
enum Part {
    Fingerprints,
    Aggregates,
    Cases,
}

fn read_row(part: Part, row: &str, results: &mut SystemResults) -> Option<()> {
    match part {
        Part::Fingerprints => {
            let (name, print) = row.split_once(' ')?;
            results.fingerprints.insert(name.to_owned(), print.trim().to_owned());
        }
        Part::Aggregates => {
            // From the right: a metric's name may hold spaces (a document filter), value and n do not.
            let (rest, n) = row.rsplit_once("  n ")?;
            let (name, value) = rest.trim_end().rsplit_once(' ')?;
            let value = if value == "none" { None } else { Some(value.parse().ok()?) };
            results.aggregates.insert(name.trim_end().to_owned(), (value, n.parse().ok()?));
        }
        Part::Cases => {
            let mut rest = row;
            let mut next = || {
                let (word, tail) = rest.trim_start().split_once(' ')?;
                rest = tail;
                Some(word)
            };
            let (outcome, recall, rank, label) = (next()?, next()?, next()?, next()?);
            let recall = if recall == "-" { None } else { Some(recall.replace('.', "").parse().ok()?) };
            let first_rank = if rank == "-" { None } else { Some(rank.parse().ok()?) };
            let case = CaseResult { outcome: outcome.into(), recall, first_rank, label: label.into() };
            // The id is verbatim and last; it was trimmed when it was loaded.
            results.cases.insert(rest.trim_start().to_owned(), case);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn result(outcome: &str, recall: Option<u32>, label: &str) -> CaseResult {
        CaseResult { outcome: outcome.into(), recall, first_rank: recall.filter(|r| *r > 0).map(|_| 1), label: label.into() }
    }

    fn results(cases: &[(&str, CaseResult)]) -> SystemResults {
        SystemResults { cases: cases.iter().map(|(id, case)| ((*id).to_owned(), case.clone())).collect(), ..SystemResults::default() }
    }

    #[test]
    fn regressions_repairs_and_vanished_cases_are_told_apart() {
        let before = results(&[
            ("recall", result("pass", Some(100), "supported")),
            ("label", result("pass", Some(100), "supported")),
            ("gone", result("pass", None, "abstained")),
            ("fixed", result("fail:retrieval", Some(0), "incomplete")),
            ("same", result("fail:generation", Some(50), "incorrect")),
        ]);
        let after = results(&[
            ("recall", result("pass", Some(50), "supported")),
            ("label", result("fail:generation", Some(100), "incomplete")),
            ("fixed", result("pass", Some(100), "supported")),
            ("same", result("fail:generation", Some(50), "incorrect")),
            ("new", result("fail:generation", Some(0), "incorrect")),
        ]);
        let changes = before.compare(&after);
        assert_eq!(changes.regressions.len(), 2, "{changes:?}");
        assert_eq!(changes.missing, ["gone"]);
        assert_eq!(changes.repaired, ["fixed"]);
    }

    #[test]
    fn changed_fingerprints_are_named_on_both_sides() {
        let with = |pairs: &[(&str, &str)]| SystemResults {
            fingerprints: pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
            ..SystemResults::default()
        };
        let changes = with(&[("chunking", "aa"), ("corpus", "cc")]).compare(&with(&[("chunking", "bb"), ("corpus", "cc"), ("new", "dd")]));
        assert_eq!(changes.fingerprints, ["chunking aa -> bb", "new none -> dd"]);
    }

    #[test]
    fn damage_is_named_by_line() {
        assert!(Baseline::parse("format 1\nsuite s\n  x y").expect_err("row").contains("line 3"));
        assert!(Baseline::parse("format 9").expect_err("version").contains("newer"));
        assert!(Baseline::parse("hello").is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            ids in prop::collection::btree_set("[^\\s\\p{C}]([^\\p{C}\\u{2028}\\u{2029}]{0,20}[^\\s\\p{C}])?", 0..8),
            recall in prop::option::of(0..101_u32),
            value in prop::option::of(0..10_001_u32),
        ) {
            let mut results = SystemResults::default();
            results.fingerprints.insert("chunking".into(), "ab12".into());
            results.aggregates.insert("recall@5::document=a b.md".into(), (value.map(|v| f64::from(v) / 10_000.0), 7));
            for id in ids {
                results.cases.insert(id, result("fail:tool-not-called", recall, "incorrect"));
            }
            let baseline = Baseline { suite: "s".into(), systems: BTreeMap::from([("mini+small".to_owned(), results)]) };
            prop_assert_eq!(Baseline::parse(&baseline.render()), Ok(baseline));
        }
    }
}
