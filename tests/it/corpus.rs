//! The golden corpus as the library reads it.

use ragtest::case::{Strategy, load_cases};
use ragtest::corpus::reader::{Extract, Reader};
use ragtest::corpus::{Chunker, SourceFiles, TextChunker};
use ragtest::text::QuoteFinder;

fn golden() -> SourceFiles {
    let mut files = SourceFiles::default();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/handbook");
    files.list(&folder, None, &std::collections::BTreeMap::new()).expect("the golden corpus");
    files
}

#[test]
fn every_document_is_read_and_every_quote_stands_in_it_once() {
    let files = golden();
    assert!(files.files.len() >= 8 && files.left_out.is_empty(), "{:?}", files.left_out);
    assert!(files.files.iter().filter(|file| file.id.ends_with("pdf")).count() >= 2);
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rag-tests/cases/handbook.jsonl");
    let cases = load_cases(&[path], |path| path.display().to_string()).expect("cases");
    for strategy in [Strategy::Positive, Strategy::Complex, Strategy::Negative, Strategy::Coverage] {
        assert!(cases.iter().filter(|loaded| loaded.case.strategy() == strategy).count() >= 8, "{strategy}");
    }
    let mut checked = 0;
    for file in &files.files {
        let bytes = std::fs::read(&file.path).expect("file");
        let document = Reader::default().extract(&file.id, &bytes).unwrap_or_else(|error| panic!("{error}"));
        let finder = QuoteFinder::new(&document.text);
        for item in cases.iter().flat_map(|loaded| &loaded.case.evidence).filter(|item| item.document.as_deref() == Some(&file.id)) {
            let quote = item.quote.as_deref().expect("a quote");
            assert_eq!(finder.find(quote).len(), 1, "{}: {quote:?}", file.id);
            checked += 1;
        }
        // What is cut is the text itself, and nothing of it is lost.
        let chunks = TextChunker { max_tokens: 256, overlap_tokens: 32, ..TextChunker::default() }.chunk(&document);
        let mut covered = 0;
        for chunk in &chunks {
            let span = chunk.span.clone().expect("a span");
            assert_eq!(&document.text[span.clone()], chunk.text);
            assert!(document.text.get(covered..span.start).unwrap_or_default().trim().is_empty(), "{}: text between chunks", file.id);
            covered = covered.max(span.end);
        }
        assert!(document.text[covered..].trim().is_empty(), "{}: text after the last chunk", file.id);
    }
    assert!(checked >= 45, "{checked} quotes");
}
