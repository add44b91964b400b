//! Trials of a whole suite: gates, corpus checks, baseline, snapshot files.

use std::collections::BTreeSet;

use libtest_mimic::Failed;

use super::failure;
use super::plan::GOLDEN;
use super::runtime::{block_on, complain};
use super::session::Session;
use super::snapshot;
use crate::config::GateConfig;
use crate::error::Error;
use crate::project::{baseline_changes, check_corpus};

#[expect(clippy::needless_pass_by_value, reason = "used as `map_err(failed)`")]
pub(super) fn failed(error: Error) -> Failed {
    Failed::from(format!("failed to {error}"))
}

/// A gate on one system.
pub(super) fn gate(session: &Session, gate: &GateConfig, system: &str) -> Result<(), Failed> {
    let suite = session.project.suite(&gate.suite).map_err(failed)?;
    let Some(under_test) = suite.system(system) else { return Err(Failed::from(format!("system {system:?} is not configured"))) };
    let result = block_on(suite.decide_gate(&session.project, gate, under_test, session.at_once)).map_err(failed)?;
    if result.passed() {
        return Ok(());
    }
    Err(Failed::from(failure::gate(&result, &session.gate_name(gate, system))))
}

/// Corpus checks: everything about the cases that needs the documents.
pub(super) fn cases(session: &Session, suite: &str) -> Result<(), Failed> {
    let opened = session.project.suite(suite).map_err(failed)?;
    let report = block_on(check_corpus(&session.project, &opened)).map_err(failed)?;
    for warning in &report.warnings {
        complain(&format!("warning: {warning}"));
    }
    if report.problems.is_empty() {
        return Ok(());
    }
    Err(Failed::from(format!(
        "{} problem(s) with the documents or the evidence of {suite}\n  {}",
        report.problems.len(),
        report.problems.join("\n  ")
    )))
}

/// The committed baseline against this run.
pub(super) fn baseline(session: &Session, suite: &str) -> Result<(), Failed> {
    // Without a baseline `[snapshot] results` is red and says how to accept one.
    let Some(before) = session.project.baseline(suite).map_err(failed)? else { return Ok(()) };
    let opened = session.project.suite(suite).map_err(failed)?;
    let now = block_on(opened.results(&session.project, session.at_once)).map_err(failed)?;
    let problems = baseline_changes(&session.project, suite, &before, &now);
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failed::from(format!(
        "the run differs from the baseline of {suite}: {}\naccept it with `cargo insta review` if it is meant",
        problems.join("\n")
    )))
}

/// Snapshot files that nothing asserts any more, and in CI those that nobody reviewed.
pub(super) fn snapshots(session: &Session, suite: &str) -> Result<(), Failed> {
    let folder = session.project.snapshots(suite);
    let mut expected = BTreeSet::from(["results.snap".to_owned()]);
    for loaded in session.project.cases(suite).map_err(failed)?.iter().filter(|loaded| loaded.case.has_tag(GOLDEN)) {
        expected.insert(format!("{}.snap", snapshot::case_name(&loaded.case.id)));
    }
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(Error::io(&folder)(error))),
    };
    let mut problems = Vec::new();
    let mut names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for name in names {
        if name.ends_with(".snap.new") {
            // Locally the snapshot's own trial is red; in CI a pending file was committed by accident.
            if in_ci() {
                problems.push(format!("{name} is pending; review it with `cargo insta review` and do not commit it"));
            }
        } else if !expected.contains(&name) {
            problems.push(format!("{name} belongs to no case; delete it"));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Failed::from(format!("snapshots/{suite}: {}", problems.join("; ")))) }
}

pub(super) fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "false" | "0"))
}
