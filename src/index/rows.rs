//! The chunks of an index in the order of their ids, and the choice of its best rows.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use crate::corpus::Chunk;
use crate::id::{Fingerprint, Stage};
use crate::question::Question;
use crate::response::Hit;

/// Chunks in the order of their ids. An index counts its rows in this order, so equal scores are ordered by row, whatever order the
/// documents were read in.
pub(super) struct Rows {
    chunks: Arc<[Chunk]>,
    by_id: Vec<u32>,
}

impl Rows {
    pub(super) fn new(chunks: Arc<[Chunk]>) -> Self {
        let mut by_id: Vec<u32> = (0..).take(chunks.len()).collect();
        by_id.sort_by(|&a, &b| chunks[a as usize].id.cmp(&chunks[b as usize].id));
        Self { chunks, by_id }
    }

    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn get(&self, row: usize) -> &Chunk {
        &self.chunks[self.by_id[row] as usize]
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        (0..self.len()).map(|row| self.get(row).indexed_text())
    }

    /// The key of what `stage` derives from these chunks' ids and indexed texts. Scopes and snapshots are looked up live.
    pub(super) fn key(&self, stage: &(impl Stage + ?Sized), embedder: Option<Fingerprint>) -> Fingerprint {
        let stages = [Some(stage.fingerprint()), embedder].into_iter().flatten();
        let chunks = (0..self.len()).map(|row| self.get(row)).flat_map(|chunk| {
            let headings = Cow::Owned(chunk.headings.join("\n").into_bytes());
            [Cow::Borrowed(chunk.id.as_bytes()), headings, Cow::Borrowed(chunk.text.as_bytes())]
        });
        Fingerprint::of(stages.map(|print| Cow::Owned(print.as_bytes().to_vec())).chain(chunks))
    }

    /// Whether the question's scope and knowledge snapshot allow the row.
    pub(super) fn visible(&self, row: usize, question: &Question) -> bool {
        let chunk = self.get(row);
        let snapshot = question.knowledge_snapshot_id.as_ref();
        chunk.visible_to(question.access_scope.as_deref())
            && snapshot.is_none_or(|asked| chunk.snapshot.as_ref().is_none_or(|s| s == asked))
    }

    pub(super) fn hits<S: Into<f64>>(&self, scored: Vec<(usize, S)>) -> Vec<Hit> {
        let hit = |(row, score): (usize, S)| {
            let chunk = self.get(row);
            Hit::text(&chunk.text).chunk_id(&chunk.id).source_id(&chunk.source_id).score(score.into())
        };
        scored.into_iter().map(hit).collect()
    }
}

/// The best `k` of the scored rows that pass `visible`, best first, equal scores by row. Keeps at most `2 k` candidates in memory; a row that
/// is worse than those costs one comparison, and is not looked up.
pub(super) fn best<S: Copy>(
    scored: impl Iterator<Item = (usize, S)>,
    k: usize,
    compare: impl Fn(&S, &S) -> Ordering,
    visible: impl Fn(usize) -> bool,
) -> Vec<(usize, S)> {
    let order = |a: &(usize, S), b: &(usize, S)| compare(&b.1, &a.1).then(a.0.cmp(&b.0));
    if k == 0 {
        return Vec::new();
    }
    let mut kept: Vec<(usize, S)> = Vec::new();
    let mut worst: Option<(usize, S)> = None;
    for candidate in scored {
        if worst.is_some_and(|worst| order(&candidate, &worst).is_gt()) || !visible(candidate.0) {
            continue;
        }
        kept.push(candidate);
        if kept.len() >= k.saturating_mul(2) {
            let (_, last, _) = kept.select_nth_unstable_by(k - 1, order);
            worst = Some(*last);
            kept.truncate(k);
        }
    }
    kept.sort_unstable_by(order);
    kept.truncate(k);
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunk(id: &str, text: &str) -> Chunk {
        Chunk { id: id.into(), text: text.into(), ..Chunk::default() }
    }

    #[test]
    fn the_key_follows_ids_texts_headings_and_stage_but_not_the_reading_order() {
        let stage = super::super::Bm25::default();
        let key = |chunks: &[Chunk]| Rows::new(chunks.into()).key(&stage, None);
        let (a, b) = (chunk("a", "one"), chunk("b", "two"));
        let plain = key(&[a.clone(), b.clone()]);
        assert_eq!(plain, key(&[b.clone(), a.clone()]));
        assert_ne!(plain, key(&[a.clone(), chunk("b", "three")]));
        assert_ne!(plain, key(&[a.clone(), chunk("c", "two")]));
        assert_ne!(plain, key(&[a.clone(), Chunk { headings: vec!["h".into()], ..b.clone() }]));
        assert_ne!(plain, Rows::new([a.clone(), b.clone()].into()).key(&stage, Some(Fingerprint::of(["model"]))));
        assert_ne!(plain, Rows::new([a, b].into()).key(&super::super::Bm25 { k1: 1.2, ..stage }, None));
    }

    #[test]
    fn a_snapshot_question_sees_that_snapshot_and_timeless_chunks() {
        let dated = |id, snapshot: &str| Chunk { snapshot: Some(snapshot.into()), ..chunk(id, "x") };
        let rows = Rows::new([chunk("a", "x"), dated("b", "2024"), dated("c", "2025")].into());
        let seen = |question: &Question| (0..3).filter(|row| rows.visible(*row, question)).collect::<Vec<_>>();
        assert_eq!(seen(&Question::new("q")), [0, 1, 2]);
        assert_eq!(seen(&Question::new("q").snapshot("2025")), [0, 2]);
    }

    proptest! {
        #[test]
        fn best_is_the_head_of_the_full_order(scores in prop::collection::vec(0..6_u8, 0..60), k in 0..20_usize, step in 1..4_usize) {
            let scored: Vec<_> = scores.iter().map(|s| f32::from(*s)).enumerate().collect();
            let mut all: Vec<_> = scored.iter().copied().filter(|(row, _)| row % step == 0).collect();
            all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            all.truncate(k);
            prop_assert_eq!(best(scored.into_iter(), k, f32::total_cmp, |row| row % step == 0), all);
        }
    }
}
