//! Reciprocal rank fusion.

use std::collections::BTreeMap;

use super::search::Rank;
use crate::id::{Fingerprint, Stage};
use crate::question::Question;
use crate::response::Hit;

/// Merges ranked lists by reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009).
#[derive(Clone, Debug, PartialEq)]
pub struct Fuse {
    /// The constant that damps the first ranks; above 0. 60 in the paper.
    pub k: f64,
    /// One weight for each list, in the order of the lists; a list without one counts 1.
    pub weights: Vec<f64>,
}

impl Default for Fuse {
    fn default() -> Self {
        Self { k: 60.0, weights: Vec::new() }
    }
}

impl Stage for Fuse {
    fn fingerprint(&self) -> Fingerprint {
        let numbers = std::iter::once(&self.k).chain(&self.weights).map(f64::to_string);
        Fingerprint::of(std::iter::once("fuse/1".to_owned()).chain(numbers))
    }
}

impl Rank for Fuse {
    fn rank(&self, _: &Question, lists: Vec<Vec<Hit>>, k: usize) -> Vec<Hit> {
        reciprocal_rank_fusion(&lists, self.k, &self.weights, k)
    }
}

/// The best `limit` hits of all lists by the sum of `weight / (k + rank)`, ranks counted from 1. A list adds nothing to a hit that it does
/// not hold, and only the first of a list's repeats counts. A hit is known by its chunk id, without one by its document and text; equal
/// sums are ordered by that identity. The score of a returned hit is its sum.
pub fn reciprocal_rank_fusion(lists: &[Vec<Hit>], k: f64, weights: &[f64], limit: usize) -> Vec<Hit> {
    let mut sums: BTreeMap<Identity<'_>, (f64, &Hit)> = BTreeMap::new();
    for (at, list) in lists.iter().enumerate() {
        let weight = weights.get(at).copied().unwrap_or(1.0);
        let mut seen = std::collections::BTreeSet::new();
        let firsts = list.iter().filter(|hit| seen.insert(identity(hit)));
        for (rank, hit) in (1_u32..).zip(firsts) {
            sums.entry(identity(hit)).or_insert((0.0, hit)).0 += weight / (k + f64::from(rank));
        }
    }
    let mut fused: Vec<(f64, &Hit)> = sums.into_values().collect();
    // The sort is stable and the map was in the order of the identities: ties stay in it.
    fused.sort_by(|a, b| b.0.total_cmp(&a.0));
    fused.truncate(limit);
    fused.into_iter().map(|(sum, hit)| hit.clone().score(sum)).collect()
}

type Identity<'a> = (&'a str, &'a str, &'a str);

fn identity(hit: &Hit) -> Identity<'_> {
    match &hit.chunk_id {
        Some(id) => (id, "", ""),
        None => ("", hit.source_id.as_deref().unwrap_or_default(), hit.text.as_deref().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn list(ids: &str) -> Vec<Hit> {
        ids.split_whitespace().map(|id| Hit::text(id).chunk_id(id)).collect()
    }

    fn fused(lists: &[&str], weights: &[f64], limit: usize) -> String {
        let lists: Vec<_> = lists.iter().map(|ids| list(ids)).collect();
        let hits = reciprocal_rank_fusion(&lists, 60.0, weights, limit);
        hits.iter().map(|hit| hit.chunk_id.clone().expect("is set")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn golden_example() {
        let hits = reciprocal_rank_fusion(&[list("a b"), list("b c")], 60.0, &[], 10);
        let scores: Vec<_> = hits.iter().map(|hit| (hit.chunk_id.as_deref().expect("is set"), hit.score.expect("is set"))).collect();
        for ((id, score), (expected, sum)) in scores.iter().zip([("b", 0.032_522), ("a", 0.016_393), ("c", 0.016_129)]) {
            assert_eq!(*id, expected);
            assert!((score - sum).abs() < 5e-7, "{id} {score}");
        }
        assert_eq!(scores.len(), 3);
    }

    #[rstest]
    #[case::ties_by_id(&["b a", "a b"], &[], 9, "a b")]
    #[case::ties_at_the_cut_by_id(&["z", "y", "x"], &[], 2, "x y")]
    #[case::repeat_keeps_its_first_rank(&["a a a b", "b c"], &[], 9, "b a c")]
    #[case::repeats_take_no_rank(&["a a b", "x b"], &[], 9, "b a x")]
    #[case::weight_decides(&["a", "b"], &[0.5, 1.0], 9, "b a")]
    #[case::missing_weight_is_one(&["a", "b"], &[0.5], 9, "b a")]
    #[case::one_list_stays(&["c a b"], &[], 9, "c a b")]
    #[case::nothing(&["", ""], &[], 9, "")]
    #[case::zero_limit(&["a"], &[], 0, "")]
    fn orders(#[case] lists: &[&str], #[case] weights: &[f64], #[case] limit: usize, #[case] expected: &str) {
        assert_eq!(fused(lists, weights, limit), expected);
    }

    #[test]
    fn hits_without_chunk_id_are_known_by_document_and_text() {
        let hit = |source: &str, text: &str| Hit::text(text).source_id(source);
        let lists = [vec![hit("d", "x"), hit("e", "x")], vec![hit("e", "x"), hit("d", "y")]];
        let hits = reciprocal_rank_fusion(&lists, 60.0, &[], 10);
        let order: Vec<_> =
            hits.iter().map(|h| format!("{}{}", h.source_id.as_deref().expect("is set"), h.text.as_deref().expect("is set"))).collect();
        assert_eq!(order, ["ex", "dx", "dy"]);
    }

    #[test]
    fn the_fingerprint_follows_the_parameters() {
        let prints = [Fuse::default(), Fuse { k: 10.0, ..Fuse::default() }, Fuse { weights: vec![1.0, 0.5], ..Fuse::default() }];
        let distinct: std::collections::BTreeSet<_> = prints.iter().map(Stage::fingerprint).collect();
        assert_eq!(distinct.len(), prints.len());
    }
}
