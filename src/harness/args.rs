//! The command line of a test binary, as cargo and nextest use it.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use super::fast_path;
use super::plan;
use super::runtime::complain;
use super::session::Session;
use crate::case::Strategy;

/// Reads the arguments; libtest's newer spelling `--no-capture` is taken for the one that libtest-mimic knows.
pub(super) fn parse(arguments: impl Iterator<Item = OsString>) -> Arguments {
    Arguments::from_iter(arguments.map(|argument| if argument == "--no-capture" { "--nocapture".into() } else { argument }))
}

/// Lists or runs.
pub(super) fn run(session: &Arc<Session>, mut arguments: Arguments) -> ExitCode {
    let trials = fast_path::only_trial(session, &arguments).unwrap_or_else(|| plan::all_trials(session));
    let none = !arguments.list && trials.iter().all(|trial| arguments.is_filtered_out(trial));
    if let Some(code) = none.then(|| nothing_matched(session, &arguments)).flatten() {
        return code;
    }
    arguments.test_threads.get_or_insert(session.at_once);
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A filter that matches nothing: cargo hands one filter to every target, so it is a line and not a failure, unless it was meant for us.
fn nothing_matched(session: &Session, arguments: &Arguments) -> Option<ExitCode> {
    let filter = arguments.filter.as_deref()?;
    let kinds = Strategy::ALL.iter().map(|strategy| strategy.name()).chain(["gate", "suite", "snapshot", "generation"]);
    let of_a_kind = filter.starts_with('[') && kinds.into_iter().any(|kind| filter.starts_with(&format!("[{kind}]")));
    let suites = &session.project.config.suite;
    let of_a_suite = suites.keys().any(|suite| filter == suite || filter.starts_with(&format!("{suite}::")));
    let driven = std::env::var_os("RAGTEST_DRIVER").is_some();
    if of_a_kind || of_a_suite || driven {
        complain(&format!("error: no trial matches {filter:?}; `cargo test --test rag -- --list` shows all names"));
        return Some(ExitCode::from(101));
    }
    complain(&format!("ragtest: no trial matches {filter:?}; nothing was run"));
    None
}

/// Whether an argument selects a trial, by its name or by `[kind] name`, as libtest-mimic matches it.
pub(super) fn is_named(trial: &Trial, filter: &str) -> bool {
    trial.name() == filter || filter.strip_prefix(&format!("[{}] ", trial.kind())) == Some(trial.name())
}
