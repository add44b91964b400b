//! Metrics, one measure a file. Retrieval measures are pure functions of a [`JudgedList`]; every one is in [0, 1] (token counts apart) for any
//! list and any labels, and `None` where the query has no labels.

mod ann_recall;
mod answer;
mod context;
mod hit;
mod judged;
mod map;
mod mrr;
mod name;
mod ndcg;
mod precision;
mod recall;

pub use ann_recall::{ANN_DEPTH, ann_recall};
pub use answer::{exact_match, token_f1};
pub use context::{context_precision, context_tokens};
pub use hit::hit;
pub use judged::{JudgedHit, JudgedItem, JudgedList};
pub use map::average_precision;
pub use mrr::reciprocal_rank;
pub use name::{Measure, Metric};
pub use ndcg::{Gain, ndcg};
pub use precision::precision;
pub use recall::recall;

/// The mean of the values and how many there are; `None` when there is none.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<(f64, usize)> {
    let (mut sum, mut n) = (0.0, 0);
    for value in values {
        sum += value;
        n += 1;
    }
    (n > 0).then(|| (sum / n as f64, n))
}
