//! One named trial without reading all cases: nextest starts a process a trial, so whatever the list costs would be paid once a trial.

use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use super::args::is_named;
use super::plan::{case_trials, suite_trials};
use super::session::Session;
use crate::case::{CaseSource, LoadedCase, jsonl, read_line};

/// The trials of `--exact NAME`; `None` where the name is not found this way, and everything must be read.
pub(super) fn only_trial(session: &Arc<Session>, arguments: &Arguments) -> Option<Vec<Trial>> {
    if !arguments.exact || !arguments.skip.is_empty() {
        return None;
    }
    let filter = arguments.filter.as_deref()?;
    let name = filter.strip_prefix('[').and_then(|rest| Some(rest.split_once("] ")?.1)).unwrap_or(filter);
    for suite in session.project.config.suite.keys() {
        let Some(rest) = name.strip_prefix(suite.as_str()).and_then(|rest| rest.strip_prefix("::")) else { continue };
        let mut found: Vec<Trial> = suite_trials(session, suite);
        found.extend(named_cases(session, suite, rest).iter().flat_map(|case| case_trials(session, suite, case)));
        found.retain(|trial| is_named(trial, filter));
        // Two lines of one id are a load error, which only the full read reports.
        let kinds: std::collections::BTreeSet<&str> = found.iter().map(Trial::kind).collect();
        if !found.is_empty() && kinds.len() == found.len() {
            return Some(found);
        }
    }
    None
}

/// The cases that a name `document::id[::system]` can mean, read from their own lines alone.
fn named_cases(session: &Session, suite: &str, rest: &str) -> Vec<Arc<LoadedCase>> {
    let Some((_, id)) = rest.split_once("::") else { return Vec::new() };
    let mut ids = vec![id];
    if session.systems.len() > 1 {
        ids.extend(id.rsplit_once("::").map(|(id, _)| id));
    }
    // A case with expectations per snapshot is written once, as `id`, and runs as `id@snapshot`.
    let written: Vec<&str> = ids.iter().filter_map(|id| Some(id.rsplit_once('@')?.0)).collect();
    ids.extend(written);
    ids.sort_unstable();
    ids.dedup();
    let Ok(paths) = session.project.case_files(suite) else { return Vec::new() };
    let mut cases = Vec::new();
    for path in paths {
        let Ok(text) = jsonl::read_text(&path) else { return Vec::new() };
        for id in &ids {
            for (line, content) in jsonl::lines_with_id(&text, id) {
                // What does not parse or pass its checks is for the full read to report.
                let Ok(instances) = read_line(content) else { continue };
                let source = CaseSource { path: path.clone(), line };
                let wanted =
                    instances.into_iter().filter(|case| case.id == *id || case.id.rsplit_once('@').is_some_and(|(base, _)| base == *id));
                cases.extend(wanted.map(|case| Arc::new(LoadedCase { case, source: source.clone() })));
            }
        }
    }
    cases
}
