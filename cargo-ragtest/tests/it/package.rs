//! A small package in a folder that goes with the test, its runs, and the command over it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ragtest::project::Project;
use ragtest::record::{RunId, RunStore};
use ragtest::system::System;
use serde_json::Value;

pub(crate) const CONFIG: &str = r#"version = 1
[corpus.manual]
documents = "golden/manual"
[suite.manual]
corpus = "manual"
cases = "rag-tests/cases/*.jsonl"
[[gate]]
suite = "manual"
metric = "recall@5"
min = 0.9
[[gate]]
suite = "manual"
metric = "pass_rate"
min = 0.9
"#;

const CASES: &str = r#"{"id":"noise","query":"How loud is the kettle?","reference_answer":"The kettle is as loud as 61 decibels.","evidence":[{"document":"kettle.md","quote":"The kettle is as loud as 61 decibels."}],"keywords":["61 decibels"]}
{"id":"volume","query":"How much water does the kettle hold?","reference_answer":"The kettle holds 1.7 litres of water.","evidence":[{"document":"kettle.md","quote":"The kettle holds 1.7 litres of water."}],"keywords":["1.7 litres"]}
{"id":"warranty","query":"How long is the warranty of the toaster?","reference_answer":"The warranty of the toaster lasts 24 months.","evidence":[{"document":"toaster.md","quote":"The warranty of the toaster lasts 24 months."}],"keywords":["24 months"]}
{"id":"crumbs","query":"Where is the crumb tray of the toaster?","reference_answer":"The crumb tray of the toaster is at the back.","evidence":[{"document":"toaster.md","quote":"The crumb tray of the toaster is at the back."}],"keywords":["back"]}
{"id":"unknown","query":"Which alpaca breeds win regattas in Lisbon?","expect":"abstain"}
"#;

/// A package folder.
pub(crate) struct Package {
    folder: tempfile::TempDir,
}

/// What the command said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err));
        assert_eq!(value["format"], 1);
        value
    }

    /// Asserts the exit code.
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }
}

impl Package {
    pub(crate) fn new() -> Self {
        let package = Self { folder: tempfile::tempdir().expect("folder") };
        package.write("rag-tests/ragtest.toml", CONFIG);
        package.write("rag-tests/cases/manual.jsonl", CASES);
        package
            .write("golden/manual/kettle.md", "# Kettle\n\nThe kettle holds 1.7 litres of water. The kettle is as loud as 61 decibels.\n");
        package.write(
            "golden/manual/toaster.md",
            "# Toaster\n\nThe warranty of the toaster lasts 24 months. The crumb tray of the toaster is at the back.\n",
        );
        package
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("folder")
    }

    pub(crate) fn derived(&self) -> PathBuf {
        self.root().join("target/ragtest")
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        std::fs::write(path, content).expect("write");
    }

    /// Runs the command over the package.
    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        let root = self.root();
        let mut all = vec!["ragtest"];
        all.extend(arguments);
        all.extend(["--manifest-dir", root.to_str().expect("path")]);
        command(&root, &all, &[])
    }

    /// The package as the harness opens it, with a run of its own.
    pub(crate) fn project(&self, run: &str, registered: Vec<System>) -> Project {
        let mut project = Project::open(self.root(), self.derived(), registered, None).expect("opens");
        project.store = Arc::new(RunStore::new(&self.derived(), RunId { id: run.into(), shared: false }));
        project
    }

    /// Writes a run of the cases that `wanted` selects.
    pub(crate) fn write_run(&self, run: &str, wanted: impl Fn(&str) -> bool) {
        evaluate(&self.project(run, Vec::new()), wanted);
    }

    /// Names below the folder of runs.
    pub(crate) fn runs(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.derived().join("runs")).into_iter().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Evaluates the cases that `wanted` selects on all systems: their records are the project's run.
pub(crate) fn evaluate(project: &Project, wanted: impl Fn(&str) -> bool) {
    let suite = project.suite("manual").expect("suite");
    block_on(async {
        for loaded in project.counted("manual").expect("cases").iter().filter(|loaded| wanted(&loaded.case.id)) {
            for system in &suite.systems {
                suite.evaluator.evaluate(loaded, system).await.expect("evaluates");
            }
        }
    });
}

