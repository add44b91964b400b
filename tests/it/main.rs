//! Tests of the library as a whole. The harness as a program is tested in `fixture/tests/it`, the command in `cargo-ragtest/tests/it`.

mod corpus;
mod fuzz_corpus;
mod layers;
mod pdf;
