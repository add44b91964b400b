//! One case against one system: ask, compare with the evidence, judge, localise. The only way to a run record.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::case::{LoadedCase, TestCase};
use crate::config::Within;
use crate::error::{CallError, CallErrorKind, Error, Result, panic_text};
use crate::evidence::{EvidenceFault, GoldItem, Judged, judge_list, locate, may_see, resolve};
use crate::id::Fingerprint;
use crate::localise::{Scene, localise};
use crate::metrics::{Metric, ann_recall, exact_match, token_f1};
use crate::oracle::Judge;
use crate::question::Question;
use crate::record::{HarnessFacts, JudgeTrace, RECORD_FORMAT, RecordKey, RetrievedChunk, RunRecord, RunStore, clock};
use crate::response::Response;
use crate::system::{Documents, Pipeline, RETRIEVAL_DEPTH, System};
use crate::verdict::{FactState, Origin, Outcome, Verdict};

/// The metrics that every record carries; gates compute any other from the judged list.
const RECORDED: [&str; 12] = [
    "recall@1",
    "recall@3",
    "recall@5",
    "recall@10",
    "precision@5",
    "hit@5",
    "mrr",
    "ndcg@10",
    "ndcg_exp@10",
    "map@10",
    "context_precision@5",
    "context_tokens@5",
];

/// Evaluates the cases of one suite.
pub struct Evaluator {
    /// The suite's name.
    pub suite: String,
    /// Where the pipeline may search.
    pub within: Within,
    /// The corpus through the standard reader.
    pub documents: Arc<Documents>,
    /// The judge of systems that bring none.
    pub judge: Arc<dyn Judge>,
    /// The run's records.
    pub store: Arc<RunStore>,
    /// The longest that one question may take.
    pub timeout: Duration,
    /// Chunks only: no answer is generated, no judge called.
    pub retrieval_only: bool,
}

/// What became of the case, before it is written down.
struct Finding {
    outcome: Outcome,
    reason: String,
    lucky: bool,
}

impl Finding {
    fn error(error: CallError) -> Self {
        Self { reason: error.message.clone(), outcome: Outcome::Error(error), lucky: false }
    }

    fn fail(origin: Origin, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Fail(Some(origin)), reason: reason.into(), lucky: false }
    }
}

impl Evaluator {
    /// The record of a case and system: made once a run.
    pub async fn evaluate(&self, case: &LoadedCase, system: &System) -> Result<Arc<RunRecord>> {
        let case = &case.case;
        let key = RecordKey { suite: self.suite.clone(), system: system.name.clone(), case_id: case.id.clone() };
        self.store.get_or_run(&key, || self.inputs(case, system), || self.run(case, system)).await
    }

    /// What decides a record beside its key: a run id that is used again must not answer for a case, document or stage that changed since.
    fn inputs(&self, case: &TestCase, system: &System) -> Fingerprint {
        let case = serde_json::to_vec(case).unwrap_or_default();
        let stages = system.pipeline.as_ref().map(|pipeline| pipeline.stages());
        let judge = stages.map_or(&self.judge, |stages| &stages.judge).fingerprint();
        let prints = stages.map(crate::system::Stages::fingerprints).unwrap_or_default();
        let kind = Fingerprint::of([if self.retrieval_only { "retrieval" } else { "answer" }]);
        let parts = [Fingerprint::of_bytes(&case), self.documents.files().fingerprint(), judge, kind];
        Fingerprint::of(parts.into_iter().chain(prints.into_values()))
    }

    async fn run(&self, case: &TestCase, system: &System) -> RunRecord {
        let mut record = self.blank(case, system);
        let pipeline = system.pipeline.as_deref();
        let documents = pipeline.map_or(&self.documents, |pipeline| pipeline.documents());
        let gold = match resolve(case, documents, &self.documents, pipeline).await {
            Ok(gold) => gold,
            Err(EvidenceFault::Label(message)) => return finish(record, Finding::error(CallError::new(CallErrorKind::Case, message))),
            Err(EvidenceFault::Extraction(message)) => return finish(record, Finding::fail(Origin::Extraction, message)),
        };
        record.harness.judged.items =
            gold.iter().map(|item| crate::metrics::JudgedItem { grade: item.grade.into(), met_at: None }).collect();

        let started = Instant::now();
        let answered = self.ask(case, system).await;
        record.latency_ms = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        let response = match answered {
            Ok(response) => response,
            Err(error) => {
                record.error = Some(error.clone());
                // A labelled query whose system erred counts 0, so a crash never raises a score.
                fill_metrics(&mut record);
                return finish(record, Finding::error(error));
            }
        };
        let finding = self.judge_response(case, system, &gold, &response, &mut record).await;
        finish(record, finding)
    }

