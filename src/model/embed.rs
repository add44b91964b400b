//! Embedding models.

use std::pin::Pin;

use crate::error::CallError;
use crate::id::Stage;

/// A boxed future, for traits that are used as `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A boxed future of a call that can fail.
pub type Reply<'a, T> = BoxFuture<'a, Result<T, CallError>>;

/// What a text is embedded as. Several model families expect a prefix for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextRole {
    /// A passage of the corpus.
    Document,
    /// A user's question.
    Query,
}

/// Turns texts into vectors.
pub trait Embedder: Stage {
    /// One finite, non-zero vector of the same dimension for each text, in the order of the texts.
    fn embed<'a>(&'a self, texts: &'a [String], role: TextRole) -> Reply<'a, Vec<Vec<f32>>>;
}
