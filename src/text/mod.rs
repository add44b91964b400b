//! Text as people mean it: folding, words, sentences, quotes. Everything here is pure and the same on every machine.

mod excerpt;
mod fold;
mod language;
mod quote;
mod readability;
mod sentence;
mod syllable;
mod word;

pub use excerpt::{excerpt, plain};
pub use fold::{fold, fold_char, is_cjk, strip_accents};
pub use language::Language;
pub(crate) use language::is_function_word;
pub use quote::QuoteFinder;
pub use readability::{AMSTAD_VERSION, FLESCH_VERSION, Formula, LENGTH_VERSION, Readability, hardest_first, readability};
pub use sentence::sentences;
pub use word::{STOP_WORDS, for_each_word, is_stop_word, stem, token_estimate, words};
