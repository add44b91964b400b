//! What the retrieved text costs and how much of it is evidence: token-wise precision (Smith and Troynikov 2024, "Evaluating Chunking
//! Strategies for Retrieval"). Recall alone rewards huge chunks; these two do not.

use std::ops::Add;

use super::JudgedList;

/// `context_precision@k`: the share of the top k's tokens that are evidence, 0 to 1; 0 when nothing was retrieved, `None` without labels.
pub fn context_precision(list: &JudgedList, k: usize) -> Option<f64> {
    if list.items.is_empty() {
        return None;
    }
    let tokens = tokens(list, k);
    // `sum` of no numbers is -0.
    let evidence = list.hits.iter().take(k).map(|hit| hit.evidence_tokens).fold(0.0, Add::add);
    Some(if tokens == 0 { 0.0 } else { (evidence / tokens as f64).clamp(0.0, 1.0) })
}

/// `context_tokens@k`: the estimated tokens of the top k; `None` without labels.
pub fn context_tokens(list: &JudgedList, k: usize) -> Option<f64> {
    (!list.items.is_empty()).then(|| tokens(list, k) as f64)
}

fn tokens(list: &JudgedList, k: usize) -> usize {
    list.hits.iter().take(k).map(|hit| hit.tokens).sum()
}
