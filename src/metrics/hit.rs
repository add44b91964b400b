//! hit@k: whether the top k holds any labelled item (`success_k` of trec_eval).

use super::JudgedList;

/// hit@k, 0 or 1; `None` without labels.
pub fn hit(list: &JudgedList, k: usize) -> Option<f64> {
    (!list.items.is_empty()).then(|| if list.met(k).next().is_some() { 1.0 } else { 0.0 })
}
