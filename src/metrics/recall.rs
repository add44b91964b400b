//! recall@k: the share of the labelled items that the top k holds (`recall_k` of trec_eval).

use super::JudgedList;

/// recall@k, 0 to 1; `None` without labels.
pub fn recall(list: &JudgedList, k: usize) -> Option<f64> {
    let items = list.items.len();
    (items > 0).then(|| list.met(k).count() as f64 / items as f64)
}
