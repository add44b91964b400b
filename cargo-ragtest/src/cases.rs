//! `cases lint`: load checks and corpus checks of every suite.

pub(crate) mod accept;

use std::fmt::Write;

use anyhow::Result;
use clap::Args;
use ragtest::Error;
use ragtest::project::{CorpusReport, Project, check_corpus};
use ragtest::text::plain;
use serde_json::{Value, json};

use crate::output::{self, Output, block_on, given};
use crate::package::{Package, check_suite};

/// Checks case files, documents and evidence, without asking anything
#[derive(Args)]
#[command(long_about = "\
Checks case files, documents and evidence, without asking anything.

Each problem is one line with file, line and remedy: broken JSON, missing fields, ids used twice, quotes that the documents do not hold,
documents that are gone, pages without text. These are the checks of the trials `[suite] S::load` and `[suite] S::cases`.

  cargo ragtest cases lint
  cargo ragtest cases lint --suite handbook --json

Exit codes: 0 nothing found (warnings are none); 1 problems; 2 ragtest.toml cannot be read.")]
pub(crate) struct Options {
    /// Checks this suite only
    #[arg(long, env = "RAGTEST_SUITE", hide_env = true)]
    suite: Option<String>,
    /// Prints one JSON document
    #[arg(long, env = "RAGTEST_JSON", hide_env = true, value_parser = output::switch)]
    json: bool,
}

pub(crate) fn lint(options: &Options, package: &Package) -> Result<Output> {
    let project = package.open(&[])?;
    let suites: Vec<&str> = match given(options.suite.as_ref()) {
        Some(suite) => {
            check_suite(&project, suite)?;
            vec![suite]
        }
        None => project.config.suite.keys().map(String::as_str).collect(),
    };
    let mut reports = Vec::with_capacity(suites.len());
    for suite in suites {
        reports.push((suite, check(&project, suite)));
    }
    let green = reports.iter().all(|(_, report)| report.problems.is_empty());
    if options.json {
        let suites: Vec<Value> = reports.iter().map(|(suite, report)| report_json(&project, suite, report)).collect();
        return Ok(Output::json(&json!({ "format": 1, "suites": suites }), green));
    }
    let mut text = String::new();
    for (suite, report) in &reports {
        for problem in &report.problems {
            let _ = writeln!(text, "{}", plain(problem));
        }
        for warning in &report.warnings {
            let _ = writeln!(text, "warning: {}", plain(warning));
        }
        let (problems, warnings) = (report.problems.len(), report.warnings.len());
        let cases = case_count(&project, suite).map_or("unread".to_owned(), |count| count.to_string());
        let _ = writeln!(text, "suite {suite}: {cases} cases, {problems} problem(s), {warnings} warning(s)");
    }
    Ok(Output { text, green })
}

/// The corpus checks need cases that load: where they do not, that is the report.
fn check(project: &Project, suite: &str) -> CorpusReport {
    let checked = project.cases(suite).map_err(anyhow::Error::new).and_then(|_| {
        let opened = project.suite(suite)?;
        block_on(async { Ok(check_corpus(project, &opened).await?) })
    });
    checked.unwrap_or_else(|error| {
        let problems = match error.downcast_ref() {
            Some(Error::Load { problems, .. }) => problems.clone(),
            _ => vec![format!("failed to {error:#}")],
        };
        CorpusReport { problems, ..CorpusReport::default() }
    })
}

fn case_count(project: &Project, suite: &str) -> Option<usize> {
    project.cases(suite).ok().map(|cases| cases.len())
}

fn report_json(project: &Project, suite: &str, report: &CorpusReport) -> Value {
    json!({ "suite": suite, "cases": case_count(project, suite), "problems": report.problems, "warnings": report.warnings })
}
