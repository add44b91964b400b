//! A cargo test integration framework for Retrieval-Augmented Generation (RAG) systems.

pub mod baseline;
pub mod case;
pub mod config;
pub mod corpus;
pub mod error;
pub mod evaluate;
pub mod evidence;
pub mod gate;
#[cfg(feature = "harness")]
mod harness;
pub mod id;
pub mod index;
pub mod localise;
#[cfg(feature = "harness")]
mod macros;
pub mod metrics;
pub mod model;
pub mod oracle;
pub mod project;
pub mod prompt;
pub mod question;
pub mod record;
pub mod response;
pub mod store;
pub mod system;
pub mod text;
pub mod verdict;

pub use error::{Error, Result, SystemError};
#[cfg(feature = "harness")]
pub use harness::Harness;
pub use question::{Question, Turn};
pub use response::{Citation, Hit, Response, ToolCall, Usage};
pub use system::{Generator, RagSystem, Retriever};

/// What the macros need in the adopter's crate. Not part of the interface.
#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod __private {
    pub use insta;

    pub use crate::harness::Entry;
}
