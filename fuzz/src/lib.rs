//! What must hold for any input: no panic, and a document that is an error or sound. The targets run it over made-up inputs, the test
//! `fuzz_corpus` of ragtest over the files in `corpus/`.

use std::io::{Cursor, Write};

use ragtest::case::{jsonl, read_line};
use ragtest::corpus::reader::{Extract, Reader, read_beir};
use ragtest::corpus::{Chunker, Document, Strategy, TextChunker};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Unpacked sizes and files stay small, so that a run is about structure.
const MAX_BYTES: usize = 4 << 20;

pub fn pdf(bytes: &[u8]) {
    // A panic inside the PDF libraries is an error of the file, as it should be.
    if let Ok(document) = reader().extract("x.pdf", bytes) {
        check(&document);
    }
}

pub fn markdown(bytes: &[u8]) {
    extract("x.md", bytes);
}

pub fn html(bytes: &[u8]) {
    extract("x.html", bytes);
}

pub fn plain(bytes: &[u8]) {
    extract("x.txt", bytes);
}

/// A whole file, or else its parts, parted by zero bytes: changed bytes of an archive are no more than a wrong checksum.
pub fn docx(bytes: &[u8]) {
    const PARTS: [&str; 4] = ["document", "styles", "numbering", "footnotes"];
    if bytes.starts_with(b"PK") {
        return extract("x.docx", bytes);
    }
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, bytes: &[u8]| {
        archive.start_file(name, SimpleFileOptions::default().compression_method(CompressionMethod::Stored)).expect("a part");
        archive.write_all(bytes).expect("written");
    };
    for (name, part) in PARTS.into_iter().zip(bytes.split(|byte| *byte == 0)) {
        add(&format!("word/{name}.xml"), part);
    }
    let related = PARTS.map(|name| format!("<Relationship Type='x/{name}' Target='{name}.xml'/>")).concat();
    add("word/_rels/document.xml.rels", format!("<Relationships>{related}</Relationships>").as_bytes());
    extract("x.docx", &archive.finish().expect("an archive").into_inner());
}

pub fn beir(bytes: &[u8]) {
    for document in read_beir(bytes).unwrap_or_default() {
        check(&document);
    }
}

/// Lines of a case file: each is a case or a message.
pub fn cases(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (_, line) in jsonl::lines(&text) {
        match read_line(line) {
            Ok(instances) => assert!(!instances.is_empty(), "a line that gives no case in silence"),
            Err(message) => assert!(!message.is_empty(), "an error without a message"),
        }
    }
}

/// The first three bytes choose the chunker, the rest is the text.
pub fn chunker(bytes: &[u8]) {
    let Some(([strategy, max, overlap], text)) = bytes.split_first_chunk() else { return };
    let strategy = [Strategy::Tokens, Strategy::Headings, Strategy::Paragraphs][usize::from(strategy % 3)];
    let chunker = TextChunker { strategy, max_tokens: usize::from(*max), overlap_tokens: usize::from(*overlap) };
    let reader = Reader::default();
    if let Ok(document) = reader.extract("x.md", String::from_utf8_lossy(text).as_bytes()) {
        check_chunks(&document, &chunker);
    }
}

fn reader() -> Reader {
    Reader::default().with_max_bytes(MAX_BYTES).with_max_pages(50)
}

fn extract(id: &str, bytes: &[u8]) {
    match reader().extract(id, bytes) {
        Ok(document) => {
            assert_eq!(document.id, id);
            check(&document);
        }
        Err(error) => assert!(!error.to_string().contains("stops the reader"), "a panic"),
    }
}

fn check(document: &Document) {
    let text = document.text.as_str();
    assert!(text.chars().any(|c| !c.is_whitespace() && !c.is_control()), "a document without text is no error");
    assert!(!text.contains('\r'), "line ends are \\n");
    let mut last = 0;
    for heading in &document.headings {
        assert!((1..=6).contains(&heading.level), "{heading:?}");
        assert!(heading.offset >= last && text.is_char_boundary(heading.offset), "{heading:?} after {last}");
        let line = text[heading.offset..].lines().next().unwrap_or_default();
        assert!(line.contains(heading.text.lines().next().unwrap_or_default()), "{heading:?} in {line:?}");
        last = heading.offset;
    }
    let mut end = 0;
    for (index, page) in document.pages.iter().enumerate() {
        assert_eq!(page.number as usize, index + 1, "{page:?}");
        assert!(page.span.start >= end && page.span.start <= page.span.end && page.span.end <= text.len(), "{page:?} after {end}");
        assert!(text.is_char_boundary(page.span.start) && text.is_char_boundary(page.span.end), "{page:?}");
        end = page.span.end;
    }
    check_chunks(document, &TextChunker { max_tokens: 24, overlap_tokens: 8, ..TextChunker::default() });
}

fn check_chunks(document: &Document, chunker: &TextChunker) {
    let text = document.text.as_str();
    let mut covered = 0;
    for chunk in chunker.chunk(document) {
        let span = chunk.span.clone().expect("a span");
        assert_eq!(&text[span.clone()], chunk.text);
        assert!(!chunk.text.trim().is_empty(), "a blank chunk at {span:?}");
        assert!(text.get(covered..span.start).unwrap_or_default().trim().is_empty(), "text between chunks before {span:?}");
        assert!(ragtest::text::token_estimate(&chunk.text) <= chunker.max_tokens.max(1), "a chunk over the limit at {span:?}");
        covered = covered.max(span.end);
    }
    assert!(text[covered..].trim().is_empty(), "text after the last chunk");
}