    fn blank(&self, case: &TestCase, system: &System) -> RunRecord {
        RunRecord {
            format: RECORD_FORMAT,
            case_id: case.id.clone(),
            suite: self.suite.clone(),
            system: system.name.clone(),
            strategy: case.strategy(),
            document: case.home().map(str::to_owned),
            query: case.query.clone(),
            knowledge_snapshot_id: case.knowledge_snapshot_id.clone(),
            access_scope: case.access_scope.clone(),
            retrieved_chunks: None,
            context: None,
            answer: None,
            answer_hash: None,
            citations: Vec::new(),
            prompt_metadata: BTreeMap::new(),
            tool_calls: Vec::new(),
            prior_context: Vec::new(),
            latency_ms: 0.0,
            usage: crate::response::Usage::default(),
            error: None,
            metrics: BTreeMap::new(),
            verdict: None,
            outcome: Outcome::NotScored(String::new()),
            origin: None,
            lucky: false,
            document_origin: if case.origin.is_some() { "generated" } else { "manual" }.into(),
            answer_review: "unreviewed".into(),
            answer_review_auto: None,
            judge: None,
            harness: HarnessFacts {
                run_id: self.store.run_id().to_owned(),
                started_at: clock::now(),
                fingerprints: system.pipeline.as_ref().map(|pipeline| pipeline.stages().fingerprints()).unwrap_or_default(),
                owner: case.owner.clone(),
                tags: case.tags.clone(),
                expect: case.expect().name().to_owned(),
                ..HarnessFacts::default()
            },
        }
    }

    /// Asks the system on a task of its own: a panic in it is an error of this case and nothing else.
    async fn ask(&self, case: &TestCase, system: &System) -> Result<Response, CallError> {
        let question = question(case);
        let retrieval_only = self.retrieval_only;
        let task = if let Some(pipeline) = &system.pipeline {
            let home = case.home().filter(|_| self.within == Within::Document).map(str::to_owned);
            let pipeline = Arc::clone(pipeline);
            tokio::spawn(async move {
                if retrieval_only {
                    return Ok(Response::chunks(pipeline.retrieve_within(&question, RETRIEVAL_DEPTH, home.as_deref()).await?));
                }
                pipeline.ask_within(&question, home.as_deref()).await
            })
        } else {
            let asked = Arc::clone(&system.ask);
            tokio::spawn(async move {
                let response = asked.ask(&question).await.map_err(CallError::from)?;
                Ok(Response { answer: response.answer.filter(|_| !retrieval_only), ..response })
            })
        };
        let abort = task.abort_handle();
        match tokio::time::timeout(self.timeout, task).await {
            Ok(Ok(answered)) => answered,
            Ok(Err(stopped)) => Err(CallError::new(CallErrorKind::Panic, panic_message(stopped))),
            Err(_) => {
                abort.abort();
                let message =
                    format!("no answer within {} s (raise RAGTEST_CASE_TIMEOUT_S if the system needs longer)", self.timeout.as_secs_f64());
                Err(CallError::new(CallErrorKind::Timeout, message))
            }
        }
    }

    async fn judge_response(
        &self,
        case: &TestCase,
        system: &System,
        gold: &[GoldItem],
        response: &Response,
        record: &mut RunRecord,
    ) -> Finding {
        let pipeline = system.pipeline.as_deref();
        let hits = response.chunks.as_deref().unwrap_or_default();
        let located = match locate(hits, &self.documents, pipeline).await {
            Ok(located) => located,
            Err(error) => return Finding::error(error),
        };
        let judged = judge_list(hits, &located, gold);
        fill_response(record, response, &judged);
        fill_metrics(record);
        if let Err(error) = self.compare_with_exact(case, pipeline, record).await {
            return Finding::error(error);
        }
        if response.answer.is_none() && response.chunks.is_none() {
            if self.retrieval_only {
                let reason = "the system exposes no chunks: retrieval cannot be scored".to_owned();
                return Finding { outcome: Outcome::NotScored(reason.clone()), reason, lucky: false };
            }
            return Finding::error(CallError::new(CallErrorKind::Parse, "the system returned neither chunks nor an answer"));
        }
        if let Some(finding) = self.check_chunks(case, response) {
            return finding;
        }
        let below = below_minimum(case, record);
        let scene = Scene { case, gold, response, judged: &record.harness.judged, located: &located, pipeline };
        let Some(answer) = response.answer.as_deref() else { return retrieval_only(&scene, below).await };
        if let Some(reference) = case.reference_answer.as_deref().filter(|_| case.expect() == crate::case::Expect::Answer) {
            record.metrics.insert("exact_match".into(), exact_match(answer, reference));
            record.metrics.insert("token_f1".into(), token_f1(answer, reference));
        }
        let judge = pipeline.map_or(&self.judge, |pipeline| &pipeline.stages().judge);
        record.judge = Some(JudgeTrace { model: judge.name(), rubric_hash: judge.fingerprint(), attempts: 1 });
        let verdict = match judge.judge(case, response).await {
            Ok(verdict) => verdict,
            Err(error) => return Finding::error(error),
        };
        let finding = conclude(&scene, &verdict, below).await;
        record.answer_review_auto = Some(verdict.label);
        record.verdict = Some(verdict);
        finding
    }

