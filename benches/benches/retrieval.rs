//! Retrieval of the embedded tier: quality on a BEIR folder that `RAGTEST_BEIR` names (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`), speed on
//! generated data.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use ragtest::index::{Bm25, Bm25Index, Exact, Fuse, Hnsw, IndexBuilder, Rank, Search};
use ragtest::metrics::{JudgedList, Metric, mean};
use ragtest::model::{Embedder, HashedEmbedder};
use ragtest::store::DerivedStore;
use ragtest::{Hit, Question};
use ragtest_benches::{Beir, Numbered, Outcome, Random, Table, data_path, fastest, numbered_chunks, once, size};
use tokio::runtime::{Builder, Runtime};

/// How deep each list is.
const DEPTH: usize = 100;

fn main() -> Outcome {
    let runtime = Builder::new_current_thread().build()?;
    if let Some(folder) = data_path("RAGTEST_BEIR", "quality on a BEIR folder") {
        quality(&runtime, &folder)?;
    }
    let mut table = Table::new("Speed on generated data");
    bm25_speed(&mut table);
    exact_speed(&runtime, &mut table)?;
    approximate(&runtime, &mut table)?;
    table.print();
    Ok(())
}

/// The means of the metrics over the queries that have labels.
fn score(beir: &Beir, metrics: [Metric; 3], lists: &[Vec<Hit>]) -> [String; 3] {
    let none = BTreeMap::new();
    let judged: Vec<JudgedList> = beir
        .queries
        .iter()
        .zip(lists)
        .map(|((query, _), hits)| {
            let labels = beir.labels.get(query).unwrap_or(&none);
            let grade = |hit: &Hit| hit.chunk_id.as_ref().and_then(|id| labels.get(id)).copied().map_or(0, i64::from);
            JudgedList::plain(&hits.iter().map(grade).collect::<Vec<_>>(), &labels.values().copied().collect::<Vec<_>>())
        })
        .collect();
    metrics.map(|metric| {
        let value = mean(judged.iter().filter_map(|list| metric.of_list(list)));
        value.map_or_else(|| "no labels".to_owned(), |(value, _)| format!("{value:.4}"))
    })
}

fn quality(runtime: &Runtime, folder: &Path) -> Outcome {
    let beir = Beir::read(folder)?;
    let embedder: Arc<dyn Embedder> = Arc::new(HashedEmbedder::default());
    let search = |builder: &dyn IndexBuilder| -> Result<Vec<Vec<Hit>>, Box<dyn Error>> {
        let index = runtime.block_on(builder.open(beir.chunks.clone(), embedder.clone()))?;
        beir.queries.iter().map(|(_, question)| Ok(runtime.block_on(index.search(question, DEPTH))?)).collect()
    };
    let (words, vectors) = (search(&Bm25::default())?, search(&Exact::default())?);
    let found_by_graph = ann_recall(&search(&Hnsw { exact_up_to: 0, ..Hnsw::default() })?, &vectors)?;
    let fuse = Fuse { weights: vec![1.0, 0.5], ..Fuse::default() };
    let fused: Vec<Vec<Hit>> = std::iter::zip(&words, &vectors)
        .zip(&beir.queries)
        .map(|((words, vectors), (_, question))| fuse.rank(question, vec![words.clone(), vectors.clone()], DEPTH))
        .collect();

    let title = format!(
        "Quality on {}: {} paragraphs, {} queries (peers: 1,216 paragraphs and 300 queries derived from SQuAD 2)",
        folder.display(),
        beir.chunks.len(),
        beir.queries.len()
    );
    let mut table = Table::new(title);
    let names = ["ndcg@10", "recall@5", "recall@100"];
    let metrics = [Metric::parse(names[0])?, Metric::parse(names[1])?, Metric::parse(names[2])?];
    let lists = [
        ("BM25", words, "BM25 of the same k1 and b, Porter stems", [".9007", ".9500", ".9967"]),
        ("hashed vectors", vectors, "MiniLM-L6 vectors", [".7531", ".8400", ".9933"]),
        ("hybrid 1 : 0.5", fused, "RRF of BM25 and MiniLM-L6, 1 : 1", [".8660", ".9533", "1.0000"]),
    ];
    for (retriever, lists, peer, figures) in lists {
        for ((name, value), figure) in names.iter().zip(score(&beir, metrics, &lists)).zip(figures) {
            table.row(format!("{retriever}, {name}"), value, "-", &format!("{peer} {figure}"));
        }
    }
    table.row("hashed vectors, hnsw, ann_recall@10", found_by_graph, ">= 0.99", "-");
    table.print();
    Ok(())
}

