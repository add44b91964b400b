//! The seam between indexes and the pipeline.

use std::sync::Arc;

use crate::corpus::Chunk;
use crate::id::Stage;
use crate::model::{Embedder, Reply};
use crate::question::Question;
use crate::response::Hit;

/// Builds an index over chunks, or opens the stored one.
pub trait IndexBuilder: Stage {
    /// An index over `chunks`. An index that needs no vectors ignores `embedder`.
    fn open(&self, chunks: Arc<[Chunk]>, embedder: Arc<dyn Embedder>) -> Reply<'_, Arc<dyn Search>>;

    /// Whether a search may miss chunks that are nearer than those it finds. Then `ann_recall@k` is measured.
    fn is_approximate(&self) -> bool {
        false
    }
}

/// Searches an index.
pub trait Search: Send + Sync {
    /// The best `k` chunks that the question's scope and snapshot may see, best first. The filter comes before the cut.
    fn search<'a>(&'a self, question: &'a Question, k: usize) -> Reply<'a, Vec<Hit>>;

    /// What [`Self::search`] finds for each question. An index may answer many at once faster than one by one.
    fn search_all<'a>(&'a self, questions: &'a [Question], k: usize) -> Reply<'a, Vec<Vec<Hit>>> {
        Box::pin(async move {
            let mut lists = Vec::with_capacity(questions.len());
            for question in questions {
                lists.push(self.search(question, k).await?);
            }
            Ok(lists)
        })
    }
}

/// Merges the ranked lists of several indexes into one.
pub trait Rank: Stage {
    /// The best `k` hits, best first.
    fn rank(&self, question: &Question, lists: Vec<Vec<Hit>>, k: usize) -> Vec<Hit>;
}
