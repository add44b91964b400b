//! Answering and declining of the embedded tier: false and missed refusals on case files over this repository's corpus, and on a BEIR folder.
//!
//! `cargo bench -p ragtest-benches --bench decline -- rag-tests/cases/fitting.jsonl` measures one file; without a file, all of the handbook's
//! cases. Paths are relative to the repository. `-v` also prints each error. `RAGTEST_BEIR` names the folder.
#![expect(clippy::print_stdout, reason = "the errors go to standard output")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ragtest::case::{Expect, LoadedCase, load_cases};
use ragtest::evaluate::evaluate_all;
use ragtest::index::{Bm25, Exact, Fuse, IndexBuilder, Rank};
use ragtest::model::HashedEmbedder;
use ragtest::project::Project;
use ragtest::record::RunRecord;
use ragtest::system::extractive::Lexicon;
use ragtest::system::{Answerer, ExtractiveAnswerer, Prompt};
use ragtest::verdict::Refusal;
use ragtest::{Hit, Question};
use ragtest_benches::{Beir, Outcome, Table, data_path};
use tokio::runtime::{Builder, Runtime};

/// How many passages a prompt has.
const TOP_K: usize = 5;

fn main() -> Outcome {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let verbose = std::env::args().any(|arg| arg == "-v");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the repository has no folder")?;
    let given = std::env::args_os().skip(1).map(PathBuf::from).filter(|path| path.extension().is_some_and(|e| e == "jsonl"));
    let given: Vec<PathBuf> = given.map(|path| root.join(path)).collect();
    let files = if given.is_empty() { vec![root.join("rag-tests/cases/handbook.jsonl")] } else { given };
    for file in &files {
        case_file(&runtime, root, file, verbose)?;
    }
    if let Some(folder) = data_path("RAGTEST_BEIR", "refusals on a BEIR folder") {
        beir(&runtime, &folder)?;
    }
    Ok(())
}

/// Counts of one kind: how many of how many.
#[derive(Clone, Copy, Default)]
struct Count {
    hits: usize,
    of: usize,
}

impl Count {
    fn add(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.of += 1;
    }

    fn shown(self) -> String {
        format!("{} of {} ({:.1} %)", self.hits, self.of, 100.0 * self.hits as f64 / self.of.max(1) as f64)
    }
}

fn case_file(runtime: &Runtime, root: &Path, file: &Path, verbose: bool) -> Outcome {
    let derived = std::env::temp_dir().join("ragtest-bench-decline");
    let project = Project::open_detached(root.to_owned(), derived, &[])?;
    let suite = project.suite("handbook")?;
    let system = suite.systems.first().ok_or("the suite has no system")?;
    let loaded = load_cases(&[file.to_owned()], |path| project.shown(path)).map_err(|problems| problems.join("\n"))?;
    let cases: Vec<Arc<LoadedCase>> = loaded.into_iter().map(Arc::new).collect();
    let records = runtime.block_on(evaluate_all(&suite.evaluator, &cases, system, 2))?;

    let (mut refused, mut found, mut right) = (Count::default(), Count::default(), Count::default());
    let mut missed: BTreeMap<String, Count> = BTreeMap::new();
    for (LoadedCase { case, .. }, record) in cases.iter().map(AsRef::as_ref).zip(&records) {
        if let Some(error) = &record.error {
            return Err(format!("{}: {}", case.id, error.message).into());
        }
        let declined = record.verdict.as_ref().is_some_and(|verdict| verdict.refusal == Refusal::Refusal);
        let passed = record.verdict.as_ref().is_some_and(|verdict| verdict.passed);
        if case.expect() == Expect::Answer {
            refused.add(declined);
            right.add(passed);
            found.add(record.metrics.get("recall@5").is_some_and(|recall| *recall > 0.0));
            report(verbose && !passed, if declined { "refused" } else { "wrong" }, record);
        } else {
            missed.entry("all".into()).or_default().add(!declined);
            let kind = case.tags.first().map_or("untagged", String::as_str);
            missed.entry(format!("all: {kind}")).or_default().add(!declined);
            report(verbose && !declined, "missed", record);
        }
    }
    let mut table = Table::new(format!("Answering and declining, {}", project.shown(file)));
    table.row("false refusals of answerable questions", refused.shown(), "<= 10 %", "-");
    table.row("evidence in the top 5", found.shown(), "-", "-");
    table.row("passed by the rule judge", right.shown(), "-", "-");
    for (kind, count) in missed {
        let target = if kind == "all" { "<= 5 %" } else { "-" };
        table.row(format!("missed refusals of unanswerable questions, {kind}"), count.shown(), target, "-");
    }
    table.print();
    Ok(())
}

fn report(wanted: bool, what: &str, record: &RunRecord) {
    if wanted {
        let answer = record.answer.as_deref().unwrap_or_default().replace('\n', " / ");
        println!("{what} {}: {} -> {answer}", record.case_id, record.query);
    }
}

/// Each question with its paragraph among the passages, and again with that paragraph withheld.
fn beir(runtime: &Runtime, folder: &Path) -> Outcome {
    let beir = Beir::read(folder)?;
    let embedder = Arc::new(HashedEmbedder::default());
    let words = runtime.block_on(Bm25::default().open(beir.chunks.clone(), embedder.clone()))?;
    let vectors = runtime.block_on(Exact::default().open(beir.chunks.clone(), embedder))?;
    let fuse = Fuse { weights: vec![1.0, 0.5], ..Fuse::default() };
    let lexicon = Arc::new(Lexicon::of(beir.chunks.iter().map(|chunk| &chunk.text)));
    let answerer = ExtractiveAnswerer::default();
    let declines = |question: &Question, passages: Vec<Hit>| -> Result<bool, ragtest::error::CallError> {
        let prompt = Prompt { passages, lexicon: Some(lexicon.clone()), ..Prompt::default() };
        let response = runtime.block_on(answerer.answer(question, &prompt))?;
        Ok(ragtest::oracle::classify_refusal(response.answer.as_deref().unwrap_or_default()) == Refusal::Refusal)
    };
    let (mut refused, mut missed) = (Count::default(), Count::default());
    for (id, question) in &beir.queries {
        let lists = [&words, &vectors].map(|index| runtime.block_on(index.search(question, 100)));
        let hits = fuse.rank(question, lists.into_iter().collect::<Result<_, _>>()?, 100);
        let right =
            |hit: &&Hit| hit.chunk_id.as_ref().is_some_and(|chunk| beir.labels.get(id).is_some_and(|labels| labels.contains_key(chunk)));
        refused.add(declines(question, hits.iter().take(TOP_K).cloned().collect())?);
        missed.add(!declines(question, hits.iter().filter(|hit| !right(hit)).take(TOP_K).cloned().collect())?);
    }
    let mut table = Table::new(format!("Answering and declining, {}", folder.display()));
    table.row("false refusals of answerable questions", refused.shown(), "-", "-");
    table.row("answers where the paragraph is withheld (others may answer too)", missed.shown(), "-", "-");
    table.print();
    Ok(())
}
