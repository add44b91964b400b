//! Readers: from a file's bytes to its text, headings and pages.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::Document;
use crate::error::{ExtractError, ExtractErrorKind};
use crate::id::{Fingerprint, Stage};
use crate::text::{Language, fold_char};

#[cfg(feature = "office")]
mod docx;
mod html;
mod jsonl;
mod markdown;
#[cfg(feature = "pdf")]
mod pdf;
mod plain;

pub use jsonl::read_beir;
pub(crate) use jsonl::{is_beir, list_beir};

/// Changes whenever a reader's text changes: it is part of every index' fingerprint.
const VERSION: &str = "reader/2";

/// Reads documents.
pub trait Extract: Stage {
    /// The text of a document. `id` is its path in the corpus: the extension names the format.
    fn extract(&self, id: &str, bytes: &[u8]) -> Result<Document, ExtractError>;
}

/// The formats that are read, by file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Markdown,
    Html,
    Plain,
    Pdf,
    Docx,
    Beir,
}

impl Format {
    fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "txt" | "text" => Some(Self::Plain),
            "pdf" => Some(Self::Pdf),
            "docx" => Some(Self::Docx),
            "jsonl" => Some(Self::Beir),
            _ => None,
        }
    }
}

/// Whether the extension names a format of [`Reader`]. PDF and docx count without their features too: reading them then says what is missing,
/// where a folder scan would leave the file out in silence.
pub fn supported(path: impl AsRef<Path>) -> bool {
    Format::of(path.as_ref()).is_some()
}

/// Reads Markdown, HTML, plain text, single lines of a BEIR corpus and, with the features `pdf` and `office`, PDF and docx.
#[derive(Clone)]
pub struct Reader {
    password: Option<String>,
    max_bytes: usize,
    max_pages: u32,
}

impl Default for Reader {
    /// No password, files of at most 64 MiB, at most 5,000 pages.
    fn default() -> Self {
        Self { password: None, max_bytes: 64 << 20, max_pages: 5_000 }
    }
}

impl Reader {
    /// Opens encrypted files with `password`.
    #[must_use]
    pub fn with_password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Refuses files of more than `limit` bytes, packed or unpacked.
    #[must_use]
    pub fn with_max_bytes(mut self, limit: usize) -> Self {
        self.max_bytes = limit;
        self
    }

    /// Refuses files of more than `limit` pages.
    #[must_use]
    pub fn with_max_pages(mut self, limit: u32) -> Self {
        self.max_pages = limit;
        self
    }

    fn read(&self, id: &str, bytes: &[u8]) -> Result<Document, ExtractErrorKind> {
        let extension = || Path::new(id).extension().unwrap_or_default().to_string_lossy().into_owned();
        let format = Format::of(Path::new(id)).ok_or_else(|| ExtractErrorKind::Unsupported(extension()))?;
        if bytes.len() > self.max_bytes {
            let (size, limit) = (bytes.len(), self.max_bytes);
            return Err(ExtractErrorKind::Malformed(format!("the file has {size} bytes, the limit is {limit}")));
        }
        match format {
            Format::Markdown => Ok(markdown::read(&plain::decode(bytes)?)),
            Format::Html => html::read(&html::decode(bytes)?),
            Format::Beir => jsonl::read(bytes),
            Format::Plain => Ok(Document { text: plain::decode(bytes)?, ..Document::default() }),
            #[cfg(feature = "pdf")]
            Format::Pdf => pdf::read(bytes, self.password.as_deref(), self.max_pages),
            #[cfg(not(feature = "pdf"))]
            Format::Pdf => Err(ExtractErrorKind::Feature { format: "PDF", feature: "pdf" }),
            #[cfg(feature = "office")]
            Format::Docx => docx::read(bytes, self.max_bytes),
            #[cfg(not(feature = "office"))]
            Format::Docx => Err(ExtractErrorKind::Feature { format: "docx", feature: "office" }),
        }
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let password = self.password.as_ref().map(|_| "***");
        f.debug_struct("Reader")
            .field("password", &password)
            .field("max_bytes", &self.max_bytes)
            .field("max_pages", &self.max_pages)
            .finish()
    }
}

