//! PDF: lopdf opens the file and tells what is on a page; `pdf_oxide` reads the page's text.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::xref::XrefRecovery;
use lopdf::{LoadOptions, ObjectId};
use pdf_oxide::PdfDocument;

use self::lines::Line;
use super::plain;
use crate::corpus::{Document, Heading, Page, PageState, Warning};
use crate::error::ExtractErrorKind;

mod lines;

/// The most bytes that a page's drawing commands are unpacked to.
const MAX_CONTENT: usize = 64 << 20;

/// The document of a PDF file. Every page yields text or is reported in a warning.
pub(super) fn read(bytes: &[u8], password: Option<&str>, max_pages: u32) -> Result<Document, ExtractErrorKind> {
    let file = open(bytes, password)?;
    let page_ids = file.get_pages();
    if page_ids.is_empty() {
        return Err(ExtractErrorKind::NoPages);
    }
    if page_ids.len() > max_pages as usize {
        return Err(malformed(format!("the file has {} pages, the limit is {max_pages}", page_ids.len())));
    }
    let text_reader = open_for_text(bytes, password)?;
    let mut flow = Flow::default();
    if file.xref_recovery == Some(XrefRecovery::Reconstructed) {
        flow.warn(None, "the file is damaged; pages or newer versions of them may be missing");
    }
    for (index, (number, id)) in page_ids.into_iter().enumerate() {
        flow.push(number, read_page(&text_reader, index), || Painted::of(&file, id));
    }
    Ok(flow.finish())
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

/// Reads a page, `index` from 0. A page that stops the library is an error of that page only.
fn read_page(reader: &PdfDocument, index: usize) -> Result<Vec<Line>, String> {
    let lines = catch_unwind(AssertUnwindSafe(|| match lines::in_drawing_order(reader.extract_spans(index)?) {
        Some(lines) => Ok(lines),
        None => reader.extract_text(index).map(|text| unsized_lines(&text)),
    }));
    match lines {
        Ok(Ok(lines)) => {
            Ok(lines.into_iter().map(|line| Line { text: clean(&line.text), ..line }).filter(|line| !line.text.is_empty()).collect())
        }
        Ok(Err(error)) => Err(pdf_oxide::Error::to_string(&error)),
        Err(_) => Err("its content stops the reader".into()),
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
            lines.push(Line { text: line.to_owned(), size: 0, apart: std::mem::take(&mut apart) });
        }
    }
    lines
}

/// NFC, accents on their letters, no control characters, no white space around.
fn clean(line: &str) -> String {
    let visible: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
    plain::nfc(lines::join_accents(visible.trim()))
}

/// What a page without text shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Painted {
    Nothing,
    Pictures,
    /// Text operators, which gave no text.
    Text,
}

impl Painted {
    fn of(file: &lopdf::Document, page: ObjectId) -> Self {
        if file.get_page_images(page).is_ok_and(|images| !images.is_empty()) {
            return Self::Pictures;
        }
        let content = file.get_page_content_with_limit(page, MAX_CONTENT).unwrap_or_default();
        let operations = lopdf::content::Content::decode(&content).map(|content| content.operations).unwrap_or_default();
        let uses = |operators: &[&str]| operations.iter().any(|operation| operators.contains(&operation.operator.as_str()));
        if uses(&["Tj", "TJ", "'", "\""]) {
            Self::Text
        } else if uses(&["Do", "BI", "sh", "f", "F", "f*", "B", "B*", "b", "b*", "S", "s"]) {
            Self::Pictures
        } else {
            Self::Nothing
        }
    }
}

/// The document in the making.
#[derive(Default)]
struct Flow {
    document: Document,
    /// The lines of known size: where they start and end, and the size in half points.
    sized: Vec<(Range<usize>, u32)>,
}

impl Flow {
    fn warn(&mut self, page: Option<u32>, message: impl Into<String>) {
        self.document.warnings.push(Warning { page, message: message.into() });
    }

    fn push(&mut self, number: u32, lines: Result<Vec<Line>, String>, painted: impl FnOnce() -> Painted) {
        let (lines, state) = match lines {
            Ok(lines) if lines.is_empty() => (lines, self.state_without_text(number, painted())),
            Ok(lines) => (lines, PageState::Ok),
            Err(message) => {
                self.warn(Some(number), message);
                (Vec::new(), PageState::Failed)
            }
        };
        let start = self.push_lines(&lines);
        self.document.pages.push(Page { number, span: start..self.document.text.len(), state });
    }

    fn state_without_text(&mut self, number: u32, painted: Painted) -> PageState {
        let (state, message) = match painted {
            Painted::Nothing => return PageState::Ok,
            Painted::Pictures => (PageState::ImageOnly, "pictures only, no text"),
            Painted::Text => (PageState::Doubtful, "its text has no readable characters"),
        };
        self.warn(Some(number), message);
        state
    }

