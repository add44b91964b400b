//! What a failing case prints: enough to see the cause without opening a file.

use std::fmt::Write;

use super::session::Session;
use crate::case::{Expect, LoadedCase};
use crate::gate::GateResult;
use crate::project::Suite;
use crate::record::RunRecord;
use crate::text::{excerpt, plain};
use crate::verdict::{FactState, Outcome};

/// Chunks that are shown.
const CHUNKS: usize = 10;

/// The failure text of a case: query, expectation, answer, ranked chunks with hit marks, criteria with reasons, origin, owner, and the
/// command that reruns just this case.
pub(super) fn case(session: &Session, suite: &Suite, loaded: &LoadedCase, record: &RunRecord) -> String {
    let case = &loaded.case;
    let mut out = String::new();
    let origin = record.origin.map(|origin| format!(" [{}]", origin.name())).unwrap_or_default();
    let _ = writeln!(out, "{}{origin} {}: {}", record.outcome.name(), case.id, plain(&record.harness.reason));
    let source = format!("{}:{}", session.project.shown(&loaded.source.path), loaded.source.line);
    line(&mut out, "case", &format!("{source} ({}{})", case.strategy(), tags(&case.tags)));
    line(&mut out, "query", &case.query);
    line(&mut out, "expect", &expectation(loaded));
    if let Outcome::Error(error) = &record.outcome {
        line(&mut out, "error", &error.message);
    }
    if let Some(answer) = &record.answer {
        line(&mut out, "answer", answer);
    }
    verdict(&mut out, record);
    chunks(&mut out, record);
    evidence(&mut out, loaded, record);
    let metrics: Vec<_> =
        ["recall@5", "mrr", "ndcg@10"].iter().filter_map(|name| Some(format!("{name} {:.4}", record.metrics.get(*name)?))).collect();
    if !metrics.is_empty() {
        line(&mut out, "metrics", &metrics.join("  "));
    }
    if let Some(owner) = &case.owner {
        line(&mut out, "owner", owner);
    }
    let place = Session::case_place(&suite.name, case);
    let name = format!("[{}] {place}{}", case.strategy(), session.system_suffix(&record.system));
    line(&mut out, "rerun", &rerun(&name));
    out
}

/// The command that runs one trial.
pub(super) fn rerun(name: &str) -> String {
    // Where there is no test target, the command itself is the harness.
    let target = std::env::var_os("RAGTEST_HARNESS_ROOT").is_none();
    let command = if target { "cargo test --test rag -- --exact" } else { "cargo ragtest run" };
    // Single quotes keep every shell from reading the name; one inside is closed, escaped and opened again.
    format!("{command} '{}'", name.replace('\'', r"'\''"))
}

fn tags(tags: &[String]) -> String {
    if tags.is_empty() { String::new() } else { format!(", tags {}", tags.join(" ")) }
}

/// A label in its column; further lines are indented to it.
fn line(out: &mut String, label: &str, text: &str) {
    let text = plain(text);
    let mut lines = text.trim_end().lines();
    let _ = writeln!(out, "  {label:<9} {}", lines.next().unwrap_or_default());
    for more in lines {
        let _ = writeln!(out, "  {:<9} {more}", "");
    }
}

fn expectation(loaded: &LoadedCase) -> String {
    let case = &loaded.case;
    let wanted = match case.expect() {
        Expect::Answer => case.reference_answer.clone().unwrap_or_else(|| "an answer".into()),
        Expect::Abstain => "to say that the documents do not tell".into(),
        Expect::Deny if case.must_deny => "to name the false premise".into(),
        Expect::Deny => "to name the false premise, or to abstain".into(),
        Expect::Partial => format!("to answer what is known and name what is not: {}", case.reference_answer.as_deref().unwrap_or("-")),
        Expect::FlagConflict => "to say that the documents disagree".into(),
    };
    if case.keywords.is_empty() { wanted } else { format!("{wanted} (keywords: {})", case.keywords.join(", ")) }
}

