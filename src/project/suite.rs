//! An opened suite: corpus and systems.

use std::path::PathBuf;
use std::sync::Arc;

use super::Project;
use crate::baseline::{Baseline, CaseResult, SystemResults};
use crate::case::TestCase;
use crate::config::{CorpusConfig, GateConfig, SystemKind};
use crate::corpus::SourceFiles;
use crate::corpus::reader::{Extract, Reader};
use crate::error::{Error, Result};
use crate::evaluate::{Evaluator, evaluate_all};
use crate::gate::{GateResult, allowed_error_rate, applies, decide, selects};
use crate::metrics::Metric;
use crate::oracle::RuleJudge;
use crate::record::RunRecord;
use crate::system::{Documents, Pipeline, System, build_stages};

/// Aggregates that every baseline shows, whether gated or not.
const SHOWN: [&str; 8] =
    ["recall@5", "mrr", "ndcg@10", "context_precision@5", "context_tokens@5", "pass_rate", "refusal_rate", "error_rate"];

/// An opened suite.
pub struct Suite {
    /// Its name.
    pub name: String,
    /// The systems under test, by name.
    pub systems: Vec<System>,
    /// What makes run records.
    pub evaluator: Arc<Evaluator>,
}

impl Suite {
    pub(super) fn open(project: &Project, name: &str) -> Result<Self> {
        let config = &project.config.suite[name];
        let corpus = &project.config.corpus[&config.corpus];
        let files = list_files(project, &config.corpus, corpus)?;
        let mut reader = Reader::default();
        if let Some(password) = corpus.password_env.as_ref().and_then(|name| std::env::var(name).ok()) {
            reader = reader.with_password(password);
        }
        let extract: Arc<dyn Extract> = Arc::new(reader);
        let store = project.derived_store();
        let documents = Arc::new(Documents::new(files, Arc::clone(&extract), store.clone()));
        let mut systems = Vec::new();
        for spec in project.systems() {
            match &spec.kind {
                SystemKind::Pipeline(pipeline) => {
                    let mut stages = build_stages(&project.config, pipeline, &project.root.join("prompts"), Arc::clone(&extract), &store)?;
                    if let Some(replace) = project.stage_builder() {
                        stages = replace(&spec.name, stages);
                    }
                    systems.push(System::pipeline(spec.name, Arc::new(Pipeline::new(stages, &documents, pipeline, store.clone()))));
                }
                SystemKind::Registered => systems.extend(project.registered().iter().find(|system| system.name == spec.name).cloned()),
                SystemKind::Remote(_) => {}
            }
        }
        let evaluator = Arc::new(Evaluator {
            suite: name.to_owned(),
            within: config.retrieve_within,
            documents,
            judge: Arc::new(RuleJudge { rule: project.config.oracle.rule }),
            store: Arc::clone(&project.store),
            timeout: project.timeout,
        });
        Ok(Self { name: name.to_owned(), systems, evaluator })
    }

    /// The system of a name.
    pub fn system(&self, name: &str) -> Option<&System> {
        self.systems.iter().find(|system| system.name == name)
    }

    /// Decides a gate for one system: evaluates what is missing of its cases, never anything twice.
    pub async fn decide_gate(&self, project: &Project, gate: &GateConfig, system: &System, at_once: usize) -> Result<GateResult> {
        let metric = Metric::parse(&gate.metric).map_err(Error::Usage)?;
        let selected: Vec<_> = project.counted(&self.name)?.into_iter().filter(|loaded| selects(gate, &loaded.case)).collect();
        let (cases, rest): (Vec<_>, Vec<_>) = selected.into_iter().partition(|loaded| applies(metric, &loaded.case));
        let records = evaluate_all(&self.evaluator, &cases, system, at_once).await?;
        let baseline = if gate.max_drop.is_some() { project.baseline(&self.name)? } else { None };
        let before = baseline.as_ref().and_then(|b| b.systems.get(&system.name)?.aggregates.get(&gate.name())?.0);
        let scored = cases.iter().map(|loaded| &loaded.case).zip(records.into_iter().map(Some));
        let pairs: Vec<_> = scored.chain(rest.iter().map(|loaded| (&loaded.case, None))).collect();
        Ok(decide(gate, metric, &pairs, allowed_error_rate(&project.config.gate, &self.name), before))
    }

