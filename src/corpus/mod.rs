//! Documents, the readers that extract them, and the chunkers that cut them.

mod chunk;
mod chunker;
mod document;
pub mod reader;
mod source;

pub use chunk::{Chunk, Chunker, chunk_id};
pub use chunker::{Strategy, TextChunker};
pub use document::{Document, Heading, Page, PageState, Warning};
pub use source::{SourceFile, SourceFiles};
