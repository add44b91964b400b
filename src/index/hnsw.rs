//! Approximate vector search: a navigable graph of neighbours.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use hnsw_rs::prelude::{AnnT as _, Distance, Hnsw as Graph, HnswIo, Neighbour};
use serde::{Deserialize, Serialize};

use super::blob;
use super::embeddings::embed;
use super::exact::query_vectors;
use super::rows::Rows;
use super::search::{IndexBuilder, Search};
use super::vectors::{Vectors, dot};
use crate::corpus::Chunk;
use crate::error::{CallError, CallErrorKind};
use crate::id::{Fingerprint, Stage};
use crate::model::{Embedder, Reply};
use crate::question::Question;
use crate::response::Hit;
use crate::store::DerivedStore;

/// Finds neighbours by cosine in a hierarchical navigable small world (Malkov and Yashunin 2018). It may miss some: the metric
/// `ann_recall@k` says how many. What it finds is ranked as the exact index ranks it.
///
/// Chunks are inserted one by one in the order of their ids, with levels from a fixed seed, and compared in whole numbers: the same chunks give
/// the same graph on every machine. The graph is stored; a damaged file is noticed by size and hash before anything reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hnsw {
    /// Neighbours a chunk keeps in each layer, 2 to 255. Default 24.
    pub connections: usize,
    /// Candidates for these neighbours, 1 and up. Default 200.
    pub construction: usize,
    /// Candidates for the answer to a question, 2 and up. Default 400: vectors without structure need so many.
    pub width: usize,
    /// Up to this number of chunks the search is exact: a graph of few is slower and no better. Default 1,000.
    pub exact_up_to: usize,
    /// Where vectors and graph are kept.
    pub store: DerivedStore,
}

impl Default for Hnsw {
    fn default() -> Self {
        Self { connections: 24, construction: 200, width: 400, exact_up_to: 1000, store: DerivedStore::default() }
    }
}

/// Layers of a graph; the only number that `hnsw_rs` dumps.
const LAYERS: usize = 16;

/// The name of a dump's files before their endings.
const DUMP: &str = "graph";

impl Stage for Hnsw {
    fn fingerprint(&self) -> Fingerprint {
        let numbers = [self.connections, self.construction, self.width, self.exact_up_to].map(|number| number.to_string());
        Fingerprint::of(std::iter::once("hnsw/1".to_owned()).chain(numbers))
    }
}

impl IndexBuilder for Hnsw {
    fn open(&self, chunks: Arc<[Chunk]>, embedder: Arc<dyn Embedder>) -> Reply<'_, Arc<dyn Search>> {
        Box::pin(async move {
            let rows = Rows::new(chunks);
            let vectors = embed(&rows, embedder.as_ref(), &self.store).await?;
            let mut opened = Opened { rows, vectors, embedder, width: self.width.max(2), graph: None };
            if opened.rows.len() > self.exact_up_to {
                let key = opened.rows.key(self, Some(opened.embedder.fingerprint()));
                let dump = self.store.get_or_build("hnsw", key, async { self.build(&opened.vectors) }).await?;
                opened.graph = Some((dump.load()?, dump.strays));
            }
            Ok(Arc::new(opened) as Arc<dyn Search>)
        })
    }

    fn is_approximate(&self) -> bool {
        true
    }
}

impl Hnsw {
    fn build(&self, vectors: &Vectors) -> Result<Dump, CallError> {
        let graph = Graph::new(self.connections.clamp(2, 255), vectors.len(), LAYERS, self.construction.max(1), Angle);
        for row in 0..vectors.len() {
            graph.insert_slice((vectors.high(row), row));
        }
        // A narrow search: what it finds, a wide one finds too.
        let strays = |row: &usize| {
            let own = Angle.eval(vectors.high(*row), vectors.high(*row));
            graph.search(vectors.high(*row), 1, self.connections).first().is_none_or(|nearest| nearest.distance > own)
        };
        let strays = (0..vectors.len()).filter(strays).filter_map(|row| u32::try_from(row).ok()).collect();
        let folder = tempfile::tempdir().map_err(|cause| failed("keep", &cause))?;
        graph.file_dump(folder.path(), DUMP).map_err(|cause| failed("keep", &*cause))?;
        let read = |part: &str| fs::read(folder.path().join(format!("{DUMP}.hnsw.{part}"))).map_err(|cause| failed("keep", &cause));
        Ok(Dump { graph: read("graph")?, data: read("data")?, strays })
    }
}

