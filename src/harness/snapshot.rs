//! Snapshots: the results table of a suite (its baseline) and the cases tagged `golden`. Deterministic fields only.

use std::fmt::Write;

use libtest_mimic::Failed;

use super::runtime::{block_on, catching};
use super::session::Session;
use super::suite_trial::{self, failed};
use crate::baseline::read_snapshot;
use crate::case::LoadedCase;
use crate::id::file_slug;
use crate::record::RunRecord;

/// `[snapshot] S::results`.
pub(super) fn results(session: &Session, suite: &str) -> Result<(), Failed> {
    if session.project.selection.is_partial() || session.merge_gates {
        return Err(Failed::from("only a run of the whole suite can be compared with the results table"));
    }
    let opened = session.project.suite(suite).map_err(failed)?;
    // Everything else of this process compares with the table as it was before insta may accept this one.
    session.project.baseline(suite).map_err(failed)?;
    let results = block_on(opened.results(&session.project, session.at_once)).map_err(failed)?;
    let description = format!("Baseline of suite {suite}: review it like code; accept it with `cargo insta review`.");
    assert(session, suite, &description, "results", results.render().trim_end())
}

/// The snapshot's name of a case. The prefix keeps a case `results` away from the results table.
pub(super) fn case_name(id: &str) -> String {
    format!("case-{}", file_slug(id))
}

/// `[snapshot] S::document::case`.
pub(super) fn case(session: &Session, suite: &str, loaded: &LoadedCase) -> Result<(), Failed> {
    let opened = session.project.suite(suite).map_err(failed)?;
    let mut text = format!("case {}\nquery {}\n", loaded.case.id, loaded.case.query);
    for system in &opened.systems {
        let record = block_on(opened.evaluator.evaluate(loaded, system)).map_err(failed)?;
        // The words of a live model change from run to run; those of the embedded tier do not.
        render(&mut text, &record, system.pipeline.is_some());
    }
    let description = format!("Case {} of suite {suite}.", loaded.case.id);
    assert(session, suite, &description, &case_name(&loaded.case.id), text.trim_end())
}

fn render(text: &mut String, record: &RunRecord, stable_answer: bool) {
    let origin = record.origin.map(|origin| format!(" ({})", origin.name())).unwrap_or_default();
    let label = record.answer_review_auto.map_or("-", crate::verdict::AnswerLabel::name);
    let _ = writeln!(text, "\nsystem {}\noutcome {}{origin}, {label}", record.system, record.outcome.name());
    for assessment in record.verdict.iter().flat_map(|verdict| &verdict.ratings) {
        let _ = writeln!(text, "  {:<13} {}", assessment.criterion.name(), assessment.rating.map_or("n/a", crate::verdict::Rating::name));
    }
    for chunk in record.retrieved_chunks.iter().flatten().take(5) {
        let meets: Vec<String> = chunk.meets.iter().map(|number| format!(" evidence-{number}")).collect();
        let id = chunk.chunk_id.as_deref().or(chunk.source_id.as_deref()).unwrap_or("no id");
        let _ = writeln!(text, "  {} {id}{}", chunk.rank, meets.concat());
    }
    if let Some(answer) = record.answer.as_deref().filter(|_| stable_answer) {
        let _ = writeln!(text, "answer {answer}");
    }
}

/// Compares with the stored snapshot; insta is called only where they differ, to write the pending file (or, as its settings say, to accept).
fn assert(session: &Session, suite: &str, description: &str, name: &str, content: &str) -> Result<(), Failed> {
    let folder = session.project.snapshots(suite);
    let stored = read_snapshot(&folder.join(format!("{name}.snap"))).map_err(failed)?;
    if stored.as_deref() == Some(content) {
        return Ok(());
    }
    // In CI insta is not asked at all: none of its settings can write a file or force a pass there.
    let assert = session.entry.assert_snapshot;
    if !suite_trial::in_ci() && catching(|| assert(&folder, description, name, content)).is_ok() {
        return Ok(());
    }
    let place = session.project.shown(&folder.join(format!("{name}.snap")));
    let head = match &stored {
        None => format!("{place} does not exist yet; review and accept the new one"),
        Some(_) => format!("{place} differs from this run (- baseline, + this run)"),
    };
    Err(Failed::from(format!("{head}\n{}\nreview it with: cargo insta review", difference(stored.as_deref().unwrap_or_default(), content))))
}

/// The lines that differ, in the order of the new text, each removed line before the added line of the same case or the same name.
fn difference(before: &str, after: &str) -> String {
    const SHOWN: usize = 60;
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut removed: Vec<&str> = old.iter().filter(|line| !new.contains(line)).copied().collect();
    let mut lines = Vec::new();
    for added in new.iter().filter(|line| !old.contains(line)) {
        if let Some(at) = removed.iter().position(|line| name_of(line) == name_of(added)) {
            lines.push(format!("- {}", removed.remove(at)));
        }
        lines.push(format!("+ {added}"));
    }
    lines.extend(removed.into_iter().map(|line| format!("- {line}")));
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if more > 0 {
        lines.push(format!("... and {more} more lines"));
    }
    lines.join("\n")
}

/// What a line is about: a line of a case ends with its id, any other starts with its name.
fn name_of(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let outcome = first.split(':').next()?;
    if ["pass", "fail", "error", "not-scored", "skipped"].contains(&outcome) { words.next_back() } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_pairs_lines_of_one_case() {
        let before = "a\n  pass 1.00 one\n  pass 1.00 two\n";
        let after = "a\n  fail 0.00 one\n  pass 1.00 two\n  pass 1.00 three";
        assert_eq!(difference(before, after), "-   pass 1.00 one\n+   fail 0.00 one\n+   pass 1.00 three");
    }

    #[test]
    fn names_stay_apart() {
        let names = ["results", "a/b", "a__b", "UP", "up", "a?b", "é", &"x".repeat(300)].map(case_name);
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        assert!(names.iter().all(|name| name.len() <= 115 && name != "results"));
    }
}