    /// Adds a page's lines and tells where they start.
    fn push_lines(&mut self, lines: &[Line]) -> usize {
        let text = &mut self.document.text;
        if let Some(first) = lines.first().filter(|_| !text.is_empty()) {
            text.push_str(if goes_on(text, &first.text) { "\n" } else { "\n\n" });
        }
        let start = text.len();
        for (i, line) in lines.iter().enumerate() {
            match (i, line.apart) {
                (0, _) => {}
                (_, false) => text.push('\n'),
                (_, true) => text.push_str("\n\n"),
            }
            self.sized.push((text.len()..text.len() + line.text.len(), line.size));
            text.push_str(&line.text);
        }
        start
    }

    fn finish(self) -> Document {
        let Self { mut document, sized } = self;
        let levels = heading_levels(&sized);
        let heading = |(span, size): &(Range<usize>, u32)| {
            let line = &document.text[span.clone()];
            let level = levels.get(size).copied().filter(|_| looks_like_heading(line))?;
            Some(Heading { level, text: line.split_whitespace().collect::<Vec<_>>().join(" "), offset: span.start })
        };
        document.headings = sized.iter().filter_map(heading).collect();
        document
    }
}

/// Whether a sentence runs across the page border.
fn goes_on(before: &str, after: &str) -> bool {
    let open = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '-'));
    open && after.starts_with(char::is_lowercase)
}

/// The heading levels of the font sizes well above that of running text, the largest first.
fn heading_levels(sized: &[(Range<usize>, u32)]) -> BTreeMap<u32, u8> {
    let mut used: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (span, size) in sized.iter().filter(|(_, size)| *size > 0) {
        let (bytes, lines) = used.entry(*size).or_default();
        *bytes += span.len();
        *lines += 1;
    }
    let Some((most, (bytes, _))) = used.iter().max_by_key(|(_, (bytes, _))| *bytes) else { return BTreeMap::new() };
    // Where listings are most of a file, its prose is still larger than they are: long lines, and many of them.
    let prose = used.iter().rev().find(|(_, (b, lines))| b * 10 >= *bytes && b / lines >= 40);
    let body = prose.map_or(*most, |(size, _)| *size);
    let larger = used.into_keys().rev().take_while(|size| *size * 100 >= body * 112);
    larger.zip((1..=6).chain(std::iter::repeat(6))).collect()
}

/// Short, with a word in it, and no line of a table of contents.
fn looks_like_heading(line: &str) -> bool {
    let leaders = [". . .", "....", "\u{2026}\u{2026}"];
    line.len() <= 160 && line.chars().filter(|c| c.is_alphabetic()).count() >= 2 && !leaders.iter().any(|dots| line.contains(dots))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use lopdf::{EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary};
    use rstest::rstest;

    use super::*;
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

    /// Each entry: font size in half points, length of a line, number of lines.
    #[rstest]
    #[case::book(&[(20, 70, 900), (34, 20, 10), (24, 25, 40), (16, 60, 90)], &[(34, 1), (24, 2)])]
    #[case::mostly_listings(&[(16, 45, 900), (20, 70, 200), (28, 20, 30)], &[(28, 1)])]
    #[case::one_size(&[(20, 70, 9)], &[])]
    #[case::little_text(&[(24, 30, 2), (48, 12, 1)], &[(48, 1)])]
    #[case::unknown_sizes(&[(0, 70, 9)], &[])]
    fn sizes_above_running_text_are_levels(#[case] lines: &[(u32, usize, usize)], #[case] expected: &[(u32, u8)]) {
        let sized: Vec<_> = lines.iter().flat_map(|(size, length, count)| vec![(0..*length, *size); *count]).collect();
        assert_eq!(heading_levels(&sized), expected.iter().copied().collect());
    }

    #[rstest]
    #[case::picture("q 200 0 0 200 72 500 cm /Im1 Do Q", PageState::ImageOnly, 1)]
    #[case::drawing("0 0 m 100 100 l S", PageState::ImageOnly, 1)]
    #[case::unreadable_text("BT /F1 12 Tf 72 720 Td (\\001\\002) Tj ET", PageState::Doubtful, 1)]
    #[case::blank("", PageState::Ok, 0)]
    fn pages_without_text_are_told_apart(#[case] content: &str, #[case] state: PageState, #[case] warnings: usize) {
        let document = extract(&save(file(&[content, &lines(&[(12, "Some text.")])]))).expect("reads");
        assert_eq!((document.pages[0].state, document.pages[0].span.clone()), (state, 0..0));
        assert_eq!(document.warnings.len(), warnings);
        assert!(document.warnings.iter().all(|warning| warning.page == Some(1)));
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

    #[test]
    fn text_without_positions_keeps_its_paragraphs() {
        let lines = unsized_lines("\n\n a\u{1} \n\n\n\nb\r\nc\n");
        let shown: Vec<_> = lines.iter().map(|line| (clean(&line.text), line.apart)).collect();
        assert_eq!(shown, [("a".to_owned(), true), ("b".to_owned(), true), ("c".to_owned(), false)]);
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
