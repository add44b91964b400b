//! One file in its thread: opened by both libraries, read page by page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::xref::XrefRecovery;
use lopdf::{LoadOptions, ObjectId};
use pdf_oxide::PdfDocument;

use super::content::{Contents, Drawn};
use super::doubt::doubt;
use super::lines::{self, Line};
use super::packed::Packed;
use super::watch::{Opened, Pages, Sink};
use crate::corpus::PageState;
use crate::corpus::reader::plain;
use crate::error::ExtractErrorKind;

/// How many lines and areas may belong to headers and footers.
const MAX_RULES: usize = 40;

/// A file to be read.
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    pub(super) password: Option<String>,
    pub(super) max_pages: u32,
}

/// What was read of a page.
#[derive(Debug)]
pub(super) struct PageRead {
    pub(super) lines: Vec<Line>,
    pub(super) state: PageState,
    /// Why the state is not `Ok`.
    pub(super) remark: Option<String>,
    /// Whether there are pictures or drawings on it, a few lines aside.
    pub(super) pictures: bool,
}

impl PageRead {
    pub(super) fn failed(remark: impl Into<String>) -> Self {
        Self { lines: Vec::new(), state: PageState::Failed, remark: Some(remark.into()), pictures: false }
    }
}

impl Pages for File {
    type Page = PageRead;

    fn read(&self, first: usize, reports: &mut dyn Sink<PageRead>) -> Result<(), ExtractErrorKind> {
        let file = open(&self.bytes, self.password.as_deref())?;
        let pages = file.get_pages();
        if pages.is_empty() {
            return Err(ExtractErrorKind::NoPages);
        }
        if pages.len() > self.max_pages as usize {
            return Err(malformed(format!("the file has {} pages, the limit is {}", pages.len(), self.max_pages)));
        }
        let reader = open_for_text(&self.bytes, self.password.as_deref())?;
        let mut remarks = Vec::new();
        if file.xref_recovery == Some(XrefRecovery::Reconstructed) {
            remarks.push("the file is damaged; pages or newer versions of them may be missing".to_owned());
        }
        let found = reader.page_count().unwrap_or_default();
        if found != pages.len() {
            remarks.push(format!("the file is damaged: a second reader finds {found} pages, not {}", pages.len()));
        }
        if !reports.opened(Opened { pages: pages.len(), remarks }) {
            return Ok(());
        }
        let (contents, packed) = (Contents::new(&file), Packed::of(&file));
        for (index, id) in pages.into_values().enumerate().skip(first) {
            let page = match packed.too_large(&file, id) {
                Some(remark) => PageRead::failed(remark),
                None => read_page(&reader, index, &contents, id),
            };
            if !reports.page(page) {
                break;
            }
        }
        Ok(())
    }
}

fn malformed(message: impl std::fmt::Display) -> ExtractErrorKind {
    ExtractErrorKind::Malformed(message.to_string())
}

/// Opens a file with an empty user password or with `password`.
fn open(bytes: &[u8], password: Option<&str>) -> Result<lopdf::Document, ExtractErrorKind> {
    let options = LoadOptions { password: password.map(str::to_owned), ..LoadOptions::default() };
    match lopdf::Document::load_mem_with_options(bytes, options) {
        // Without a password the library returns a document without objects.
        Ok(file) if file.trailer.has(b"Encrypt") => Err(ExtractErrorKind::Encrypted),
        Ok(file) => Ok(file),
        Err(lopdf::Error::InvalidPassword) => Err(ExtractErrorKind::Encrypted),
        Err(error) => Err(malformed(error)),
    }
}

fn open_for_text(bytes: &[u8], password: Option<&str>) -> Result<PdfDocument, ExtractErrorKind> {
    let reader = PdfDocument::from_bytes(bytes.to_vec()).map_err(malformed)?;
    if !reader.is_authenticated() {
        reader.authenticate(password.unwrap_or_default().as_bytes()).map_err(malformed)?;
    }
    if reader.is_authenticated() { Ok(reader) } else { Err(ExtractErrorKind::Encrypted) }
}

/// Reads a page, `index` from 0. A page that stops a library is an error of that page only.
fn read_page(reader: &PdfDocument, index: usize, contents: &Contents<'_>, id: ObjectId) -> PageRead {
    let lines = catch_unwind(AssertUnwindSafe(|| match lines::in_drawing_order(reader.extract_spans(index)?) {
        Some(lines) => Ok(lines),
        None => reader.extract_text(index).map(|text| unsized_lines(&text)),
    }));
    let drawn = catch_unwind(AssertUnwindSafe(|| contents.of_page(id)));
    match (lines, drawn) {
        (Ok(Ok(lines)), Ok(drawn)) => judged(lines, &drawn),
        (Ok(Err(error)), _) => PageRead::failed(pdf_oxide::Error::to_string(&error)),
        (Err(_), _) | (_, Err(_)) => PageRead::failed("its content stops the reader"),
    }
}

fn judged(lines: Vec<Line>, drawn: &Drawn) -> PageRead {
    let raw: String = lines.iter().flat_map(|line| [&line.text, "\n"]).collect();
    let clean = |line: Line| Line { text: clean(&line.text), ..line };
    let lines: Vec<Line> = lines.into_iter().map(clean).filter(|line| !line.text.is_empty()).collect();
    let (state, remark) = if lines.is_empty() {
        without_text(drawn)
    } else {
        doubt(&raw, drawn).map_or((PageState::Ok, None), |remark| (PageState::Doubtful, Some(remark)))
    };
    PageRead { lines, state, remark, pictures: drawn.pictures || drawn.paths > MAX_RULES }
}

fn without_text(drawn: &Drawn) -> (PageState, Option<String>) {
    if let Some(fault) = &drawn.fault {
        (PageState::Failed, Some(fault.clone()))
    } else if drawn.text {
        (PageState::Doubtful, Some("its text has no readable characters".to_owned()))
    } else if drawn.pictures || drawn.paths > 0 {
        (PageState::ImageOnly, Some("pictures only, no text".to_owned()))
    } else {
        (PageState::Ok, None)
    }
}

/// The lines of a text without font sizes.
fn unsized_lines(text: &str) -> Vec<Line> {
    let text = plain::normalize(text);
    let mut apart = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            apart = true;
        } else {
            lines.push(Line { text: line.to_owned(), apart: std::mem::take(&mut apart), ..Line::default() });
        }
    }
    lines
}

/// NFC, accents on their letters, ligatures as their letters, no control characters, no white space around.
fn clean(line: &str) -> String {
    let visible: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
    plain::nfc(lines::join_accents(&lines::fold_ligatures(visible.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_positions_keeps_its_paragraphs() {
        let lines = unsized_lines("\n\n a\u{1} \n\n\n\nb\r\nc\n");
        let shown: Vec<_> = lines.iter().map(|line| (clean(&line.text), line.apart)).collect();
        assert_eq!(shown, [("a".to_owned(), true), ("b".to_owned(), true), ("c".to_owned(), false)]);
    }
}
