//! `cargo ragtest`: the command beside the test framework `ragtest`. It never replaces `cargo test`; it drives it, decides over shards,
//! checks cases, asks single questions, shows documents and builds stores.
//!
//! Exit codes: 0 done; 1 cases failed, a gate is red, a check found something; 2 could not run; 130 interrupted.

mod ask;
mod cases;
mod decision;
mod docs;
mod export;
mod import;
mod index;
mod init;
mod merge;
mod metrics;
mod output;
mod package;
mod render;
mod run;
mod sections;
mod shards;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ColorChoice, Parser, Subcommand};

use output::Output;

/// Checks, questions, shards and documents of a ragtest package.
#[derive(Parser)]
#[command(name = "cargo ragtest", bin_name = "cargo ragtest", version, color = ColorChoice::Never, subcommand_required = true)]
#[command(long_about = "\
Checks, questions, shards and documents of a package that is tested with ragtest.

The tests themselves run with `cargo test --test rag`. Every flag can also be set by the variable RAGTEST_<FLAG>, for example
RAGTEST_MANIFEST_DIR; an empty variable counts as unset.

Exit codes: 0 done; 1 cases failed, a gate is red, a check found something; 2 could not run; 130 interrupted.")]
struct Command {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Args)]
struct Common {
    /// The package's folder [default: the nearest folder upwards with Cargo.toml and rag-tests/ragtest.toml]
    #[arg(long, global = true, value_name = "DIR", env = "RAGTEST_MANIFEST_DIR", hide_env = true)]
    #[arg(value_parser = OsStringValueParser::new().map(PathBuf::from))]
    manifest_dir: Option<PathBuf>,
    /// Prints no colours; this release prints none anyway
    #[arg(long, global = true, env = "RAGTEST_NO_COLOR", hide_env = true, value_parser = output::switch)]
    no_color: bool,
}

#[derive(Subcommand)]
enum Verb {
    Init(init::Options),
    Run(run::Options),
    Merge(merge::Options),
    /// Checks of test cases
    #[command(subcommand)]
    Cases(CasesVerb),
    Ask(ask::Options),
    /// Documents as the project reads them, and PDF files from Markdown
    #[command(subcommand)]
    Docs(DocsVerb),
    Index(index::Options),
    Metrics(metrics::Options),
    Import(import::Options),
    Export(export::Options),
}

#[derive(Subcommand)]
enum CasesVerb {
    Lint(cases::Options),
    Accept(cases::accept::Options),
}

#[derive(Subcommand)]
enum DocsVerb {
    Show(docs::Options),
    Render(render::Options),
}

fn main() -> ExitCode {
    if let Some(code) = run::as_harness() {
        return code;
    }
    let command = match Command::try_parse_from(arguments(std::env::args_os())) {
        Ok(command) => command,
        Err(error) => {
            // A closed standard output is no reason for another exit code.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match run(command).and_then(|output| print(&output)) {
        Ok(code) => code,
        Err(error) => {
            if let Some(interrupted) = error.downcast_ref::<run::Interrupted>() {
                output::complain(&interrupted.to_string());
                return ExitCode::from(130);
            }
            output::complain(&output::explain(&error));
            ExitCode::from(2)
        }
    }
}

/// Cargo passes the verb's own name first: `cargo-ragtest ragtest merge ...`.
fn arguments(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    all.enumerate().filter(|(position, argument)| !(*position == 1 && argument == "ragtest")).map(|(_, argument)| argument).collect()
}

fn run(command: Command) -> Result<Output> {
    let place = command.common.manifest_dir.filter(|folder| !folder.as_os_str().is_empty());
    let package = || package::Package::find(place.as_deref());
    match command.verb {
        Verb::Init(options) => init::run(&options, place.as_deref()),
        Verb::Run(options) => run::run(&options, &package()?),
        Verb::Merge(options) => merge::run(&options, &package()?),
        Verb::Cases(CasesVerb::Lint(options)) => cases::lint(&options, &package()?),
        Verb::Cases(CasesVerb::Accept(options)) => cases::accept::run(&options, &package()?),
        Verb::Ask(options) => ask::run(&options, &package()?),
        Verb::Docs(DocsVerb::Show(options)) => docs::show(&options, || package().ok()),
        Verb::Docs(DocsVerb::Render(options)) => render::run(&options),
        Verb::Index(options) => index::run(&options, &package()?),
        Verb::Metrics(options) => metrics::run(&options),
        Verb::Import(options) => import::run(&options),
        Verb::Export(options) => export::run(&options),
    }
}

fn print(output: &Output) -> Result<ExitCode> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(output.text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        // `cargo ragtest docs show FILE | head` is not a failure.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(anyhow::Error::new(error).context("write to standard output")),
        _ => Ok(ExitCode::from(u8::from(!output.green))),
    }
}
