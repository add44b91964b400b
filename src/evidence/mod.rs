//! Evidence against ranked lists: where the quotes stand, and at which rank the top of a list holds each.
//!
//! The unit is the evidence item. It is met at rank r when the union of the top r chunks covers at least half of one of its places, so a new
//! chunking keeps its labels. Chunks of the built-in pipeline have byte spans; those of other systems are compared by id, else by their words.

mod cover;
mod judge;
mod resolve;

pub use cover::Cover;
pub use judge::{Judged, Located, judge_list, locate};
pub use resolve::{EvidenceFault, GoldItem, may_see, resolve};
