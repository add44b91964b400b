//! What all trials of one process share.

use super::Entry;
use super::runtime;
use crate::case::TestCase;
use crate::config::{GateConfig, SystemKind};
use crate::error::{Error, Result};
use crate::id::slug;
use crate::project::Project;

/// What all trials of one process share. Opening it reads the configuration and nothing else.
pub(super) struct Session {
    pub(super) project: Project,
    pub(super) entry: Entry,
    /// Names of the systems under test.
    pub(super) systems: Vec<String>,
    /// Cases that are evaluated at once.
    pub(super) at_once: usize,
    /// `RAGTEST_GATES=merge`: gates are decided later, over all shards.
    pub(super) merge_gates: bool,
}

/// Questions to systems that wait for something else than this machine's cores.
const CALLS_AT_ONCE: usize = 8;

impl Session {
    pub(super) fn new(project: Project, entry: Entry) -> Result<Self> {
        let specs = project.systems();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let bound_elsewhere = specs.iter().any(|spec| !matches!(spec.kind, SystemKind::Pipeline(_)));
        let merge_gates = match std::env::var("RAGTEST_GATES").as_deref() {
            Err(_) | Ok("" | "run") => false,
            Ok("merge") => true,
            Ok(other) => return Err(Error::Usage(format!("use RAGTEST_GATES={other:?}: it is `run` or `merge`"))),
        };
        Ok(Self {
            systems: specs.into_iter().map(|spec| spec.name).collect(),
            at_once: if bound_elsewhere { cores.max(CALLS_AT_ONCE) } else { cores },
            project,
            entry,
            merge_gates,
        })
    }

    /// The system's segment at the end of a trial's name: only where there is more than one.
    pub(super) fn system_suffix(&self, system: &str) -> String {
        if self.systems.len() > 1 { format!("::{system}") } else { String::new() }
    }

    /// A case's place in the names of its trials: `suite::document::id`.
    pub(super) fn case_place(suite: &str, case: &TestCase) -> String {
        let document = case.home().map_or_else(|| "-".to_owned(), slug);
        format!("{suite}::{document}::{}", case.id)
    }

    /// The name of a gate's trial on one system.
    pub(super) fn gate_name(&self, gate: &GateConfig, system: &str) -> String {
        format!("{}::{}{}", gate.suite, gate.name(), self.system_suffix(system))
    }

    /// Closes the systems that were registered.
    pub(super) fn close(&self) {
        runtime::block_on(async {
            for system in self.project.registered() {
                // A system that does not come to an end must not hold up the exit.
                let _ = tokio::time::timeout(std::time::Duration::from_secs(2), system.ask.close()).await;
            }
        });
    }
}
