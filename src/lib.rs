//! A cargo test integration framework for Retrieval-Augmented Generation (RAG) systems.
//!
//! # What it is
//!
//! A package adds one test target without libtest's harness. From then on `cargo test --test rag`, or `cargo nextest run`, runs every
//! reviewed question as a named test: the system is asked, its ranked chunks are compared with the evidence, its answer is judged.
//! Thresholds over the retrieval metrics are tests as well ([`gate`]), and so is the results table that people review ([`baseline`]).
//!
//! # Quick start
//!
//! In `Cargo.toml`, beside `ragtest` under `[dev-dependencies]`:
//!
//! ```toml
//! [[test]]
//! name = "rag"
//! path = "rag-tests/rag.rs"
//! harness = false
//! ```
//!
//! In `rag-tests/rag.rs`:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use ragtest::{Hit, Question, RagSystem, Response, SystemError};
//!
//! struct MyBot;
//!
//! impl RagSystem for MyBot {
//!     async fn ask(&self, question: &Question) -> Result<Response, SystemError> {
//!         let text = format!("You asked: {}", question.query);
//!         Ok(Response::answer(text.clone()).with_chunks(vec![Hit::text(text).source_id("config.md")]))
//!     }
//! }
//!
//! # #[cfg(not(feature = "harness"))]
//! # fn main() {}
//! # #[cfg(feature = "harness")]
//! fn main() -> ExitCode {
//!     ragtest::harness!().system("bot", MyBot).run()
//! }
//! ```
//!
//! In `rag-tests/ragtest.toml` ([`config`]), with documents in `golden/manual`:
//!
//! ```toml
//! version = 1
//! [corpus.manual]
//! documents = "golden/manual"
//! [suite.manual]
//! corpus = "manual"
//! cases = "rag-tests/cases/*.jsonl"
//! [[gate]]
//! suite = "manual"
//! metric = "recall@5"
//! min = 0.9
//! ```
//!
//! In `rag-tests/cases/manual.jsonl`, one line a case ([`case`]):
//!
//! ```json
//! {"id":"cfg-001","query":"Where is the timeout set?","keywords":["settings.toml"],"reference_answer":"In settings.toml."}
//! ```
//!
//! # Systems under test
//!
//! [`RagSystem`] is what a team implements; [`Retriever`] is enough where only ranked chunks are tested. What a system does not expose
//! stays `None` in its [`Response`] and is not scored; nothing is made up. Without a registered system, the built-in pipeline of the
//! embedded tier is tested: no key, no network, deterministic. It is lexical. Its stages can be replaced one by one ([`system::Stages`]).
//!
//! # Outcomes
//!
//! [`verdict::Outcome`]: a case passes, fails, errs, is not scored or is skipped. An error says that nothing could be judged; it is red,
//! it is counted, and it never leaves a mean in silence. A failure names its origin, the stage that lost the evidence
//! ([`verdict::Origin`]). An answer is rated by five criteria ([`verdict::Criterion`]) under one of two rules ([`verdict::Rule`]).
//!
//! # Features
//!
//! `harness` (default): trials, snapshots and the macro. `pdf`: reading PDF files. `office`: reading Word files (docx).
//!
//! # Where to look
//!
//! The definition of each metric: [`metrics`]. How evidence is matched: [`evidence`]. What a record holds: [`record::RunRecord`]. The
//! rules of the judge: [`oracle`]. From configuration to decisions, without a harness: [`project`].

pub mod baseline;
pub mod breakdown;
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
pub mod trec;
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
