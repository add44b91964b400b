//! Errors. Messages are lowercase fragments that fit after "failed to ...".

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The library's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong outside a single case: files, configuration, stores.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("access {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// `ragtest.toml` is wrong.
    #[error("read {}{}: {message}", path.display(), line.map(|l| format!(":{l}")).unwrap_or_default())]
    Config {
        /// The configuration file.
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong and what to do.
        message: String,
    },
    /// A suite's files failed their load checks.
    #[error("load suite {suite}: {} problem(s)\n{}", problems.len(), problems.join("\n"))]
    Load {
        /// The suite.
        suite: String,
        /// One line a problem: file, line, remedy.
        problems: Vec<String>,
    },
    /// A document could not be read.
    #[error(transparent)]
    Extract(#[from] ExtractError),
    /// A stage of the built-in pipeline failed outside a case, for example while an index was built.
    #[error("build the pipeline of {corpus}: {source}")]
    Stage {
        /// The corpus.
        corpus: String,
        /// The cause.
        source: CallError,
    },
    /// A derived file (store, record, baseline) is damaged or from a newer version.
    #[error("read {}: {message}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
    /// A name, option or variable that does not make sense.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// Wraps an I/O error with its path.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.as_ref().to_path_buf();
        move |source| Self::Io { path, source }
    }
}

/// Why a document gives no text.
#[derive(Debug, thiserror::Error)]
#[error("read document {document}{}: {kind}", page.map(|p| format!(", page {p}")).unwrap_or_default())]
#[non_exhaustive]
pub struct ExtractError {
    /// The document's id or path.
    pub document: String,
    /// The page, from 1, where one page is at fault.
    pub page: Option<u32>,
    /// The cause.
    pub kind: ExtractErrorKind,
}

impl ExtractError {
    /// An error of a whole document.
    pub fn new(document: impl Into<String>, kind: ExtractErrorKind) -> Self {
        Self { document: document.into(), page: None, kind }
    }

    /// Names the page, from 1.
    #[must_use]
    pub fn on_page(mut self, page: u32) -> Self {
        self.page = Some(page);
        self
    }
}

/// The kinds of extraction failures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractErrorKind {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The bytes are not of the format that the file name says.
    #[error("{0}")]
    Malformed(String),
    /// The text encoding is not UTF-8.
    #[error("the file is {0}, not UTF-8; convert it with `iconv -t UTF-8`")]
    Encoding(&'static str),
    /// Encrypted, and no (right) password was given.
    #[error(
        "the file is encrypted; save it without a password, or, if it is a PDF, set `password_env` of its corpus to a variable that holds it"
    )]
    Encrypted,
    /// A PDF whose page tree holds no page.
    #[error("the file has no pages")]
    NoPages,
    /// No page and no paragraph has text.
    #[error("the file has no text; if it is scanned, add a text layer with OCR first")]
    NoText,
    /// The format is not read at all.
    #[error("files of type {0:?} are not read; save it as pdf, docx, md, html or txt")]
    Unsupported(String),
    /// The format needs a feature.
    #[error("reading {format} needs a feature; add `ragtest = {{ features = [\"{feature}\"] }}` to Cargo.toml")]
    Feature {
        /// The format.
        format: &'static str,
        /// The cargo feature.
        feature: &'static str,
    },
}

/// What kind of trouble made a call fail. None of these says anything about quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CallErrorKind {
    /// The provider or system answered with an error, or not at all.
    Provider,
    /// No answer within the limit.
    Timeout,
    /// The answer could not be understood.
    Parse,
    /// The request was too large.
    Overflow,
    /// The provider cut the text before the model saw it, or the answer before its end.
    Truncated,
    /// A recording is missing in replay mode.
    NotRecorded,
    /// The case itself cannot be judged: its evidence is stale, its document is missing, a fact cannot be decided.
    Case,
    /// The system under test panicked.
    Panic,
    /// Anything else.
    Other,
}

/// A call to a system, model, store or judge that gave no usable result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
#[non_exhaustive]
pub struct CallError {
    /// The kind.
    pub kind: CallErrorKind,
    /// What happened and what to do.
    pub message: String,
}

impl CallError {
    /// A call error of the given kind.
    pub fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// The message of a panic.
pub(crate) fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".into())
}

/// What a system under test reports when it cannot answer.
///
/// Any error type converts into it with `?`; the text is shown in the failing trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemError(CallError);

impl SystemError {
    /// A provider error with a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(CallError::new(CallErrorKind::Provider, message))
    }

    /// An error of a given kind.
    pub fn of_kind(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self(CallError::new(kind, message))
    }
}

impl<E: std::error::Error> From<E> for SystemError {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::new(message)
    }
}

impl From<SystemError> for CallError {
    fn from(error: SystemError) -> Self {
        error.0
    }
}