fn verdict(out: &mut String, record: &RunRecord) {
    let Some(verdict) = &record.verdict else { return };
    let mean = verdict.mean.map_or("n/a".to_owned(), |mean| format!("{mean:.2}"));
    let passed = if verdict.passed { "pass" } else { "fail" };
    line(out, "verdict", &format!("{passed}, mean {mean}, {} ({})", verdict.label.name(), verdict.judge));
    for assessment in &verdict.ratings {
        let rating = assessment.rating.map_or("n/a", crate::verdict::Rating::name);
        line(out, "", &format!("{:<13} {rating:<10} {}", assessment.criterion.name(), excerpt(&assessment.reason, 160)));
    }
    for fact in &verdict.facts {
        let bad = (fact.state == FactState::Entailed) != fact.required;
        if bad {
            let kind = if fact.required { "required" } else { "forbidden" };
            line(out, "", &format!("{kind} fact {:?}: {:?}", fact.fact, fact.state));
        }
    }
}

fn chunks(out: &mut String, record: &RunRecord) {
    let Some(chunks) = &record.retrieved_chunks else {
        line(out, "chunks", "not exposed by the system");
        return;
    };
    if chunks.is_empty() {
        line(out, "chunks", "none retrieved");
    }
    for (index, chunk) in chunks.iter().take(CHUNKS).enumerate() {
        let hit = if chunk.meets.is_empty() { ' ' } else { '*' };
        let used = match &record.context {
            Some(context) if context.contains(&index) => 'p',
            Some(_) => ' ',
            None => '?',
        };
        let id = chunk.chunk_id.as_deref().or(chunk.source_id.as_deref()).unwrap_or("no id");
        let score = chunk.score.map_or(String::new(), |score| format!(" {score:.4}"));
        let label = if index == 0 { "chunks" } else { "" };
        line(out, label, &format!("{:>2}{hit}{used}{score} {id}: {}", chunk.rank, excerpt(chunk.text.as_deref().unwrap_or_default(), 90)));
    }
    if !chunks.is_empty() {
        line(out, "", "(* = from here on the evidence is held; p = entered the prompt)");
    }
}

fn evidence(out: &mut String, loaded: &LoadedCase, record: &RunRecord) {
    for (index, item) in loaded.case.evidence.iter().enumerate() {
        let rank = record.harness.judged.items.get(index).and_then(|item| item.met_at);
        let found = rank.map_or("not in the list".to_owned(), |rank| format!("rank {rank}"));
        let place = item.document.as_deref().or(item.chunk_id.as_deref()).or(item.source_id.as_deref()).unwrap_or("-");
        let label = if index == 0 { "evidence" } else { "" };
        line(out, label, &format!("{found}: {place}: {:?}", excerpt(item.quote.as_deref().unwrap_or_default(), 90)));
    }
}

/// The failure text of a gate.
pub(super) fn gate(result: &GateResult, full_name: &str) -> String {
    let mut out = String::new();
    let value = result.value.map_or("nothing was scored".to_owned(), |value| format!("{value:.4}"));
    let _ = writeln!(out, "gate {full_name} is red: {}", result.problems.iter().map(|p| plain(p)).collect::<Vec<_>>().join("; "));
    let errors = if result.errors.is_empty() { String::new() } else { format!(", {} errors", result.errors.len()) };
    line(
        &mut out,
        "value",
        &format!("{value} over n = {} of {} expected ({} not applicable{errors})", result.n, result.expected, result.not_applicable),
    );
    if !result.counted_as_zero.is_empty() {
        line(&mut out, "zeros", &format!("the system erred, counted as 0: {}", result.counted_as_zero.join(", ")));
    }
    if !result.worst.is_empty() {
        line(&mut out, "worst", &result.worst.iter().map(|(id, value)| format!("{id} {value:.4}")).collect::<Vec<_>>().join(", "));
    }
    line(&mut out, "rerun", &rerun(&format!("[gate] {full_name}")));
    out
}
