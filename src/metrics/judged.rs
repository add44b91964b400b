//! A ranked list after it was compared with its labels.

use serde::{Deserialize, Serialize};

/// One query's ranked list, judged. The unit of recall is the evidence *item*; in a plain TREC list every relevant document is one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedList {
    /// The labelled items. Empty = the query has no labels: every measure is not-scored.
    pub items: Vec<JudgedItem>,
    /// The list, best first, without repeats of an id.
    pub hits: Vec<JudgedHit>,
}

/// One labelled item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedItem {
    /// Its grade, at least 1.
    pub grade: u32,
    /// The rank (from 1) at which the top of the list holds it; `None` = never.
    pub met_at: Option<usize>,
}

/// One place of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedHit {
    /// Whether it holds (or completes) an item that no better hit held.
    pub relevant: bool,
    /// Its length in estimated tokens.
    pub tokens: usize,
    /// How many of them are evidence that no better hit held.
    pub evidence_tokens: f64,
}

impl JudgedList {
    /// A plain list: for each rank the grade of the document there (0 or less = not relevant), and the grades of all relevant documents.
    pub fn plain(ranked: &[i64], relevant: &[u32]) -> Self {
        let mut items: Vec<JudgedItem> = relevant.iter().filter(|g| **g > 0).map(|g| JudgedItem { grade: *g, met_at: None }).collect();
        let mut hits = Vec::with_capacity(ranked.len());
        for (index, grade) in ranked.iter().enumerate() {
            let free = items.iter_mut().find(|item| item.met_at.is_none() && i64::from(item.grade) == *grade);
            let relevant = free.is_some();
            if let Some(item) = free {
                item.met_at = Some(index + 1);
            }
            hits.push(JudgedHit { relevant, tokens: 1, evidence_tokens: f64::from(u8::from(relevant)) });
        }
        Self { items, hits }
    }

    /// Items that the top k holds.
    pub(super) fn met(&self, k: usize) -> impl Iterator<Item = &JudgedItem> {
        self.items.iter().filter(move |item| item.met_at.is_some_and(|rank| rank <= k))
    }

    /// The met items in the order of their ranks, each with a position of its own: one hit may hold several items, and a measure that adds
    /// up discounted gains must not count them all at one rank, or it would exceed its ideal. The position is the rank, or one more than
    /// the position before. At one rank the higher grade comes first.
    pub(super) fn positions(&self) -> Vec<(usize, u32)> {
        let mut met: Vec<(usize, u32)> = self.items.iter().filter_map(|item| Some((item.met_at?, item.grade))).collect();
        met.sort_by_key(|(rank, grade)| (*rank, std::cmp::Reverse(*grade)));
        let mut last = 0;
        for (position, _) in &mut met {
            *position = (*position).max(last + 1);
            last = *position;
        }
        met
    }
}
