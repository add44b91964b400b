//! Reading cases, finding quotes, and the JSON of a run record, on generated data.

use std::collections::BTreeMap;
use std::path::Path;

use ragtest::case::{Expect, Strategy, load_cases};
use ragtest::id::Fingerprint;
use ragtest::metrics::{JudgedItem, JudgedList};
use ragtest::oracle::{Exhibit, judge};
use ragtest::record::{HarnessFacts, JudgeTrace, RECORD_FORMAT, RetrievedChunk, RunRecord};
use ragtest::response::Usage;
use ragtest::text::QuoteFinder;
use ragtest::verdict::{Outcome as CaseOutcome, Rule};
use ragtest_benches::{Outcome, Random, Table, fastest, size};
use serde_json::json;

fn main() -> Outcome {
    let mut table = Table::new("Cases, quotes and records, generated");
    load(&mut table)?;
    quotes(&mut table)?;
    records(&mut table)?;
    table.print();
    Ok(())
}

fn load(table: &mut Table) -> Outcome {
    let mut random = Random::new(1);
    let lines: String = (0..size(2_000)).map(|number| case_line(number, &mut random)).collect();
    let path = std::env::temp_dir().join(format!("ragtest-bench-{}.jsonl", std::process::id()));
    std::fs::write(&path, &lines)?;
    let paths = [path];
    let read = || load_cases(&paths, |path: &Path| path.display().to_string());
    let loaded = read();
    let seconds = fastest(read);
    std::fs::remove_file(&paths[0])?;
    let count = loaded.map_err(|problems| problems.join("\n"))?.len();
    let part = format!("load_cases, {count} cases, {} kB", lines.len() / 1000);
    table.row(part, ms(seconds), "<= 20 ms", "target and peers: all of listing 2,000 cases; libtest-mimic without cases 10, pytest 350");
    Ok(())
}

/// A line of about 950 bytes with everything that reviewed cases have.
fn case_line(number: usize, random: &mut Random) -> String {
    let [query, answer, quote, keyword] = [12, 40, 25, 2].map(|words| random.text(words));
    let document = format!("manual/chapter-{:02}.md", number % 40);
    let case = json!({
        "id": format!("manual-{number:04}"),
        "strategy": "positive",
        "query": query,
        "reference_answer": answer,
        "expect": "answer",
        "evidence": [{"document": document, "quote": quote, "grade": 3}],
        "keywords": [keyword],
        "required_facts": [{"literal": keyword}],
        "min": {"recall@5": 1.0},
        "document": document,
        "tags": ["generated", "manual"],
        "owner": "docs",
        "version": 1,
        "review": {"status": "accepted", "by": "docs", "at": "2026-01-01"},
    });
    format!("{case}\n")
}

fn quotes(table: &mut Table) -> Outcome {
    let text = Random::new(2).text(size(35_000));
    let quote: Vec<&str> = text.split(' ').skip(size(35_000) / 2).take(12).collect();
    let quote = quote.join("\n");
    let finder = QuoteFinder::new(&text);
    if finder.find(&quote).is_empty() {
        return Err("a quote of the text is not found in it".into());
    }
    let kilobytes = text.len() / 1000;
    table.row(format!("QuoteFinder::new, {kilobytes} kB"), ms(fastest(|| QuoteFinder::new(&text))), "-", "-");
    table.row("QuoteFinder::find, in its middle", ms(fastest(|| finder.find(&quote))), "-", "-");
    Ok(())
}

fn records(table: &mut Table) -> Outcome {
    let record = record();
    let line = serde_json::to_vec(&record)?;
    if serde_json::from_slice::<RunRecord>(&line)? != record {
        return Err("a run record changes when it is written and read".into());
    }
    let count = size(1_000);
    let written = fastest(|| (0..count).map(|_| serde_json::to_vec(&record)).collect::<Vec<_>>());
    let read = fastest(|| (0..count).map(|_| serde_json::from_slice::<RunRecord>(&line)).collect::<Vec<_>>());
    table.row(format!("run record of {} bytes, written", line.len()), ms(written / count as f64), "-", "-");
    table.row("run record, read", ms(read / count as f64), "-", "-");
    Ok(())
}

/// A passing case with five chunks.
fn record() -> RunRecord {
    let mut random = Random::new(3);
    let [query, answer] = [12, 40].map(|words| random.text(words));
    let chunk = |rank| RetrievedChunk {
        rank,
        chunk_id: Some(format!("manual.md#{rank}-00000000")),
        source_id: Some("manual.md".into()),
        score: Some(1.0 / rank as f64),
        text: Some(random.text(115)),
        meets: if rank == 1 { vec![1] } else { Vec::new() },
    };
    let chunks: Vec<RetrievedChunk> = (1..=5).map(chunk).collect();
    let context: Vec<String> = chunks.iter().filter_map(|chunk| chunk.text.clone()).collect();
    let exhibit = Exhibit {
        query: &query,
        expect: Expect::Answer,
        must_deny: false,
        reference_answer: Some(&answer),
        evidence: &[],
        context: Some(&context),
        answer: &answer,
        keywords: &[],
        required_facts: &[],
        forbidden_facts: &[],
    };
    let verdict = judge(&exhibit, Rule::Strict);
    let metrics = ["recall@1", "recall@5", "precision@5", "hit@5", "mrr", "ndcg@10", "map@10"];
    RunRecord {
        format: RECORD_FORMAT,
        case_id: "manual-0001".into(),
        suite: "manual".into(),
        system: "pipeline".into(),
        strategy: Strategy::Positive,
        document: Some("manual.md".into()),
        query,
        knowledge_snapshot_id: None,
        access_scope: None,
        retrieved_chunks: Some(chunks),
        context: Some((0..5).collect()),
        answer_hash: Some(Fingerprint::of_bytes(answer.as_bytes())),
        answer: Some(answer),
        citations: Vec::new(),
        prompt_metadata: BTreeMap::new(),
        tool_calls: Vec::new(),
        prior_context: Vec::new(),
        latency_ms: 1.25,
        usage: Usage::default(),
        error: None,
        metrics: metrics.map(|name| (name.to_owned(), 1.0)).into(),
        answer_review_auto: Some(verdict.label),
        judge: Some(JudgeTrace { model: verdict.judge.clone(), attempts: 1, ..JudgeTrace::default() }),
        verdict: Some(verdict),
        outcome: CaseOutcome::Pass,
        origin: None,
        lucky: false,
        document_origin: "manual".into(),
        answer_review: "unreviewed".into(),
        harness: HarnessFacts {
            judged: JudgedList { items: vec![JudgedItem { grade: 3, met_at: Some(1) }], ..JudgedList::default() },
            tags: vec!["generated".into()],
            ..HarnessFacts::default()
        },
    }
}

fn ms(seconds: f64) -> String {
    format!("{:.3} ms", seconds * 1e3)
}
