//! What serde cannot see: names that refer to nothing, two gates with one name, thresholds that cannot hold.

use std::collections::BTreeSet;

use super::load::Header;
use super::spec::{EMBEDDED, SystemKind};
use super::types::{Config, GateConfig, IndexKind, PipelineConfig, ProviderKind, RetrieverKind};
use crate::metrics::{Measure, Metric};

/// The table at fault and what to do.
type Problem = (Option<Header>, String);

impl Config {
    pub(super) fn validate(&self) -> Result<(), Problem> {
        if self.suite.is_empty() {
            return Err((None, "no suite is configured; add `[suite.NAME]` with `corpus` and `cases`".into()));
        }
        self.check_names()?;
        self.check_corpora_and_suites()?;
        self.check_models()?;
        self.check_systems()?;
        self.check_gates()?;
        for (name, profile) in &self.profile {
            for selector in &profile.include {
                let known = ["tag", "strategy", "document", "id", "owner"];
                if !selector.split_once(':').is_some_and(|(kind, value)| known.contains(&kind) && !value.is_empty()) {
                    let message = format!("`include`: {selector:?} is no selector; write one of tag:X strategy:X document:X id:X owner:X");
                    return Err((Some(Header::Named("profile", name.clone())), message));
                }
            }
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), Problem> {
        let suites = self.suite.keys().map(|name| ("suite", name));
        let names = suites.chain(self.system.keys().map(|name| ("system", name)));
        for (kind, name) in
            names.chain(self.model.keys().map(|name| ("model", name))).chain(self.embedding.keys().map(|n| ("embedding", n)))
        {
            if name.is_empty() || name.contains(':') || name.chars().any(|c| c.is_control() || c.is_whitespace() || c == '[') {
                let message = format!("{kind} name {name:?} is part of trial names; use letters, digits, `-`, `_`, `.` and `+`");
                return Err((Some(Header::Named(kind, name.clone())), message));
            }
        }
        for (kind, taken) in [("model", self.model.contains_key(EMBEDDED)), ("embedding", self.embedding.contains_key(EMBEDDED))] {
            if taken {
                return Err((Some(Header::Named(kind, EMBEDDED.into())), format!("the name `{EMBEDDED}` is built in; use another name")));
            }
        }
        Ok(())
    }

    fn check_corpora_and_suites(&self) -> Result<(), Problem> {
        for (name, corpus) in &self.corpus {
            let at = || Some(Header::Named("corpus", name.clone()));
            if corpus.documents.is_some() != corpus.snapshots.is_empty() {
                return Err((at(), "a corpus has either `documents` or `snapshots`".into()));
            }
            if let Some(bad) = corpus.scopes.keys().find(|pattern| glob::Pattern::new(pattern).is_err()) {
                return Err((at(), format!("`scopes`: {bad:?} is no glob")));
            }
        }
        for (name, suite) in &self.suite {
            if !self.corpus.contains_key(&suite.corpus) {
                let known: Vec<_> = self.corpus.keys().map(String::as_str).collect();
                let message =
                    format!("corpus {:?} is not configured; add `[corpus.{}]` (known: {})", suite.corpus, suite.corpus, known.join(", "));
                return Err((Some(Header::Named("suite", name.clone())), message));
            }
            if let Err(error) = glob::Pattern::new(&suite.cases) {
                return Err((Some(Header::Named("suite", name.clone())), format!("`cases`: {:?} is no glob: {error}", suite.cases)));
            }
        }
        Ok(())
    }

    fn check_models(&self) -> Result<(), Problem> {
        let models = self.model.iter().map(|(name, model)| ("model", name, &model.provider));
        let embeddings = self.embedding.iter().map(|(name, embedding)| ("embedding", name, &embedding.provider));
        for (kind, name, provider) in models.chain(embeddings) {
            if !self.provider.contains_key(provider) {
                return Err((
                    Some(Header::Named(kind, name.clone())),
                    format!("provider {provider:?} is not configured; add `[provider.{provider}]`"),
                ));
            }
        }
        for (name, chunking) in &self.chunking {
            let at = || Some(Header::Named("chunking", name.clone()));
            if chunking.max_tokens == 0 {
                return Err((at(), "`max_tokens` must be at least 1".into()));
            }
            if chunking.overlap_tokens >= chunking.max_tokens {
                return Err((
                    at(),
                    format!("`overlap_tokens` = {} must be below `max_tokens` = {}", chunking.overlap_tokens, chunking.max_tokens),
                ));
            }
        }
        if let Some(judge) = &self.oracle.judge {
            self.check_model(judge, Header::Table("oracle"))?;
        }
        Ok(())
    }

    fn check_model(&self, name: &str, at: Header) -> Result<(), Problem> {
        let Some(model) = self.model.get(name) else {
            if name == EMBEDDED {
                return Ok(());
            }
            return Err((Some(at), format!("model {name:?} is not configured; add `[model.{name}]` or write \"{EMBEDDED}\"")));
        };
        self.check_provider(&model.provider, at)
    }

    fn check_embedding(&self, name: &str, at: Header) -> Result<(), Problem> {
        let Some(embedding) = self.embedding.get(name) else {
            if name == EMBEDDED {
                return Ok(());
            }
            return Err((Some(at), format!("embedding {name:?} is not configured; add `[embedding.{name}]` or write \"{EMBEDDED}\"")));
        };
        self.check_provider(&embedding.provider, at)
    }

    /// Only what is used must be there: a configuration may list providers that other profiles use.
    fn check_provider(&self, name: &str, at: Header) -> Result<(), Problem> {
        match self.provider.get(name).map(|provider| provider.kind) {
            None | Some(ProviderKind::Embedded) => Ok(()),
            Some(kind) => Err((
                Some(at),
                format!("provider {name:?} is of kind {kind:?}, which this release does not reach; use a model of kind \"embedded\""),
            )),
        }
    }

    fn check_systems(&self) -> Result<(), Problem> {
        for (name, system) in &self.system {
            let at = || Header::Named("system", name.clone());
            let transports = [system.pipeline.is_some(), system.http.is_some(), system.command.is_some(), system.mcp.is_some()];
            if transports.iter().filter(|there| **there).count() > 1 {
                return Err((Some(at()), "a system is one of `pipeline`, `http`, `command`, `mcp`".into()));
            }
            if let Some(pipeline) = &system.pipeline {
                self.check_pipeline(pipeline, &at)?;
            }
        }
        let mut names = BTreeSet::new();
        for (index, matrix) in self.matrix.iter().enumerate() {
            let at = || Header::Nth("matrix", index);
            for llm in &matrix.llms {
                self.check_model(llm, at())?;
            }
            for embedding in &matrix.embeddings {
                self.check_embedding(embedding, at())?;
            }
            if let Some(chunking) = matrix.chunkings.iter().find(|c| *c != "default" && !self.chunking.contains_key(*c)) {
                return Err((Some(at()), format!("chunking {chunking:?} is not configured; add `[chunking.{chunking}]`")));
            }
            if matrix.top_k.contains(&0) {
                return Err((Some(at()), "`top_k` must be at least 1".into()));
            }
        }
        for system in self.matrix_systems() {
            debug_assert!(matches!(system.kind, SystemKind::Pipeline(_)));
            if self.system.contains_key(&system.name) || !names.insert(system.name.clone()) {
                return Err((Some(Header::Nth("matrix", 0)), format!("two systems are named {:?}", system.name)));
            }
        }
        Ok(())
    }

    fn check_pipeline(&self, pipeline: &PipelineConfig, at: &dyn Fn() -> Header) -> Result<(), Problem> {
        self.check_model(pipeline.llm.as_deref().unwrap_or(EMBEDDED), at())?;
        self.check_embedding(pipeline.embedding.as_deref().unwrap_or(EMBEDDED), at())?;
        if let Some(chunking) = pipeline.chunking.as_ref().filter(|c| *c != "default" && !self.chunking.contains_key(*c)) {
            return Err((Some(at()), format!("chunking {chunking:?} is not configured; add `[chunking.{chunking}]`")));
        }
        if pipeline.top_k == Some(0) {
            return Err((Some(at()), "`top_k` must be at least 1".into()));
        }
        match pipeline.index {
            IndexKind::Exact => Ok(()),
            IndexKind::Hnsw if cfg!(feature = "hnsw") => Ok(()),
            IndexKind::Hnsw => {
                Err((Some(at()), "index \"hnsw\" needs a feature; add `ragtest = { features = [\"hnsw\"] }` to Cargo.toml".into()))
            }
            IndexKind::Chroma | IndexKind::Pgvector => {
                Err((Some(at()), format!("index {:?} is not in this release; use \"exact\"", pipeline.index)))
            }
        }
    }

    fn check_gates(&self) -> Result<(), Problem> {
        let mut names: Vec<(String, Option<String>)> = Vec::new();
        for (index, gate) in self.gate.iter().enumerate() {
            let problem = |message: String| Err((Some(Header::Nth("gate", index)), message));
            if !self.suite.contains_key(&gate.suite) {
                return problem(format!("suite {:?} is not configured", gate.suite));
            }
            let metric = match Metric::parse(&gate.metric) {
                Ok(metric) => metric,
                Err(message) => return problem(message),
            };
            if metric.measure == Measure::AnnRecall && !self.has_approximate_index(gate.system.as_ref()) {
                return problem(format!(
                    "{metric} compares an approximate index with the exact one, and no pipeline that the gate is on has one"
                ));
            }
            if let Some(message) = threshold_problem(gate) {
                return problem(message);
            }
            if gate.strategy.as_ref().is_some_and(|s| !crate::case::Strategy::ALL.iter().any(|known| known.name() == s)) {
                return problem(format!("strategy {:?} is not known", gate.strategy.as_deref().unwrap_or_default()));
            }
            let name = format!("{}::{}", gate.suite, gate.name());
            // A gate without a system is one on every system.
            let meets = |(other, system): &(String, Option<String>)| {
                *other == name && (system.is_none() || gate.system.is_none() || *system == gate.system)
            };
            if names.iter().any(meets) {
                return problem(format!("two gates are named {name:?}; put `min` and `max` into one, or give one a filter"));
            }
            names.push((name, gate.system.clone()));
        }
        Ok(())
    }
}

impl Config {
    /// Whether a pipeline, or the one that is named, searches vectors in another index than the exact one.
    fn has_approximate_index(&self, name: Option<&String>) -> bool {
        let approximate = |pipeline: &PipelineConfig| {
            pipeline.index != IndexKind::Exact && matches!(pipeline.retriever, RetrieverKind::Hybrid | RetrieverKind::Vector)
        };
        let named = self.system.iter().filter(|(system, _)| name.is_none_or(|name| name == *system));
        named.filter_map(|(_, system)| system.pipeline.as_ref()).any(approximate)
    }
}

fn threshold_problem(gate: &GateConfig) -> Option<String> {
    let thresholds = [("min", gate.min), ("max", gate.max), ("max_drop", gate.max_drop)];
    let given: Vec<_> = thresholds.iter().filter_map(|(name, value)| value.map(|v| (*name, v))).collect();
    if given.is_empty() {
        return Some(format!("the gate on {} has no threshold; add `min`, `max` or `max_drop`", gate.metric));
    }
    if let Some((name, value)) = given.iter().find(|(_, value)| !value.is_finite() || *value < 0.0) {
        return Some(format!("`{name} = {value}` is no threshold"));
    }
    let metric = Metric::parse(&gate.metric).ok()?;
    if metric.is_share()
        && let Some((name, value)) = given.iter().find(|(_, value)| *value > 1.0)
    {
        return Some(format!("`{name} = {value}`: {metric} lies between 0 and 1"));
    }
    (gate.max_drop.is_some() && !metric.is_better_high()).then(|| format!("`max_drop`: a lower {metric} is better; write `max`"))
}