fn failed(action: &str, cause: &dyn std::fmt::Display) -> CallError {
    CallError::new(CallErrorKind::Other, format!("{action} the graph of an index: {cause}"))
}

/// A graph on disk: the two files that `hnsw_rs` writes. It ends the process over a damaged one, so only [`DerivedStore`] hands them out.
#[derive(Serialize, Deserialize)]
struct Dump {
    #[serde(with = "blob")]
    graph: Vec<u8>,
    #[serde(with = "blob")]
    data: Vec<u8>,
    /// Rows that their own vector does not find. Every search compares them too.
    #[serde(with = "blob")]
    strays: Vec<u32>,
}

impl Dump {
    fn load(&self) -> Result<Graph<'static, i16, Angle>, CallError> {
        let folder = tempfile::tempdir().map_err(|cause| failed("open", &cause))?;
        for (part, bytes) in [("graph", &self.graph), ("data", &self.data)] {
            fs::write(folder.path().join(format!("{DUMP}.hnsw.{part}")), bytes).map_err(|cause| failed("open", &cause))?;
        }
        // The loader must outlive the graph, for the memory maps that it may hold; here it holds two short texts.
        let loader = Box::leak(Box::new(HnswIo::new(folder.path(), DUMP)));
        loader.load_hnsw().map_err(|cause| failed("open", &*cause))
    }
}

/// One less the cosine of the high halves. Whole numbers make it the same on every processor.
#[derive(Clone, Copy, Default)]
struct Angle;

impl Distance<i16> for Angle {
    fn eval(&self, a: &[i16], b: &[i16]) -> f32 {
        let one = i64::from(i16::MAX).pow(2);
        // Rounded vectors can be longer than 1 by a rounding; the graph takes no distance below 0.
        let distance = (one - i64::from(dot(a, b))).max(0);
        distance as f32 / one as f32
    }
}

