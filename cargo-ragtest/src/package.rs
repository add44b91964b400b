//! The package that the command works on, and its folder of everything derived: the same ones as the harness's.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use ragtest::config::CONFIG_FILE;
use ragtest::project::{Project, derived_folder};

/// A package with a ragtest configuration.
pub(crate) struct Package {
    /// Its folder, without links: test binaries see it so too.
    pub(crate) root: PathBuf,
    /// Everything derived.
    pub(crate) derived: PathBuf,
    /// The cargo test target that holds the trials; `None` where there is none.
    pub(crate) harness: Option<String>,
}

/// What cargo says about a package.
struct CargoPackage {
    name: String,
    target: PathBuf,
    harness: Option<String>,
}

impl Package {
    /// The package in `folder`, or the nearest one upwards from the working folder.
    pub(crate) fn find(folder: Option<&Path>) -> Result<Self> {
        let root = match folder {
            Some(folder) => folder.to_path_buf(),
            None => nearest(&std::env::current_dir().context("find the working folder")?)?,
        };
        let root = root.canonicalize().with_context(|| format!("find the package folder {}", root.display()))?;
        let fixed = std::env::var_os("RAGTEST_TARGET_DIR").is_some_and(|folder| !folder.is_empty());
        let package = cargo_says(&root)?;
        let derived = match package.as_ref().filter(|_| !fixed) {
            Some(package) => derived_folder(&root, &package.name, Some(package.target.clone())),
            None => derived_folder(&root, "", None),
        };
        Ok(Self { root, derived, harness: package.and_then(|package| package.harness) })
    }

    /// Opens the project. `registered` are names of systems that `rag.rs` is known to register.
    pub(crate) fn open(&self, registered: &[String]) -> Result<Project> {
        Ok(Project::open_detached(self.root.clone(), self.derived.clone(), registered)?)
    }
}

fn nearest(start: &Path) -> Result<PathBuf> {
    let found = start.ancestors().find(|folder| folder.join(CONFIG_FILE).is_file());
    let Some(found) = found else {
        bail!(
            "find a package with {CONFIG_FILE} in {} or above; change into the package, or name it with --manifest-dir DIR",
            start.display()
        );
    };
    Ok(found.to_path_buf())
}

/// The package's name, target folder and test target; `None` where there is no manifest or no cargo.
fn cargo_says(root: &Path) -> Result<Option<CargoPackage>> {
    let manifest = root.join("Cargo.toml");
    if !manifest.is_file() {
        return Ok(None);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Cargo looks for its configuration, which may move the target folder, upwards from the working folder.
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]).arg(&manifest);
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context("run `cargo metadata`"),
    };
    if !output.status.success() {
        bail!("run `cargo metadata` for {}: {}", manifest.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("read the output of `cargo metadata`")?;
    let is_ours = |package: &&serde_json::Value| package["manifest_path"].as_str().is_some_and(|path| Path::new(path) == manifest);
    let package = metadata["packages"].as_array().into_iter().flatten().find(is_ours);
    let Some((package, target)) = package.zip(metadata["target_directory"].as_str()) else { return Ok(None) };
    let Some(name) = package["name"].as_str() else { return Ok(None) };
    Ok(Some(CargoPackage { name: name.to_owned(), target: target.into(), harness: harness_target(package, root) }))
}

/// The test target whose source is `rag-tests/rag.rs`, else the one named `rag`.
fn harness_target(package: &serde_json::Value, root: &Path) -> Option<String> {
    let source = root.join("rag-tests/rag.rs");
    let is_test = |target: &&serde_json::Value| target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "test"));
    let tests = || package["targets"].as_array().into_iter().flatten().filter(is_test);
    let by_source = tests().find(|target| target["src_path"].as_str().is_some_and(|path| Path::new(path) == source));
    let found = by_source.or_else(|| tests().find(|target| target["name"] == "rag"))?;
    found["name"].as_str().map(str::to_owned)
}

/// Checks a suite's name, or names the known ones.
pub(crate) fn check_suite(project: &Project, suite: &str) -> Result<()> {
    if project.config.suite.contains_key(suite) {
        return Ok(());
    }
    let known: Vec<&str> = project.config.suite.keys().map(String::as_str).collect();
    bail!("use suite {suite:?}: it is not configured (known: {})", known.join(", "));
}
