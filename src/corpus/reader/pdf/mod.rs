//! PDF: lopdf opens the file and tells what is on a page, `pdf_oxide` reads the page's text. Where the two disagree on a page's letters, the
//! page is doubtful.

use self::page::{File, PageRead};
use crate::corpus::Document;
use crate::error::ExtractErrorKind;

mod content;
mod doubt;
mod flow;
mod fonts;
mod furniture;
mod hyphens;
mod letters;
mod lines;
mod packed;
mod page;
mod watch;

/// The document of a PDF file. Every page yields text or is reported in a warning.
pub(super) fn read(bytes: &[u8], password: Option<&str>, max_pages: u32) -> Result<Document, ExtractErrorKind> {
    let file = File { bytes: bytes.to_vec(), password: password.map(str::to_owned), max_pages };
    let (remarks, pages) = watch::read_all(file, &watch::Limits::default())?;
    Ok(flow::document(remarks, pages.into_iter().map(|page| page.unwrap_or_else(PageRead::failed)).collect()))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use lopdf::{EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary};
    use rstest::rstest;

    use super::*;
    use crate::corpus::PageState;
    use crate::corpus::reader::{Extract, Reader};
    use crate::error::ExtractError;

    /// A file with a page for each list of drawing commands; `/F1` is Helvetica, `/Im1` a picture on pages that use it.
    fn file(pages: &[&str]) -> lopdf::Document {
        let mut file = lopdf::Document::with_version("1.5");
        let tree = file.new_object_id();
        let font = file.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
        let picture = dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => 1, "Height" => 1, "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8,
        };
        let picture = file.add_object(Stream::new(picture, vec![0]));
        let mut kids: Vec<Object> = Vec::new();
        for content in pages {
            let mut resources = dictionary! { "Font" => dictionary! { "F1" => font } };
            if content.contains("/Im1") {
                resources.set("XObject", dictionary! { "Im1" => picture });
            }
            let content = file.add_object(Stream::new(dictionary! {}, content.as_bytes().to_vec()));
            let page = dictionary! {
                "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => resources,
                "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
            };
            kids.push(file.add_object(page).into());
        }
        let count = i64::try_from(kids.len()).expect("few");
        file.objects.insert(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into());
        let catalog = file.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        file.trailer.set("Root", catalog);
        file.trailer.set("ID", vec![Object::string_literal("one"), Object::string_literal("two")]);
        file
    }

    fn save(mut file: lopdf::Document) -> Vec<u8> {
        let mut bytes = Vec::new();
        file.save_to(&mut bytes).expect("saves");
        bytes
    }

    /// Drawing commands for lines of a font size, downwards.
    fn lines(lines: &[(u32, &str)]) -> String {
        let mut content = String::new();
        for (i, (size, line)) in lines.iter().enumerate() {
            writeln!(content, "BT /F1 {size} Tf 72 {} Td ({line}) Tj ET", 780 - 30 * i).expect("a string takes all");
        }
        content
    }

    fn extract(bytes: &[u8]) -> Result<Document, ExtractError> {
        Reader::default().extract("a.pdf", bytes)
    }

    #[test]
    fn pages_and_headings() {
        let first = lines(&[(24, "Refund rules"), (12, "The limit is 30 days for every"), (12, "order placed in the shop.")]);
        let second = lines(&[(17, "Exceptions"), (12, "Gift cards are never paid back."), (9, "a foot note")]);
        let document = extract(&save(file(&[&first, &second]))).expect("reads");
        let numbers: Vec<_> = document.pages.iter().map(|page| (page.number, page.state)).collect();
        assert_eq!(numbers, [(1, PageState::Ok), (2, PageState::Ok)]);
        assert!(document.text[document.pages[0].span.clone()].contains("The limit is 30 days"), "{document:?}");
        assert!(document.text[document.pages[1].span.clone()].contains("never paid back"), "{document:?}");
        let headings: Vec<_> = document.headings.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
        assert_eq!(headings, [(1, "Refund rules"), (2, "Exceptions")]);
        assert!(document.headings.iter().all(|heading| document.text[heading.offset..].starts_with(&heading.text)));
        assert!(document.warnings.is_empty());
    }

    #[rstest]
    #[case::picture("q 200 0 0 200 72 500 cm /Im1 Do Q", PageState::ImageOnly, 1)]
    #[case::drawing("0 0 m 100 100 l S", PageState::ImageOnly, 1)]
    #[case::unreadable_text("BT /F1 12 Tf 72 720 Td (\\001\\002) Tj ET", PageState::Doubtful, 1)]
    #[case::blank("", PageState::Ok, 1)]
    fn pages_without_text_are_told_apart(#[case] content: &str, #[case] state: PageState, #[case] warnings: usize) {
        let document = extract(&save(file(&[content, &lines(&[(12, "Some text.")])]))).expect("reads");
        assert_eq!((document.pages[0].state, document.pages[0].span.clone()), (state, 0..0));
        assert_eq!(document.warnings.len(), warnings);
        assert!(document.warnings.iter().all(|warning| warning.page == Some(1) || warning.message.ends_with("page 1")));
        assert_eq!(document.pages_of(&(0..1)), Some(2..3));
        let alone = extract(&save(file(&[content]))).expect_err("no text at all");
        assert!(matches!(alone.kind, ExtractErrorKind::NoText), "{alone}");
    }

    #[rstest]
    #[case::sentence("runs across", "the border.", "runs across\nthe border.")]
    #[case::ended("It ends.", "the next", "It ends.\n\nthe next")]
    #[case::new_start("no full stop", "The next", "no full stop\n\nThe next")]
    fn page_borders(#[case] first: &str, #[case] second: &str, #[case] expected: &str) {
        let document = extract(&save(file(&[&lines(&[(12, first)]), &lines(&[(12, second)])]))).expect("reads");
        assert_eq!(document.text, expected);
    }

    #[test]
    fn broken_files_are_errors() {
        let whole = save(file(&[&lines(&[(12, "Some text.")])]));
        let kind = |bytes: &[u8]| extract(bytes).expect_err("an error").kind;
        assert!(matches!(kind(&whole[..whole.len() / 3]), ExtractErrorKind::Malformed(_) | ExtractErrorKind::NoPages));
        assert!(matches!(kind(b"no pdf at all"), ExtractErrorKind::Malformed(_)));
        assert!(matches!(kind(b""), ExtractErrorKind::Malformed(_)));
        assert!(matches!(kind(&save(file(&[]))), ExtractErrorKind::NoPages));
        let limited = Reader::default().with_max_pages(1).extract("a.pdf", &save(file(&["", ""]))).expect_err("too many");
        assert!(matches!(limited.kind, ExtractErrorKind::Malformed(_)));
    }

    #[test]
    fn a_page_tree_that_holds_itself_has_no_pages() {
        let mut looped = file(&[]);
        let tree = looped.catalog().and_then(|catalog| catalog.get(b"Pages")).and_then(Object::as_reference).expect("there");
        looped.objects.insert(tree, dictionary! { "Type" => "Pages", "Kids" => vec![tree.into()], "Count" => 1 }.into());
        assert!(matches!(extract(&save(looped)).expect_err("an error").kind, ExtractErrorKind::NoPages));
    }

    #[rstest]
    #[case::no_password("", None, true)]
    #[case::missing("secret", None, false)]
    #[case::wrong("secret", Some("guess"), false)]
    #[case::right("secret", Some("secret"), true)]
    fn encrypted_files_need_their_password(#[case] user: &str, #[case] given: Option<&str>, #[case] opens: bool) {
        let mut file = file(&[&lines(&[(12, "The limit is 30 days.")])]);
        let version = EncryptionVersion::V2 {
            document: &file,
            owner_password: "owner",
            user_password: user,
            key_length: 128,
            permissions: Permissions::all(),
        };
        let state = EncryptionState::try_from(version).expect("a state");
        file.encrypt(&state).expect("encrypts");
        let reader = given.map_or_else(Reader::default, |password| Reader::default().with_password(password));
        match reader.extract("a.pdf", &save(file)) {
            Ok(document) => assert!(opens && document.text == "The limit is 30 days.", "{document:?}"),
            Err(error) => assert!(!opens && matches!(error.kind, ExtractErrorKind::Encrypted), "{error}"),
        }
    }

    /// Real files are not part of the repository; `RAGTEST_PDF_FILES` names a folder that holds some.
    #[expect(clippy::print_stderr, reason = "a test that was left out must say so")]
    #[test]
    fn real_files_yield_every_page() {
        let folder = std::env::var_os("RAGTEST_PDF_FILES").unwrap_or_default();
        let Ok(files) = std::fs::read_dir(&folder) else {
            eprintln!("left out: RAGTEST_PDF_FILES names no folder");
            return;
        };
        for path in files.map(|file| file.expect("listed").path()).filter(|path| path.extension().is_some_and(|e| e == "pdf")) {
            let name = path.display().to_string();
            let document = Reader::default().extract(&name, &std::fs::read(&path).expect("there")).expect("reads");
            let silent = document.pages.iter().filter(|page| page.span.is_empty()).map(|page| page.number);
            let reported: Vec<_> = document.warnings.iter().filter_map(|warning| warning.page).collect();
            assert!(silent.filter(|page| !reported.contains(page)).count() * 20 <= document.pages.len(), "{name}: {reported:?}");
        }
    }
}
