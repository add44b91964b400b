//! Files that would take all the memory, all the time, or the whole run.

use lopdf::{Dictionary, Object, Stream, dictionary};
use ragtest::corpus::PageState;
use ragtest::corpus::reader::{Extract, Reader};
use ragtest::error::ExtractErrorKind;

use super::make::{Maker, lines, save};
use super::{extract, read, remarks, states, text};

/// A stream that unpacks to more than a hundred times a megabyte, twice packed.
fn bomb() -> Stream {
    let mut stream = Stream::new(Dictionary::new(), [0x81, b' '].repeat(600_000));
    stream.compress().expect("packs");
    stream.dict.set("Filter", vec!["FlateDecode".into(), "RunLengthDecode".into()]);
    stream
}

#[test]
fn a_page_that_unpacks_to_too_much_fails_alone() {
    let mut maker = Maker::new();
    let id = maker.file.add_object(bomb());
    maker.page_of(id.into());
    maker.page(lines(&["The limit is 30 days."]));
    let document = read(maker);
    assert_eq!(states(&document), [PageState::Failed, PageState::Ok]);
    assert!(remarks(&document, 1).contains("unpacks to more than 64 MiB"), "{}", remarks(&document, 1));
    assert_eq!(text(&document, &document.pages[1]), "The limit is 30 days.");
}

#[test]
fn a_font_that_unpacks_to_too_much_fails_its_page() {
    let mut maker = Maker::new();
    maker.page(lines(&["The limit is 30 days."]));
    let map = maker.file.add_object(bomb());
    maker.font("F2", dictionary! { "Subtype" => "Type1", "BaseFont" => "Helvetica", "ToUnicode" => map });
    maker.page("BT /F2 12 Tf 72 700 Td (text) Tj ET");
    assert_eq!(states(&read(maker)), [PageState::Ok, PageState::Failed]);
}

#[test]
fn forms_that_multiply_end() {
    let mut maker = Maker::new();
    let form = || dictionary! { "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()] };
    let mut below = maker.drawing("Fm0", Stream::new(form(), lines(&["x"]).into_bytes()));
    for depth in 1..12 {
        let mut dictionary = form();
        dictionary.set("Resources", dictionary! { "XObject" => dictionary! { "Fm" => below } });
        below = maker.drawing(&format!("Fm{depth}"), Stream::new(dictionary, b"/Fm Do ".repeat(10)));
    }
    maker.page("/Fm11 Do");
    maker.page(lines(&["The limit is 30 days."]));
    let document = read(maker);
    assert_ne!(document.pages[0].state, PageState::Ok);
    assert_eq!(document.pages[1].state, PageState::Ok);
}

/// A stream that claims two gigabytes and has a line.
#[test]
fn a_declared_length_reserves_nothing() {
    let mut maker = Maker::new();
    maker.page(lines(&["The limit is 30 days."]));
    let mut bytes = maker.bytes();
    let at = bytes.windows(8).position(|word| word == b"/Length ").expect("a stream") + 8;
    let end = at + bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).expect("an end");
    bytes.splice(at..end, *b"2147483647");
    match extract(&bytes) {
        Ok(document) => assert!(document.text == "The limit is 30 days.", "{document:?}"),
        Err(error) => assert!(error.to_string().contains("folder/a.pdf"), "{error}"),
    }
}

#[test]
fn a_page_tree_in_a_circle_has_no_pages() {
    let mut looped = Maker::new().document();
    let tree = looped.catalog().and_then(|catalog| catalog.get(b"Pages")).and_then(Object::as_reference).expect("there");
    looped.objects.insert(tree, dictionary! { "Type" => "Pages", "Kids" => vec![tree.into()], "Count" => 1 }.into());
    assert!(matches!(extract(&save(looped)).expect_err("an error").kind, ExtractErrorKind::NoPages));
}

#[test]
fn too_many_pages_are_refused() {
    let mut maker = Maker::new();
    maker.page("");
    maker.page("");
    let refused = Reader::default().with_max_pages(1).extract("folder/a.pdf", &maker.bytes()).expect_err("refused");
    assert_eq!(refused.to_string(), "read document folder/a.pdf: the file has 2 pages, the limit is 1");
}

#[test]
fn content_that_is_missing_or_damaged_is_reported() {
    let mut maker = Maker::new();
    maker.page_of(Object::Reference((999, 0)));
    let mut half = Stream::new(Dictionary::new(), lines(&["The limit is 30 days."; 40]).into_bytes());
    half.compress().expect("packs");
    half.content.truncate(half.content.len() / 2);
    let id = maker.file.add_object(half);
    maker.page_of(id.into());
    maker.page(lines(&["Gift cards are never paid back."]));
    let document = read(maker);
    assert_eq!(states(&document)[0], PageState::Failed, "{document:?}");
    assert!(matches!(states(&document)[1], PageState::Doubtful | PageState::Failed), "{document:?}");
    assert!(remarks(&document, 1).contains("missing") && remarks(&document, 2).contains("damaged"), "{:?}", document.warnings);
    assert_eq!(states(&document)[2], PageState::Ok);
}
