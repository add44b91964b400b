//! `merge`: shards into one run, decided without executing anything.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Result, bail};
use clap::Args;
use ragtest::baseline::{Baseline, CaseResult};
use ragtest::case::LoadedCase;
use ragtest::config::{CONFIG_FILE, GateConfig, VerdictMode};
use ragtest::gate::{CaseRecord, GateResult};
use ragtest::id::Fingerprint;
use ragtest::project::{Project, Selection, baseline_changes, decide_gate, system_results};
use ragtest::record::{Manifest, RecordKey, RunId, RunRecord};
use ragtest::text::{excerpt, plain};
use ragtest::verdict::Outcome;
use serde_json::{Value, json};

use crate::output::{self, Output};
use crate::package::Package;
use crate::shards::{self, Records, Shard};

/// Makes one run of the shards of a partitioned run, and decides its gates and its baseline
#[derive(Args)]
#[command(long_about = "\
Makes one run of the shards of a partitioned run, and decides its gates and its baseline.

Nothing is executed: the records of the shards are united, and every gate and the committed baseline are decided over all of them, as an
unpartitioned run would. A case that no shard holds is missing, and that is red. Shards that differ in configuration, corpora, prompts or
profile are refused, and so are two records of one case with different outcomes.

In CI, each shard lists its gates as ignored and keeps its run folder (target/ragtest/runs/<id>); a last job merges them:

  RAGTEST_GATES=merge cargo nextest run --test rag --partition count:1/2
  RAGTEST_GATES=merge cargo nextest run --test rag --partition count:2/2
  cargo ragtest merge shard-1/runs/* shard-2/runs/*

Exit codes: 0 all green; 1 a gate is red, a case failed or is missing, or the baseline regressed; 2 the runs could not be merged.")]
pub(crate) struct Options {
    /// Run ids, or run folders (with manifest.json and records/)
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Prints one JSON document
    #[arg(long, env = "RAGTEST_JSON", hide_env = true, value_parser = output::switch)]
    json: bool,
}

/// Missing cases that are listed: a forgotten shard misses very many.
const MISSING_SHOWN: usize = 20;

/// The united run.
struct Merged {
    project: Project,
    manifest: Manifest,
    records: Records,
}

/// What was decided over it.
#[derive(Default)]
struct Decided {
    gates: Vec<(String, GateConfig, GateResult)>,
    /// Cases that make the run red by themselves.
    failed: Vec<(String, String)>,
    /// Cases that no shard holds.
    missing: Vec<String>,
    /// Suite to what changed since its baseline.
    baseline: BTreeMap<String, Vec<String>>,
}

pub(crate) fn run(options: &Options, package: &Package) -> Result<Output> {
    if options.runs.is_empty() {
        bail!("merge runs: name the runs to merge; {}", shards::newest(&package.derived));
    }
    let read: Vec<Shard> = options.runs.iter().map(|name| Shard::read(&package.derived, name)).collect::<Result<_>>()?;
    shards::check_alike(&read)?;
    let manifest = shards::unite_manifests(&read, &RunId::fresh().id);
    let records = shards::unite_records(&read)?;
    let mut project = package.open(&manifest.systems)?;
    let config = std::fs::read_to_string(project.root.join(CONFIG_FILE)).unwrap_or_default();
    if let Some(difference) = shards::config_difference(&manifest.config, &config) {
        bail!("merge {}: the runs and this package differ in {difference}; merge in the checkout that the shards ran in", read[0].name);
    }
    // The shards' own selection, whatever the variable says here.
    project.selection = manifest.profile.as_deref().map_or(Ok(Selection::default()), |name| Selection::named(name, &project.config))?;
    let merged = Merged { project, manifest, records };
    let decided = merged.decide()?;
    shards::write(&package.derived, &merged.manifest, &merged.records)?;
    let green = decided.is_green();
    if options.json {
        return Ok(Output::json(&merged.to_json(&decided), green));
    }
    Ok(Output { text: merged.to_text(&decided, read.len()), green })
}

impl Decided {
    fn is_green(&self) -> bool {
        self.failed.is_empty()
            && self.missing.is_empty()
            && self.baseline.values().all(Vec::is_empty)
            && self.gates.iter().all(|(.., result)| result.passed())
    }
}

impl Merged {
    fn decide(&self) -> Result<Decided> {
        let mut decided = Decided::default();
        for suite in self.project.config.suite.keys() {
            let cases = self.project.counted(suite)?;
            let cases: Vec<&LoadedCase> = cases.iter().map(AsRef::as_ref).collect();
            for gate in self.project.config.gate.iter().filter(|gate| gate.suite == *suite) {
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

    fn outcomes(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::from(["pass", "fail", "error", "not-scored", "skipped"].map(|name| (name, 0)));
        for record in self.records.values() {
            *counts.entry(record.outcome.name()).or_default() += 1;
        }
        counts
    }

    fn to_json(&self, decided: &Decided) -> Value {
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

    fn to_text(&self, decided: &Decided, shards: usize) -> String {
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
            let _ = writeln!(out, "case {name}: missing: no shard holds it");
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
        let outcomes = self.outcomes();
        let counts: Vec<String> = outcomes.iter().filter(|(_, count)| **count > 0).map(|(name, count)| format!("{count} {name}")).collect();
        let _ = writeln!(out, "run {}: {} records of {shards} shards ({})", self.manifest.run_id, self.records.len(), counts.join(", "));
        out
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
