//! Reciprocal rank: 1 over the rank of the first item held (`recip_rank` of trec_eval). `mrr` has no cut; `mrr@k` is 0 below rank k.

use super::JudgedList;

/// The reciprocal rank, 0 to 1; `None` without labels.
pub fn reciprocal_rank(list: &JudgedList, cut: Option<usize>) -> Option<f64> {
    if list.items.is_empty() {
        return None;
    }
    let first = list.items.iter().filter_map(|item| item.met_at).min();
    let within = first.filter(|rank| cut.is_none_or(|k| *rank <= k));
    Some(within.map_or(0.0, |rank| 1.0 / rank as f64))
}