    /// What an approximate index found, beside the exact one.
    async fn compare_with_exact(&self, case: &TestCase, pipeline: Option<&Pipeline>, record: &mut RunRecord) -> Result<(), CallError> {
        let Some(pipeline) = pipeline else { return Ok(()) };
        let home = case.home().filter(|_| self.within == Within::Document);
        record.harness.exact_ranks = pipeline.exact_ranks(&question(case), home).await?;
        let value = record.harness.exact_ranks.as_deref().and_then(|ranks| ann_recall(ranks, 10));
        record.metrics.extend(value.map(|value| ("ann_recall@10".to_owned(), value)));
        Ok(())
    }

    /// A leak is red even when the answer is right.
    fn check_chunks(&self, case: &TestCase, response: &Response) -> Option<Finding> {
        if let (Some(asked), Some(used)) = (&case.knowledge_snapshot_id, &response.snapshot_id)
            && asked != used
        {
            return Some(Finding::fail(Origin::Scope, format!("asked about snapshot {asked:?}, the system used {used:?}")));
        }
        for (index, hit) in response.chunks.iter().flatten().enumerate() {
            let (Some(asked), Some(id)) = (&case.knowledge_snapshot_id, &hit.source_id) else { continue };
            if self.documents.knows(id) && self.documents.file(id, Some(asked)).is_none() {
                return Some(Finding::fail(
                    Origin::Scope,
                    format!("chunk {} is of {id}, which snapshot {asked:?} does not have", index + 1),
                ));
            }
        }
        let reader =
            case.access_scope.as_ref().map_or("nobody without a scope may see".to_owned(), |scope| format!("scope {scope:?} may not see"));
        for (index, hit) in response.chunks.iter().flatten().enumerate() {
            let rank = index + 1;
            let file = hit.source_id.as_deref().and_then(|id| self.documents.file(id, case.knowledge_snapshot_id.as_deref()));
            let leak = match (file, &hit.source_id) {
                (Some(file), _) if may_see(case, &file.scopes) => continue,
                (Some(file), _) => format!("chunk {rank} is of {}, which {reader}", file.id),
                // Where nothing is asked for somebody, sources that the corpus does not know are the system's own business.
                _ if case.access_scope.is_none() => continue,
                (None, Some(id)) => {
                    format!("chunk {rank} is of {id:?}, which is no document of the corpus; a scoped case needs known sources")
                }
                (None, None) => format!("chunk {rank} names no source; a scoped case needs known sources"),
            };
            return Some(Finding::fail(Origin::Scope, leak));
        }
        None
    }
}

/// A case as the question that its system is asked.
fn question(case: &TestCase) -> Question {
    let mut question = Question::new(&case.query);
    question.access_scope.clone_from(&case.access_scope);
    question.knowledge_snapshot_id.clone_from(&case.knowledge_snapshot_id);
    question
}

fn panic_message(stopped: tokio::task::JoinError) -> String {
    match stopped.try_into_panic() {
        Ok(payload) => format!("the system panicked: {}", panic_text(payload.as_ref())),
        Err(stopped) => format!("the system's task was stopped: {stopped}"),
    }
}

fn fill_response(record: &mut RunRecord, response: &Response, judged: &Judged) {
    record.retrieved_chunks = response.chunks.as_ref().map(|hits| {
        let chunks = hits.iter().zip(&judged.meets).enumerate().map(|(index, (hit, meets))| RetrievedChunk {
            rank: index + 1,
            chunk_id: hit.chunk_id.clone(),
            source_id: hit.source_id.clone(),
            score: hit.score.filter(|score| score.is_finite()),
            text: hit.text.clone(),
            meets: meets.clone(),
        });
        chunks.collect()
    });
    record.context.clone_from(&response.context);
    record.answer.clone_from(&response.answer);
    record.answer_hash = response.answer.as_ref().map(|answer| Fingerprint::of_bytes(answer.as_bytes()));
    record.citations.clone_from(&response.citations);
    record.prompt_metadata.clone_from(&response.prompt_metadata);
    record.tool_calls.clone_from(&response.tool_calls);
    record.prior_context.clone_from(&response.prior_context);
    record.usage = response.usage;
    if response.chunks.is_some() {
        record.harness.judged = judged.list.clone();
    }
}

