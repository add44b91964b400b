//! `ask`: one question to a built-in pipeline, with all that stands between question and answer.

use std::fmt::Write;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use ragtest::case::{LoadedCase, TestCase};
use ragtest::config::SystemKind;
use ragtest::error::CallError;
use ragtest::id::normalize_id;
use ragtest::project::{Project, Suite};
use ragtest::record::{RetrievedChunk, RunRecord};
use ragtest::system::{Pipeline, System};
use ragtest::text::{excerpt, plain};
use ragtest::verdict::{Outcome, Rating};
use ragtest::{Hit, Question, Response};
use serde_json::{Value, json};

use crate::output::{self, Output, block_on, given};
use crate::package::{Package, check_suite};

/// Characters of a chunk that are shown.
const FIRST_WORDS: usize = 90;

/// Asks one question: ranked chunks, prompt, answer, usage, and the verdict when a case is named
#[derive(Args)]
#[command(long_about = "\
Asks a configured system one question and prints the ranked chunks (p = entered the prompt), the answer and its usage.

With --case, the answer is judged as that case's trial would judge it, and the verdict is printed with its reasons; the case's own query is
asked unless another one is given, so a rewording can be tried on the spot. No run is written.

  cargo ragtest ask --system default \"How long do refunds take?\"
  cargo ragtest ask --system default --case ref-001 --show-prompt

Systems that rag.rs registers are reached by the harness only.
Exit codes: 0 done; 1 the case did not pass; 2 the question could not be asked.")]
pub(crate) struct Options {
    /// The question
    #[arg(value_name = "QUESTION", required_unless_present = "case")]
    question: Option<String>,
    /// The system [default: the only one]
    #[arg(long, env = "RAGTEST_SYSTEM", hide_env = true)]
    system: Option<String>,
    /// The suite whose corpus is asked [default: the only one, or that of the case]
    #[arg(long, env = "RAGTEST_SUITE", hide_env = true)]
    suite: Option<String>,
    /// Who asks
    #[arg(long, env = "RAGTEST_SCOPE", hide_env = true)]
    scope: Option<String>,
    /// The knowledge snapshot that is asked about
    #[arg(long, env = "RAGTEST_SNAPSHOT", hide_env = true)]
    snapshot: Option<String>,
    /// Judges the answer against this case
    #[arg(long, value_name = "ID", env = "RAGTEST_CASE", hide_env = true)]
    case: Option<String>,
    /// Prints the prompt that the model gets
    #[arg(long, env = "RAGTEST_SHOW_PROMPT", hide_env = true, value_parser = output::switch)]
    show_prompt: bool,
    /// Prints one JSON document
    #[arg(long, env = "RAGTEST_JSON", hide_env = true, value_parser = output::switch)]
    json: bool,
}

/// A question with its answer.
struct Asked {
    suite: String,
    system: String,
    question: Question,
    response: Response,
    prompt: Option<String>,
    record: Option<Arc<RunRecord>>,
}

pub(crate) fn run(options: &Options, package: &Package) -> Result<Output> {
    let project = package.open(&[])?;
    let name = suite_name(options, &project)?;
    let system = system_name(options, &project)?;
    let case = given(options.case.as_ref()).map(|id| find_case(&project, &name, id)).transpose()?;
    let suite = project.suite(&name)?;
    let asked = block_on(ask(options, &suite, &system, case.as_deref()))?;
    let green = asked.record.as_ref().is_none_or(|record| record.outcome == Outcome::Pass);
    if options.json {
        return Ok(Output::json(&asked.to_json(), green));
    }
    Ok(Output { text: asked.to_text(), green })
}

fn suite_name(options: &Options, project: &Project) -> Result<String> {
    if let Some(name) = given(options.suite.as_ref()) {
        check_suite(project, name)?;
        return Ok(name.to_owned());
    }
    let all: Vec<&String> = project.config.suite.keys().collect();
    let candidates: Vec<&String> = match given(options.case.as_ref()).filter(|_| all.len() > 1) {
        Some(id) => all.iter().copied().filter(|suite| find_case(project, suite, id).is_ok()).collect(),
        None => all.clone(),
    };
    match candidates.as_slice() {
        [only] => Ok((*only).clone()),
        found => {
            let listed = if found.is_empty() { &all } else { found };
            let listed: Vec<&str> = listed.iter().map(|name| name.as_str()).collect();
            bail!("choose a suite: name it with --suite (known: {})", listed.join(", "));
        }
    }
}

