//! A package under test: its configuration, suites, corpora and systems, each opened when it is first needed.

mod check;
mod place;
mod results;
mod select;
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use check::{CorpusReport, case_problems, check_corpus};
pub use place::{derived_folder, package_root, target_of_running_binary};
pub use results::{baseline_changes, decide_gate, system_results};
pub use select::{Choice, Selection};
pub use suite::Suite;

use crate::baseline::Baseline;
use crate::case::{LoadedCase, load_cases};
use crate::config::{CONFIG_FILE, Config, SuiteConfig, SystemSpec, VerdictMode};
use crate::error::{Error, Result};
use crate::model::RecordMode;
use crate::record::{Manifest, RunId, RunStore};
use crate::store::DerivedStore;
use crate::system::{StageBuilder, System};

/// The longest that one question may take, unless `RAGTEST_CASE_TIMEOUT_S` says otherwise.
const CASE_TIMEOUT_S: f64 = 120.0;

/// A package under test.
pub struct Project {
    /// The package's folder: paths of the configuration are relative to it.
    pub root: PathBuf,
    /// The configuration.
    pub config: Config,
    /// Everything derived: stores and runs.
    pub derived: PathBuf,
    /// Which cases count.
    pub selection: Selection,
    /// The records of this run.
    pub store: Arc<RunStore>,
    /// The longest that one question may take.
    pub timeout: Duration,
    registered: Vec<System>,
    /// Systems that only `rag.rs` can reach.
    elsewhere: Vec<String>,
    stages: Option<StageBuilder>,
    cases: Mutex<BTreeMap<String, Cases>>,
    suites: Mutex<BTreeMap<String, Arc<Suite>>>,
    baselines: Mutex<BTreeMap<String, Option<Arc<Baseline>>>>,
}

/// All cases of a suite.
pub type Cases = Arc<[Arc<LoadedCase>]>;

impl Project {
    /// Opens the package at `root`. `registered` are systems that code brings along, `stages` replaces stages of built-in pipelines.
    pub fn open(root: PathBuf, derived: PathBuf, registered: Vec<System>, stages: Option<StageBuilder>) -> Result<Self> {
        let store = RunStore::new(&derived, RunId::from_env()?);
        let project = Self { registered, stages, ..Self::read(root, derived, store)? };
        project.check_systems()?;
        Ok(project)
    }

    /// Opens the package from outside its harness: no run is written, and systems that `rag.rs` registers are known by name but cannot be
    /// asked. Those are the tables without a transport, the systems that gates name, and `registered`.
    pub fn open_detached(root: PathBuf, derived: PathBuf, registered: &[String]) -> Result<Self> {
        let mut project = Self::read(root, derived, RunStore::in_memory())?;
        let config = &project.config;
        let bare = config.system.iter().filter(|(_, system)| !system.has_transport()).map(|(name, _)| name);
        let configured: Vec<String> = config.systems(&[]).into_iter().map(|spec| spec.name).collect();
        let named = config.gate.iter().filter_map(|gate| gate.system.as_ref()).chain(registered);
        let elsewhere: BTreeSet<String> = bare.chain(named.filter(|name| !configured.contains(name))).cloned().collect();
        project.elsewhere = elsewhere.into_iter().collect();
        project.check_systems()?;
        Ok(project)
    }

    fn read(root: PathBuf, derived: PathBuf, store: RunStore) -> Result<Self> {
        let config = Config::load(&root.join(CONFIG_FILE))?;
        let selection = Selection::from_env(&config, &derived)?;
        // No provider of this release needs recordings, but a malformed mode is wrong today.
        RecordMode::parse(&std::env::var("RAGTEST_RECORD").unwrap_or_default())?;
        let seconds = env_number("RAGTEST_CASE_TIMEOUT_S")?.unwrap_or(CASE_TIMEOUT_S);
        let timeout =
            Duration::try_from_secs_f64(seconds).map_err(|error| Error::Usage(format!("use RAGTEST_CASE_TIMEOUT_S={seconds}: {error}")))?;
        Ok(Self {
            root,
            config,
            derived,
            selection,
            store: Arc::new(store),
            timeout,
            registered: Vec::new(),
            elsewhere: Vec::new(),
            stages: None,
            cases: Mutex::default(),
            suites: Mutex::default(),
            baselines: Mutex::default(),
        })
    }