/// Retrieval metrics: of the judged list, or 0 where the system erred. A system that exposes no chunks has none.
fn fill_metrics(record: &mut RunRecord) {
    if record.retrieved_chunks.is_none() && record.error.is_none() {
        return;
    }
    let values = RECORDED.iter().filter_map(|name| Some(((*name).to_owned(), Metric::parse(name).ok()?.of_list(&record.harness.judged)?)));
    record.metrics.extend(values);
}

/// The case's own thresholds that do not hold.
fn below_minimum(case: &TestCase, record: &RunRecord) -> Option<String> {
    record.retrieved_chunks.as_ref()?;
    case.min.iter().find_map(|(name, threshold)| {
        let value = Metric::parse(name).ok()?.of_list(&record.harness.judged)?;
        (value + crate::gate::TOLERANCE < *threshold).then(|| format!("{name} is {value:.4}, the case asks for at least {threshold}"))
    })
}

/// A system without answers passes when its list holds some evidence and all thresholds of the case hold.
async fn retrieval_only(scene: &Scene<'_>, below: Option<String>) -> Finding {
    if scene.gold.is_empty() {
        let reason = "the system returns chunks only, and the case has no evidence to compare them with".to_owned();
        return Finding { outcome: Outcome::NotScored(reason.clone()), reason, lucky: false };
    }
    let met = scene.judged.items.iter().any(|item| item.met_at.is_some());
    match below {
        None if met => Finding { outcome: Outcome::Pass, reason: "evidence retrieved".into(), lucky: false },
        below => {
            let (origin, why) = localise(scene).await;
            Finding::fail(origin, format!("{}; {why}", below.unwrap_or_else(|| "no evidence retrieved".into())))
        }
    }
}

async fn conclude(scene: &Scene<'_>, verdict: &Verdict, below: Option<String>) -> Finding {
    if let Some(fact) = verdict.facts.iter().find(|fact| fact.state == FactState::Undecided) {
        let message =
            format!("the judge cannot tell whether the answer states {:?}; word the fact as the documents do, or use a literal", fact.fact);
        return Finding::error(CallError::new(CallErrorKind::Case, message));
    }
    if verdict.passed && below.is_none() {
        let known = scene.response.chunks.is_some() && !scene.gold.is_empty();
        let lucky = known && !scene.judged.items.iter().any(|item| item.met_at.is_some());
        return Finding { outcome: Outcome::Pass, reason: verdict.rationale.clone(), lucky };
    }
    let (origin, why) = localise(scene).await;
    Finding::fail(origin, format!("{}; {why}", below.unwrap_or_else(|| verdict.rationale.clone())))
}

fn finish(mut record: RunRecord, finding: Finding) -> RunRecord {
    record.origin = match finding.outcome {
        Outcome::Fail(origin) => origin,
        _ => None,
    };
    record.harness.error = match &finding.outcome {
        Outcome::Error(error) => Some(error.clone()),
        _ => None,
    };
    record.outcome = finding.outcome;
    record.lucky = finding.lucky;
    record.harness.reason = finding.reason;
    record
}

/// Evaluates many cases of one system, several at once, in the order of the cases.
pub async fn evaluate_all(
    evaluator: &Arc<Evaluator>,
    cases: &[Arc<LoadedCase>],
    system: &System,
    at_once: usize,
) -> Result<Vec<Arc<RunRecord>>> {
    let permits = Arc::new(tokio::sync::Semaphore::new(at_once.max(1)));
    let mut tasks = Vec::with_capacity(cases.len());
    for case in cases {
        let (evaluator, case, system, permits) = (Arc::clone(evaluator), Arc::clone(case), system.clone(), Arc::clone(&permits));
        tasks.push(tokio::spawn(async move {
            let _permit = permits.acquire().await;
            evaluator.evaluate(&case, &system).await
        }));
    }
    let mut records = Vec::with_capacity(tasks.len());
    for task in tasks {
        records.push(task.await.map_err(|stopped| Error::Usage(format!("evaluate a case: {stopped}")))??);
    }
    Ok(records)
}
