//! `ragtest.toml`: everything that is configured. The types are never behind features; building what they name is.

mod expand;
mod load;
mod spec;
mod types;
mod validate;

pub use load::{CONFIG_FILE, CONFIG_VERSION};
pub use spec::{EMBEDDED, PipelineSpec, SystemKind, SystemSpec};
pub use types::{
    ChunkingConfig, Config, CorpusConfig, EmbeddingConfig, GateConfig, HttpConfig, IndexKind, MatrixConfig, McpConfig, ModelConfig,
    OracleConfig, OriginFilter, PipelineConfig, Price, ProfileConfig, ProviderConfig, ProviderKind, RetrieverKind, SuiteConfig,
    SystemConfig, UnreadablePages, VerdictMode, Within,
};
