//! Run records: what a system returned for a case, with metrics and verdict, and the store that makes each at most once a run.

pub mod clock;
mod jsonl;
mod run_id;
mod run_record;
mod run_store;

pub use jsonl::{append_line, read_records};
pub use run_id::RunId;
pub use run_record::{HarnessFacts, JudgeTrace, RECORD_FORMAT, RecordKey, RetrievedChunk, RunRecord};
pub use run_store::{Manifest, RunStore};