/// The name of a system that can be asked from here.
fn system_name(options: &Options, project: &Project) -> Result<String> {
    let systems = project.systems();
    let known: Vec<&str> = systems.iter().map(|spec| spec.name.as_str()).collect();
    let spec = match given(options.system.as_ref()) {
        Some(name) => systems.iter().find(|spec| spec.name == name).with_context(|| {
            format!(
                "ask system {name:?}: it is not configured (known: {}); one that rag.rs registers is reached by the harness only",
                known.join(", ")
            )
        })?,
        None if systems.len() == 1 => &systems[0],
        None => bail!("choose a system: name it with --system (known: {})", known.join(", ")),
    };
    if !matches!(spec.kind, SystemKind::Pipeline(_)) {
        bail!("ask system {:?}: it is registered in rag.rs; only the harness can reach it (cargo test --test rag)", spec.name);
    }
    Ok(spec.name.clone())
}

fn find_case(project: &Project, suite: &str, id: &str) -> Result<Arc<LoadedCase>> {
    let id = normalize_id(id);
    let cases = project.cases(suite)?;
    let found = cases.iter().find(|loaded| loaded.case.id == id).cloned();
    found.with_context(|| format!("find case {id:?} in suite {suite}: none of its {} cases has this id", cases.len()))
}

async fn ask(options: &Options, suite: &Suite, system: &str, case: Option<&LoadedCase>) -> Result<Asked> {
    let reached = suite.system(system).and_then(|system| Some((system, system.pipeline.as_deref()?)));
    let Some((under_test, pipeline)) = reached else { bail!("ask system {system:?}: it cannot be reached from here") };
    let mut loaded = case.cloned();
    let question = question(options, loaded.as_mut().map(|loaded| &mut loaded.case))?;
    let (response, record) = match &loaded {
        Some(loaded) => {
            let record = judged(suite, loaded, under_test).await?;
            (response_of(&record), Some(record))
        }
        None => (pipeline.ask_within(&question, None).await.map_err(|error| refused(system, &error))?, None),
    };
    let prompt = options.show_prompt.then(|| prompt_of(pipeline, &question, &response));
    Ok(Asked { suite: suite.name.clone(), system: system.to_owned(), question, response, prompt, record })
}

/// The question of the options; what they leave out is the case's, and the case is changed to what is asked.
fn question(options: &Options, case: Option<&mut TestCase>) -> Result<Question> {
    let owned = |value: Option<&String>| given(value).map(str::to_owned);
    let (mut query, mut scope, mut snapshot) =
        (owned(options.question.as_ref()), owned(options.scope.as_ref()), owned(options.snapshot.as_ref()));
    if let Some(case) = case {
        query = query.or_else(|| Some(case.query.clone()));
        scope = scope.or_else(|| case.access_scope.clone());
        snapshot = snapshot.or_else(|| case.knowledge_snapshot_id.clone());
        case.query = query.clone().unwrap_or_default();
        case.access_scope.clone_from(&scope);
        case.knowledge_snapshot_id.clone_from(&snapshot);
    }
    let Some(query) = query.filter(|query| !query.trim().is_empty()) else { bail!("ask a question: it is blank") };
    let mut question = Question::new(query);
    question.access_scope = scope;
    question.knowledge_snapshot_id = snapshot;
    Ok(question)
}

async fn judged(suite: &Suite, case: &LoadedCase, system: &System) -> Result<Arc<RunRecord>> {
    let record = suite.evaluator.evaluate(case, system).await?;
    match &record.error {
        Some(error) => Err(refused(&system.name, error)),
        None => Ok(record),
    }
}

fn refused(system: &str, error: &CallError) -> anyhow::Error {
    anyhow::Error::new(error.clone()).context(format!("ask system {system:?}"))
}

/// What the system returned, as far as a record keeps it.
fn response_of(record: &RunRecord) -> Response {
    let mut response = Response::default().with_citations(record.citations.clone()).with_usage(record.usage);
    response.answer.clone_from(&record.answer);
    response.context.clone_from(&record.context);
    response.chunks = record.retrieved_chunks.as_ref().map(|chunks| chunks.iter().map(RetrievedChunk::to_hit).collect());
    response
}

fn prompt_of(pipeline: &Pipeline, question: &Question, response: &Response) -> String {
    pipeline.stages().prompt.build(question, response.chunks.as_deref().unwrap_or_default()).text
}

