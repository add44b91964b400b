//! One case: from run record to test result.

use std::sync::Arc;

use libtest_mimic::Failed;

use super::failure;
use super::runtime::{block_on, catching, complain};
use super::session::Session;
use super::suite_trial::failed;
use crate::case::LoadedCase;
use crate::config::VerdictMode;
use crate::error::Result;
use crate::record::RunRecord;
use crate::verdict::Outcome;

/// Runs a trial's body; a panic becomes a failure that names its place. Under nextest the first line also goes to standard error in the
/// form that its JUnit report picks up as the message.
pub(super) fn guarded(run: impl FnOnce() -> Result<(), Failed>) -> Result<(), Failed> {
    let result = catching(run).unwrap_or_else(|panic| Err(Failed::from(panic)));
    if let Err(failed) = &result
        && std::env::var_os("NEXTEST").is_some()
    {
        let first = failed.message().unwrap_or("failed").lines().next().unwrap_or("failed");
        complain(&format!("Error: {first}"));
    }
    result
}

/// Evaluates a case on a system and says what became of it.
pub(super) fn case(session: &Session, suite: &str, case: &LoadedCase, system: &str) -> Result<(), Failed> {
    let opened = session.project.suite(suite).map_err(failed)?;
    let Some(system) = opened.system(system) else { return Err(Failed::from(format!("system {system:?} is not configured"))) };
    let record = block_on(opened.evaluator.evaluate(case, system)).map_err(failed)?;
    if record.outcome == Outcome::Pass {
        if record.lucky {
            complain(&format!("LUCKY {}: right, though no evidence was retrieved", case.case.id));
        }
        return repaired(session, suite, &record);
    }
    match session.project.config.suite[suite].verdict {
        VerdictMode::All => {}
        VerdictMode::Gates => {
            complain(&format!("ADVISORY {}: {}: {}", case.case.id, record.outcome.name(), record.harness.reason));
            return Ok(());
        }
        VerdictMode::NoRegressions => {
            if known_failing(session, suite, &record)? {
                complain(&format!("KNOWN {}: {}: {}", case.case.id, record.outcome.name(), record.harness.reason));
                return Ok(());
            }
        }
    }
    Err(Failed::from(failure::case(session, &opened, case, &record)))
}

fn before(session: &Session, suite: &str, record: &RunRecord) -> Result<Option<crate::baseline::CaseResult>, Failed> {
    let baseline = session.project.baseline(suite).map_err(failed)?;
    Ok(baseline.and_then(|baseline| baseline.systems.get(&record.system)?.cases.get(&record.case_id).cloned()))
}

/// Whether the baseline has the case as failing. An error is never a known failure: it says that nothing was measured.
fn known_failing(session: &Session, suite: &str, record: &Arc<RunRecord>) -> Result<bool, Failed> {
    Ok(matches!(record.outcome, Outcome::Fail(_)) && before(session, suite, record)?.is_some_and(|before| before.is_failing()))
}

fn repaired(session: &Session, suite: &str, record: &Arc<RunRecord>) -> Result<(), Failed> {
    if session.project.config.suite[suite].verdict == VerdictMode::NoRegressions
        && before(session, suite, record)?.is_some_and(|b| b.is_failing())
    {
        complain(&format!("REPAIRED {}: passes now; accept it with `cargo insta review`", record.case_id));
    }
    Ok(())
}
