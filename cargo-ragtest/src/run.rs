//! `run`: drives the package's harness, follows it, and says what the run decided.

mod driver;
mod outputs;
mod target;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use ragtest::record::RunId;

use crate::decision::Finished;
use crate::output::{self, Output, block_on, given};
use crate::package::Package;
use crate::shards::{self, Shard};
use outputs::Format;

pub(crate) use target::as_harness;

/// Runs the suites through the package's harness target and shows gates, failures and the run's id
#[derive(Args)]
#[command(long_about = "\
Runs the suites through the package's harness target and shows gates, failures and the run's id.

The target is built by cargo and started once; it is the same program as under `cargo test --test rag`, with the same trials. Where there is
no such target, the systems that ragtest.toml configures are run without one, so a team without Rust needs no crate. Records go to
target/ragtest/runs/<id>/, and -o writes them, or what they add up to, in further formats.

  cargo ragtest run
  cargo ragtest run '[negative]'                       only trials whose name holds this
  cargo ragtest run --retrieval-only -o curve.csv      no answers: chunks against evidence, metric@1..20
  cargo ragtest run -o run.json -o records.jsonl
  cargo ragtest run --only-failed                      what the newest run left failed or broken
  cargo ragtest run --resume 20261130T101500Z-1a2b3c   goes on with a run that was interrupted

Formats of -o, by extension: jsonl (run records), json (manifest, aggregates, gates, outcome counts), csv (metric@1..20 by suite and system),
trec (ranked chunks; one system).

Exit codes: 0 all green; 1 a trial failed; 2 the harness could not be built or run; 130 interrupted (finished records are kept).")]
pub(crate) struct Options {
    /// Only trials whose name holds this text
    #[arg(value_name = "FILTER")]
    filter: Option<String>,
    /// Writes the run to a file; the extension names the format; may be given several times
    #[arg(short = 'o', long = "output", value_name = "FILE", env = "RAGTEST_OUTPUT", hide_env = true)]
    outputs: Vec<PathBuf>,
    /// Chooses cases by a profile of ragtest.toml
    #[arg(long, value_name = "NAME", env = "RAGTEST_PROFILE", hide_env = true)]
    profile: Option<String>,
    /// Asks for chunks only: no answer is generated and no judge called
    #[arg(long, env = "RAGTEST_RETRIEVAL_ONLY", hide_env = true, value_parser = output::switch)]
    retrieval_only: bool,
    /// Runs only what an earlier run left failed or broken [default: the newest run]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = NEWEST, env = "RAGTEST_ONLY_FAILED", hide_env = true)]
    only_failed: Option<String>,
    /// Goes on with a run: its records are kept, only what is missing is run
    #[arg(long, value_name = "RUN", env = "RAGTEST_RESUME", hide_env = true)]
    resume: Option<String>,
    /// The system whose chunks a trec file holds, where there are several
    #[arg(long, value_name = "NAME", env = "RAGTEST_SYSTEM", hide_env = true)]
    system: Option<String>,
}

/// Stands for the newest run.
const NEWEST: &str = "newest";

/// The run was interrupted; the text says how to go on.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Interrupted(String);

pub(crate) fn run(options: &Options, package: &Package) -> Result<Output> {
    let formats = options.outputs.iter().map(|path| Format::of(path)).collect::<Result<Vec<_>>>()?;
    let run = match given(options.resume.as_ref()) {
        Some(run) => existing(package, run)?,
        None => RunId::fresh().id,
    };
    let mut variables = vec![("RAGTEST_RUN_ID", run.clone()), ("RAGTEST_DRIVER", "run".to_owned())];
    variables.push(("RAGTEST_PROFILE", given(options.profile.as_ref()).unwrap_or_default().to_owned()));
    variables.push(("RAGTEST_RETRIEVAL_ONLY", u8::from(options.retrieval_only).to_string()));
    variables.push(("RAGTEST_ONLY_FAILED", given(options.only_failed.as_ref()).map_or(Ok(String::new()), |run| existing(package, run))?));
    let mut harness = target::command(package)?;
    harness.envs(variables).args(given(options.filter.as_ref()));

    let ended = block_on(driver::drive(harness))?;
    let folder = package.derived.join("runs").join(&run);
    if ended.interrupted {
        let kept = if folder.is_dir() { format!("; go on with `cargo ragtest run --resume {run}`") } else { String::new() };
        return Err(Interrupted(format!("interrupted: finished records are kept{kept}")).into());
    }
    let green = match ended.code {
        Some(0) => true,
        Some(101) => false,
        Some(code) => bail!("run the harness: it ended with exit code {code}"),
        None => bail!("run the harness: it was killed by a signal; finished records are kept, go on with `--resume {run}`"),
    };
    let mut text = ended.failures;
    if !folder.join("manifest.json").is_file() {
        text.push_str("no case was evaluated\n");
        return Ok(Output { text, green });
    }
    let shard = Shard::read(&package.derived, &run)?;
    let finished = Finished::open(package, shard.manifest.clone(), shards::unite_records(&[shard])?)?;
    let decided = finished.decide()?;
    for (path, format) in options.outputs.iter().zip(formats) {
        let bytes = format.render(&finished, &decided, given(options.system.as_ref()))?;
        ragtest::store::write_whole(path, &bytes).with_context(|| format!("write {}", path.display()))?;
    }
    if given(options.filter.as_ref()).is_some() {
        // Whatever the filter left out is not missing, and gates over a part of their cases say nothing.
        text.push_str(&finished.last_line(""));
    } else {
        text.push_str(&finished.to_text(&decided, ""));
    }
    Ok(Output { text, green })
}

/// The id of a run that exists.
fn existing(package: &Package, run: &str) -> Result<String> {
    let newest = || shards::newest_first(&package.derived).into_iter().next();
    let run = if run == NEWEST { newest().unwrap_or_else(|| run.to_owned()) } else { run.to_owned() };
    if !package.derived.join("runs").join(&run).join("manifest.json").is_file() {
        bail!("find run {run:?}; {}", shards::newest(&package.derived));
    }
    Ok(run)
}
