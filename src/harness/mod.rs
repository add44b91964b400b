//! The `cargo test` harness: every case, gate and snapshot a named test.

mod args;
mod failure;
mod fast_path;
mod plan;
mod runtime;
mod session;
mod snapshot;
mod suite_trial;
mod trial;

use std::panic::UnwindSafe;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::project::{Project, derived_folder, package_root, target_of_running_binary};
use crate::system::{RagSystem, Retriever, StageBuilder, Stages, System};
use session::Session;

/// What the macro [`harness!`](crate::harness) captures in the adopter's crate.
#[derive(Clone, Copy)]
pub struct Entry {
    /// `CARGO_MANIFEST_DIR` at compile time.
    pub manifest_dir: &'static str,
    /// `CARGO_PKG_NAME`.
    pub package: &'static str,
    /// Asserts a snapshot (folder, description, name, content). It is expanded in the adopter's crate, so that insta records the
    /// adopter's file as the source, and the adopter needs no dependency on insta.
    pub assert_snapshot: fn(&std::path::Path, &str, &str, &str),
}

/// The harness of one package. Made by [`harness!`](crate::harness).
#[must_use = "call `.run()` and return its exit code from `main`, or every failure is green"]
pub struct Harness {
    entry: Entry,
    root: Option<PathBuf>,
    systems: Vec<System>,
    stages: Option<StageBuilder>,
}

impl Harness {
    /// A harness without systems of its own.
    pub fn new(entry: Entry) -> Self {
        Self { entry, root: None, systems: Vec::new(), stages: None }
    }

    /// Registers a system under test. Its name is the last segment of its trials' names when there is more than one system.
    pub fn system(mut self, name: impl Into<String>, system: impl RagSystem) -> Self {
        self.systems.push(System::new(name, system));
        self
    }

    /// Registers a retriever: a system that is judged by what it retrieves, without answers.
    pub fn retriever(self, name: impl Into<String>, retriever: impl Retriever) -> Self {
        self.system(name, crate::system::RetrieverOnly(retriever))
    }

    /// Uses another folder than the package's own; everything derived goes to `target/ragtest` below it.
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// Replaces stages of built-in pipelines: the function gets a system's name and its stages.
    pub fn stages(mut self, replace: impl Fn(&str, Stages) -> Stages + Send + Sync + UnwindSafe + 'static) -> Self {
        self.stages = Some(Arc::new(replace));
        self
    }

    /// Lists or runs the trials, as the command line says. Return the exit code from `main`: 0 when all passed, 101 when a trial failed,
    /// 2 when the configuration cannot be read.
    pub fn run(self) -> ExitCode {
        let arguments = args::parse(std::env::args_os());
        runtime::catch_locations();
        let session = match self.open() {
            Ok(session) => Arc::new(session),
            Err(error) => {
                runtime::complain(&format!("error: failed to {error}"));
                return ExitCode::from(2);
            }
        };
        let code = args::run(&session, arguments);
        session.close();
        code
    }

    fn open(self) -> Result<Session> {
        let target = if self.root.is_some() { None } else { target_of_running_binary() };
        let root = self.root.unwrap_or_else(|| package_root(self.entry.manifest_dir));
        let derived = derived_folder(&root, self.entry.package, target);
        if !root.is_dir() {
            return Err(Error::Usage(format!("find the package folder {}", root.display())));
        }
        let project = Project::open(root, derived, self.systems, self.stages)?;
        Session::new(project, self.entry)
    }
}
