//! Models: the traits for embeddings and chat, their recordings, and the embedded tier that needs no key and no network.

mod chat;
mod embed;
mod embedded;
mod exchange;

pub use chat::{ChatModel, ChatReply, ChatRequest, Message};
pub use embed::{BoxFuture, Embedder, Reply, TextRole};
pub use embedded::HashedEmbedder;
pub use exchange::{ExchangeStore, RecordMode, RecordedChat};
