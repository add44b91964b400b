//! map@k: average precision over the items of the top k (`map_cut_k` of trec_eval); `map` has no cut.

use std::ops::Add;

use super::JudgedList;

/// Average precision at a cut, 0 to 1; `None` without labels. Items that the top k does not hold add 0.
pub fn average_precision(list: &JudgedList, k: usize) -> Option<f64> {
    if list.items.is_empty() {
        return None;
    }
    let within = list.positions().into_iter().enumerate().filter(|(_, (position, _))| *position <= k);
    // `sum` of no numbers is -0.
    let sum = within.map(|(before, (position, _))| (before + 1) as f64 / position as f64).fold(0.0, Add::add);
    Some(sum / list.items.len() as f64)
}