impl Stage for Reader {
    /// The password is left out: it decides whether there is text, not which.
    fn fingerprint(&self) -> Fingerprint {
        let pdf = if cfg!(feature = "pdf") { "pdf" } else { "" };
        let office = if cfg!(feature = "office") { "office" } else { "" };
        Fingerprint::of([VERSION, pdf, office, &self.max_bytes.to_string(), &self.max_pages.to_string()])
    }
}

impl Extract for Reader {
    fn extract(&self, id: &str, bytes: &[u8]) -> Result<Document, ExtractError> {
        // One bad file must not end the run of all the others.
        let read = catch_unwind(AssertUnwindSafe(|| self.read(id, bytes)));
        let read = read.unwrap_or_else(|_| Err(ExtractErrorKind::Malformed("its content stops the reader".into())));
        let document = read.map_err(|kind| ExtractError::new(id, kind))?;
        if !has_text(&document.text) {
            return Err(ExtractError::new(id, ExtractErrorKind::NoText));
        }
        let language = Language::of(&document.text);
        Ok(Document { id: id.to_owned(), language, ..document })
    }
}

/// Whether a text shows anything: white space, control and zero-width characters do not.
fn has_text(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control() && fold_char(c).is_some())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn kind(id: &str, bytes: &[u8]) -> ExtractErrorKind {
        Reader::default().extract(id, bytes).expect_err("no document").kind
    }

    #[rstest]
    #[case::markdown("a/b.md", true)]
    #[case::markdown_long("b.Markdown", true)]
    #[case::html("B.HTM", true)]
    #[case::text("notes.text", true)]
    #[case::pdf("x.PDF", true)]
    #[case::word("x.DOCX", true)]
    #[case::lines("x.jsonl", true)]
    #[case::old_word("x.doc", false)]
    #[case::none("Makefile", false)]
    #[case::dot_file(".md", false)]
    fn extensions(#[case] path: &str, #[case] expected: bool) {
        assert_eq!(supported(path), expected);
        assert_eq!(matches!(kind(path, b""), ExtractErrorKind::Unsupported(_)), !expected);
    }

    #[rstest]
    #[case::empty("a.txt", "")]
    #[case::blank("a.txt", " \n\u{a0}\n")]
    #[case::zero_width("a.txt", "\u{feff}\u{200b}\n")]
    #[case::only_a_comment("a.md", "<!-- nothing -->\n\n---\n")]
    #[case::only_script("a.html", "<html><script>alert(1)</script></html>")]
    fn nothing_to_read_is_an_error(#[case] id: &str, #[case] text: &str) {
        let error = Reader::default().extract(id, text.as_bytes()).expect_err("no text");
        assert!(matches!(error.kind, ExtractErrorKind::NoText), "{error}");
        assert_eq!(error.document, id);
    }

    #[test]
    fn limits_and_secrets() {
        let reader = Reader::default().with_password("hunter2").with_max_bytes(3);
        assert!(matches!(reader.extract("a.txt", b"four"), Err(ExtractError { kind: ExtractErrorKind::Malformed(_), .. })));
        assert!(reader.extract("a.txt", b"ok!").is_ok());
        assert!(!format!("{reader:?}").contains("hunter2"));
        assert_eq!(reader.fingerprint(), Reader::default().with_max_bytes(3).fingerprint());
        assert_ne!(reader.fingerprint(), Reader::default().fingerprint());
    }

    #[cfg(not(feature = "office"))]
    #[test]
    fn docx_names_its_feature() {
        assert!(matches!(kind("a.docx", b"PK"), ExtractErrorKind::Feature { feature: "office", .. }));
    }

    #[cfg(not(feature = "pdf"))]
    #[test]
    fn pdf_names_its_feature() {
        assert!(matches!(kind("a.pdf", b"%PDF-1.4"), ExtractErrorKind::Feature { feature: "pdf", .. }));
    }
}
