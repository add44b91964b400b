//! Systems as they are built: defaults filled in, matrices multiplied out.

use super::types::{ChunkingConfig, Config, GateConfig, IndexKind, OriginFilter, PipelineConfig, RetrieverKind, SystemConfig};

/// The name that needs no table: the model, embedding and judge without a key.
pub const EMBEDDED: &str = "embedded";

/// A system under test with its name.
#[derive(Clone, Debug)]
pub struct SystemSpec {
    /// The last segment of its trials' names.
    pub name: String,
    /// What it is.
    pub kind: SystemKind,
}

/// What a system under test is.
#[derive(Clone, Debug)]
pub enum SystemKind {
    /// The built-in pipeline.
    Pipeline(PipelineSpec),
    /// An HTTP, command or MCP endpoint.
    Remote(Box<SystemConfig>),
    /// Registered in `rag.rs`.
    Registered,
}

/// The built-in pipeline with all defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineSpec {
    /// The model's name, or [`EMBEDDED`].
    pub llm: String,
    /// The embedding's name, or [`EMBEDDED`].
    pub embedding: String,
    /// How documents are cut.
    pub chunking: ChunkingConfig,
    /// The vector index.
    pub index: IndexKind,
    /// Which lists are made.
    pub retriever: RetrieverKind,
    /// Chunks a question.
    pub top_k: usize,
}

const DEFAULT_TOP_K: usize = 5;

impl Config {
    /// All systems, in the order of their names: configured ones, matrices, and those that `registered` names. Without any, the embedded
    /// pipeline is the system `default`.
    pub fn systems(&self, registered: &[String]) -> Vec<SystemSpec> {
        let mut systems: Vec<SystemSpec> = Vec::new();
        for (name, system) in &self.system {
            let kind = match &system.pipeline {
                Some(pipeline) => SystemKind::Pipeline(self.pipeline_spec(pipeline)),
                None if registered.contains(name) => SystemKind::Registered,
                None => SystemKind::Remote(Box::new(system.clone())),
            };
            systems.push(SystemSpec { name: name.clone(), kind });
        }
        let new = registered.iter().filter(|name| !self.system.contains_key(*name));
        systems.extend(new.map(|name| SystemSpec { name: name.clone(), kind: SystemKind::Registered }));
        systems.extend(self.matrix_systems());
        if systems.is_empty() {
            let kind = SystemKind::Pipeline(self.pipeline_spec(&PipelineConfig::default()));
            systems.push(SystemSpec { name: "default".into(), kind });
        }
        systems.sort_by(|a, b| a.name.cmp(&b.name));
        systems
    }

    fn pipeline_spec(&self, pipeline: &PipelineConfig) -> PipelineSpec {
        let chunking = pipeline.chunking.as_deref().unwrap_or("default");
        PipelineSpec {
            llm: pipeline.llm.clone().unwrap_or_else(|| EMBEDDED.into()),
            embedding: pipeline.embedding.clone().unwrap_or_else(|| EMBEDDED.into()),
            chunking: self.chunking.get(chunking).copied().unwrap_or_default(),
            index: pipeline.index,
            retriever: pipeline.retriever,
            top_k: pipeline.top_k.unwrap_or(DEFAULT_TOP_K),
        }
    }

    pub(super) fn matrix_systems(&self) -> Vec<SystemSpec> {
        let mut systems = Vec::new();
        for matrix in &self.matrix {
            let chunkings = or_default(&matrix.chunkings, "default".into());
            let retrievers = or_default(&matrix.retrievers, RetrieverKind::default());
            let depths = or_default(&matrix.top_k, DEFAULT_TOP_K);
            for llm in &matrix.llms {
                for embedding in &matrix.embeddings {
                    for chunking in &chunkings {
                        for retriever in &retrievers {
                            for top_k in &depths {
                                let mut name = format!("{llm}+{embedding}");
                                if chunkings.len() > 1 {
                                    name = format!("{name}+{chunking}");
                                }
                                if retrievers.len() > 1 {
                                    name = format!("{name}+{}", retriever.name());
                                }
                                if depths.len() > 1 {
                                    name = format!("{name}+{top_k}");
                                }
                                let pipeline = PipelineConfig {
                                    llm: Some(llm.clone()),
                                    embedding: Some(embedding.clone()),
                                    chunking: Some(chunking.clone()),
                                    index: IndexKind::Exact,
                                    retriever: *retriever,
                                    top_k: Some(*top_k),
                                };
                                systems.push(SystemSpec { name, kind: SystemKind::Pipeline(self.pipeline_spec(&pipeline)) });
                            }
                        }
                    }
                }
            }
        }
        systems
    }
}

fn or_default<T: Clone>(values: &[T], default: T) -> Vec<T> {
    if values.is_empty() { vec![default] } else { values.to_vec() }
}

impl RetrieverKind {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Bm25 => "bm25",
            Self::Vector => "vector",
            Self::All => "all",
        }
    }
}

impl GateConfig {
    /// The gate's name inside its suite: the metric and its filters, for example `recall@5::positive`. The system is not part of it.
    pub fn name(&self) -> String {
        let mut name = self.metric.clone();
        let origin = self.origin.map(|origin| match origin {
            OriginFilter::Generated => "generated".to_owned(),
            OriginFilter::Manual => "manual".to_owned(),
        });
        let filters = [
            self.strategy.clone(),
            self.tag.as_ref().map(|tag| format!("tag={tag}")),
            self.document.as_ref().map(|document| format!("document={document}")),
            origin,
        ];
        for filter in filters.into_iter().flatten() {
            name.push_str("::");
            name.push_str(&filter);
        }
        name
    }
}