/// The binary, with nothing of the outer test run in its environment: in CI insta writes no pending baseline.
pub(crate) fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-ragtest"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text == "CI" || ["RAGTEST_", "NEXTEST", "CARGO_TARGET", "INSTA_"].iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs the binary in a folder.
pub(crate) fn command(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Said {
    let mut command = binary();
    command.current_dir(folder).args(arguments);
    let output = command.envs(variables.iter().copied()).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Said { code: output.status.code().expect("exits"), out: text(output.stdout), err: text(output.stderr) }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime").block_on(future)
}

/// All verbs.
const VERBS: [&[&str]; 12] = [
    &["ask"],
    &["cases", "accept"],
    &["cases", "lint"],
    &["docs", "render"],
    &["docs", "show"],
    &["export"],
    &["import"],
    &["index"],
    &["init"],
    &["merge"],
    &["metrics"],
    &["run"],
];

#[test]
fn every_verb_teaches_with_an_example() {
    let folder = tempfile::tempdir().expect("folder");
    for verb in VERBS {
        let arguments: Vec<&str> = ["ragtest"].iter().chain(verb).chain(&["--help"]).copied().collect();
        let said = command(folder.path(), &arguments, &[]).exits(0);
        assert!(said.out.contains(&format!("cargo ragtest {}", verb.join(" "))), "{}", said.out);
        // Called by its own name it is the same.
        assert_eq!(command(folder.path(), &arguments[1..], &[]).exits(0).out, said.out);
    }
}

#[test]
fn without_a_package_or_with_a_broken_one_nothing_runs() {
    let package = Package::new();
    let empty = tempfile::tempdir().expect("folder");
    let said = command(empty.path(), &["index"], &[]).exits(2);
    assert!(said.err.starts_with("error: failed to find a package") && said.err.contains("--manifest-dir"), "{}", said.err);
    package.write("rag-tests/ragtest.toml", "version = 1\n[suit.x]\n");
    let said = package.run(&["cases", "lint"]).exits(2);
    assert!(said.err.contains("ragtest.toml:2") && said.err.contains("`suite`"), "{}", said.err);
    command(&package.root(), &["frobnicate"], &[]).exits(2);
}

#[test]
fn flags_have_variables_and_malformed_ones_are_errors() {
    let package = Package::new();
    let root = package.root();
    let root = root.to_str().expect("path");
    let place = ("RAGTEST_MANIFEST_DIR", root);
    command(Path::new("/"), &["cases", "lint"], &[place, ("RAGTEST_JSON", "1")]).exits(0).json();
    let said = command(Path::new("/"), &["cases", "lint"], &[place, ("RAGTEST_JSON", ""), ("RAGTEST_SUITE", "")]).exits(0);
    assert!(said.out.starts_with("suite manual: 5 cases"), "{}", said.out);
    command(Path::new("/"), &["cases", "lint"], &[place, ("RAGTEST_JSON", "maybe")]).exits(2);
    command(Path::new("/"), &["cases", "lint"], &[place, ("RAGTEST_SUITE", "nope")]).exits(2);
}

#[test]
fn members_of_a_workspace_use_the_harness_s_folder() {
    let workspace = tempfile::tempdir().expect("folder");
    let write = |path: &str, text: &str| {
        let path = workspace.path().join(path);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        std::fs::write(path, text).expect("write");
    };
    write("Cargo.toml", "[workspace]\nmembers = [\"bot\"]\nresolver = \"3\"\n");
    write("bot/Cargo.toml", "[package]\nname = \"bot\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    write("bot/src/lib.rs", "");
    write("bot/rag-tests/ragtest.toml", CONFIG);
    // From a folder below the package: the nearest package upwards counts.
    let said = command(&workspace.path().join("bot/src"), &["ragtest", "merge"], &[]).exits(2);
    let folder = workspace.path().canonicalize().expect("folder").join("target/ragtest/bot/runs");
    assert!(said.err.contains(folder.to_str().expect("path")), "{}", said.err);
}