    /// The results of all counted cases on all systems: what the baseline holds.
    pub async fn results(&self, project: &Project, at_once: usize) -> Result<Baseline> {
        let mut baseline = Baseline { suite: self.name.clone(), ..Baseline::default() };
        let cases = project.counted(&self.name)?;
        for system in &self.systems {
            let records = evaluate_all(&self.evaluator, &cases, system, at_once).await?;
            let pairs: Vec<_> = cases.iter().map(|loaded| &loaded.case).zip(records).collect();
            baseline.systems.insert(system.name.clone(), self.system_results(project, system, &pairs));
        }
        Ok(baseline)
    }

    fn system_results(&self, project: &Project, system: &System, pairs: &[(&TestCase, Arc<RunRecord>)]) -> SystemResults {
        let mut results = SystemResults::default();
        let corpus = self.evaluator.documents.files().fingerprint();
        results.fingerprints.insert("corpus".into(), corpus.short(12));
        let judge = match &system.pipeline {
            Some(pipeline) => {
                let stages = pipeline.stages();
                results.fingerprints.extend(stages.fingerprints().into_iter().map(|(name, print)| (name, print.short(12))));
                stages.judge.fingerprint()
            }
            None => self.evaluator.judge.fingerprint(),
        };
        results.fingerprints.insert("judge".into(), judge.short(12));
        let shown =
            SHOWN.iter().map(|metric| GateConfig { suite: self.name.clone(), metric: (*metric).to_owned(), ..GateConfig::default() });
        let gated = project.config.gate.iter().filter(|gate| gate.suite == self.name && is_stable(gate)).cloned();
        for gate in shown.chain(gated) {
            let Ok(metric) = Metric::parse(&gate.metric) else { continue };
            let selected: Vec<_> =
                pairs.iter().filter(|(case, _)| selects(&gate, case)).map(|(case, record)| (*case, Some(Arc::clone(record)))).collect();
            let decided = decide(&gate, metric, &selected, 1.0, None);
            results.aggregates.insert(gate.name(), (decided.value, decided.n));
        }
        results.cases = pairs.iter().map(|(case, record)| (case.id.clone(), CaseResult::of(record))).collect();
        results
    }
}

/// Whether a gate's value is the same in every run: time and money are not part of a snapshot.
fn is_stable(gate: &GateConfig) -> bool {
    !matches!(gate.metric.as_str(), "latency_p95_ms" | "cost_usd" | "tokens")
}

/// The files of a corpus. In a run of several processes the first one lists and hashes them, the others read its list.
fn list_files(project: &Project, name: &str, corpus: &CorpusConfig) -> Result<SourceFiles> {
    let memo =
        std::env::var_os("NEXTEST_RUN_ID").map(|_| project.store.folder().join("corpora").join(format!("{}.json", crate::id::slug(name))));
    if let Some(files) = memo.as_ref().and_then(|path| serde_json::from_slice(&std::fs::read(path).ok()?).ok()) {
        return Ok(files);
    }
    let mut files = SourceFiles::default();
    let at = |place: &str| -> PathBuf { project.root.join(place) };
    if let Some(place) = &corpus.documents {
        files.list(&at(place), corpus.snapshot_id.as_deref(), &corpus.scopes)?;
    }
    for (snapshot, place) in &corpus.snapshots {
        files.list(&at(place), Some(snapshot), &corpus.scopes)?;
    }
    if let Some(path) = memo {
        let text = serde_json::to_vec(&files).map_err(|error| Error::Usage(error.to_string()))?;
        crate::store::write_whole(&path, &text)?;
    }
    Ok(files)
}
