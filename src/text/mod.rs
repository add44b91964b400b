//! Text as people mean it: folding, words, sentences, quotes. Everything here is pure and the same on every machine.

mod fold;
mod quote;
mod sentence;
mod word;

pub use fold::{fold, fold_char, is_cjk, strip_accents};
pub use quote::QuoteFinder;
pub use sentence::sentences;
pub use word::{Language, STOP_WORDS, is_stop_word, stem, token_estimate, words};
