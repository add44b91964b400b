//! From records to decisions: gates, results and their comparison with the baseline. Nothing here executes a case.

use std::collections::{BTreeMap, BTreeSet};

use super::Project;
use crate::baseline::{Baseline, CaseResult, Changes, SystemResults};
use crate::config::{Config, GateConfig};
use crate::error::{Error, Result};
use crate::gate::{CaseRecord, GateResult, allowed_error_rate, decide, selects};
use crate::id::Fingerprint;
use crate::metrics::Metric;

/// Aggregates that every baseline shows, whether gated or not.
const SHOWN: [&str; 8] =
    ["recall@5", "mrr", "ndcg@10", "context_precision@5", "context_tokens@5", "pass_rate", "refusal_rate", "error_rate"];

/// Decides a gate over the cases that it selects of `pairs`, which are of one system.
pub fn decide_gate(project: &Project, gate: &GateConfig, system: &str, pairs: &[CaseRecord<'_>]) -> Result<GateResult> {
    let metric = Metric::parse(&gate.metric).map_err(Error::Usage)?;
    let selected: Vec<_> = pairs.iter().filter(|(case, _)| selects(gate, case)).cloned().collect();
    let baseline = if gate.max_drop.is_some() { project.baseline(&gate.suite)? } else { None };
    let before = baseline.as_ref().and_then(|b| b.systems.get(system)?.aggregates.get(&gate.name())?.0);
    // A part of the suite cannot be compared with the mean of all of it.
    let gate = &GateConfig { max_drop: gate.max_drop.filter(|_| !project.selection.is_partial()), ..gate.clone() };
    Ok(decide(gate, metric, &selected, allowed_error_rate(&project.config.gate, gate, system), before))
}

/// One system's part of the baseline. A case without a record has no line.
pub fn system_results(
    config: &Config,
    suite: &str,
    fingerprints: BTreeMap<String, Fingerprint>,
    pairs: &[CaseRecord<'_>],
) -> SystemResults {
    let fingerprints = fingerprints.into_iter().map(|(name, print)| (name, print.short(12))).collect();
    let recorded = pairs.iter().filter_map(|(case, record)| Some((case.id.clone(), CaseResult::of(record.as_ref()?))));
    let mut results = SystemResults { fingerprints, cases: recorded.collect(), ..SystemResults::default() };
    let shown = SHOWN.iter().map(|metric| GateConfig { suite: suite.to_owned(), metric: (*metric).to_owned(), ..GateConfig::default() });
    let gated = config.gate.iter().filter(|gate| gate.suite == suite && is_stable(gate)).cloned();
    for gate in shown.chain(gated) {
        let Ok(metric) = Metric::parse(&gate.metric) else { continue };
        let selected: Vec<_> = pairs.iter().filter(|(case, _)| selects(&gate, case)).cloned().collect();
        let decided = decide(&gate, metric, &selected, 1.0, None);
        results.aggregates.insert(gate.name(), (decided.value, decided.n));
    }
    results
}

/// Whether a gate's value is the same in every run: time and money are not part of a snapshot.
fn is_stable(gate: &GateConfig) -> bool {
    !matches!(gate.metric.as_str(), "latency_p95_ms" | "cost_usd" | "tokens")
}

/// What makes a run red beside its baseline, one line a kind and system: changed fingerprints, missing cases, regressions.
pub fn baseline_changes(project: &Project, suite: &str, before: &Baseline, now: &Baseline) -> Vec<String> {
    let selection = &project.selection;
    if selection.retrieval_only() {
        // The table tells of answers.
        return Vec::new();
    }
    let mut lines = Vec::new();
    let names: BTreeSet<&String> = before.systems.keys().chain(now.systems.keys()).collect();
    for name in names {
        match (before.systems.get(name), now.systems.get(name)) {
            (Some(before), Some(now)) => {
                let mut before = before.clone();
                if selection.is_partial() {
                    // What the selection leaves out is not missing.
                    let in_suite = |id: &String| project.cases(suite).is_ok_and(|all| all.iter().any(|loaded| loaded.case.id == *id));
                    before.cases.retain(|id, _| now.cases.contains_key(id) || !in_suite(id));
                }
                lines.extend(describe(name, &before.compare(now)));
            }
            (Some(_), None) => lines.push(format!("system {name} is in the baseline and was not run")),
            // A new system has no baseline yet: nothing of it can have regressed.
            (None, _) => {}
        }
    }
    lines
}

fn describe(system: &str, changes: &Changes) -> Vec<String> {
    let mut lines = Vec::new();
    if !changes.fingerprints.is_empty() {
        lines.push(format!("{system}: changed since: {}", changes.fingerprints.join(", ")));
    }
    if !changes.missing.is_empty() {
        lines.push(format!(
            "{system}: {} case(s) of the baseline are missing from the run: {}",
            changes.missing.len(),
            changes.missing.join(", ")
        ));
    }
    if !changes.regressions.is_empty() {
        lines.push(format!("{system}: {} regression(s):\n  {}", changes.regressions.len(), changes.regressions.join("\n  ")));
    }
    lines
}
