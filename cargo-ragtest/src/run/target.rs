//! The program that holds the trials: the package's own test target, or this command itself where the package has none.

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::package::Package;

/// With this variable the command is a harness over the folder that it names; its arguments are a test binary's.
const HARNESS_ROOT: &str = "RAGTEST_HARNESS_ROOT";

/// The harness of a package, ready to be started.
pub(super) fn command(package: &Package) -> Result<tokio::process::Command> {
    let mut command = if let Some(target) = &package.harness {
        let mut command = Command::new(build(package, target)?);
        command.env("CARGO_MANIFEST_DIR", &package.root);
        command
    } else {
        let mut command = Command::new(std::env::current_exe().context("find this program")?);
        command.env(HARNESS_ROOT, &package.root);
        command
    };
    command.current_dir(&package.root).env("RAGTEST_TARGET_DIR", &package.derived);
    // A run of nextest around this one has an id of its own.
    command.env_remove("NEXTEST_RUN_ID").env_remove("NEXTEST");
    Ok(command.into())
}

/// Builds the test target with cargo, whose messages go to standard error, and finds the program.
fn build(package: &Package, target: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(&package.root).args(["test", "--no-run", "--message-format", "json-render-diagnostics", "--test", target]);
    command.arg("--manifest-path").arg(package.root.join("Cargo.toml")).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let output = command.spawn().and_then(std::process::Child::wait_with_output).context("run `cargo test --no-run`")?;
    if !output.status.success() {
        bail!("build the test target {target:?}; cargo says above why");
    }
    let messages = output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let program = messages
        .filter(|message| message["reason"] == "compiler-artifact" && message["target"]["name"] == target)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    program.with_context(|| format!("find the program of test target {target:?} in what cargo built"))
}

/// The trials of what the configuration of a folder names, without a target of its own: what a started copy of this command runs.
pub(crate) fn as_harness() -> Option<ExitCode> {
    let root = std::env::var_os(HARNESS_ROOT)?;
    Some(ragtest::harness!().root(root).run())
}
