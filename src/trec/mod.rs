//! Relevance labels (qrels) and ranked lists (runs) in the files of TREC and BEIR, and their score.
//!
//! A qrels file has a line a label: `query iteration document grade`, separated by white space (TREC), or `query-id`, `corpus-id` and
//! `score`, separated by tabs, below a header (BEIR; Thakur et al. 2021). A run file has a line a result: `query Q0 document rank score tag`.
//!
//! The values are those of trec_eval, with these differences, each for a reason that its users met:
//!
//! * The order of a list is that of its `rank` column, and a score that increases along it is an error. trec_eval sorts by score and
//!   ignores the ranks. Where ranks are equal (some tools write 0 everywhere), it is trec_eval's: by score, then by id, both descending.
//! * A labelled query without a list counts 0 (`trec_eval -c`) and is listed.
//! * A query without any relevant document is not scored. trec_eval counts it 0; so does [`Scoring::unlabelled_as_zero`].
//! * A document twice in a list is an error here too, but names both lines.

#[cfg(test)]
mod edge_cases;
mod lines;
mod qrels;
mod run;
mod score;
mod write;

pub use lines::LineProblem;
pub use qrels::{Label, Labels, Qrels};
pub use run::{Ranked, Run};
pub use score::{Mean, QueryScores, Scores, Scoring, score};
pub use write::{QrelsShape, push_label, push_list, qrels_header};
