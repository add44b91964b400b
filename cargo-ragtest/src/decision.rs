//! What a run's records decide: gates, single cases, the baseline. Nothing is executed.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Result, bail};
use ragtest::baseline::{Baseline, CaseResult};
use ragtest::case::LoadedCase;
use ragtest::config::{GateConfig, VerdictMode};
use ragtest::gate::{CaseRecord, GateResult};
use ragtest::id::Fingerprint;
use ragtest::metrics::Metric;
use ragtest::project::{Choice, Project, Selection, baseline_changes, decide_gate, system_results};
use ragtest::record::{Manifest, RecordKey, RunRecord};
use ragtest::text::{excerpt, plain};
use ragtest::verdict::Outcome;
use serde_json::{Value, json};

use crate::package::Package;
use crate::shards::Records;

/// Missing cases that are listed: a forgotten shard misses very many.
const MISSING_SHOWN: usize = 20;

/// A run that came to its end.
pub(crate) struct Finished {
    pub(crate) project: Project,
    pub(crate) manifest: Manifest,
    pub(crate) records: Records,
}

/// What was decided over it.
#[derive(Default)]
pub(crate) struct Decided {
    /// Each gate on each system, by name.
    pub(crate) gates: Vec<(String, GateConfig, GateResult)>,
    /// Cases that make the run red by themselves.
    pub(crate) failed: Vec<(String, String)>,
    /// Cases without a record.
    pub(crate) missing: Vec<String>,
    /// Suite to what changed since its baseline.
    pub(crate) baseline: BTreeMap<String, Vec<String>>,
}

impl Decided {
    pub(crate) fn is_green(&self) -> bool {
        self.failed.is_empty()
            && self.missing.is_empty()
            && self.baseline.values().all(Vec::is_empty)
            && self.gates.iter().all(|(.., result)| result.passed())
    }
}

impl Finished {
    /// Opens the package as the run saw it: with the run's own selection, whatever the variables say here.
    pub(crate) fn open(package: &Package, manifest: Manifest, records: Records) -> Result<Self> {
        let mut project = package.open(&manifest.systems)?;
        let choice = Choice {
            profile: manifest.profile.as_deref(),
            retrieval_only: manifest.retrieval_only,
            only_failed: manifest.only_failed.as_deref(),
        };
        project.selection = Selection::new(choice, &project.config, &package.derived)?;
        Ok(Self { project, manifest, records })
    }

    /// Decides gates, cases and baseline.
    pub(crate) fn decide(&self) -> Result<Decided> {
        let mut decided = Decided::default();
        for suite in self.project.config.suite.keys() {
            let cases = self.project.counted(suite)?;
            let cases: Vec<&LoadedCase> = cases.iter().map(AsRef::as_ref).collect();
            for gate in self.project.config.gate.iter().filter(|gate| gate.suite == *suite && self.decides(gate)) {
                let systems = gate.system.as_ref().map_or(self.manifest.systems.as_slice(), std::slice::from_ref);
                for system in systems {
                    let name = format!("{suite}::{}{}", gate.name(), self.system_suffix(system));
                    let result = decide_gate(&self.project, gate, system, &self.pairs(suite, system, &cases))?;
                    decided.gates.push((name, gate.clone(), result));
                }
            }
            self.decide_cases(suite, &cases, &mut decided)?;
        }
        Ok(decided)
    }

    fn decides(&self, gate: &GateConfig) -> bool {
        Metric::parse(&gate.metric).is_ok_and(|metric| self.project.selection.decides(metric))
    }

    /// Single cases and the baseline of a suite.
    fn decide_cases(&self, suite: &str, cases: &[&LoadedCase], decided: &mut Decided) -> Result<()> {
        let baseline = self.project.baseline(suite)?;
        let mode = self.project.config.suite[suite].verdict;
        let mut now = Baseline { suite: suite.to_owned(), ..Baseline::default() };
        for system in &self.manifest.systems {
            let before = baseline.as_ref().and_then(|baseline| baseline.systems.get(system));
            let pairs = self.pairs(suite, system, cases);
            for (case, record) in &pairs {
                let name = format!("{suite}::{}{}", case.id, self.system_suffix(system));
                match record {
                    None => decided.missing.push(name),
                    Some(record) if blocks(mode, record, before.and_then(|before| before.cases.get(&case.id))) => {
                        decided.failed.push((name, format!("{}: {}", record.outcome.name(), record.harness.reason)));
                    }
                    Some(_) => {}
                }
            }
            if pairs.iter().any(|(_, record)| record.is_some()) {
                let prints = self.fingerprints(suite, system, &pairs)?;
                now.systems.insert(system.clone(), system_results(&self.project.config, suite, prints, &pairs));
            }
        }
        if let Some(before) = baseline {
            decided.baseline.insert(suite.to_owned(), baseline_changes(&self.project, suite, &before, &now));
        }
        Ok(())
    }

