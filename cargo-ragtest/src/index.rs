//! `index`: builds the stores of every system of every suite.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{IsTerminal, Write as _};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use ragtest::config::Within;
use ragtest::project::{Project, Suite};
use ragtest::system::{Pipeline, System};
use ragtest::text::plain;

use crate::output::{Output, block_on, complain, given};
use crate::package::{Package, check_suite};

/// Builds the stores of every system of every suite
#[derive(Args)]
#[command(long_about = "\
Builds the stores of every system of every suite: extracted documents, chunks, indexes. What is there already is kept.

Nothing depends on it: a test run builds what is missing. Run it first where many processes would otherwise wait for the first one, for
example in a nextest setup script:

  [scripts.setup.index]
  command = \"cargo ragtest index\"")]
pub(crate) struct Options {
    /// Builds the stores of this suite only
    #[arg(long, env = "RAGTEST_SUITE", hide_env = true)]
    suite: Option<String>,
}

pub(crate) fn run(options: &Options, package: &Package) -> Result<Output> {
    let project = package.open(&[])?;
    let only = given(options.suite.as_ref());
    if let Some(suite) = only {
        check_suite(&project, suite)?;
    }
    let suites = project.config.suite.keys().filter(|name| only.is_none_or(|only| only == name.as_str()));
    let mut text = String::new();
    let mut built = BTreeSet::new();
    for name in suites {
        let suite = project.suite(name)?;
        let config = &project.config.suite[name];
        let by_document = config.retrieve_within == Within::Document;
        // Suites of one corpus share its stores.
        if built.insert((&config.corpus, by_document)) {
            block_on(index_suite(&project, &suite, &config.corpus, by_document, &mut text))?;
        }
    }
    Ok(Output { text, green: true })
}

async fn index_suite(project: &Project, suite: &Suite, corpus: &str, by_document: bool, text: &mut String) -> Result<()> {
    let documents = suite.evaluator.documents.files().files.len();
    let systems: Vec<(&System, &Pipeline)> =
        suite.systems.iter().filter_map(|system| Some((system, system.pipeline.as_deref()?))).collect();
    for (system, pipeline) in &systems {
        progress(&format!("indexing {corpus} for {} ...", system.name));
        let started = Instant::now();
        let indexed = prepare(pipeline, by_document).await;
        progress("");
        let chunks = indexed.with_context(|| format!("build the stores of {corpus} for system {}", system.name))?;
        let seconds = started.elapsed().as_secs_f64();
        let _ = writeln!(text, "{corpus}: {documents} documents, {chunks} chunks, {seconds:.2} s (system {})", plain(&system.name));
        warn_of_unread(pipeline).await;
    }
    let elsewhere = project.systems().len() - systems.len();
    if elsewhere > 0 {
        let _ = writeln!(text, "{corpus}: {documents} documents; {elsewhere} system(s) of rag.rs have no store here");
    }
    Ok(())
}

async fn prepare(pipeline: &Pipeline, by_document: bool) -> Result<usize> {
    if !by_document {
        return Ok(pipeline.prepare(None).await?);
    }
    let mut chunks = 0;
    let ids: BTreeSet<&str> = pipeline.documents().files().files.iter().map(|file| file.id.as_str()).collect();
    for id in ids {
        chunks += pipeline.prepare(Some(id)).await?;
    }
    Ok(chunks)
}

/// A document that cannot be read is left out of the index; it makes `[suite] S::cases` red, here it is a line.
async fn warn_of_unread(pipeline: &Pipeline) {
    let documents = pipeline.documents();
    for index in 0..documents.files().files.len() {
        if let Err(error) = documents.read(index).await {
            complain(&format!("warning: failed to {}", plain(&error.message)));
        }
    }
}

/// Replaces the line of progress; an empty one takes it away. Shown to people only.
fn progress(line: &str) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        // Progress that cannot be shown is no reason to stop.
        let _ = write!(stderr, "\r\u{1b}[K{}", plain(line));
        let _ = stderr.flush();
    }
}
