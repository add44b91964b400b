//! Indexes over chunks: exact and approximate vector search, BM25, and rank fusion.

mod blob;
mod bm25;
mod embeddings;
mod exact;
mod fusion;
#[cfg(feature = "hnsw")]
mod hnsw;
mod rows;
mod search;
mod vectors;

pub use bm25::{Bm25, Bm25Index};
pub use exact::Exact;
pub use fusion::{Fuse, reciprocal_rank_fusion};
#[cfg(feature = "hnsw")]
pub use hnsw::Hnsw;
pub use search::{IndexBuilder, Rank, Search};

#[cfg(test)]
mod tests {
    /// The value of a future that needs no waiting.
    pub(super) fn ready<T>(future: impl Future<Output = T>) -> T {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match std::pin::pin!(future).poll(&mut context) {
            std::task::Poll::Ready(value) => value,
            std::task::Poll::Pending => panic!("the future is waiting"),
        }
    }
}