    /// The systems under test, by name.
    pub fn systems(&self) -> Vec<SystemSpec> {
        let registered = self.registered.iter().map(|system| &system.name);
        let names: Vec<String> = registered.chain(&self.elsewhere).cloned().collect();
        self.config.systems(&names)
    }

    /// What is accepted must do something: a certificate that nobody checks is worse than none.
    fn check_deciders(&self) -> Result<()> {
        let oracle = &self.config.oracle;
        let planned = [
            ("style", oracle.style.as_deref().is_some_and(|style| style != "criteria")),
            ("panel", !oracle.panel.is_empty()),
            ("certified", !oracle.certified.is_empty()),
        ];
        if let Some((key, _)) = planned.iter().find(|(_, set)| *set) {
            return Err(Error::Usage(format!("use [oracle]: `{key}` is not in this release; remove it")));
        }
        let ungated = |(name, suite): &(&String, &SuiteConfig)| {
            suite.verdict == VerdictMode::Gates && !self.config.gate.iter().any(|gate| gate.suite == **name)
        };
        match self.config.suite.iter().find(ungated) {
            Some((name, _)) => {
                Err(Error::Usage(format!("use suite {name}: `verdict = \"gates\"` without a gate lets everything pass; add a `[[gate]]`")))
            }
            None => Ok(()),
        }
    }

