//! A cargo test integration framework for Retrieval-Augmented Generation (RAG) systems.

pub mod case;
//pub mod corpus;
pub mod error;
pub mod id;
pub mod metrics;
pub mod question;
pub mod response;
pub mod text;
pub mod verdict;
