//! precision@k: relevant hits in the top k over k (`P_k` of trec_eval). The denominator is k, not the number returned; a repeat counts once.

use super::JudgedList;

/// precision@k, 0 to 1; `None` without labels. `k` is at least 1.
pub fn precision(list: &JudgedList, k: usize) -> Option<f64> {
    let relevant = list.hits.iter().take(k).filter(|hit| hit.relevant).count();
    (!list.items.is_empty() && k > 0).then(|| relevant as f64 / k as f64)
}
