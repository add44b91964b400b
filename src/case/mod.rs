//! Test cases: a query, what is expected of the answer, and where the evidence stands.

mod expectation;
mod import;
pub mod jsonl;
mod object;
mod test_case;
mod validate;

pub use expectation::{Expect, Fact, Strategy};
pub use object::Extra;
pub use test_case::{CaseOrigin, EvidenceItem, Review, ReviewStatus, SnapshotExpectation, TestCase};
pub use validate::{CaseSource, LoadedCase, load_cases, read_line};
