//! The tables of `ragtest.toml`, as they are written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::corpus::Strategy as ChunkStrategy;
use crate::verdict::Rule;

/// The whole configuration.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The format's version.
    pub version: u64,
    /// Document sets.
    #[serde(default)]
    pub corpus: BTreeMap<String, CorpusConfig>,
    /// Suites of cases.
    #[serde(default)]
    pub suite: BTreeMap<String, SuiteConfig>,
    /// Servers of models.
    #[serde(default)]
    pub provider: BTreeMap<String, ProviderConfig>,
    /// Chat models.
    #[serde(default)]
    pub model: BTreeMap<String, ModelConfig>,
    /// Embedding models.
    #[serde(default)]
    pub embedding: BTreeMap<String, EmbeddingConfig>,
    /// Ways to cut documents.
    #[serde(default)]
    pub chunking: BTreeMap<String, ChunkingConfig>,
    /// Systems under test.
    #[serde(default)]
    pub system: BTreeMap<String, SystemConfig>,
    /// Cross products of pipelines.
    #[serde(default)]
    pub matrix: Vec<MatrixConfig>,
    /// The judge and its rule.
    #[serde(default)]
    pub oracle: OracleConfig,
    /// Thresholds; each is a trial.
    #[serde(default)]
    pub gate: Vec<GateConfig>,
    /// Selections, chosen by `RAGTEST_PROFILE`.
    #[serde(default)]
    pub profile: BTreeMap<String, ProfileConfig>,
}

/// A document set.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusConfig {
    /// A folder, a glob, or a BEIR `corpus.jsonl`.
    pub documents: Option<String>,
    /// The knowledge snapshot's id.
    pub snapshot_id: Option<String>,
    /// Several knowledge snapshots: id to folder or glob; instead of `documents`.
    #[serde(default)]
    pub snapshots: BTreeMap<String, String>,
    /// Which documents (globs over ids) only some scopes may see.
    #[serde(default)]
    pub scopes: BTreeMap<String, Vec<String>>,
    /// Whether a page without text is an error.
    #[serde(default)]
    pub unreadable_pages: UnreadablePages,
    /// The variable that holds the password of encrypted files.
    pub password_env: Option<String>,
}

/// What a page without text means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnreadablePages {
    /// `[suite] S::cases` is red.
    #[default]
    Error,
    /// It is printed.
    Warn,
}

/// A suite of cases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteConfig {
    /// The corpus that the cases ask about.
    pub corpus: String,
    /// A glob of case files.
    pub cases: String,
    /// Where the pipeline may search.
    #[serde(default)]
    pub retrieve_within: Within,
    /// Documents of another product, never indexed.
    pub foreign: Option<String>,
    /// What makes a case's trial red.
    #[serde(default)]
    pub verdict: VerdictMode,
}

/// Where the built-in pipeline may search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Within {
    /// The whole corpus.
    #[default]
    Corpus,
    /// The case's home document, as in the RAG-Tester paper.
    Document,
}

/// What makes a case's trial red.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictMode {
    /// Every failure.
    #[default]
    All,
    /// Failures that the baseline does not have.
    NoRegressions,
    /// None: gates alone decide.
    Gates,
}

/// A server of models.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// Its kind.
    pub kind: ProviderKind,
    /// Where it is.
    pub base_url: Option<String>,
    /// The variable that holds the key.
    pub api_key_env: Option<String>,
    /// Calls at once.
    pub max_in_flight: Option<usize>,
    /// Calls a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute.
    pub tokens_per_minute: Option<u32>,
    /// Seconds for one call.
    pub timeout_s: Option<f64>,
    /// Seconds to connect.
    pub connect_timeout_s: Option<f64>,
    /// Attempts after the first.
    pub retries: Option<u32>,
    /// What recordings are keyed by, instead of the base URL.
    pub identity: Option<String>,
    /// This provider's own recording mode.
    pub mode: Option<String>,
}

/// The kinds of providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// Any OpenAI-compatible server.
    Openai,
    /// Ollama.
    Ollama,
    /// Model files on this machine.
    Local,
    /// No model at all.
    Embedded,
}

/// A chat model.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// The provider's name.
    pub provider: String,
    /// The model's name there.
    #[serde(default)]
    pub model: String,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Sampling seed.
    pub seed: Option<u64>,
    /// Longest reply in tokens.
    pub max_tokens: Option<u32>,
    /// Longest prompt and reply together in tokens.
    pub context_window: Option<u32>,
    /// US dollars a million tokens.
    pub price_per_million: Option<Price>,
}

/// US dollars a million tokens.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Sent.
    pub input: f64,
    /// Generated.
    pub output: f64,
}

/// An embedding model.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingConfig {
    /// The provider's name.
    pub provider: String,
    /// The model's name there.
    #[serde(default)]
    pub model: String,
    /// Put before every query.
    pub query_prefix: Option<String>,
    /// Put before every passage.
    pub document_prefix: Option<String>,
    /// The vectors' length.
    pub dimension: Option<usize>,
    /// Texts a call.
    pub batch: Option<usize>,
}

