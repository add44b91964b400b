//! Exact vector search: the query against every chunk.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::blob;
use super::rows::{Rows, best};
use super::search::{IndexBuilder, Search};
use crate::corpus::Chunk;
use crate::error::{CallError, CallErrorKind};
use crate::id::{Fingerprint, Stage};
use crate::model::{Embedder, Reply, TextRole};
use crate::question::Question;
use crate::response::Hit;
use crate::store::DerivedStore;

/// Compares the query's vector with that of every chunk by cosine. Nothing is approximated, so nothing can be missed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exact {
    /// Where the vectors are kept.
    pub store: DerivedStore,
}

impl Stage for Exact {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(["exact/1"])
    }
}

impl IndexBuilder for Exact {
    fn open(&self, chunks: Arc<[Chunk]>, embedder: Arc<dyn Embedder>) -> Reply<'_, Arc<dyn Search>> {
        Box::pin(async move {
            let rows = Rows::new(chunks);
            let key = rows.key(self, Some(embedder.fingerprint()));
            let vectors = self.store.get_or_build("vectors", key, embed(&rows, embedder.as_ref())).await?;
            Ok(Arc::new(Opened { rows, vectors, embedder }) as Arc<dyn Search>)
        })
    }
}

async fn embed(rows: &Rows, embedder: &dyn Embedder) -> Result<Vectors, CallError> {
    let texts: Vec<String> = rows.texts().collect();
    let vectors = embedder.embed(&texts, TextRole::Document).await?;
    if vectors.len() != texts.len() {
        return Err(wrong(format!("the embedder gave {} vectors for {} chunks", vectors.len(), texts.len())));
    }
    let dimension = vectors.first().map_or(0, Vec::len);
    let mut values = Vec::with_capacity(dimension * vectors.len());
    for (row, vector) in vectors.iter().enumerate() {
        let unit = unit(vector, dimension).map_err(|fault| wrong(format!("the vector of chunk {} {fault}", rows.get(row).id)))?;
        values.extend(unit);
    }
    Ok(Vectors { dimension, values })
}

fn wrong(message: String) -> CallError {
    CallError::new(CallErrorKind::Other, message)
}

/// The vector scaled to length 1, or what is wrong with it.
fn unit(vector: &[f32], dimension: usize) -> Result<impl Iterator<Item = f32>, String> {
    if vector.len() != dimension {
        return Err(format!("has {} dimensions, not {dimension}", vector.len()));
    }
    if let Some(at) = vector.iter().position(|x| !x.is_finite()) {
        return Err(format!("is not finite at dimension {at}"));
    }
    // In double precision, so that no finite vector is too long or too short to be scaled.
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err("is all zeros".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, reason = "the quotient lies between -1 and 1")]
    Ok(vector.iter().map(move |x| (f64::from(*x) / length) as f32))
}

/// Unit vectors, one after the other.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Vectors {
    dimension: usize,
    #[serde(with = "blob")]
    values: Vec<f32>,
}

struct Opened {
    rows: Rows,
    vectors: Vectors,
    embedder: Arc<dyn Embedder>,
}

impl Search for Opened {
    fn search<'a>(&'a self, question: &'a Question, k: usize) -> Reply<'a, Vec<Hit>> {
        Box::pin(async move {
            if self.rows.len() == 0 {
                return Ok(Vec::new());
            }
            let replies = self.embedder.embed(std::slice::from_ref(&question.query), TextRole::Query).await?;
            let [vector] = replies.as_slice() else {
                return Err(wrong(format!("the embedder gave {} vectors for one query", replies.len())));
            };
            let query: Vec<f32> =
                unit(vector, self.vectors.dimension).map_err(|fault| wrong(format!("the vector of the query {fault}")))?.collect();
            let visible =
                self.vectors.values.chunks_exact(self.vectors.dimension).enumerate().filter(|(row, _)| self.rows.visible(*row, question));
            Ok(self.rows.hits(best(visible.map(|(row, vector)| (row, dot(&query, vector))), k)))
        })
    }
}

