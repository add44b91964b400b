//! Gates: a metric, a threshold, a selection of cases. Green only when every expected case was scored and the threshold holds.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::case::{Expect, TestCase};
use crate::config::{GateConfig, OriginFilter};
use crate::metrics::{ANN_DEPTH, Measure, Metric, ann_recall, mean};
use crate::record::RunRecord;
use crate::verdict::{Criterion, Origin, Outcome, Rating};

/// Values closer than this to a threshold are taken to be equal to it; equal passes.
pub const TOLERANCE: f64 = 1e-9;

/// The baseline holds four digits; a drop within their rounding is none.
const BASELINE_DIGITS: f64 = 5e-5;

/// What a gate found.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    /// The gate's name inside its suite.
    pub name: String,
    /// The value; `None` when nothing was scored.
    pub value: Option<f64>,
    /// Over how many cases.
    pub n: usize,
    /// How many the gate's filters select and its metric applies to.
    pub expected: usize,
    /// Selected cases that the metric does not apply to.
    pub not_applicable: usize,
    /// Cases that could not be judged, with the reason.
    pub errors: Vec<(String, String)>,
    /// Cases whose *system* erred: they count 0 in retrieval metrics.
    pub counted_as_zero: Vec<String>,
    /// Cases without a record; they too count 0 in retrieval metrics, and the gate is red whatever its value.
    pub missing: Vec<String>,
    /// The worst scored cases with their values, for the failure text.
    pub worst: Vec<(String, f64)>,
    /// Why the gate is red; empty = green.
    pub problems: Vec<String>,
}

impl GateResult {
    /// Whether the gate is green.
    pub fn passed(&self) -> bool {
        self.problems.is_empty()
    }
}

/// One case's part in a gate.
enum Score {
    Value(f64),
    /// The system erred; counts 0 in a retrieval metric.
    Crashed,
    Error(String),
    /// The judge says that the criterion does not apply: left out of the mean.
    NotApplicable,
    /// It should have been scored and was not: the gate is red.
    NotScored,
}

/// Whether a gate's filters select a case.
pub fn selects(gate: &GateConfig, case: &TestCase) -> bool {
    gate.strategy.as_ref().is_none_or(|strategy| case.strategy().name() == strategy)
        && gate.tag.as_ref().is_none_or(|tag| case.has_tag(tag))
        && gate.document.as_ref().is_none_or(|document| case.home() == Some(document))
        && gate.origin.is_none_or(|origin| (origin == OriginFilter::Generated) == case.origin.is_some())
}

/// Whether a metric says something about a case.
pub fn applies(metric: Metric, case: &TestCase) -> bool {
    match metric.measure {
        _ if metric.is_retrieval() => !case.evidence.is_empty(),
        Measure::RefusalRate => case.expect().allows_refusal(),
        Measure::ExactMatch | Measure::TokenF1 => case.reference_answer.is_some() && case.expect() == Expect::Answer,
        Measure::Keywords => !case.keywords.is_empty(),
        _ => true,
    }
}

/// The share of errors that `error_rate` gates allow for a gate on one system: the smallest of those over the whole suite or over the same
/// selection. A gate over other cases allows nothing here.
pub fn allowed_error_rate(gates: &[GateConfig], gate: &GateConfig, system: &str) -> f64 {
    let same_cases = |other: &&GateConfig| {
        let filters = |g: &GateConfig| (g.strategy.clone(), g.tag.clone(), g.document.clone(), g.origin);
        let (own, others) = (filters(gate), filters(other));
        others == own || others == (None, None, None, None)
    };
    let of_suite = gates.iter().filter(|other| other.suite == gate.suite && other.metric == "error_rate").filter(same_cases);
    let of_system = of_suite.filter(|other| other.system.as_ref().is_none_or(|only| only == system));
    of_system.filter_map(|other| other.max).reduce(f64::min).unwrap_or(0.0)
}

/// A case and its record of one system; `None` = the run holds none.
pub type CaseRecord<'a> = (&'a TestCase, Option<Arc<RunRecord>>);

