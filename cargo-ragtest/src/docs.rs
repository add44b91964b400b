//! `docs show`: a document as the project reads it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ragtest::Error;
use ragtest::config::{CONFIG_FILE, Config};
use ragtest::corpus::reader::{Extract, Reader};
use ragtest::corpus::{Document, Page, PageState};
use ragtest::error::{ExtractError, ExtractErrorKind};
use ragtest::text::plain;
use serde_json::{Value, json};

use crate::output::{self, Output};
use crate::package::Package;
use crate::sections;

/// Prints a document's text as the project reads it
#[derive(Args)]
#[command(long_about = "\
Prints a document's text as the project reads it: page by page with each page's state, headings, the reader's
warnings, and what stands beside the text: running headers and footers, page numbers.

This is the text that quotes in cases are compared with. Formats without pages are shown as one page.

  cargo ragtest docs show golden/handbook/payments.md
  cargo ragtest docs show manual.pdf --json
  cargo ragtest docs show manual.pdf --sections

An encrypted file is opened with the passwords that the corpora of the package name (`password_env`).")]
pub(crate) struct Options {
    /// The file: Markdown, HTML, plain text or PDF
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Prints one JSON document
    #[arg(long, env = "RAGTEST_JSON", hide_env = true, value_parser = output::switch)]
    json: bool,
    /// Lists the sections that cases are generated from, of at most TOKENS tokens [default: 512], with readability, in place of the text
    #[arg(long, value_name = "TOKENS", num_args = 0..=1, require_equals = true, default_missing_value = "512")]
    #[arg(env = "RAGTEST_SECTIONS", hide_env = true, value_parser = output::count)]
    sections: Option<usize>,
}

/// One page as it is shown. A document without pages is one page.
struct ShownPage<'a> {
    number: u32,
    state: PageState,
    text: &'a str,
    /// Headers, footers and page numbers, which are no part of the text.
    furniture: Vec<&'a str>,
    headings: Vec<&'a str>,
    warnings: Vec<&'a str>,
}

/// The package is only looked for when its passwords are needed: a document can be shown anywhere.
pub(crate) fn show(options: &Options, package: impl FnOnce() -> Option<Package>) -> Result<Output> {
    let document = read(&options.file, package)?;
    let pages = pages(&document);
    let sections = options.sections.filter(|tokens| *tokens > 0);
    if options.json {
        let pages = pages.iter().map(page_json).collect::<Result<Vec<_>>>()?;
        let mut shown = json!({ "format": 1, "document": document.id, "pages": pages });
        if let Some(tokens) = sections {
            shown["sections"] = sections::values(&document, tokens)?;
        }
        return Ok(Output::json(&shown, true));
    }
    if let Some(tokens) = sections {
        return Ok(Output { text: sections::list(&document, tokens), green: true });
    }
    let mut text = format!("{}\n", plain(&document.id));
    for page in &pages {
        if !document.pages.is_empty() {
            let _ = writeln!(text, "\n--- page {}: {}", page.number, state_name(page.state)?);
        }
        for line in &page.furniture {
            let _ = writeln!(text, "beside the text: {}", plain(line));
        }
        for heading in &page.headings {
            let _ = writeln!(text, "heading: {}", plain(heading));
        }
        for warning in &page.warnings {
            let _ = writeln!(text, "warning: {}", plain(warning));
        }
        let _ = writeln!(text, "\n{}", plain(page.text).trim_matches('\n'));
    }
    Ok(Output { text, green: true })
}

fn read(path: &Path, package: impl FnOnce() -> Option<Package>) -> Result<Document> {
    if path.is_dir() {
        bail!("read document {}: it is a folder; name one file", path.display());
    }
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let id = path.to_string_lossy().replace('\\', "/");
    let first = Reader::default().extract(&id, &bytes);
    let Err(ExtractError { kind: ExtractErrorKind::Encrypted, .. }) = first else { return Ok(first?) };
    let opened = passwords(package()).into_iter().find_map(|password| Reader::default().with_password(password).extract(&id, &bytes).ok());
    opened.map_or_else(|| Ok(first?), Ok)
}

/// The passwords of the package's corpora.
fn passwords(package: Option<Package>) -> Vec<String> {
    let config = package.and_then(|package| Config::load(&package.root.join(CONFIG_FILE)).ok());
    let names = config.iter().flat_map(|config| config.corpus.values()).filter_map(|corpus| corpus.password_env.as_ref());
    names.filter_map(|name| std::env::var(name).ok()).collect()
}

fn pages<'a>(document: &'a Document) -> Vec<ShownPage<'a>> {
    let whole = ShownPage {
        number: 1,
        state: PageState::Ok,
        text: &document.text,
        furniture: Vec::new(),
        headings: document.headings.iter().map(|heading| heading.text.as_str()).collect(),
        warnings: document.warnings.iter().map(|warning| warning.message.as_str()).collect(),
    };
    let Some(first) = document.pages.first() else { return vec![whole] };
    let of_page = |page: &'a Page| {
        let headings = document.headings.iter().filter(|heading| page.span.contains(&heading.offset));
        // A remark on the whole document stands on its first page.
        let warnings = document.warnings.iter().filter(|warning| warning.page.unwrap_or(first.number) == page.number);
        ShownPage {
            number: page.number,
            state: page.state,
            text: document.text.get(page.span.clone()).unwrap_or_default(),
            furniture: page.furniture.iter().map(String::as_str).collect(),
            headings: headings.map(|heading| heading.text.as_str()).collect(),
            warnings: warnings.map(|warning| warning.message.as_str()).collect(),
        }
    };
    document.pages.iter().map(of_page).collect()
}

fn page_json(page: &ShownPage<'_>) -> Result<Value> {
    Ok(json!({
        "number": page.number,
        "state": state_name(page.state)?,
        "text": page.text,
        "furniture": page.furniture,
        "headings": page.headings,
        "warnings": page.warnings,
    }))
}

/// The state's name as files have it.
fn state_name(state: PageState) -> Result<String> {
    Ok(serde_json::from_value(serde_json::to_value(state)?)?)
}

#[cfg(test)]
mod tests {
    use ragtest::corpus::{Heading, Warning};

    use super::*;

    #[test]
    fn headings_and_warnings_stand_on_their_pages() {
        let page = |number, span, state| Page { number, span, state, furniture: vec![format!("Guide {number}")] };
        let warning = |page, message: &str| Warning { page, message: message.into() };
        let document = Document {
            text: "One\ntwo".into(),
            pages: vec![page(1, 0..3, PageState::Ok), page(2, 4..7, PageState::Doubtful), page(3, 7..7, PageState::ImageOnly)],
            headings: vec![Heading { level: 1, text: "two".into(), offset: 4 }],
            warnings: vec![warning(None, "whole"), warning(Some(2), "second")],
            ..Document::default()
        };
        let shown: Vec<_> = pages(&document).into_iter().map(|p| (p.number, p.text, p.headings.len(), p.warnings.join(""))).collect();
        assert_eq!(shown, [(1, "One", 0, "whole".into()), (2, "two", 1, "second".into()), (3, "", 0, String::new())]);
        let second = page_json(&pages(&document)[1]).expect("JSON");
        assert_eq!(second["furniture"], json!(["Guide 2"]));
        assert_eq!(state_name(PageState::ImageOnly).expect("name"), "image-only");
    }
}
