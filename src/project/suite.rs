//! An opened suite: corpus and systems.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::Project;
use super::results::{decide_gate, system_results};
use crate::baseline::Baseline;
use crate::config::{CorpusConfig, GateConfig, SystemKind};
use crate::corpus::SourceFiles;
use crate::corpus::reader::{Extract, Reader};
use crate::error::{Error, Result};
use crate::evaluate::{Evaluator, evaluate_all};
use crate::gate::{GateResult, applies, selects};
use crate::id::Fingerprint;
use crate::metrics::Metric;
use crate::oracle::RuleJudge;
use crate::system::{Documents, Pipeline, Stages, System, build_stages};

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
            retrieval_only: project.selection.retrieval_only(),
        });
        Ok(Self { name: name.to_owned(), systems, evaluator })
    }

    /// The system of a name.
    pub fn system(&self, name: &str) -> Option<&System> {
        self.systems.iter().find(|system| system.name == name)
    }

    /// Decides a gate for one system: evaluates what is missing of the cases that its metric applies to, never anything twice.
    pub async fn decide_gate(&self, project: &Project, gate: &GateConfig, system: &System, at_once: usize) -> Result<GateResult> {
        let metric = Metric::parse(&gate.metric).map_err(Error::Usage)?;
        let selected: Vec<_> = project.counted(&self.name)?.into_iter().filter(|loaded| selects(gate, &loaded.case)).collect();
        let (cases, rest): (Vec<_>, Vec<_>) = selected.into_iter().partition(|loaded| applies(metric, &loaded.case));
        let records = evaluate_all(&self.evaluator, &cases, system, at_once).await?;
        let scored = cases.iter().map(|loaded| &loaded.case).zip(records.into_iter().map(Some));
        let pairs: Vec<_> = scored.chain(rest.iter().map(|loaded| (&loaded.case, None))).collect();
        decide_gate(project, gate, &system.name, &pairs)
    }

    /// The results of all counted cases on all systems: what the baseline holds.
    pub async fn results(&self, project: &Project, at_once: usize) -> Result<Baseline> {
        let mut baseline = Baseline { suite: self.name.clone(), ..Baseline::default() };
        let cases = project.counted(&self.name)?;
        for system in &self.systems {
            let records = evaluate_all(&self.evaluator, &cases, system, at_once).await?;
            let pairs: Vec<_> = cases.iter().map(|loaded| &loaded.case).zip(records.into_iter().map(Some)).collect();
            let results = system_results(&project.config, &self.name, self.fingerprints(system), &pairs);
            baseline.systems.insert(system.name.clone(), results);
        }
        Ok(baseline)
    }

    /// What decides a system's results.
    fn fingerprints(&self, system: &System) -> BTreeMap<String, Fingerprint> {
        let stages = system.pipeline.as_ref().map(|pipeline| pipeline.stages());
        let judge = stages.map_or(&self.evaluator.judge, |stages| &stages.judge).fingerprint();
        let mut fingerprints = stages.map(Stages::fingerprints).unwrap_or_default();
        fingerprints.insert("corpus".into(), self.evaluator.documents.files().fingerprint());
        fingerprints.insert("judge".into(), judge);
        fingerprints
    }
}

/// The files of a corpus. In a run of several processes the first one lists and hashes them, the others read its list.
fn list_files(project: &Project, name: &str, corpus: &CorpusConfig) -> Result<SourceFiles> {
    let run = project.store.folder().filter(|_| std::env::var_os("NEXTEST_RUN_ID").is_some());
    let memo = run.map(|folder| folder.join("corpora").join(format!("{}.json", crate::id::slug(name))));
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
