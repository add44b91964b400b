//! The names of metrics in configuration, cases and reports.

use std::fmt;
use std::num::NonZeroUsize;

use super::{
    ANN_DEPTH, Gain, JudgedList, average_precision, context_precision, context_tokens, hit, ndcg, precision, recall, reciprocal_rank,
};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each name is defined in the module of its measure")]
#[non_exhaustive]
pub enum Measure {
    Recall,
    Precision,
    Hit,
    Mrr,
    Ndcg,
    NdcgExp,
    Map,
    ContextPrecision,
    ContextTokens,
    AnnRecall,
    PassRate,
    Faithfulness,
    Groundedness,
    Relevance,
    Completeness,
    Clarity,
    Keywords,
    RefusalRate,
    ExactMatch,
    TokenF1,
    ErrorRate,
    CostUsd,
    Tokens,
    LatencyP95Ms,
}

/// Whether a name takes `@k`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Needed,
    Optional,
    None,
}

const NAMES: [(&str, Measure, Cut); 24] = [
    ("recall", Measure::Recall, Cut::Needed),
    ("precision", Measure::Precision, Cut::Needed),
    ("hit", Measure::Hit, Cut::Needed),
    ("mrr", Measure::Mrr, Cut::Optional),
    ("ndcg", Measure::Ndcg, Cut::Needed),
    ("ndcg_exp", Measure::NdcgExp, Cut::Needed),
    ("map", Measure::Map, Cut::Optional),
    ("context_precision", Measure::ContextPrecision, Cut::Needed),
    ("context_tokens", Measure::ContextTokens, Cut::Needed),
    ("ann_recall", Measure::AnnRecall, Cut::Needed),
    ("pass_rate", Measure::PassRate, Cut::None),
    ("faithfulness", Measure::Faithfulness, Cut::None),
    ("groundedness", Measure::Groundedness, Cut::None),
    ("relevance", Measure::Relevance, Cut::None),
    ("completeness", Measure::Completeness, Cut::None),
    ("clarity", Measure::Clarity, Cut::None),
    ("keywords", Measure::Keywords, Cut::None),
    ("refusal_rate", Measure::RefusalRate, Cut::None),
    ("exact_match", Measure::ExactMatch, Cut::None),
    ("token_f1", Measure::TokenF1, Cut::None),
    ("error_rate", Measure::ErrorRate, Cut::None),
    ("cost_usd", Measure::CostUsd, Cut::None),
    ("tokens", Measure::Tokens, Cut::None),
    ("latency_p95_ms", Measure::LatencyP95Ms, Cut::None),
];

/// Names of the contract that later releases compute.
const PLANNED: [&str; 8] =
    ["chunk_coverage", "citation_precision", "citation_recall", "consistency", "coverage", "oracle_precision", "oracle_tnr", "oracle_tpr"];

/// A measure with its cut: `recall@5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Metric {
    /// What is measured.
    pub measure: Measure,
    /// The cut, where the measure has one.
    pub k: Option<NonZeroUsize>,
}

impl Metric {
    /// Reads a name such as `recall@5` or `mrr`. The message says what is wrong and which name is near.
    pub fn parse(name: &str) -> Result<Self, String> {
        let (base, cut) = name.split_once('@').map_or((name, None), |(base, cut)| (base, Some(cut)));
        let Some((_, measure, wants)) = NAMES.iter().find(|(known, ..)| *known == base) else {
            if PLANNED.contains(&base) {
                return Err(format!("metric {name:?} is not computed by this release of ragtest; remove it"));
            }
            let near =
                NAMES.iter().min_by_key(|(known, ..)| strsim::damerau_levenshtein(known, base)).map_or("recall", |(known, ..)| known);
            return Err(format!("metric {name:?} is not known; the nearest name is `{near}`"));
        };
        let k = match (cut, wants) {
            (None, Cut::Needed) => return Err(format!("metric {name:?} needs a cut, for example `{base}@5`")),
            (Some(_), Cut::None) => return Err(format!("metric {name:?} takes no cut; write `{base}`")),
            (None, _) => None,
            (Some("0"), _) => return Err(format!("metric {name:?}: k = 0 is refused; the cut is at least 1")),
            (Some(cut), _) => match cut.parse::<NonZeroUsize>() {
                Ok(k) if *measure == Measure::AnnRecall && k.get() > ANN_DEPTH => {
                    return Err(format!(
                        "metric {name:?}: lists are compared with the exact ones to rank {ANN_DEPTH}; write `{base}@{ANN_DEPTH}`"
                    ));
                }
                Ok(k) if !cut.starts_with(['0', '+']) => Some(k),
                _ => return Err(format!("metric {name:?}: {cut:?} is not a whole number")),
            },
        };
        Ok(Self { measure: *measure, k })
    }

    /// Whether it is computed from ranked lists and evidence alone.
    pub fn is_retrieval(self) -> bool {
        self.measure <= Measure::ContextTokens
    }

    /// Whether it needs an answer, and most often a judge.
    pub fn is_of_answers(self) -> bool {
        (Measure::PassRate..=Measure::TokenF1).contains(&self.measure)
    }

    /// Whether values lie between 0 and 1.
    pub fn is_share(self) -> bool {
        !matches!(self.measure, Measure::ContextTokens | Measure::CostUsd | Measure::Tokens | Measure::LatencyP95Ms)
    }

    /// Whether a higher value is better.
    pub fn is_better_high(self) -> bool {
        self.is_share() && self.measure != Measure::ErrorRate
    }

