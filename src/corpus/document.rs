//! A document as it was read: text, pages, headings, and what went wrong.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::id::Fingerprint;
use crate::text::Language;

/// One source file's text. All positions are byte offsets into `text`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The stable id: the file's path inside its corpus, with `/`.
    pub id: String,
    /// The text flow, NFC, `\n` line ends.
    pub text: String,
    /// The pages, in order; empty for formats without pages.
    pub pages: Vec<Page>,
    /// The headings, in order.
    pub headings: Vec<Heading>,
    /// What a reader should know: pages without text, doubtful characters.
    pub warnings: Vec<Warning>,
    /// The language that most of the text is in, where it can be told.
    pub language: Option<Language>,
}

/// One page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// From 1.
    pub number: u32,
    /// Where its text stands.
    pub span: Range<usize>,
    /// Whether its text can be trusted.
    pub state: PageState,
    /// What stands around its text and is no part of it: running headers and footers, page numbers.
    pub furniture: Vec<String>,
}

/// Whether a page's text can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PageState {
    /// The page has text, or nothing is drawn on it.
    #[default]
    Ok,
    /// Pictures only.
    ImageOnly,
    /// The text looks wrong: a warning says why.
    Doubtful,
    /// The page could not be read: a warning says why.
    Failed,
}

/// One heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 (title) to 6.
    pub level: u8,
    /// Its text.
    pub text: String,
    /// Where its line starts.
    pub offset: usize,
}

/// A remark of a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The page, from 1, if one page is meant.
    pub page: Option<u32>,
    /// The remark.
    pub message: String,
}

impl Document {
    /// The headings above `offset`, outermost first.
    pub fn heading_path(&self, offset: usize) -> Vec<String> {
        let above = &self.headings[..self.headings.partition_point(|h| h.offset <= offset)];
        let mut path: Vec<&Heading> = Vec::new();
        for heading in above.iter().rev() {
            match path.last() {
                Some(inner) if inner.level == 1 => break,
                Some(inner) if inner.level <= heading.level => {}
                _ => path.push(heading),
            }
        }
        path.into_iter().rev().map(|h| h.text.clone()).collect()
    }

    /// The pages (from 1, end exclusive) that a span touches; `None` for formats without pages.
    pub fn pages_of(&self, span: &Range<usize>) -> Option<Range<u32>> {
        let mut touched = self.pages.iter().filter(|p| p.span.start < span.end && span.start < p.span.end).map(|p| p.number);
        let first = touched.next()?;
        Some(first..touched.next_back().unwrap_or(first) + 1)
    }

    /// The fingerprint of the text.
    pub fn text_hash(&self) -> Fingerprint {
        Fingerprint::of_bytes(self.text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_path_and_pages_follow_offsets() {
        let heading = |level, text: &str, offset| Heading { level, text: text.into(), offset };
        let page = |number, span| Page { number, span, ..Page::default() };
        let document = Document {
            text: "x".repeat(100),
            headings: vec![heading(1, "Guide", 0), heading(2, "Setup", 10), heading(3, "Linux", 20), heading(2, "Use", 50)],
            pages: vec![page(1, 0..40), page(2, 41..100)],
            ..Document::default()
        };
        assert_eq!(document.heading_path(25), ["Guide", "Setup", "Linux"]);
        assert_eq!(document.heading_path(60), ["Guide", "Use"]);
        assert_eq!(document.pages_of(&(30..45)), Some(1..3));
        assert_eq!(document.pages_of(&(0..5)), Some(1..2));
        assert_eq!(Document::default().pages_of(&(0..5)), None);
    }
}