/// The share of the exact lists' first ten that the approximate lists have among theirs; too low is an error.
fn ann_recall(approximate: &[Vec<Hit>], exact: &[Vec<Hit>]) -> Result<String, String> {
    let found = |(near, all): (&Vec<Hit>, &Vec<Hit>)| {
        let near: Vec<_> = near.iter().take(10).map(|hit| &hit.chunk_id).collect();
        (all.iter().take(10).filter(|hit| near.contains(&&hit.chunk_id)).count(), all.len().min(10))
    };
    let (found, all) = std::iter::zip(approximate, exact).map(found).fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    let recall = found as f64 / all as f64;
    if recall < 0.99 { Err(format!("ann_recall@10 is {recall:.4}, below 0.99")) } else { Ok(format!("{recall:.4}")) }
}

fn approximate(runtime: &Runtime, table: &mut Table) -> Outcome {
    let chunks = numbered_chunks(size(10_000));
    let questions: Vec<Question> = (0..size(300)).map(|number| Question::new((1_000_000 + number).to_string())).collect();
    let open = |builder: &dyn IndexBuilder| runtime.block_on(builder.open(chunks.clone(), Arc::new(Numbered)));
    let folder = tempfile::tempdir()?;
    let hnsw = Hnsw { exact_up_to: 0, store: DerivedStore::in_folder(folder.path()), ..Hnsw::default() };
    let (exact, built) = (open(&Exact::default())?, once(|| open(&hnsw).map(drop)));
    let opened = fastest(|| open(&hnsw).map(drop));
    let index = open(&hnsw)?;
    let near = runtime.block_on(index.search_all(&questions, 10))?;
    let searched = fastest(|| runtime.block_on(index.search_all(&questions, 10)));
    let size = format!("{} x 384 random", chunks.len());
    table.row(format!("hnsw build, {size}"), format!("{built:.1} s"), "-", "hnsw_rs with floats 11 s");
    table.row("hnsw open of the stored graph", format!("{opened:.3} s"), "-", "-");
    table.row("hnsw query", format!("{:.3} ms", searched * 1e3 / questions.len() as f64), "-", "hnsw_rs with floats 0.65");
    let recall = ann_recall(&near, &runtime.block_on(exact.search_all(&questions, 10))?)?;
    table.row("hnsw ann_recall@10", recall, ">= 0.99", "-");
    Ok(())
}

fn bm25_speed(table: &mut Table) {
    let mut random = Random::new(1);
    let paragraphs: Vec<String> = (0..size(20_000)).map(|_| random.text(115)).collect();
    let queries: Vec<String> = (0..size(300)).map(|_| random.text(10)).collect();
    let Bm25 { k1, b, .. } = Bm25::default();
    let build = || Bm25Index::build(&paragraphs, k1, b, None);
    let built = fastest(build);
    let index = build();
    let searched = fastest(|| queries.iter().map(|query| index.search(query, 10, |_| true)).collect::<Vec<_>>());
    let bytes: usize = paragraphs.iter().map(String::len).sum();
    let part = format!("BM25 build, {} paragraphs of {} bytes", paragraphs.len(), bytes / paragraphs.len());
    table.row(part, format!("{built:.3} s"), "<= 0.3 s", "tantivy 0.39, bm25 crate 1.26, bm25s 1.3");
    let query = format!("{:.3} ms", searched * 1e3 / queries.len() as f64);
    table.row("BM25 query of 10 words", query, "<= 0.1 ms", "tantivy 0.10, bm25 crate 10.7, bm25s 0.24");
}

fn exact_speed(runtime: &Runtime, table: &mut Table) -> Outcome {
    let chunks = numbered_chunks(size(10_000));
    let index: Arc<dyn Search> = runtime.block_on(Exact::default().open(chunks.clone(), Arc::new(Numbered)))?;
    let questions: Vec<Question> = (0..size(300)).map(|number| Question::new((1_000_000 + number).to_string())).collect();
    let ask = |question| runtime.block_on(index.search(question, 10));
    questions.iter().try_for_each(|question| ask(question).map(drop))?;
    let seconds = fastest(|| questions.iter().map(ask).collect::<Vec<_>>());
    let query = format!("{:.3} ms", seconds * 1e3 / questions.len() as f64);
    let part = format!("exact search, {} x 384, one by one", chunks.len());
    table.row(part, query, "<= 0.25 ms", "faiss flat 0.41, hnsw_rs 0.65 after a build of 11 s");
    let seconds = fastest(|| runtime.block_on(index.search_all(&questions, 10)));
    let query = format!("{:.3} ms", seconds * 1e3 / questions.len() as f64);
    let part = format!("exact search, {} x 384, {} at once", chunks.len(), questions.len());
    table.row(part, query, "<= 0.20 ms", "faiss flat 0.18");
    Ok(())
}