fn hit_id(hit: &Hit) -> &str {
    hit.chunk_id.as_deref().or(hit.source_id.as_deref()).unwrap_or("no id")
}

impl Asked {
    fn in_prompt(&self, index: usize) -> Option<bool> {
        self.response.context.as_ref().map(|context| context.contains(&index))
    }

    fn to_text(&self) -> String {
        let mut out = String::new();
        line(&mut out, "system", &format!("{} (suite {})", self.system, self.suite));
        line(&mut out, "query", &self.question.query);
        let hits = self.response.chunks.as_deref().unwrap_or_default();
        if hits.is_empty() {
            line(&mut out, "chunks", "none");
        }
        for (index, hit) in hits.iter().enumerate() {
            let used = if self.in_prompt(index) == Some(true) { 'p' } else { ' ' };
            let score = hit.score.map_or("     -".to_owned(), |score| format!("{score:.4}"));
            let words = excerpt(hit.text.as_deref().unwrap_or_default(), FIRST_WORDS);
            let label = if index == 0 { "chunks" } else { "" };
            line(&mut out, label, &format!("{:>2}{used} {score} {}: {words}", index + 1, hit_id(hit)));
        }
        if let Some(prompt) = &self.prompt {
            line(&mut out, "prompt", prompt);
        }
        line(&mut out, "answer", self.response.answer.as_deref().unwrap_or("none"));
        let cited: Vec<&str> = self.response.citations.iter().filter_map(|c| c.chunk_id.as_deref().or(c.source_id.as_deref())).collect();
        if !cited.is_empty() {
            line(&mut out, "cites", &cited.join(", "));
        }
        line(&mut out, "usage", &self.usage());
        if let Some(record) = &self.record {
            verdict(&mut out, record);
        }
        out
    }

    fn usage(&self) -> String {
        let usage = &self.response.usage;
        let tokens = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
        let cost = usage.cost_usd.map(|cost| format!(", {cost:.6} USD")).unwrap_or_default();
        format!("{} prompt tokens, {} completion tokens{cost}", tokens(usage.prompt_tokens), tokens(usage.completion_tokens))
    }

    fn to_json(&self) -> Value {
        let chunk = |(index, hit): (usize, &Hit)| {
            json!({
                "rank": index + 1,
                "chunk_id": hit.chunk_id,
                "source_id": hit.source_id,
                "score": hit.score,
                "text": hit.text,
                "in_prompt": self.in_prompt(index),
            })
        };
        let chunks: Option<Vec<Value>> = self.response.chunks.as_ref().map(|hits| hits.iter().enumerate().map(chunk).collect());
        let case = self.record.as_ref().map(|record| {
            json!({
                "id": record.case_id,
                "outcome": record.outcome.name(),
                "origin": record.origin,
                "reason": record.harness.reason,
                "verdict": record.verdict,
                "metrics": record.metrics,
            })
        });
        json!({
            "format": 1,
            "suite": self.suite,
            "system": self.system,
            "query": self.question.query,
            "access_scope": self.question.access_scope,
            "knowledge_snapshot_id": self.question.knowledge_snapshot_id,
            "chunks": chunks,
            "prompt": self.prompt,
            "answer": self.response.answer,
            "citations": self.response.citations,
            "usage": self.response.usage,
            "case": case,
        })
    }
}

/// A label in its column; further lines are indented to it.
fn line(out: &mut String, label: &str, text: &str) {
    let text = plain(text);
    let mut lines = text.trim_end().lines();
    let _ = writeln!(out, "{label:<8} {}", lines.next().unwrap_or_default());
    for more in lines {
        let _ = writeln!(out, "{}", format!("{:<8} {more}", "").trim_end());
    }
}

fn verdict(out: &mut String, record: &RunRecord) {
    let origin = record.origin.map(|origin| format!(" [{}]", origin.name())).unwrap_or_default();
    line(out, "case", &format!("{}: {}{origin}: {}", record.case_id, record.outcome.name(), record.harness.reason));
    let Some(verdict) = &record.verdict else { return };
    let mean = verdict.mean.map_or("n/a".to_owned(), |mean| format!("{mean:.2}"));
    line(out, "verdict", &format!("mean {mean}, {} ({})", verdict.label.name(), verdict.judge));
    for assessment in &verdict.ratings {
        let rating = assessment.rating.map_or("n/a", Rating::name);
        line(out, "", &format!("{:<13} {rating:<10} {}", assessment.criterion.name(), excerpt(&assessment.reason, 160)));
    }
}
