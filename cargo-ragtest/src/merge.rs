//! `merge`: shards into one run, decided without executing anything.

use anyhow::{Result, bail};
use clap::Args;
use ragtest::config::CONFIG_FILE;
use ragtest::record::RunId;

use crate::decision::Finished;
use crate::output::{self, Output};
use crate::package::Package;
use crate::shards::{self, Shard};

/// Makes one run of the shards of a partitioned run, and decides its gates and its baseline
#[derive(Args)]
#[command(long_about = "\
Makes one run of the shards of a partitioned run, and decides its gates and its baseline.

Nothing is executed: the records of the shards are united, and every gate and the committed baseline are decided over all of them, as an
unpartitioned run would. A case that no shard holds is missing, and that is red. Shards that differ in configuration, corpora, prompts or
profile are refused, and so are two records of one case with different outcomes.

In CI, each shard lists its gates as ignored and keeps its run folder (target/ragtest/runs/<id>); a last job merges them:

  RAGTEST_GATES=merge cargo nextest run --test rag --partition count:1/2
  RAGTEST_GATES=merge cargo nextest run --test rag --partition count:2/2
  cargo ragtest merge shard-1/runs/* shard-2/runs/*

Exit codes: 0 all green; 1 a gate is red, a case failed or is missing, or the baseline regressed; 2 the runs could not be merged.")]
pub(crate) struct Options {
    /// Run ids, or run folders (with manifest.json and records/)
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Prints one JSON document
    #[arg(long, env = "RAGTEST_JSON", hide_env = true, value_parser = output::switch)]
    json: bool,
}

pub(crate) fn run(options: &Options, package: &Package) -> Result<Output> {
    if options.runs.is_empty() {
        bail!("merge runs: name the runs to merge; {}", shards::newest(&package.derived));
    }
    let read: Vec<Shard> = options.runs.iter().map(|name| Shard::read(&package.derived, name)).collect::<Result<_>>()?;
    shards::check_alike(&read)?;
    let manifest = shards::unite_manifests(&read, &RunId::fresh().id);
    let records = shards::unite_records(&read)?;
    let finished = Finished::open(package, manifest, records)?;
    let config = std::fs::read_to_string(finished.project.root.join(CONFIG_FILE)).unwrap_or_default();
    if let Some(difference) = shards::config_difference(&finished.manifest.config, &config) {
        bail!("merge {}: the runs and this package differ in {difference}; merge in the checkout that the shards ran in", read[0].name);
    }
    let decided = finished.decide()?;
    shards::write(&package.derived, &finished.manifest, &finished.records)?;
    let green = decided.is_green();
    if options.json {
        return Ok(Output::json(&finished.to_json(&decided), green));
    }
    Ok(Output { text: finished.to_text(&decided, &format!(" of {} shards", read.len())), green })
}
