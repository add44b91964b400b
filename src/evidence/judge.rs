//! A ranked list against its evidence.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Cover, GoldItem};
use crate::error::CallError;
use crate::metrics::{JudgedHit, JudgedItem, JudgedList};
use crate::response::Hit;
use crate::system::{Documents, Pipeline};
use crate::text::{token_estimate, words};

/// A hit with what is needed to compare it with evidence.
#[derive(Clone, Debug)]
pub struct Located<'a> {
    /// The system's id.
    pub chunk_id: Option<&'a str>,
    /// The document.
    pub source_id: Option<&'a str>,
    /// Whether the document is one of the corpus.
    pub known_source: bool,
    /// The knowledge snapshot, for chunks of the built-in pipeline.
    pub snapshot: Option<String>,
    /// The byte span, for chunks of the built-in pipeline.
    pub span: Option<Range<usize>>,
    /// The words, for all other chunks.
    pub words: Vec<String>,
    /// Estimated tokens.
    pub tokens: usize,
}

/// Looks up where each hit stands.
pub async fn locate<'a>(hits: &'a [Hit], documents: &Documents, pipeline: Option<&Pipeline>) -> Result<Vec<Located<'a>>, CallError> {
    let mut located = Vec::with_capacity(hits.len());
    for hit in hits {
        let chunk = match (pipeline, &hit.chunk_id) {
            (Some(pipeline), Some(id)) => pipeline.chunk(id).await?,
            _ => None,
        };
        let span = chunk.and_then(|chunk| chunk.span.clone());
        let text = hit.text.as_deref().unwrap_or_default();
        located.push(Located {
            chunk_id: hit.chunk_id.as_deref(),
            source_id: hit.source_id.as_deref(),
            known_source: hit.source_id.as_deref().is_some_and(|id| documents.knows(id)),
            snapshot: chunk.and_then(|chunk| chunk.snapshot.clone()),
            words: if span.is_some() { Vec::new() } else { words(text) },
            span,
            tokens: token_estimate(text),
        });
    }
    Ok(located)
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// The list, for the measures.
    pub list: JudgedList,
    /// For each hit the numbers (from 1) of the items that the list held from there on.
    pub meets: Vec<Vec<usize>>,
}

