//! Documents, the readers that extract them, the chunkers that cut them for retrieval, and the sections that cases come from.

mod chunk;
mod chunker;
mod document;
pub mod reader;
mod section;
mod source;

pub use chunk::{Chunk, Chunker, chunk_id};
pub use chunker::{Strategy, TextChunker};
pub use document::{Document, Heading, Page, PageState, Warning};
pub use section::{Section, sections};
pub use source::{SourceFile, SourceFiles};
