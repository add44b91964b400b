//! `cases accept`: a person's word on cases, written into their lines.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Args;
use ragtest::Error;
use ragtest::case::{LoadedCase, Review, ReviewStatus, jsonl};
use ragtest::project::{Project, Suite, case_problems};
use ragtest::record::clock;
use ragtest::text::plain;

use crate::output::{self, Output, block_on, given};
use crate::package::{Package, check_suite};

/// Accepts cases: their trials run and block from then on
#[derive(Args)]
#[command(long_about = "\
Accepts cases: their trials run and block from then on.

What is chosen by id, by tag, or by --all is checked against the documents first; a case whose evidence is not there is refused with file and
line. Each accepted line gets `review` with who, when, and the hash of its home document: where that very document later lacks a quote, the
reader lost it, and the case fails with origin `extraction` instead of being called stale. Other lines stay byte for byte.

  cargo ragtest cases accept refund-014 refund-015 --by platform
  cargo ragtest cases accept --tag generated-0312 --suite handbook
  cargo ragtest cases accept --all                        also renews the document hashes of accepted cases

Exit codes: 0 accepted; 1 some were refused, and no line was changed; 2 nothing matches, or a file cannot be read.")]
pub(crate) struct Options {
    /// Ids of cases
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// All cases with this tag; may be given several times
    #[arg(long, value_name = "TAG", env = "RAGTEST_TAG", hide_env = true)]
    tag: Vec<String>,
    /// All cases, accepted ones too; rejected ones are left alone
    #[arg(long, env = "RAGTEST_ALL", hide_env = true, value_parser = output::switch)]
    all: bool,
    /// Looks in this suite only
    #[arg(long, env = "RAGTEST_SUITE", hide_env = true)]
    suite: Option<String>,
    /// Who accepts: a person or team [default: the name that git commits with]
    #[arg(long, value_name = "NAME", env = "RAGTEST_BY", hide_env = true)]
    by: Option<String>,
}

pub(crate) fn run(options: &Options, package: &Package) -> Result<Output> {
    if options.ids.is_empty() && options.tag.is_empty() && !options.all {
        bail!("accept cases: name ids, or choose with --tag or --all");
    }
    let project = package.open(&[])?;
    let suites: Vec<String> = match given(options.suite.as_ref()) {
        Some(suite) => {
            check_suite(&project, suite)?;
            vec![suite.to_owned()]
        }
        None => project.config.suite.keys().cloned().collect(),
    };
    let by = who(options, &package.root)?;
    let (mut chosen, mut problems, mut text) = (0, Vec::new(), String::new());
    let mut files = Vec::new();
    for name in &suites {
        let suite = project.suite(name)?;
        let wanted: Vec<_> = project.cases(name)?.iter().filter(|loaded| options.choose(loaded)).cloned().collect();
        chosen += wanted.len();
        for loaded in &wanted {
            problems.extend(block_on(async { Ok(case_problems(&project, &suite, loaded).await) })?);
        }
        for path in project.case_files(name)? {
            files.extend(accept_in(&path, &project, &suite, &wanted, &by)?.map(|(content, count)| (path, content, count)));
        }
    }
    if chosen == 0 {
        bail!("accept cases: none of the cases of {} matches", suites.join(", "));
    }
    if !problems.is_empty() {
        for problem in &problems {
            let _ = writeln!(text, "{}", plain(problem));
        }
        let _ = writeln!(text, "nothing was accepted: {} problem(s) in {chosen} case(s)", problems.len());
        return Ok(Output { text, green: false });
    }
    for (path, content, count) in files {
        ragtest::store::write_whole(&path, content.as_bytes()).with_context(|| format!("write {}", path.display()))?;
        let _ = writeln!(text, "{}: {count} case(s) accepted by {by}", project.shown(&path));
    }
    Ok(Output { text, green: true })
}

impl Options {
    fn choose(&self, loaded: &LoadedCase) -> bool {
        let case = &loaded.case;
        // An instance per snapshot, `id@2026-10`, is written once, as `id`.
        let written = |id: &String| *id == case.id || case.id.strip_prefix(id.as_str()).is_some_and(|rest| rest.starts_with('@'));
        let named = self.ids.iter().any(written) || self.tag.iter().any(|tag| case.has_tag(tag));
        named || self.all && case.status() != ReviewStatus::Rejected
    }
}

/// The content of a case file with the chosen lines accepted, and how many they are; `None` where it holds none of them.
fn accept_in(
    path: &Path,
    project: &Project,
    suite: &Suite,
    wanted: &[std::sync::Arc<LoadedCase>],
    by: &str,
) -> Result<Option<(String, usize)>> {
    let chosen: std::collections::BTreeSet<usize> =
        wanted.iter().filter(|loaded| loaded.source.path == path).map(|loaded| loaded.source.line).collect();
    if chosen.is_empty() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if !chosen.contains(&(index + 1)) {
            out.push_str(line);
            continue;
        }
        let content = line.trim_end_matches(['\n', '\r']);
        let (mark, json) = content.strip_prefix('\u{feff}').map_or(("", content), |json| ("\u{feff}", json));
        let mut case =
            jsonl::parse_line(json).map_err(|message| anyhow::anyhow!("read {}:{}: {message}", project.shown(path), index + 1))?;
        let hash =
            case.home().and_then(|home| suite.evaluator.documents.file(home, case.knowledge_snapshot_id.as_deref()).map(|file| file.hash));
        let review = case.review.take().unwrap_or_default();
        // Who accepted an accepted case, and when, stays.
        let (by, at) = match (review.status, &review.by, &review.at) {
            (None | Some(ReviewStatus::Accepted), Some(by), Some(at)) => (by.clone(), at.clone()),
            _ => (by.to_owned(), clock::now().chars().take(10).collect()),
        };
        case.review = Some(Review { status: Some(ReviewStatus::Accepted), by: Some(by), at: Some(at), document_hash: hash, ..review });
        let end = &line[content.len()..];
        let _ = write!(out, "{mark}{}{end}", serde_json::to_string(&case)?);
    }
    Ok(Some((out, chosen.len())))
}

/// The name for `review.by`.
fn who(options: &Options, root: &Path) -> Result<String> {
    if let Some(by) = given(options.by.as_ref()) {
        return Ok(by.to_owned());
    }
    let said = std::process::Command::new("git").current_dir(root).args(["config", "user.name"]).output();
    let name = said.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    if name.is_empty() {
        bail!("accept cases: who accepts them? name a person or team with --by NAME");
    }
    Ok(name)
}
