//! Exact vector search: the query against every chunk.

use std::sync::Arc;

use super::embeddings::embed;
use super::rows::Rows;
use super::search::{IndexBuilder, Search};
use super::vectors::Vectors;
use crate::corpus::Chunk;
use crate::error::{CallError, CallErrorKind};
use crate::id::{Fingerprint, Stage};
use crate::model::{Embedder, Reply, TextRole};
use crate::question::Question;
use crate::response::Hit;
use crate::store::DerivedStore;

/// Compares the query's vector with that of every chunk by cosine. Nothing is approximated, so nothing can be missed, and every machine finds
/// the same list: vectors are whole numbers of 32 bits, whose sums no order and no processor changes.
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
            let vectors = embed(&rows, embedder.as_ref(), &self.store).await?;
            Ok(Arc::new(Opened { rows, vectors, embedder }) as Arc<dyn Search>)
        })
    }
}

struct Opened {
    rows: Rows,
    vectors: Vectors,
    embedder: Arc<dyn Embedder>,
}

impl Search for Opened {
    fn search<'a>(&'a self, question: &'a Question, k: usize) -> Reply<'a, Vec<Hit>> {
        Box::pin(async move { Ok(self.search_all(std::slice::from_ref(question), k).await?.pop().unwrap_or_default()) })
    }

    fn search_all<'a>(&'a self, questions: &'a [Question], k: usize) -> Reply<'a, Vec<Vec<Hit>>> {
        Box::pin(async move {
            if self.rows.len() == 0 {
                return Ok(vec![Vec::new(); questions.len()]);
            }
            let queries = query_vectors(self.embedder.as_ref(), questions, self.vectors.dimension()).await?;
            let found = self.vectors.search(&queries, k, |query, row| self.rows.visible(row, &questions[query]));
            Ok(found.into_iter().map(|scored| self.rows.hits(scored)).collect())
        })
    }
}

/// The vectors of questions, in their order.
pub(super) async fn query_vectors(embedder: &dyn Embedder, questions: &[Question], dimension: usize) -> Result<Vectors, CallError> {
    let wrong = |message: String| CallError::new(CallErrorKind::Other, message);
    let texts: Vec<String> = questions.iter().map(|question| question.query.clone()).collect();
    let made = embedder.embed(&texts, TextRole::Query).await?;
    if made.len() != texts.len() {
        return Err(wrong(format!("the embedder gave {} vectors for queries, not {}", made.len(), texts.len())));
    }
    let mut queries = Vectors::new(dimension, texts.len());
    for (at, vector) in made.iter().enumerate() {
        let fault = |fault: String| wrong(format!("the vector of the query {fault}"));
        if vector.len() != dimension {
            return Err(fault(format!("has {} dimensions, not {dimension}", vector.len())));
        }
        queries.copy(at, &Vectors::one(vector).map_err(fault)?);
    }
    Ok(queries)
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
    #[case::no_query(vec![vec![1.0, 0.0], vec![0.0, 1.0]], vec![], "the embedder gave 0 vectors for queries, not 1")]
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
    }
}
