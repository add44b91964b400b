//! Names and trials. Names come only from committed files, so list and run always agree.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};

use super::session::Session;
use super::{snapshot, suite_trial, trial};
use crate::case::LoadedCase;
use crate::config::GateConfig;
use crate::metrics::Metric;

/// The tag of cases with a snapshot of their own.
pub(super) const GOLDEN: &str = "golden";

/// All trials, in the order: suite checks, cases, snapshots, gates.
pub(super) fn all_trials(session: &Arc<Session>) -> Vec<Trial> {
    assert!(
        std::env::var_os("RAGTEST_FORBID_FULL_READ").is_none(),
        "all cases are read although RAGTEST_FORBID_FULL_READ is set: the exact fast path did not find the trial"
    );
    let mut trials = Vec::new();
    for suite in session.project.config.suite.keys() {
        match session.project.cases(suite) {
            Ok(cases) => {
                trials.extend(suite_trials(session, suite));
                trials.extend(cases.iter().flat_map(|case| case_trials(session, suite, case)));
            }
            Err(error) => {
                let text = format!("failed to {error}");
                super::runtime::complain(&format!("error: {text}"));
                let failing = move || Err(Failed::from(text));
                trials.push(Trial::test(format!("{suite}::load"), failing).with_kind("suite"));
            }
        }
    }
    trials
}

/// The trials that follow from the configuration alone.
pub(super) fn suite_trials(session: &Arc<Session>, suite: &str) -> Vec<Trial> {
    let mut trials = Vec::new();
    let selection = &session.project.selection;
    let mut add = |kind: &str, name: &str, ignored: bool, run: fn(&Session, &str) -> Result<(), Failed>| {
        let (shared, suite) = (Arc::clone(session), suite.to_owned());
        let full = format!("{suite}::{name}");
        let body = move || trial::guarded(|| run(&shared, &suite));
        trials.push(Trial::test(full, body).with_kind(kind).with_ignored_flag(ignored));
    };
    add("suite", "cases", false, suite_trial::cases);
    add("suite", "baseline", session.merge_gates || selection.retrieval_only(), suite_trial::baseline);
    add("suite", "snapshots", false, suite_trial::snapshots);
    // A part of the suite cannot be compared with a table of all of it.
    add("snapshot", "results", selection.is_partial() || session.merge_gates, snapshot::results);
    for gate in session.project.config.gate.iter().filter(|gate| gate.suite == suite) {
        trials.extend(gate_trials(session, gate));
    }
    trials
}

fn gate_trials(session: &Arc<Session>, gate: &GateConfig) -> Vec<Trial> {
    let systems = session.systems.iter().filter(|system| gate.system.as_ref().is_none_or(|only| only == *system));
    let decided = Metric::parse(&gate.metric).is_ok_and(|metric| session.project.selection.decides(metric));
    let ignored = session.merge_gates || !decided;
    let gate_trial = |system: &String| {
        let (shared, gate, system) = (Arc::clone(session), gate.clone(), system.clone());
        let name = session.gate_name(&gate, &system);
        let body = move || trial::guarded(|| suite_trial::gate(&shared, &gate, &system));
        Trial::test(name, body).with_kind("gate").with_ignored_flag(ignored)
    };
    systems.map(gate_trial).collect()
}

/// The trials of one case: one a system, and its snapshot where it is tagged so.
pub(super) fn case_trials(session: &Arc<Session>, suite: &str, case: &Arc<LoadedCase>) -> Vec<Trial> {
    let ignored = session.project.selection.ignored(suite, &case.case).is_some();
    let place = Session::case_place(suite, &case.case);
    let kind = case.case.strategy().name();
    let mut trials: Vec<Trial> = Vec::with_capacity(session.systems.len());
    for system in &session.systems {
        let (shared, suite, case, name) = (Arc::clone(session), suite.to_owned(), Arc::clone(case), system.clone());
        let body = move || trial::guarded(|| trial::case(&shared, &suite, &case, &name));
        let full = format!("{place}{}", session.system_suffix(system));
        trials.push(Trial::test(full, body).with_kind(kind).with_ignored_flag(ignored));
    }
    if case.case.has_tag(GOLDEN) {
        let (shared, suite, case) = (Arc::clone(session), suite.to_owned(), Arc::clone(case));
        let ignored = ignored || session.project.selection.retrieval_only();
        let body = move || trial::guarded(|| snapshot::case(&shared, &suite, &case));
        trials.push(Trial::test(place, body).with_kind("snapshot").with_ignored_flag(ignored));
    }
    trials
}
