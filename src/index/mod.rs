//! Indexes over chunks: exact vector search, BM25, and rank fusion.

mod bm25;
mod exact;
mod fusion;
mod search;

pub use bm25::Bm25;
pub use exact::Exact;
pub use fusion::{Fuse, reciprocal_rank_fusion};
pub use search::{IndexBuilder, Rank, Search};