    fn pairs<'a>(&self, suite: &str, system: &str, cases: &[&'a LoadedCase]) -> Vec<CaseRecord<'a>> {
        let record = |id: &str| {
            let key = RecordKey { suite: suite.to_owned(), system: system.to_owned(), case_id: id.to_owned() };
            self.records.get(&key).cloned()
        };
        cases.iter().map(|loaded| (&loaded.case, record(&loaded.case.id))).collect()
    }

    /// What decided a system's results, as the records say: the stages of another process may be replaced ones.
    fn fingerprints(&self, suite: &str, system: &str, pairs: &[CaseRecord<'_>]) -> Result<BTreeMap<String, Fingerprint>> {
        let mut prints: BTreeMap<String, Fingerprint> = BTreeMap::new();
        for record in pairs.iter().filter_map(|(_, record)| record.as_deref()) {
            let judge = record.judge.as_ref().map(|judge| ("judge".to_owned(), judge.rubric_hash));
            for (name, print) in record.harness.fingerprints.clone().into_iter().chain(judge) {
                if prints.insert(name.clone(), print).is_some_and(|other| other != print) {
                    bail!(
                        "merge the records of suite {suite}, system {system}: they come from different pipelines, which differ in {name}"
                    );
                }
            }
        }
        let corpus = &self.project.config.suite[suite].corpus;
        match self.manifest.corpora.get(corpus) {
            Some(print) => prints.insert("corpus".into(), *print),
            None => prints.insert("corpus".into(), self.project.suite(suite)?.evaluator.documents.files().fingerprint()),
        };
        if !prints.contains_key("judge") {
            prints.insert("judge".into(), self.project.suite(suite)?.evaluator.judge.fingerprint());
        }
        Ok(prints)
    }

    /// The system's segment at the end of a name: only where there is more than one, as in trial names.
    fn system_suffix(&self, system: &str) -> String {
        if self.manifest.systems.len() > 1 { format!("::{system}") } else { String::new() }
    }

    /// Records by outcome.
    pub(crate) fn outcomes(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::from(["pass", "fail", "error", "not-scored", "skipped"].map(|name| (name, 0)));
        for record in self.records.values() {
            *counts.entry(record.outcome.name()).or_default() += 1;
        }
        counts
    }

    /// The decisions as JSON.
    pub(crate) fn to_json(&self, decided: &Decided) -> Value {
        let gates: Vec<Value> = decided.gates.iter().map(|(name, gate, result)| gate_json(name, gate, result)).collect();
        let failed: Vec<Value> = decided.failed.iter().map(|(name, reason)| json!({ "name": name, "reason": reason })).collect();
        json!({
            "format": 1,
            "run": self.manifest.run_id,
            "gates": gates,
            "outcomes": self.outcomes(),
            "failed": failed,
            "missing": decided.missing,
            "baseline": decided.baseline,
        })
    }

    /// The decisions for people; `what` is behind the number of records in the last line.
    pub(crate) fn to_text(&self, decided: &Decided, what: &str) -> String {
        let mut out = String::new();
        let width = decided.gates.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        for (name, gate, result) in &decided.gates {
            let value = result.value.map_or("none".to_owned(), |value| format!("{value:.4}"));
            let thresholds: Vec<String> = thresholds(gate).map(|(name, value)| format!("{name} {value}")).collect();
            let outcome = if result.passed() { "pass".to_owned() } else { format!("FAIL  {}", plain(&result.problems.join("; "))) };
            let _ = writeln!(out, "{name:<width$}  {value:>8}  n {:<4}  {:<10}  {outcome}", result.n, thresholds.join(" "));
        }
        for (name, reason) in &decided.failed {
            let _ = writeln!(out, "case {name}: {}", excerpt(&plain(reason), 200));
        }
        for name in decided.missing.iter().take(MISSING_SHOWN) {
            let _ = writeln!(out, "case {name}: missing: the run holds no record");
        }
        if let Some(more) = decided.missing.len().checked_sub(MISSING_SHOWN).filter(|more| *more > 0) {
            let _ = writeln!(out, "... and {more} more cases are missing (--json lists them)");
        }
        for (suite, lines) in &decided.baseline {
            if lines.is_empty() {
                let _ = writeln!(out, "baseline {suite}: no regression");
            }
            for line in lines {
                let _ = writeln!(out, "baseline {suite}: {}", plain(line));
            }
        }
        out.push_str(&self.last_line(what));
        out
    }

    /// The run's id and outcome counts.
    pub(crate) fn last_line(&self, what: &str) -> String {
        let outcomes = self.outcomes();
        let counts: Vec<String> = outcomes.iter().filter(|(_, count)| **count > 0).map(|(name, count)| format!("{count} {name}")).collect();
        format!("run {}: {} records{what} ({})\n", self.manifest.run_id, self.records.len(), counts.join(", "))
    }
}

/// Whether a case makes the run red by itself, as its trial would.
fn blocks(mode: VerdictMode, record: &RunRecord, before: Option<&CaseResult>) -> bool {
    match (&record.outcome, mode) {
        (Outcome::Pass | Outcome::Skipped(_), _) | (_, VerdictMode::Gates) => false,
        // An error is never a known failure: it says that nothing was measured.
        (Outcome::Fail(_), VerdictMode::NoRegressions) => !before.is_some_and(CaseResult::is_failing),
        _ => true,
    }
}

fn thresholds(gate: &GateConfig) -> impl Iterator<Item = (&'static str, f64)> {
    [("min", gate.min), ("max", gate.max), ("max_drop", gate.max_drop)].into_iter().filter_map(|(name, value)| Some((name, value?)))
}

fn gate_json(name: &str, gate: &GateConfig, result: &GateResult) -> Value {
    let outcome = if result.passed() { "pass" } else { "fail" };
    let mut value = json!({ "name": name, "value": result.value, "n": result.n, "outcome": outcome, "problems": result.problems });
    for (name, threshold) in thresholds(gate) {
        value[name] = json!(threshold);
    }
    value
}
