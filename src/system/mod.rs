//! Systems under test: any RAG behind one trait, and the built-in pipeline, stage by stage.

mod answerer;
mod build;
mod documents;
pub mod extractive;
mod pipeline;
mod prompting;
mod rag_system;
mod stages;

pub use answerer::{Answerer, ExtractiveAnswerer, ModelAnswerer};
pub use build::{StageBuilder, build_stages};
pub use documents::Documents;
pub use pipeline::{Pipeline, RETRIEVAL_DEPTH};
pub use prompting::{Prompt, PromptBuilder, TemplatePrompt};
#[cfg(feature = "harness")]
pub(crate) use rag_system::RetrieverOnly;
pub use rag_system::{Generator, RagSystem, Retriever, System};
pub use stages::Stages;