/// A way to cut documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChunkingConfig {
    /// Where cuts fall.
    pub strategy: ChunkStrategy,
    /// The longest chunk in estimated tokens.
    pub max_tokens: usize,
    /// How much of a chunk's end the next one repeats, in estimated tokens.
    pub overlap_tokens: usize,
}

impl Default for ChunkingConfig {
    fn default() -> Self {
        Self { strategy: ChunkStrategy::Tokens, max_tokens: 256, overlap_tokens: 32 }
    }
}

/// A system under test: exactly one of `pipeline`, `http`, `command`, `mcp`; none of them where `rag.rs` registers it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemConfig {
    /// The built-in pipeline.
    pub pipeline: Option<PipelineConfig>,
    /// An HTTP endpoint.
    pub http: Option<HttpConfig>,
    /// A program that reads and writes JSON lines.
    pub command: Option<Vec<String>>,
    /// A tool of an MCP server.
    pub mcp: Option<McpConfig>,
    /// A program that is started before the first question.
    pub start: Option<Vec<String>>,
    /// Asked until it answers 200.
    pub ready_url: Option<String>,
    /// Skip the system where it cannot be reached.
    #[serde(default)]
    pub optional: bool,
    /// Replay its answers too.
    #[serde(default)]
    pub record: bool,
    /// Its version: part of a recording's key.
    pub version: Option<String>,
}

impl SystemConfig {
    /// Whether the table says how the system is reached; without, `rag.rs` registers it.
    pub fn has_transport(&self) -> bool {
        self.pipeline.is_some() || self.http.is_some() || self.command.is_some() || self.mcp.is_some()
    }
}

/// The built-in pipeline; what is absent is embedded or default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PipelineConfig {
    /// The model's name.
    pub llm: Option<String>,
    /// The embedding's name.
    pub embedding: Option<String>,
    /// The chunking's name.
    pub chunking: Option<String>,
    /// The vector index.
    pub index: IndexKind,
    /// Which lists are made.
    pub retriever: RetrieverKind,
    /// Chunks a question.
    pub top_k: Option<usize>,
}

/// The vector index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexKind {
    /// Every vector is compared: the ground truth.
    #[default]
    Exact,
    /// Approximate, in process.
    Hnsw,
    /// A Chroma server.
    Chroma,
    /// PostgreSQL.
    Pgvector,
}

/// Which ranked lists a pipeline makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RetrieverKind {
    /// BM25 and vectors, fused.
    #[default]
    Hybrid,
    /// BM25 alone.
    Bm25,
    /// Vectors alone.
    Vector,
    /// The whole corpus goes into the prompt.
    All,
}

/// An HTTP endpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    /// Where it is.
    pub url: String,
    /// The JSON body; `{{query}}` and its like are filled in.
    pub body: Option<toml::Value>,
    /// Headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// JSON pointer to the answer.
    pub answer: Option<String>,
    /// JSON pointer to the chunks.
    pub chunks: Option<String>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpConfig {
    /// A program that speaks MCP on its standard streams.
    pub command: Option<Vec<String>>,
    /// A streamable HTTP endpoint.
    pub url: Option<String>,
    /// The tool.
    pub tool: String,
}

/// A cross product of pipelines, named `llm+embedding`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixConfig {
    /// Models.
    pub llms: Vec<String>,
    /// Embeddings.
    pub embeddings: Vec<String>,
    /// Chunkings; with more than one the name gets a third part.
    #[serde(default)]
    pub chunkings: Vec<String>,
    /// Retrievers; with more than one the name gets another part.
    #[serde(default)]
    pub retrievers: Vec<RetrieverKind>,
    /// Chunks a question; with more than one the name gets another part.
    #[serde(default)]
    pub top_k: Vec<usize>,
}

/// The judge and its rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OracleConfig {
    /// A model's name, or `embedded` (the default).
    pub judge: Option<String>,
    /// `criteria` or `claims`.
    pub style: Option<String>,
    /// When ratings pass.
    #[serde(default)]
    pub rule: Rule,
    /// Further judges.
    #[serde(default)]
    pub panel: Vec<String>,
    /// Lower bounds that the judge must be calibrated to.
    #[serde(default)]
    pub certified: BTreeMap<String, f64>,
}

/// A threshold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateConfig {
    /// The suite.
    pub suite: String,
    /// The metric's name.
    pub metric: String,
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
    /// Greatest loss against the baseline.
    pub max_drop: Option<f64>,
    /// Only cases of this strategy.
    pub strategy: Option<String>,
    /// Only cases with this tag.
    pub tag: Option<String>,
    /// Only cases of this document.
    pub document: Option<String>,
    /// Only this system.
    pub system: Option<String>,
    /// Only generated, or only hand-written cases.
    pub origin: Option<OriginFilter>,
}

/// Whether a case was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OriginFilter {
    /// By a recipe.
    Generated,
    /// By hand.
    Manual,
}

/// A selection of cases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileConfig {
    /// `tag:..`, `strategy:..`, `document:..`, `id:..`, `owner:..`; a case that matches any is included.
    pub include: Vec<String>,
}
