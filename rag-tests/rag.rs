//! The RAG suite of this repository: the golden corpus on the embedded pipeline.

use std::process::ExitCode;

fn main() -> ExitCode {
    ragtest::harness!().run()
}