    fn check_systems(&self) -> Result<()> {
        self.check_deciders()?;
        let mut names = BTreeSet::new();
        for system in &self.registered {
            if system.name.is_empty() || system.name.contains(':') || system.name.chars().any(|c| c.is_control() || c.is_whitespace()) {
                return Err(Error::Usage(format!(
                    "register system {:?}: the name is part of trial names; use letters, digits, `-`, `_`",
                    system.name
                )));
            }
            if !names.insert(&system.name) {
                return Err(Error::Usage(format!("register system {:?}: the name is registered twice", system.name)));
            }
        }
        for spec in self.systems() {
            if let crate::config::SystemKind::Remote(remote) = &spec.kind {
                let kind = match (&remote.http, &remote.command, &remote.mcp) {
                    (Some(_), ..) => "http",
                    (_, Some(_), _) => "command",
                    (.., Some(_)) => "mcp",
                    _ => {
                        let name = &spec.name;
                        let message = format!(
                            "use system {name:?}: it has no `pipeline`, and rag.rs does not register it; add `.system({name:?}, ...)`"
                        );
                        return Err(Error::Usage(message));
                    }
                };
                let message = format!(
                    "use system {:?}: systems of kind `{kind}` are not in this release; register a `RagSystem` in rag.rs",
                    spec.name
                );
                return Err(Error::Usage(message));
            }
        }
        let known = self.systems();
        for gate in &self.config.gate {
            if let Some(system) = gate.system.as_ref().filter(|name| !known.iter().any(|spec| spec.name == **name)) {
                let names: Vec<_> = known.iter().map(|spec| spec.name.as_str()).collect();
                return Err(Error::Usage(format!(
                    "use gate {}: system {system:?} is not known (known: {})",
                    gate.name(),
                    names.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// The files of a suite's cases, in the order of their names.
    pub fn case_files(&self, suite: &str) -> Result<Vec<PathBuf>> {
        let pattern = &self.config.suite[suite].cases;
        let absolute = format!("{}/{pattern}", glob::Pattern::escape(&self.root.to_string_lossy()));
        let found = glob::glob(&absolute).map_err(|error| Error::Usage(format!("find case files {pattern:?}: {error}")))?;
        let mut paths: Vec<PathBuf> = Vec::new();
        let mut problems = Vec::new();
        for entry in found {
            match entry {
                Ok(path) if path.is_file() => paths.push(path),
                Ok(path) if path.is_dir() => {}
                Ok(path) => problems.push(format!("{}: the link leads nowhere; restore its target, or remove it", self.shown(&path))),
                Err(error) => problems.push(format!("{}: {}", self.shown(error.path()), error.error())),
            }
        }
        paths.sort();
        if !problems.is_empty() {
            return Err(Error::Load { suite: suite.to_owned(), problems });
        }
        if paths.is_empty() {
            let problems = vec![format!("no file matches `cases = {pattern:?}`; add cases, or correct the pattern")];
            return Err(Error::Load { suite: suite.to_owned(), problems });
        }
        Ok(paths)
    }

    /// All cases of a suite, read and checked once.
    pub fn cases(&self, suite: &str) -> Result<Cases> {
        let mut read = self.cases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cases) = read.get(suite) {
            return Ok(Arc::clone(cases));
        }
        let loaded = load_cases(&self.case_files(suite)?, |path| self.shown(path))
            .map_err(|problems| Error::Load { suite: suite.to_owned(), problems })?;
        let cases: Cases = loaded.into_iter().map(Arc::new).collect();
        read.insert(suite.to_owned(), Arc::clone(&cases));
        Ok(cases)
    }

    /// The cases that run and count.
    pub fn counted(&self, suite: &str) -> Result<Vec<Arc<LoadedCase>>> {
        Ok(self.cases(suite)?.iter().filter(|loaded| self.selection.ignored(suite, &loaded.case).is_none()).cloned().collect())
    }

    /// A path as people see it: relative to the package, with `/`.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/")
    }

    /// The opened suite. Its corpus is listed; documents and indexes are opened by the first question, and cases are not read.
    pub fn suite(&self, name: &str) -> Result<Arc<Suite>> {
        // Held while the suite is opened: the other threads need the same one.
        let mut suites = self.suites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(suite) = suites.get(name) {
            return Ok(Arc::clone(suite));
        }
        let suite = Arc::new(Suite::open(self, name)?);
        self.store.write_manifest(|| self.manifest(&suite))?;
        suites.insert(name.to_owned(), Arc::clone(&suite));
        Ok(suite)
    }

    fn manifest(&self, suite: &Suite) -> Manifest {
        let config = std::fs::read_to_string(self.root.join(CONFIG_FILE)).unwrap_or_default();
        let prompts = suite.systems.iter().filter_map(|system| {
            let prompt = system.pipeline.as_ref()?.stages().prompt.fingerprint();
            Some((format!("{}/answer", system.name), prompt))
        });
        let choice = self.selection.choice();
        Manifest {
            format: 1,
            ragtest: env!("CARGO_PKG_VERSION").into(),
            config,
            profile: choice.profile.map(str::to_owned),
            retrieval_only: choice.retrieval_only,
            only_failed: choice.only_failed.map(str::to_owned),
            systems: self.systems().into_iter().map(|system| system.name).collect(),
            corpora: BTreeMap::from([(self.config.suite[&suite.name].corpus.clone(), suite.evaluator.documents.files().fingerprint())]),
            prompts: prompts.collect(),
            ..Manifest::default()
        }
    }

    /// The store of derived data.
    pub fn derived_store(&self) -> DerivedStore {
        DerivedStore::in_folder(self.derived.join("stores"))
    }

    pub(crate) fn registered(&self) -> &[System] {
        &self.registered
    }

    pub(crate) fn stage_builder(&self) -> Option<&StageBuilder> {
        self.stages.as_ref()
    }

    /// Where a suite's snapshots are committed.
    pub fn snapshots(&self, suite: &str) -> PathBuf {
        self.root.join("snapshots").join(crate::id::slug(suite))
    }

    /// The committed baseline of a suite; `None` where there is none yet. Read once: what is accepted meanwhile counts from the next run on.
    pub fn baseline(&self, suite: &str) -> Result<Option<Arc<Baseline>>> {
        let mut baselines = self.baselines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(baseline) = baselines.get(suite) {
            return Ok(baseline.clone());
        }
        let path = self.snapshots(suite).join("results.snap");
        let baseline = match crate::baseline::read_snapshot(&path)? {
            Some(text) => Some(Arc::new(Baseline::parse(&text).map_err(|message| Error::Format { path, message })?)),
            None => None,
        };
        baselines.insert(suite.to_owned(), baseline.clone());
        Ok(baseline)
    }
}

/// A positive number from a variable; malformed is an error.
pub fn env_number(name: &str) -> Result<Option<f64>> {
    let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let text = text.to_string_lossy();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(Some(number)),
        _ => Err(Error::Usage(format!("{name}={text:?} is no positive number"))),
    }
}
