//! What all verbs share: their result, error texts, the runtime.

use std::fmt::Write;

use anyhow::{Context, Result};
use ragtest::text::plain;

/// What a verb prints on standard output, and whether its exit code is 0 or 1.
pub(crate) struct Output {
    /// The whole text, with its last line end.
    pub(crate) text: String,
    /// `false` = exit code 1.
    pub(crate) green: bool,
}

impl Output {
    /// A JSON document.
    pub(crate) fn json(value: &serde_json::Value, green: bool) -> Self {
        Self { text: format!("{value:#}\n"), green }
    }
}

/// One line for people. Standard output holds results only.
#[expect(clippy::print_stderr, reason = "the command talks to people on standard error")]
pub(crate) fn complain(line: &str) {
    eprintln!("{line}");
}

/// An error with its causes. Library messages often hold their cause already; it is not said twice.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    let mut text = format!("error: failed to {}", plain(&error.to_string()));
    for cause in error.chain().skip(1) {
        let cause = plain(&cause.to_string());
        if !text.contains(&cause) {
            let _ = write!(text, "\n  caused by: {cause}");
        }
    }
    text
}

/// The value of a switch's variable: empty is off, anything but a plain yes or no is refused.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "" | "0" | "false" | "no" | "off" => Ok(false),
        _ => Err("it is 1 or 0".into()),
    }
}

/// The value of a flag that counts something: empty is 0.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    if text.is_empty() { Ok(0) } else { text.parse().map_err(|_| "it is a number".into()) }
}

/// A flag's value; an empty variable counts as unset.
pub(crate) fn given(value: Option<&String>) -> Option<&str> {
    value.map(String::as_str).filter(|value| !value.is_empty())
}

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("start the async runtime")?;
    runtime.block_on(future)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_said_once() {
        let error = anyhow::anyhow!("not found").context("access x: not found").context("read\u{1b}[2J the run");
        assert_eq!(explain(&error), "error: failed to read\\u{1b}[2J the run\n  caused by: access x: not found");
    }

    #[test]
    fn switches_are_strict() {
        assert_eq!((switch("1"), switch("No"), switch("")), (Ok(true), Ok(false), Ok(false)));
        assert!(switch("maybe").is_err());
    }
}