struct Opened {
    rows: Rows,
    vectors: Vectors,
    embedder: Arc<dyn Embedder>,
    width: usize,
    /// With the rows that their own vector does not find; `None` where so few are searched exactly.
    graph: Option<(Graph<'static, i16, Angle>, Vec<u32>)>,
}

impl Search for Opened {
    fn search<'a>(&'a self, question: &'a Question, k: usize) -> Reply<'a, Vec<Hit>> {
        Box::pin(async move {
            if self.rows.len() == 0 {
                return Ok(Vec::new());
            }
            let query = query_vectors(self.embedder.as_ref(), std::slice::from_ref(question), self.vectors.dimension()).await?;
            Ok(self.rows.hits(self.nearest(&query, k, |row| self.rows.visible(row, question))))
        })
    }
}

impl Opened {
    fn nearest(&self, query: &Vectors, k: usize, visible: impl Fn(usize) -> bool) -> Vec<(usize, f64)> {
        let exact = || self.vectors.search(query, k, |_, row| visible(row)).pop().unwrap_or_default();
        let Some((graph, strays)) = &self.graph else { return exact() };
        let width = self.width.max(k);
        let filter = |row: &usize| visible(*row);
        let near = graph.search_filter(query.high(0), width, width, Some(&filter));
        let strays = strays.iter().map(|row| *row as usize).filter(|row| visible(*row));
        let found: BTreeSet<usize> = near.iter().map(Neighbour::get_origin_id).chain(strays).collect();
        // A graph cut up by a filter may hide rows; a list shorter than asked for must mean that there are no more.
        if found.len() < k && found.len() < (0..self.rows.len()).filter(|row| visible(*row)).count() {
            return exact();
        }
        self.vectors.rank(query, 0, found.into_iter(), k)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::index::Exact;
    use crate::index::tests::ready;
    use crate::model::TextRole;

    /// Makes a vector of the number in a text: by numbers that look random, in `clusters` or without; `0` of them gives one vector for all.
    struct Numbered {
        dimension: usize,
        clusters: u64,
    }

    impl Stage for Numbered {
        fn fingerprint(&self) -> Fingerprint {
            Fingerprint::of(["numbered"])
        }
    }

    impl Embedder for Numbered {
        fn embed<'a>(&'a self, texts: &'a [String], _: TextRole) -> Reply<'a, Vec<Vec<f32>>> {
            let vectors = texts.iter().map(|text| match text.parse::<u64>() {
                Err(_) if text == "zero" => vec![0.0; self.dimension],
                Err(_) => vec![f32::NAN; self.dimension],
                Ok(number) => self.vector(number),
            });
            Box::pin(std::future::ready(Ok(vectors.collect())))
        }
    }

    impl Numbered {
        fn vector(&self, number: u64) -> Vec<f32> {
            let noise = |seed: u64, at: usize| {
                let bits = *Fingerprint::of([seed.to_le_bytes(), (at as u64).to_le_bytes()]).as_bytes();
                // The sum of several numbers is nearly normal, as the components of a random direction are.
                bits.iter().map(|byte| f32::from(*byte) - 127.5).sum::<f32>()
            };
            let center = number.checked_rem(self.clusters);
            (0..self.dimension)
                .map(|at| match center {
                    None => noise(u64::MAX, at),
                    Some(center) => 3.0 * noise(u64::MAX - 1 - center, at) + noise(number, at),
                })
                .collect()
        }
    }

    fn chunks(count: u64) -> Arc<[Chunk]> {
        (0..count).map(|number| Chunk { id: format!("{number:05}"), text: number.to_string(), ..Chunk::default() }).collect()
    }

    fn ids(search: &dyn Search, question: &Question, k: usize) -> Vec<String> {
        ready(search.search(question, k)).expect("searches").into_iter().filter_map(|hit| hit.chunk_id).collect()
    }

    fn opened(builder: &dyn IndexBuilder, chunks: &Arc<[Chunk]>, embedder: Numbered) -> Arc<dyn Search> {
        ready(builder.open(Arc::clone(chunks), Arc::new(embedder))).expect("opens")
    }

    /// A graph of few chunks.
    fn graph() -> Hnsw {
        Hnsw { exact_up_to: 0, ..Hnsw::default() }
    }

    /// The share of the exact index's first ten that the graph finds, over queries that are not among the chunks.
    fn recall(chunks: &Arc<[Chunk]>, embedder: impl Fn() -> Numbered) -> f64 {
        let (graph, exact) = (opened(&graph(), chunks, embedder()), opened(&Exact::default(), chunks, embedder()));
        let found = |number: u64| {
            let question = Question::new((1_000_000 + number).to_string());
            let (near, all) = (ids(graph.as_ref(), &question, 10), ids(exact.as_ref(), &question, 10));
            all.iter().filter(|id| near.contains(id)).count()
        };
        (0..100).map(found).sum::<usize>() as f64 / 1000.0
    }

    #[rstest]
    #[case::random(384, 1 << 40)]
    #[case::clusters(384, 50)]
    fn the_defaults_find_99_of_100_neighbours(#[case] dimension: usize, #[case] clusters: u64) {
        let recall = recall(&chunks(2000), || Numbered { dimension, clusters });
        assert!(recall >= 0.99, "{recall}");
    }

    #[test]
    fn every_chunk_finds_itself_first() {
        let chunks = chunks(500);
        let index = opened(&graph(), &chunks, Numbered { dimension: 24, clusters: 7 });
        for chunk in chunks.iter() {
            assert_eq!(ids(index.as_ref(), &Question::new(&chunk.text), 1), std::slice::from_ref(&chunk.id));
        }
    }

    #[test]
    fn two_builds_give_the_same_lists() {
        let chunks = chunks(300);
        let lists = || {
            let index = opened(&Hnsw { width: 4, ..graph() }, &chunks, Numbered { dimension: 24, clusters: 1 << 40 });
            (0..50).map(|number| ids(index.as_ref(), &Question::new((9000 + number).to_string()), 4)).collect::<Vec<_>>()
        };
        assert_eq!(lists(), lists());
    }

    #[rstest]
    #[case::more_than_there_are(30, 1 << 40, 99)]
    #[case::all_alike(30, 0, 10)]
    #[case::all_alike_and_all_asked(300, 0, 300)]
    #[case::one(1, 5, 3)]
    #[case::nothing_asked(30, 5, 0)]
    #[case::none(0, 5, 3)]
    fn gives_as_many_as_there_are(#[case] count: u64, #[case] clusters: u64, #[case] k: usize) {
        let index = opened(&Hnsw { width: 2, ..graph() }, &chunks(count), Numbered { dimension: 24, clusters });
        let found = ids(index.as_ref(), &Question::new("7"), k);
        let distinct: BTreeSet<&String> = found.iter().collect();
        assert_eq!((found.len(), distinct.len()), (k.min(count.try_into().expect("small")), found.len()));
    }

    #[rstest]
    #[case::half(2)]
    #[case::few(90)]
    #[case::one(300)]
    #[case::none(1000)]
    fn the_scope_filter_comes_before_the_cut(#[case] step: usize) {
        let scope = |at: usize| if at % step == step - 1 { "customer" } else { "staff" };
        let chunks: Arc<[Chunk]> =
            chunks(300).iter().enumerate().map(|(at, chunk)| Chunk { scopes: vec![scope(at).into()], ..chunk.clone() }).collect();
        let embedder = || Numbered { dimension: 24, clusters: 1 << 40 };
        let (graph, exact) = (opened(&Hnsw { width: 8, ..graph() }, &chunks, embedder()), opened(&Exact::default(), &chunks, embedder()));
        let question = Question::new("7").scope("customer");
        let (near, all) = (ids(graph.as_ref(), &question, 5), ids(exact.as_ref(), &question, 5));
        assert_eq!(near.len(), all.len());
        assert!(near.iter().all(|id| scope(id.parse().expect("a number")) == "customer"), "{near:?}");
    }

    #[rstest]
    #[case::zero("zero", "is all zeros")]
    #[case::nan("nan", "is not finite at dimension 0")]
    fn refuses_vectors_without_direction(#[case] text: &str, #[case] words: &str) {
        let embedder = || Arc::new(Numbered { dimension: 24, clusters: 5 });
        let bad = [Chunk { id: "b".into(), text: text.into(), ..Chunk::default() }];
        let Err(stored) = ready(graph().open(bad.into(), embedder())) else { panic!("opened") };
        assert_eq!(stored.message, format!("the vector of chunk b {words}"));
        let index = ready(graph().open(chunks(3), embedder())).expect("opens");
        let asked = ready(index.search(&Question::new(text), 1)).expect_err("must fail");
        assert_eq!(asked.message, format!("the vector of the query {words}"));
    }

    #[test]
    fn a_stored_graph_is_opened_again_and_a_cut_one_built_again() {
        let folder = tempfile::tempdir().expect("works");
        let stored = || Hnsw { store: DerivedStore::in_folder(folder.path()), ..graph() };
        let embedder = || Numbered { dimension: 24, clusters: 9 };
        let lists = || {
            let index = opened(&stored(), &chunks(200), embedder());
            (0..20).map(|number| ids(index.as_ref(), &Question::new((9000 + number).to_string()), 5)).collect::<Vec<_>>()
        };
        let file = || {
            let entries = fs::read_dir(folder.path()).expect("works").map(|entry| entry.expect("works").path());
            let mut graphs = entries.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hnsw-")));
            graphs.find(|path| path.extension().is_some_and(|end| end == "bin")).expect("a stored graph")
        };
        let first = lists();
        let whole = fs::read(file()).expect("works");
        assert_eq!(lists(), first);
        // The library that reads the graph would end the process here.
        fs::write(file(), &whole[..whole.len() / 2]).expect("works");
        assert_eq!(lists(), first);
        assert_eq!(fs::read(file()).expect("works"), whole);
    }

    #[test]
    fn few_chunks_are_searched_exactly() {
        let folder = tempfile::tempdir().expect("works");
        let index = Hnsw { width: 2, store: DerivedStore::in_folder(folder.path()), ..Hnsw::default() };
        opened(&index, &chunks(50), Numbered { dimension: 24, clusters: 9 });
        let names = fs::read_dir(folder.path()).expect("works").map(|entry| entry.expect("works").file_name());
        assert!(names.into_iter().all(|name| name.to_string_lossy().starts_with("embeddings-")));
    }
}
