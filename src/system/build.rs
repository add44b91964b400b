//! From configuration to stages.

use std::path::Path;
use std::sync::Arc;

use super::{ExtractiveAnswerer, Stages, TemplatePrompt};
use crate::config::{Config, IndexKind, PipelineSpec, RetrieverKind};
use crate::corpus::TextChunker;
use crate::corpus::reader::Extract;
use crate::error::Result;
use crate::index::{Bm25, Exact, Fuse, IndexBuilder};
use crate::model::HashedEmbedder;
use crate::oracle::RuleJudge;
use crate::prompt::Template;
use crate::store::DerivedStore;

/// Replaces stages before a pipeline is built, for example to seed a fault.
pub type StageBuilder = Arc<dyn Fn(&str, Stages) -> Stages + Send + Sync>;

/// Hashed vectors find typing errors and little else: beside BM25 they count half (measured by `cargo bench -p ragtest-benches --bench retrieval`).
fn weights(retriever: RetrieverKind) -> Vec<f64> {
    if retriever == RetrieverKind::Hybrid { vec![1.0, 0.5] } else { Vec::new() }
}

/// The configuration was checked: what is not built here is refused there.
fn vector_index(kind: IndexKind, store: &DerivedStore) -> Arc<dyn IndexBuilder> {
    match kind {
        #[cfg(feature = "hnsw")]
        IndexKind::Hnsw => Arc::new(crate::index::Hnsw { store: store.clone(), ..Default::default() }),
        _ => Arc::new(Exact { store: store.clone() }),
    }
}

/// The stages that a pipeline's configuration names. All parts are of the embedded tier in this release; the configuration was checked for it.
pub fn build_stages(
    config: &Config,
    spec: &PipelineSpec,
    prompts: &Path,
    extract: Arc<dyn Extract>,
    store: &DerivedStore,
) -> Result<Stages> {
    let bm25 = || Arc::new(Bm25 { store: store.clone(), ..Bm25::default() }) as Arc<dyn IndexBuilder>;
    let vector = || vector_index(spec.index, store);
    let index = match spec.retriever {
        RetrieverKind::Hybrid => vec![bm25(), vector()],
        RetrieverKind::Bm25 => vec![bm25()],
        RetrieverKind::Vector => vec![vector()],
        RetrieverKind::All => Vec::new(),
    };
    Ok(Stages {
        extract,
        chunk: Arc::new(TextChunker {
            strategy: spec.chunking.strategy,
            max_tokens: spec.chunking.max_tokens,
            overlap_tokens: spec.chunking.overlap_tokens,
        }),
        embed: Arc::new(HashedEmbedder::default()),
        index,
        rank: Arc::new(Fuse { weights: weights(spec.retriever), ..Fuse::default() }),
        prompt: Arc::new(TemplatePrompt::new(Template::load("answer", prompts)?, spec.top_k)),
        answer: Arc::new(ExtractiveAnswerer::default()),
        judge: Arc::new(RuleJudge { rule: config.oracle.rule }),
    })
}
