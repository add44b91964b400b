//! Models: the traits for embeddings and chat, and the embedded tier that needs no key and no network.

mod embed;
mod embedded;

pub use embed::{BoxFuture, Embedder, Reply, TextRole};
pub use embedded::HashedEmbedder;
