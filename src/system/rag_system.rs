//! The trait that a team implements for its own RAG.

use std::sync::Arc;

use super::Pipeline;
use crate::error::SystemError;
use crate::model::BoxFuture;
use crate::question::Question;
use crate::response::{Hit, Response};

/// A RAG system under test. Write the method as `async fn`:
///
/// ```
/// use ragtest::{Question, RagSystem, Response, SystemError};
///
/// struct MyBot;
///
/// impl RagSystem for MyBot {
///     async fn ask(&self, question: &Question) -> Result<Response, SystemError> {
///         Ok(Response::answer(format!("You asked: {}", question.query)))
///     }
/// }
/// ```
pub trait RagSystem: Send + Sync + 'static {
    /// Answers one question. An error says that the system did not work; it never counts as a bad answer.
    fn ask(&self, question: &Question) -> impl Future<Output = Result<Response, SystemError>> + Send;

    /// Called once after the last question.
    fn close(&self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// The retrieval half of a system, tested alone.
pub trait Retriever: Send + Sync + 'static {
    /// The best `k` chunks, best first.
    fn retrieve(&self, question: &Question, k: usize) -> impl Future<Output = Result<Vec<Hit>, SystemError>> + Send;
}

/// The generating half of a system, tested on a context that the test chooses.
pub trait Generator: Send + Sync + 'static {
    /// Answers from `context` alone.
    fn generate(&self, question: &Question, context: &[Hit]) -> impl Future<Output = Result<Response, SystemError>> + Send;
}

/// The boxed twin of [`RagSystem`], usable as `dyn`.
pub(crate) trait DynSystem: Send + Sync {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Response, SystemError>>;
    #[cfg(feature = "harness")]
    fn close(&self) -> BoxFuture<'_, ()>;
}

impl<T: RagSystem> DynSystem for T {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Response, SystemError>> {
        Box::pin(RagSystem::ask(self, question))
    }
    #[cfg(feature = "harness")]
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(RagSystem::close(self))
    }
}

/// A retriever as a system that exposes chunks and no answer.
#[cfg(feature = "harness")]
pub(crate) struct RetrieverOnly<T>(pub(crate) T);

#[cfg(feature = "harness")]
impl<T: Retriever> RagSystem for RetrieverOnly<T> {
    async fn ask(&self, question: &Question) -> Result<Response, SystemError> {
        Ok(Response::chunks(self.0.retrieve(question, super::RETRIEVAL_DEPTH).await?))
    }
}

/// A system under test with its name. What it does not expose is `None`.
#[derive(Clone)]
pub struct System {
    /// The last segment of its trials' names.
    pub name: String,
    pub(crate) ask: Arc<dyn DynSystem>,
    /// The built-in pipeline, whose stages can be looked into and replaced.
    pub pipeline: Option<Arc<Pipeline>>,
}

impl System {
    /// A system of a type of the adopter's.
    pub fn new(name: impl Into<String>, system: impl RagSystem) -> Self {
        Self { name: name.into(), ask: Arc::new(system), pipeline: None }
    }

    /// The built-in pipeline.
    pub fn pipeline(name: impl Into<String>, pipeline: Arc<Pipeline>) -> Self {
        Self { name: name.into(), ask: pipeline.clone(), pipeline: Some(pipeline) }
    }
}

impl std::fmt::Debug for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("System").field("name", &self.name).field("built_in", &self.pipeline.is_some()).finish_non_exhaustive()
    }
}