/// Decides a gate over the records of one system. `cases` are those that the gate selects; the record of a case that the metric does not
/// apply to ([`applies`]) is not looked at. `baseline` is the committed value for `max_drop`.
pub fn decide(gate: &GateConfig, metric: Metric, cases: &[CaseRecord<'_>], allowed_error_rate: f64, baseline: Option<f64>) -> GateResult {
    let (applicable, rest): (Vec<_>, Vec<_>) = cases.iter().partition(|(case, _)| applies(metric, case));
    let mut result = GateResult {
        name: gate.name(),
        value: None,
        n: 0,
        expected: applicable.len(),
        not_applicable: rest.len(),
        errors: Vec::new(),
        counted_as_zero: Vec::new(),
        missing: Vec::new(),
        worst: Vec::new(),
        problems: Vec::new(),
    };
    let mut scores: Vec<(String, f64)> = Vec::with_capacity(applicable.len());
    let mut unscored = Vec::new();
    for (case, record) in applicable {
        let Some(record) = record else {
            result.missing.push(case.id.clone());
            scores.extend(metric.is_retrieval().then(|| (case.id.clone(), 0.0)));
            continue;
        };
        match score(metric, record) {
            Score::Value(value) => scores.push((case.id.clone(), value)),
            Score::Crashed => {
                result.counted_as_zero.push(case.id.clone());
                scores.push((case.id.clone(), 0.0));
            }
            Score::Error(why) => result.errors.push((case.id.clone(), why)),
            Score::NotApplicable => {
                result.expected -= 1;
                result.not_applicable += 1;
            }
            Score::NotScored => unscored.push(case.id.clone()),
        }
    }
    result.n = scores.len();
    result.value = aggregate(metric, &scores);
    let better_high = gate.min.is_some() || gate.max_drop.is_some();
    scores.sort_by(|(a, x), (b, y)| if better_high { x.total_cmp(y) } else { y.total_cmp(x) }.then_with(|| a.cmp(b)));
    result.worst = scores.into_iter().take(5).collect();
    result.problems = problems(gate, metric, &result, &unscored, allowed_error_rate, baseline);
    result
}

fn score(metric: Metric, record: &RunRecord) -> Score {
    if metric.measure == Measure::ErrorRate {
        return Score::Value(f64::from(u8::from(matches!(record.outcome, Outcome::Error(_)))));
    }
    if metric.is_retrieval() {
        // A judge's trouble does not touch the ranked list; a system's counts 0; a bad label cannot be counted at all.
        return match (&record.retrieved_chunks, &record.error, &record.outcome) {
            (Some(_), ..) => metric.of_list(&record.harness.judged).map_or(Score::NotScored, Score::Value),
            // The system erred, or its reader lost the evidence: nothing was retrieved.
            (None, Some(_), _) | (None, None, Outcome::Fail(Some(Origin::Extraction))) => Score::Crashed,
            (None, None, Outcome::Error(error)) => Score::Error(error.message.clone()),
            (None, None, _) => Score::NotScored,
        };
    }
    if metric.measure == Measure::AnnRecall {
        let k = metric.k.map_or(ANN_DEPTH, NonZeroUsize::get);
        return match (&record.harness.exact_ranks, &record.outcome) {
            (Some(ranks), _) => ann_recall(ranks, k).map_or(Score::NotApplicable, Score::Value),
            (None, Outcome::Error(error)) => Score::Error(error.message.clone()),
            (None, _) => Score::NotApplicable,
        };
    }
    match &record.outcome {
        Outcome::Error(error) => return Score::Error(error.message.clone()),
        Outcome::NotScored(_) | Outcome::Skipped(_) => return Score::NotScored,
        Outcome::Pass | Outcome::Fail(_) => {}
    }
    let passed = record.outcome == Outcome::Pass;
    // A case that failed before the judge was asked has no ratings, and must not vanish from their mean.
    let criterion = match metric.measure {
        Measure::Faithfulness => Some(Criterion::Faithfulness),
        Measure::Relevance => Some(Criterion::Relevance),
        Measure::Completeness => Some(Criterion::Completeness),
        Measure::Clarity => Some(Criterion::Clarity),
        Measure::Keywords => Some(Criterion::Keywords),
        _ => None,
    };
    if let Some(criterion) = criterion {
        let Some(verdict) = &record.verdict else { return Score::NotScored };
        return verdict.rating(criterion).map_or(Score::NotApplicable, |rating| Score::Value(rating.value()));
    }
    let value = match metric.measure {
        Measure::PassRate | Measure::RefusalRate => Some(f64::from(u8::from(passed))),
        Measure::Groundedness => record.verdict.as_ref().and_then(|verdict| verdict.groundedness).map(Rating::value),
        Measure::ExactMatch | Measure::TokenF1 => record.metrics.get(&metric.to_string()).copied(),
        Measure::LatencyP95Ms => Some(record.latency_ms),
        Measure::CostUsd => record.usage.cost_usd,
        Measure::Tokens => record.usage.prompt_tokens.map(|sent| (sent + record.usage.completion_tokens.unwrap_or(0)) as f64),
        _ => None,
    };
    value.map_or(Score::NotScored, Score::Value)
}

/// Means, except for sums (money, tokens) and the 95th percentile (nearest rank).
fn aggregate(metric: Metric, scores: &[(String, f64)]) -> Option<f64> {
    let mut values: Vec<f64> = scores.iter().map(|(_, value)| *value).collect();
    match metric.measure {
        Measure::CostUsd | Measure::Tokens => (!values.is_empty()).then(|| values.iter().sum()),
        Measure::LatencyP95Ms => {
            values.sort_by(f64::total_cmp);
            let rank = (values.len() * 95).div_ceil(100);
            rank.checked_sub(1).map(|index| values[index])
        }
        _ => mean(values).map(|(mean, _)| mean),
    }
}

fn problems(
    gate: &GateConfig,
    metric: Metric,
    result: &GateResult,
    unscored: &[String],
    allowed_error_rate: f64,
    baseline: Option<f64>,
) -> Vec<String> {
    let mut problems = Vec::new();
    if !result.missing.is_empty() {
        let (missing, expected) = (result.missing.len(), result.expected);
        problems.push(format!("{missing} of {expected} expected cases are missing from the run: {}", some(&result.missing)));
    }
    // The configuration names a system whose index is approximate; on others the gate says nothing.
    if metric.measure == Measure::AnnRecall && result.expected == 0 && result.not_applicable > 0 {
        return problems;
    }
    let Some(value) = result.value else {
        let why = if result.expected == 0 {
            format!("no case has anything to measure {metric} by; remove the gate or add cases")
        } else {
            format!("none of {} expected cases could be scored", result.expected)
        };
        problems.push(why);
        problems.extend(error_line(result, 0));
        return problems;
    };
    if !unscored.is_empty() {
        problems.push(format!("{} of {} expected cases were not scored: {}", unscored.len(), result.expected, some(unscored)));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small count")]
    let allowed = (allowed_error_rate * result.expected as f64 + TOLERANCE).floor() as usize;
    problems.extend(error_line(result, allowed));
    if let Some(min) = gate.min.filter(|min| value < min - TOLERANCE) {
        problems.push(format!("{} is below the minimum {min}", show(value, min)));
    }
    if let Some(max) = gate.max.filter(|max| value > max + TOLERANCE) {
        problems.push(format!("{} is above the maximum {max}", show(value, max)));
    }
    if let Some(max_drop) = gate.max_drop {
        match baseline {
            None => problems.push("`max_drop` needs a baseline with this gate; run `cargo insta review`".into()),
            Some(before) if before - value > max_drop + BASELINE_DIGITS => {
                problems.push(format!(
                    "{} is {} below the baseline's {before:.4}; at most {max_drop} is allowed",
                    show(value, before),
                    show(before - value, max_drop)
                ));
            }
            Some(_) => {}
        }
    }
    problems
}

fn error_line(result: &GateResult, allowed: usize) -> Option<String> {
    let errors = result.errors.len();
    let ids: Vec<String> = result.errors.iter().map(|(id, _)| id.clone()).collect();
    (errors > allowed).then(|| {
        let first = result.errors.first().map_or("", |(_, why)| why.as_str());
        format!("{errors} errors of {} expected cases ({allowed} allowed): {}; the first: {first}", result.expected, some(&ids))
    })
}

fn some(ids: &[String]) -> String {
    let shown = ids.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    if ids.len() > 8 { format!("{shown}, ...") } else { shown }
}

/// A value with four digits, or as many more as it takes to be told from the threshold it is compared with.
pub fn show(value: f64, threshold: f64) -> String {
    let shown = |number: f64, digits: usize| format!("{number:.digits$}");
    let told_apart = |digits: &usize| (value - threshold).abs() < TOLERANCE || shown(value, *digits) != shown(threshold, *digits);
    shown(value, (4..10).find(told_apart).unwrap_or(10))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::error::{CallError, CallErrorKind};
    use crate::metrics::JudgedList;

    fn case(id: usize) -> TestCase {
        let line = format!(r#"{{"id":"c{id:02}","query":"q","reference_answer":"a","evidence":[{{"chunk_id":"x"}}]}}"#);
        serde_json::from_str(&line).expect("parses")
    }

    fn record(outcome: Outcome, ranked: Option<&[i64]>) -> Arc<RunRecord> {
        let line = r#"{"format":1,"case_id":"c","suite":"s","system":"x","strategy":"positive","query":"q","citations":[],"prompt_metadata":{},
            "tool_calls":[],"prior_context":[],"latency_ms":1.0,"usage":{},"metrics":{},"outcome":"pass","document_origin":"manual",
            "answer_review":"unreviewed","harness":{"run_id":"r","started_at":"","judged":{"items":[],"hits":[]},"fingerprints":{},"tags":[],"expect":"answer","reason":""}}"#;
        let mut record: RunRecord = serde_json::from_str(line).expect("parses");
        record.error = match &outcome {
            Outcome::Error(error) if error.kind == CallErrorKind::Provider => Some(error.clone()),
            _ => None,
        };
        record.outcome = outcome;
        record.retrieved_chunks = ranked.map(|_| Vec::new());
        record.harness.judged = JudgedList::plain(ranked.unwrap_or_default(), &[1]);
        Arc::new(record)
    }

    fn gate(metric: &str) -> GateConfig {
        GateConfig { suite: "s".into(), metric: metric.into(), ..GateConfig::default() }
    }

    fn run(gate: &GateConfig, records: Vec<Arc<RunRecord>>, allowed: f64, baseline: Option<f64>) -> GateResult {
        let cases: Vec<TestCase> = (0..records.len()).map(case).collect();
        let pairs: Vec<_> = cases.iter().zip(records.into_iter().map(Some)).collect();
        decide(gate, Metric::parse(&gate.metric).expect("known"), &pairs, allowed, baseline)
    }

    fn error(kind: CallErrorKind) -> Outcome {
        Outcome::Error(CallError::new(kind, "boom"))
    }

    #[test]
    fn five_judge_errors_of_ten_are_red_and_the_mean_is_over_five() {
        let mut records = vec![record(Outcome::Pass, Some(&[1])); 5];
        records.extend(vec![record(error(CallErrorKind::Parse), Some(&[1])); 5]);
        let result = run(&GateConfig { min: Some(0.9), ..gate("pass_rate") }, records.clone(), 0.0, None);
        assert_eq!((result.value, result.n, result.expected), (Some(1.0), 5, 10));
        assert!(result.problems[0].contains("5 errors of 10"), "{:?}", result.problems);
        // The ranked lists are sound: retrieval is not touched by a judge.
        let result = run(&GateConfig { min: Some(0.9), ..gate("recall@5") }, records.clone(), 0.0, None);
        assert!(result.passed() && result.n == 10);
        let result = run(&GateConfig { max: Some(0.4), ..gate("error_rate") }, records.clone(), 0.4, None);
        assert!(!result.passed() && result.value == Some(0.5));
        let result = run(&GateConfig { min: Some(0.9), ..gate("pass_rate") }, records, 0.5, None);
        assert!(result.passed(), "{:?}", result.problems);
    }

    #[test]
    fn a_crashed_system_lowers_recall() {
        let mut records = vec![record(Outcome::Pass, Some(&[1])); 7];
        records.extend(vec![record(error(CallErrorKind::Provider), None); 3]);
        let result = run(&GateConfig { min: Some(0.9), ..gate("recall@5") }, records, 0.0, None);
        assert_eq!(result.value, Some(0.7));
        assert_eq!(result.counted_as_zero.len(), 3);
        assert!(!result.passed());
    }

    #[test]
    fn a_missing_case_is_red_whatever_the_threshold() {
        let (first, second) = (case(0), case(1));
        let pairs = [(&first, Some(record(Outcome::Pass, Some(&[1])))), (&second, None)];
        for (metric, value, n) in [("recall@5", 0.5, 2), ("pass_rate", 1.0, 1)] {
            let gate = GateConfig { min: Some(0.0), ..gate(metric) };
            let result = decide(&gate, Metric::parse(metric).expect("known"), &pairs, 1.0, None);
            assert_eq!((result.value, result.n, result.expected), (Some(value), n, 2), "{metric}");
            assert!(result.problems[0].contains("1 of 2 expected cases are missing from the run: c01"), "{:?}", result.problems);
        }
    }

    #[test]
    fn without_data_a_gate_is_red() {
        assert!(!run(&GateConfig { min: Some(0.0), ..gate("recall@5") }, Vec::new(), 1.0, None).passed());
        let result =
            run(&GateConfig { max: Some(1.0), ..gate("pass_rate") }, vec![record(Outcome::NotScored("x".into()), None)], 1.0, None);
        assert!(!result.passed() && result.value.is_none());
        // Half of the systems expose no chunks: what is not scored must not vanish.
        let records = vec![record(Outcome::Pass, Some(&[1])), record(Outcome::Pass, None)];
        let result = run(&GateConfig { min: Some(0.5), ..gate("recall@5") }, records, 0.0, None);
        assert!(result.problems[0].contains("1 of 2 expected cases were not scored"), "{:?}", result.problems);
    }

    #[rstest]
    #[case::equal_passes(0.7 + 0.1, 0.8, true)]
    #[case::below(0.7999, 0.8, false)]
    #[case::just_below(0.799_999_9, 0.8, false)]
    fn thresholds_are_compared_as_shown(#[case] value: f64, #[case] min: f64, #[case] green: bool) {
        let shown = show(value, min);
        assert_eq!(shown == format!("{min:.4}"), green, "{shown}");
        let result = GateResult {
            name: String::new(),
            value: Some(value),
            n: 1,
            expected: 1,
            not_applicable: 0,
            errors: Vec::new(),
            counted_as_zero: Vec::new(),
            missing: Vec::new(),
            worst: Vec::new(),
            problems: Vec::new(),
        };
        let metric = Metric::parse("pass_rate").expect("known");
        let found = problems(&GateConfig { min: Some(min), ..gate("pass_rate") }, metric, &result, &[], 0.0, None);
        assert_eq!(found.is_empty(), green, "{found:?}");
    }

    #[test]
    fn a_drop_is_measured_against_the_baseline() {
        let gate = GateConfig { max_drop: Some(0.1), ..gate("recall@5") };
        let records = vec![record(Outcome::Pass, Some(&[1])), record(Outcome::Pass, Some(&[0]))];
        assert!(run(&gate, records.clone(), 0.0, Some(0.55)).passed());
        assert!(!run(&gate, records.clone(), 0.0, Some(0.65)).passed());
        assert!(run(&gate, records, 0.0, None).problems[0].contains("needs a baseline"));
    }
}