/// Sixteen sums side by side: the compiler turns them into vector registers, which one running sum forbids.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::index::tests::ready;

    /// Gives document and query vectors out of a list each.
    struct Fixed {
        documents: Vec<Vec<f32>>,
        query: Vec<Vec<f32>>,
    }

    impl Stage for Fixed {
        fn fingerprint(&self) -> Fingerprint {
            Fingerprint::of(["fixed"])
        }
    }

    impl Embedder for Fixed {
        fn embed<'a>(&'a self, _: &'a [String], role: TextRole) -> Reply<'a, Vec<Vec<f32>>> {
            let vectors = if role == TextRole::Document { &self.documents } else { &self.query };
            Box::pin(std::future::ready(Ok(vectors.clone())))
        }
    }

    fn chunk(id: &str) -> Chunk {
        Chunk { id: id.into(), text: id.into(), ..Chunk::default() }
    }

    fn search(
        chunks: &[Chunk],
        documents: Vec<Vec<f32>>,
        query: Vec<Vec<f32>>,
        question: &Question,
        k: usize,
    ) -> Result<Vec<String>, CallError> {
        let embedder = Arc::new(Fixed { documents, query });
        let index = ready(Exact::default().open(chunks.into(), embedder))?;
        Ok(ready(index.search(question, k))?.into_iter().filter_map(|hit| hit.chunk_id).collect())
    }

    #[rstest]
    #[case::too_few(vec![vec![1.0, 0.0]], vec![vec![1.0, 0.0]], "the embedder gave 1 vectors for 2 chunks")]
    #[case::mixed(vec![vec![1.0, 0.0], vec![1.0]], vec![vec![1.0, 0.0]], "the vector of chunk b has 1 dimensions, not 2")]
    #[case::nan(vec![vec![1.0, 0.0], vec![0.0, f32::NAN]], vec![vec![1.0, 0.0]], "the vector of chunk b is not finite at dimension 1")]
    #[case::infinite(vec![vec![f32::INFINITY, 0.0], vec![0.0, 1.0]], vec![vec![1.0, 0.0]], "the vector of chunk a is not finite at dimension 0")]
    #[case::zero(vec![vec![1.0, 0.0], vec![0.0, 0.0]], vec![vec![1.0, 0.0]], "the vector of chunk b is all zeros")]
    #[case::empty(vec![vec![], vec![]], vec![vec![]], "the vector of chunk a is all zeros")]
    #[case::zero_query(vec![vec![1.0, 0.0], vec![0.0, 1.0]], vec![vec![0.0, 0.0]], "the vector of the query is all zeros")]
    #[case::other_dimension(vec![vec![1.0, 0.0], vec![0.0, 1.0]], vec![vec![1.0]], "the vector of the query has 1 dimensions, not 2")]
    #[case::no_query(vec![vec![1.0, 0.0], vec![0.0, 1.0]], vec![], "the embedder gave 0 vectors for one query")]
    fn refuses(#[case] documents: Vec<Vec<f32>>, #[case] query: Vec<Vec<f32>>, #[case] message: &str) {
        let error = search(&[chunk("a"), chunk("b")], documents, query, &Question::new("q"), 1).expect_err("must fail");
        assert_eq!((error.kind, error.message.as_str()), (CallErrorKind::Other, message));
    }

    #[test]
    fn orders_by_cosine_then_id_and_ignores_length() {
        let chunks = ["d", "c", "b", "a"].map(chunk);
        // Documents are embedded in the order of ids: a, b, c, d. The smallest float must not vanish, the largest not overflow.
        let documents = vec![vec![0.0, f32::MAX], vec![3.0, 3.0], vec![f32::MIN_POSITIVE, 0.0], vec![9.0, 0.0]];
        assert_eq!(
            search(&chunks, documents.clone(), vec![vec![2.0, 0.0]], &Question::new("q"), 9).expect("searches"),
            ["c", "d", "b", "a"]
        );
        assert_eq!(search(&chunks, documents, vec![vec![2.0, 0.0]], &Question::new("q"), 1).expect("searches"), ["c"]);
    }

    #[test]
    fn the_scope_filter_comes_before_the_cut() {
        let chunks =
            [Chunk { scopes: vec!["staff".into()], ..chunk("a") }, chunk("b"), Chunk { snapshot: Some("2024".into()), ..chunk("c") }];
        let documents = vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 0.1]];
        let question = Question::new("q").scope("customer").snapshot("2025");
        assert_eq!(search(&chunks, documents, vec![vec![1.0, 0.0]], &question, 1).expect("searches"), ["b"]);
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        assert_eq!(search(&[], vec![], vec![vec![1.0]], &Question::new("q"), 5).expect("searches"), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn every_stored_vector_finds_itself_first(
            vectors in prop::collection::btree_set(prop::collection::vec(-9..9_i8, 19), 1..12),
            at in any::<prop::sample::Index>(),
        ) {
            // A last 1 keeps the vectors from being zero or multiples of each other.
            let vectors: Vec<Vec<f32>> = vectors.iter().map(|v| v.iter().map(|x| f32::from(*x)).chain([1.0]).collect()).collect();
            let chunks: Vec<_> = (0..vectors.len()).map(|i| chunk(&format!("{i:02}"))).collect();
            let own = at.index(vectors.len());
            let query = vec![vectors[own].clone()];
            let found = search(&chunks, vectors, query, &Question::new("q"), 1).expect("searches");
            prop_assert_eq!(&found[0], &chunks[own].id);
        }

        #[test]
        fn dot_is_the_sum_of_products(pairs in prop::collection::vec((-9..9_i8, -9..9_i8), 0..50)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.iter().map(|(a, b)| (f32::from(*a), f32::from(*b))).unzip();
            let expected: i32 = pairs.iter().map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            prop_assert!((dot(&a, &b) - expected as f32).abs() < 1e-3);
        }
    }
}