/// Compares a ranked list with its evidence. Of hits with the same id (without ids: the same document and text) the first counts.
pub fn judge_list(hits: &[Hit], located: &[Located<'_>], gold: &[GoldItem]) -> Judged {
    let mut covers: Vec<Cover<'_>> = gold.iter().map(Cover::new).collect();
    let mut items: Vec<JudgedItem> = gold.iter().map(|item| JudgedItem { grade: item.grade.into(), met_at: None }).collect();
    let mut judged_hits: Vec<JudgedHit> = Vec::with_capacity(hits.len());
    let mut meets = vec![Vec::new(); hits.len()];
    let mut seen = BTreeSet::new();
    for (index, (hit, place)) in hits.iter().zip(located).enumerate() {
        if !seen.insert(identity(hit)) {
            continue;
        }
        let rank = judged_hits.len() + 1;
        let mut share = 0.0;
        for (number, (item, cover)) in items.iter_mut().zip(&mut covers).enumerate() {
            share += cover.add(place);
            if item.met_at.is_none() && cover.met() {
                item.met_at = Some(rank);
                meets[index].push(number + 1);
            }
        }
        let evidence_tokens = f64::min(share, 1.0) * place.tokens as f64;
        judged_hits.push(JudgedHit { relevant: share > 0.0, tokens: place.tokens, evidence_tokens });
    }
    Judged { list: JudgedList { items, hits: judged_hits }, meets }
}

fn identity(hit: &Hit) -> (Option<&str>, Option<&str>, Option<&str>) {
    match hit.chunk_id.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => (Some(id), None, None),
        None => (None, hit.source_id.as_deref(), hit.text.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::SourceFiles;
    use crate::corpus::reader::Reader;
    use crate::metrics::Metric;
    use crate::store::DerivedStore;

    fn item(places: &[(usize, usize)], grade: u8) -> GoldItem {
        let places = places.iter().map(|(start, end)| *start..*end).collect();
        GoldItem { grade, document: Some("d".into()), places, ..GoldItem::default() }
    }

    fn spans(list: &[Range<usize>]) -> (Vec<Hit>, Vec<Range<usize>>) {
        (list.iter().map(|span| Hit::text("x".repeat(span.len())).chunk_id(format!("{span:?}")).source_id("d")).collect(), list.to_vec())
    }

    fn judged(list: &[Range<usize>], gold: &[GoldItem]) -> Judged {
        let (hits, spans) = spans(list);
        let located: Vec<Located<'_>> = hits
            .iter()
            .zip(spans)
            .map(|(hit, span)| Located {
                chunk_id: hit.chunk_id.as_deref(),
                source_id: hit.source_id.as_deref(),
                tokens: span.len(),
                known_source: true,
                snapshot: None,
                span: Some(span),
                words: Vec::new(),
            })
            .collect();
        judge_list(&hits, &located, gold)
    }

    #[test]
    fn an_item_is_met_by_the_union_of_the_top_chunks() {
        let gold = [item(&[(100, 140)], 3)];
        let result = judged(&[0..110, 0..50, 130..200], &gold);
        // 10 of 40 bytes, then 10 more: half.
        assert_eq!(result.list.items[0].met_at, Some(3));
        assert_eq!(result.meets, [vec![], vec![], vec![1]]);
        assert!(result.list.hits[0].relevant && !result.list.hits[1].relevant);
    }

    #[test]
    fn one_place_of_several_is_enough_and_places_do_not_add_up() {
        let gold = [item(&[(0, 40), (100, 140)], 1)];
        assert_eq!(judged(&[0..15, 100..115], &gold).list.items[0].met_at, None);
        assert_eq!(judged(&[0..15, 100..120], &gold).list.items[0].met_at, Some(2));
    }

    #[test]
    fn a_repeated_chunk_counts_once() {
        let gold = [item(&[(0, 10)], 1), item(&[(50, 60)], 1)];
        let list = judged(&[0..20, 0..20, 50..70], &gold).list;
        let value = |name| Metric::parse(name).expect("known").of_list(&list).expect("labelled");
        assert!((value("recall@2") - 1.0).abs() < 1e-9);
        assert!((value("precision@3") - 2.0 / 3.0).abs() < 1e-9);
        assert!((value("ndcg@3") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn foreign_chunks_are_compared_by_id_then_by_words() {
        let quote = "a refund may be requested within thirty days of the payment";
        let gold = [
            GoldItem { grade: 1, quote: words(quote), document: Some("d".into()), ..GoldItem::default() },
            GoldItem { grade: 1, chunk_id: Some("c9".into()), ..GoldItem::default() },
        ];
        let hits = [
            Hit::text("Unrelated words about payouts and banks.").chunk_id("c9"),
            Hit::text("Note: A refund may be requested WITHIN thirty").source_id("elsewhere"),
            Hit::text("days of the payment, at the latest."),
        ];
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("runtime");
        let documents = Documents::new(SourceFiles::default(), std::sync::Arc::new(Reader::default()), DerivedStore::default());
        let located = runtime.block_on(locate(&hits, &documents, None)).expect("located");
        let list = judge_list(&hits, &located, &gold).list;
        assert_eq!(list.items.iter().map(|i| i.met_at).collect::<Vec<_>>(), [Some(2), Some(1)]);
    }

    proptest! {
        #[test]
        fn metrics_of_any_list_stay_in_range(
            chunks in prop::collection::vec((0..200_usize, 1..80_usize), 0..12),
            places in prop::collection::vec((0..200_usize, 1..60_usize, 1..4_u8), 0..5),
            k in 1..15_usize,
        ) {
            let gold: Vec<GoldItem> = places.into_iter().map(|(start, length, grade)| item(&[(start, start + length)], grade)).collect();
            let list = judged(&chunks.into_iter().map(|(start, length)| start..start + length).collect::<Vec<_>>(), &gold).list;
            for base in ["recall", "precision", "hit", "mrr", "ndcg", "ndcg_exp", "map", "context_precision"] {
                let value = Metric::parse(&format!("{base}@{k}")).expect("known").of_list(&list);
                prop_assert_eq!(value.is_none(), gold.is_empty());
                prop_assert!(value.is_none_or(|v| (0.0..=1.0).contains(&v)), "{} = {:?}", base, value);
            }
        }
    }
}
