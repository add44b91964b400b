//! The stages of the built-in pipeline, each behind its trait. A seeded fault is a function from stages to stages.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Answerer, PromptBuilder};
use crate::corpus::Chunker;
use crate::corpus::reader::Extract;
use crate::id::Fingerprint;
use crate::index::{IndexBuilder, Rank};
use crate::model::Embedder;
use crate::oracle::Judge;

/// The stages, in the order in which a question meets what they made.
#[derive(Clone)]
pub struct Stages {
    /// File to document.
    pub extract: Arc<dyn Extract>,
    /// Document to chunks.
    pub chunk: Arc<dyn Chunker>,
    /// Text to vector.
    pub embed: Arc<dyn Embedder>,
    /// Chunks to indexes; each makes one ranked list.
    pub index: Vec<Arc<dyn IndexBuilder>>,
    /// Ranked lists to one.
    pub rank: Arc<dyn Rank>,
    /// Hits to prompt.
    pub prompt: Arc<dyn PromptBuilder>,
    /// Prompt to answer.
    pub answer: Arc<dyn Answerer>,
    /// Answer to verdict.
    pub judge: Arc<dyn Judge>,
}

impl Stages {
    /// The fingerprint of each stage by name: what a baseline compares and a record carries.
    pub fn fingerprints(&self) -> BTreeMap<String, Fingerprint> {
        let index = Fingerprint::of(self.index.iter().map(|index| index.fingerprint()));
        BTreeMap::from(
            [
                ("extraction", self.extract.fingerprint()),
                ("chunking", self.chunk.fingerprint()),
                ("embedding", self.embed.fingerprint()),
                ("index", index),
                ("ranking", self.rank.fingerprint()),
                ("prompt", self.prompt.fingerprint()),
                ("answerer", self.answer.fingerprint()),
            ]
            .map(|(name, print)| (name.to_owned(), print)),
        )
    }
}
