//! `ann_recall@k`: how much of the exact list an approximate index finds.

/// How deep the exact list is compared: the greatest k.
pub const ANN_DEPTH: usize = 20;

/// The share of the exact index's first k that are among the first k of the approximate index, over all that it has where those are fewer.
/// `ranks` holds, for the chunks of the exact list in order, the rank (from 1) in the approximate list. `None` where the exact list is empty.
pub fn ann_recall(ranks: &[Option<usize>], k: usize) -> Option<f64> {
    let exact = &ranks[..k.min(ranks.len())];
    let found = exact.iter().flatten().filter(|rank| **rank <= k).count();
    (!exact.is_empty()).then(|| found as f64 / exact.len() as f64)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::all(&[Some(1), Some(2)], 2, Some(1.0))]
    #[case::another_order(&[Some(2), Some(1)], 2, Some(1.0))]
    #[case::found_too_low(&[Some(1), Some(3), Some(2)], 2, Some(0.5))]
    #[case::missed(&[Some(1), None, Some(2), None], 4, Some(0.5))]
    #[case::cut(&[Some(1), None], 1, Some(1.0))]
    #[case::few_chunks(&[Some(1), None], 10, Some(0.5))]
    #[case::nothing_to_find(&[], 10, None)]
    fn values(#[case] ranks: &[Option<usize>], #[case] k: usize, #[case] expected: Option<f64>) {
        assert_eq!(ann_recall(ranks, k), expected);
    }
}
