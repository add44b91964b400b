//! PDF files as they are in the world: every page yields its text or is reported.

mod damaged;
mod encrypted;
mod kinds;
mod limits;
mod make;
mod real;

use ragtest::corpus::reader::{Extract, Reader};
use ragtest::corpus::{Document, Page, PageState};
use ragtest::error::ExtractError;

fn extract(bytes: &[u8]) -> Result<Document, ExtractError> {
    Reader::default().extract("folder/a.pdf", bytes)
}

/// The document of a file that is read.
fn read(maker: make::Maker) -> Document {
    extract(&maker.bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn text<'a>(document: &'a Document, page: &Page) -> &'a str {
    &document.text[page.span.clone()]
}

/// What was said about a page.
fn remarks(document: &Document, page: u32) -> String {
    let of_page = document.warnings.iter().filter(|warning| warning.page == Some(page));
    of_page.map(|warning| warning.message.as_str()).collect::<Vec<_>>().join("; ")
}

fn states(document: &Document) -> Vec<PageState> {
    document.pages.iter().map(|page| page.state).collect()
}
