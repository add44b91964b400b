//! Chunks: the retrieval unit, and the trait of what cuts them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Document;
use crate::id::{Fingerprint, Stage};

/// One retrieval unit of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// `<document>#<ordinal>-<8 hex of the text's hash>`: stable while the text stays.
    pub id: String,
    /// The document's id.
    pub source_id: String,
    /// Byte span in the document's text; `None` for chunks of unknown place.
    pub span: Option<Range<usize>>,
    /// Pages (from 1, end exclusive) for formats with pages.
    pub pages: Option<Range<u32>>,
    /// The headings above, outermost first.
    pub headings: Vec<String>,
    /// The text: exactly the document's bytes of `span`.
    pub text: String,
    /// Who may see it; empty = everyone.
    pub scopes: Vec<String>,
    /// The knowledge snapshot it belongs to.
    pub snapshot: Option<String>,
}

impl Chunk {
    /// What an index sees: the heading path, then the text. A passage in the middle of a section is found by the section's name.
    pub fn indexed_text(&self) -> String {
        if self.headings.is_empty() {
            return self.text.clone();
        }
        format!("{}\n{}", self.headings.join(" > "), self.text)
    }

    /// Whether somebody of `scope` may see the chunk. Who names no scope sees what everybody may see.
    pub fn visible_to(&self, scope: Option<&str>) -> bool {
        self.scopes.is_empty() || scope.is_some_and(|scope| self.scopes.iter().any(|s| s == scope))
    }
}

/// Cuts documents into chunks.
pub trait Chunker: Stage {
    /// The chunks of a document, in order. Every non-blank byte is in at least one.
    fn chunk(&self, document: &Document) -> Vec<Chunk>;
}

/// The id of a document's chunk.
pub fn chunk_id(document: &str, ordinal: usize, text: &str) -> String {
    format!("{document}#{ordinal}-{}", Fingerprint::of_bytes(text.as_bytes()).short(8))
}