    /// The value of a retrieval metric for one query; `None` without labels, or for another kind of metric.
    pub fn of_list(self, list: &JudgedList) -> Option<f64> {
        let cut = self.k.map(NonZeroUsize::get);
        let k = cut.unwrap_or(usize::MAX);
        match self.measure {
            Measure::Recall => recall(list, k),
            Measure::Precision => precision(list, k),
            Measure::Hit => hit(list, k),
            Measure::Mrr => reciprocal_rank(list, cut),
            Measure::Ndcg => ndcg(list, k, Gain::Linear),
            Measure::NdcgExp => ndcg(list, k, Gain::Exponential),
            Measure::Map => average_precision(list, k),
            Measure::ContextPrecision => context_precision(list, k),
            Measure::ContextTokens => context_tokens(list, k),
            _ => None,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, measure, _)| *measure == self.measure).map_or("", |(name, ..)| name);
        f.write_str(name)?;
        self.k.map_or(Ok(()), |k| write!(f, "@{k}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::metrics::{JudgedHit, JudgedItem};

    #[rstest]
    #[case("recall@5")]
    #[case("mrr")]
    #[case("mrr@10")]
    #[case("map")]
    #[case("ndcg_exp@10")]
    #[case("latency_p95_ms")]
    fn names_round_trip(#[case] name: &str) {
        assert_eq!(Metric::parse(name).expect("known").to_string(), name);
    }

    #[rstest]
    #[case("recall@0", "k = 0")]
    #[case("recall", "needs a cut")]
    #[case("recall@x", "whole number")]
    #[case("recall@05", "whole number")]
    #[case("pass_rate@5", "takes no cut")]
    #[case("recal@5", "`recall`")]
    #[case("ann_recall@21", "to rank 20")]
    #[case("oracle_tpr", "not computed")]
    fn wrong_names_say_why(#[case] name: &str, #[case] words: &str) {
        let problem = Metric::parse(name).expect_err("refused");
        assert!(problem.contains(words), "{problem}");
    }

    /// Grades of the ranked documents (0 = not labelled), grades of all labelled ones, metric, expected value (four digits, as trec_eval prints).
    #[rstest]
    #[case::guide_example(&[0, 3, 0, 2, 0], &[3, 2], "ndcg@5", 0.6462)]
    #[case::guide_example_exp(&[0, 3, 0, 2, 0], &[3, 2], "ndcg_exp@5", 0.6419)]
    #[case::ideal_is_cut_too(&[2, 1, 3], &[1, 2, 3], "ndcg@2", 0.6173)]
    #[case::full_ndcg_below_full_recall(&[1, 1, 0, 0], &[1, 1, 1], "ndcg@2", 1.0)]
    #[case::recall_of_it(&[1, 1, 0, 0], &[1, 1, 1], "recall@2", 0.6667)]
    #[case::list_order_wins(&[1, 0, 0], &[1], "precision@1", 1.0)]
    #[case::short_list(&[1, 1], &[1, 1, 1], "precision@5", 0.4)]
    #[case::short_list_ndcg(&[1, 1], &[1, 1, 1], "ndcg@5", 0.7654)]
    #[case::negative_grade_is_no_gain(&[-1, 2, 1], &[2, 1], "ndcg@3", 0.6697)]
    #[case::mrr_without_cut(&[0, 0, 0, 1], &[1], "mrr", 0.25)]
    #[case::mrr_with_cut(&[0, 0, 0, 1], &[1], "mrr@3", 0.0)]
    #[case::nothing_retrieved(&[], &[1], "ndcg@1", 0.0)]
    #[case::map(&[1, 0, 1], &[1, 1], "map@3", 0.8333)]
    #[case::hit(&[0, 1], &[1, 1], "hit@2", 1.0)]
    fn values_agree_with_trec_eval(#[case] ranked: &[i64], #[case] labelled: &[u32], #[case] metric: &str, #[case] expected: f64) {
        let value = Metric::parse(metric).expect("known").of_list(&JudgedList::plain(ranked, labelled)).expect("labelled");
        assert!((value - expected).abs() < 5e-5, "{metric} = {value}");
    }

    #[test]
    fn without_labels_nothing_is_scored() {
        let list = JudgedList::plain(&[0, 0], &[]);
        for (name, _, cut) in NAMES {
            let name = if cut == Cut::Needed { format!("{name}@5") } else { name.to_owned() };
            assert_eq!(Metric::parse(&name).expect("known").of_list(&list), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn always_between_zero_and_one(
            items in prop::collection::vec((1..4_u32, prop::option::of(1..12_usize)), 0..6),
            hits in prop::collection::vec((any::<bool>(), 0..50_usize, 0.0..50.0_f64), 0..12),
            k in 1..15_usize,
        ) {
            let list = JudgedList {
                items: items.into_iter().map(|(grade, met_at)| JudgedItem { grade, met_at }).collect(),
                hits: hits.into_iter().map(|(relevant, tokens, evidence_tokens)| JudgedHit { relevant, tokens, evidence_tokens }).collect(),
            };
            for base in ["recall", "precision", "hit", "mrr", "ndcg", "ndcg_exp", "map", "context_precision"] {
                let value = Metric::parse(&format!("{base}@{k}")).expect("known").of_list(&list);
                prop_assert_eq!(value.is_some(), !list.items.is_empty());
                prop_assert!(value.is_none_or(|v| (0.0..=1.0).contains(&v) && v.is_sign_positive()), "{} = {:?}", base, value);
            }
        }
    }
}
