//! Lists against labels: the measures for each query, and their means.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::qrels::{Labels, Qrels};
use super::run::{Ranked, Run};
use crate::metrics::{JudgedHit, JudgedItem, JudgedList, Measure, Metric};

/// What is computed, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// The retrieval metrics.
    pub metrics: Vec<Metric>,
    /// From which grade on a document is relevant (`-l` of trec_eval), at least 1. nDCG goes by the grades themselves.
    pub min_grade: u32,
    /// Whether a labelled query without a relevant document counts 0, as in trec_eval, instead of not being scored.
    pub unlabelled_as_zero: bool,
}

/// The values of one query, in the order of the metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryScores<'a> {
    /// The query.
    pub query: &'a str,
    /// `None` = not scored.
    pub values: Vec<Option<f64>>,
}

/// A metric's mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// `None` = no query could be scored.
    pub value: Option<f64>,
    /// Over how many queries.
    pub n: usize,
    /// How many queries of either file were not scored.
    pub not_scored: usize,
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores<'a> {
    /// The labelled queries, in the order of their ids.
    pub queries: Vec<QueryScores<'a>>,
    /// Labelled queries without a list: they count 0.
    pub missing: Vec<&'a str>,
    /// Labelled queries without a relevant document.
    pub without_relevant: Vec<&'a str>,
    /// Queries of the run without any label.
    pub unlabelled: Vec<&'a str>,
}

impl Scores<'_> {
    /// The mean of the metric at a place of [`Scoring::metrics`].
    pub fn mean(&self, metric: usize) -> Mean {
        let values: Vec<f64> = self.queries.iter().filter_map(|scores| scores.values.get(metric).copied().flatten()).collect();
        let (value, n) = crate::metrics::mean(values).map_or((None, 0), |(value, n)| (Some(value), n));
        Mean { value, n, not_scored: self.queries.len() - n + self.unlabelled.len() }
    }
}

/// Scores a run.
pub fn score<'a>(qrels: &Qrels<'a>, run: &Run<'a>, scoring: &Scoring) -> Scores<'a> {
    let mut scores = Scores::default();
    let mut judge = Judge::default();
    for labels in qrels.queries() {
        let list = run.list(labels.query);
        if list.is_none() {
            scores.missing.push(labels.query);
        }
        if labels.labels.iter().all(|label| label.grade <= 0) {
            scores.without_relevant.push(labels.query);
        }
        let values = judge.values(labels, list.unwrap_or_default(), scoring);
        scores.queries.push(QueryScores { query: labels.query, values });
    }
    scores.unlabelled = run.lists().map(|(query, _)| query).filter(|query| qrels.of(query).is_none()).collect();
    scores
}

/// What one query after the other fills again.
#[derive(Default)]
struct Judge<'a> {
    /// The place in `items` of each relevant document.
    places: HashMap<&'a str, usize, RandomState>,
    list: JudgedList,
}

impl<'a> Judge<'a> {
    fn values(&mut self, labels: &Labels<'a>, list: &[Ranked<'a>], scoring: &Scoring) -> Vec<Option<f64>> {
        let none = scoring.unlabelled_as_zero.then_some(0.0);
        let mut values = vec![none; scoring.metrics.len()];
        let by_grade = |metric: &Metric| matches!(metric.measure, Measure::Ndcg | Measure::NdcgExp);
        let lowest = scoring.min_grade.max(1);
        let mut compute = |min_grade: u32, wanted: &dyn Fn(&Metric) -> bool| {
            self.judge(labels, list, min_grade);
            for (value, metric) in values.iter_mut().zip(&scoring.metrics).filter(|(_, metric)| wanted(metric)) {
                *value = metric.of_list(&self.list).or(none);
            }
        };
        if lowest == 1 {
            compute(1, &|_| true);
        } else {
            compute(1, &by_grade);
            compute(lowest, &|metric| !by_grade(metric));
        }
        values
    }

    /// Compares the list with the labels of at least `min_grade`.
    fn judge(&mut self, labels: &Labels<'a>, list: &[Ranked<'a>], min_grade: u32) {
        let Self { places, list: judged } = self;
        places.clear();
        judged.items.clear();
        judged.hits.clear();
        for label in &labels.labels {
            if let Some(grade) = u32::try_from(label.grade).ok().filter(|grade| *grade >= min_grade) {
                places.insert(label.document, judged.items.len());
                judged.items.push(JudgedItem { grade, met_at: None });
            }
        }
        for (index, row) in list.iter().enumerate() {
            // A list holds no document twice: reading it refused that.
            let place = places.get(row.document);
            judged.hits.push(JudgedHit { relevant: place.is_some(), ..JudgedHit::default() });
            if let Some(place) = place {
                judged.items[*place].met_at = Some(index + 1);
            }
        }
    }
}
