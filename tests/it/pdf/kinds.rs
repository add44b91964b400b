//! One minimal file for each kind of failure that other readers were reported for.

use lopdf::{Stream, dictionary};
use ragtest::corpus::PageState;
use rstest::rstest;

use super::make::{Maker, codes, lines, to_unicode, true_type};
use super::{read, remarks, states};

/// Glyph 1 is `A`, 2 is `B` and so on, 27 is `a`, 53 is `0`, 63 is a space.
const GLYPHS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ";

fn glyphs(text: &str) -> Vec<u16> {
    text.chars().map(|c| u16::try_from(GLYPHS.find(c).expect("a glyph") + 1).expect("small")).collect()
}

/// Lines in the font `/F2` of two-byte codes.
fn wide_lines(lines: &[&str]) -> String {
    let line = |(at, line): (usize, &&str)| format!("BT /F2 12 Tf 72 {} Td <{}> Tj ET\n", 780 - 15 * at, codes(glyphs(line)));
    lines.iter().enumerate().map(line).collect()
}

fn full_map() -> String {
    let entry = |(at, c): (usize, char)| format!("<{:04x}> <{:04x}>", at + 1, u32::from(c));
    to_unicode(&GLYPHS.chars().enumerate().map(entry).collect::<Vec<_>>())
}

/// pdfplumber #71: bold text that is drawn twice, a hair apart.
#[rstest]
#[case::lines("BT /F1 12 Tf 72 700 Td (The bold limit) Tj ET BT /F1 12 Tf 72.3 700 Td (The bold limit) Tj ET")]
#[case::words(
    "BT /F1 12 Tf 72 700 Td (The) Tj 30 0 Td (bold) Tj 40 0 Td (limit) Tj ET BT /F1 12 Tf 72.3 700 Td (The) Tj 30 0 Td (bold) Tj 40 0 Td \
     (limit) Tj ET"
)]
#[case::each_word_at_once(
    "BT /F1 12 Tf 72 700 Td (The) Tj .3 0 Td (The) Tj 30 0 Td (bold) Tj .3 0 Td (bold) Tj 40 0 Td (limit) Tj .3 0 Td (limit) Tj ET"
)]
#[case::letters(
    "BT /F1 12 Tf 72 700 Td (T) Tj .3 0 Td (T) Tj 7 0 Td (h) Tj .3 0 Td (h) Tj 6.4 0 Td (e) Tj .3 0 Td (e) Tj 9.7 0 Td (bold limit) Tj ET"
)]
fn bold_that_is_drawn_twice_is_read_once(#[case] content: &str) {
    let mut maker = Maker::new();
    maker.page(content);
    assert_eq!(read(maker).text, "The bold limit");
}

/// pdfplumber #192: vertical text beside horizontal text, in clusters.
#[test]
fn vertical_text_does_not_mix_with_the_lines_beside_it() {
    let mut maker = Maker::new();
    let margin = "BT /F1 9 Tf 0 1 -1 0 30 300 Tm (draft of the margin) Tj ET\n";
    maker.page(format!("{margin}{}", lines(&["The limit is 30 days.", "Gift cards are never paid back."])));
    let document = read(maker);
    assert!(document.text.contains("The limit is 30 days.\nGift cards are never paid back."), "{}", document.text);
    assert!(document.text.contains("draft of the margin"), "{}", document.text);
}

/// pdfplumber #53: a table in a font of glyph numbers.
#[test]
fn a_table_in_glyph_numbers_is_read_through_its_map() {
    let mut maker = Maker::new();
    maker.wide_font("F2", "Identity-H", "Identity", Some(&full_map()), None);
    let cell = |x: u32, y: u32, text: &str| format!("BT /F2 10 Tf {x} {y} Td <{}> Tj ET\n", codes(glyphs(text)));
    let rows = [("Order", "Fee"), ("Small parcels", "3 EUR"), ("Large parcels", "12 EUR")];
    let content: String =
        (0..).zip(rows).map(|(at, (left, right))| cell(72, 700 - 14 * at, left) + &cell(300, 700 - 14 * at, right)).collect();
    maker.page(content);
    let document = read(maker);
    assert_eq!(document.text, "Order\tFee\nSmall parcels\t3 EUR\nLarge parcels\t12 EUR");
    assert_eq!(states(&document), [PageState::Ok]);
}

/// Character tables of the formats 0 and 6 (one byte), 4 and 10 (two bytes) and 12.
fn table(format: u16) -> Vec<u8> {
    let first = 0x20_u32;
    let glyph = |code: u32| char::from_u32(code).and_then(|c| GLYPHS.find(c)).map_or(0, |at| u16::try_from(at + 1).expect("small"));
    let all: Vec<u16> = (first..0x7f).map(glyph).collect();
    let short = |number: usize| u16::try_from(number).expect("small").to_be_bytes();
    let long = |number: usize| u32::try_from(number).expect("small").to_be_bytes();
    let ids: Vec<u8> = all.iter().flat_map(|glyph| glyph.to_be_bytes()).collect();
    match format {
        0 => {
            let bytes = (0..256).map(|code| u8::try_from(glyph(code)).expect("small"));
            [&[0, 0], &short(262)[..], &[0, 0]].concat().into_iter().chain(bytes).collect()
        }
        6 => [&[0, 6], &short(10 + ids.len())[..], &[0, 0, 0, 0x20], &short(all.len()), &ids].concat(),
        10 => [&[0, 10, 0, 0], &long(20 + ids.len())[..], &[0; 4], &long(0x20), &long(all.len()), &ids].concat(),
        _ => {
            let groups: Vec<u8> = (first..)
                .zip(&all)
                .filter(|(_, glyph)| **glyph > 0)
                .flat_map(|(code, glyph)| [code, code, u32::from(*glyph)])
                .flat_map(u32::to_be_bytes)
                .collect();
            [&[0, 12, 0, 0], &long(16 + groups.len())[..], &[0; 4], &long(groups.len() / 12), &groups].concat()
        }
    }
}

/// pdfminer #598 and #791: no map in the file, only the character table inside the font.
#[rstest]
#[case::mac_0(1, 0, 0)]
#[case::mac_6(1, 0, 6)]
#[case::unicode_10(3, 10, 10)]
#[case::unicode_12(3, 10, 12)]
fn the_table_inside_a_font_tells_its_characters(#[case] platform: u16, #[case] encoding: u16, #[case] format: u16) {
    let mut maker = Maker::new();
    let count = u16::try_from(GLYPHS.len() + 1).expect("small");
    maker.wide_font("F2", "Identity-H", "Identity", None, Some(true_type(platform, encoding, &table(format), count)));
    maker.page(wide_lines(&["Penalties apply after 30 days", "Gift cards are never paid back"]));
    let document = read(maker);
    let right = document.text == "Penalties apply after 30 days\nGift cards are never paid back";
    assert!(right || states(&document) == [PageState::Doubtful], "{:?} {:?}", document.text, document.warnings);
}

/// pdfminer #625 and #791: nothing in the file says what the glyphs show, so whatever comes out is a guess.
#[rstest]
#[case::no_program(None)]
#[case::broken_program(Some(b"this is no font".to_vec()))]
fn text_that_only_looks_right_is_doubtful(#[case] program: Option<Vec<u8>>) {
    let mut maker = Maker::new();
    maker.wide_font("F2", "Identity-H", "Identity", None, program);
    maker.page(wide_lines(&["Penalties apply after 30 days", "Gift cards are never paid back"]));
    maker.page(lines(&["The limit is 30 days."]));
    let document = read(maker);
    assert_eq!(states(&document), [PageState::Doubtful, PageState::Ok], "{:?}", document.text);
    assert!(!remarks(&document, 1).is_empty());
}

/// pdf-extract #104: a map with numbers of odd length, on which that reader panics.
#[test]
fn a_broken_map_spoils_its_letter_only() {
    let mut maker = Maker::new();
    let mut map = full_map();
    map = map.replace("<0041>", "<00411>").replacen("63 beginbfchar", "64 beginbfchar\n<1> <0041>", 1);
    maker.wide_font("F2", "Identity-H", "Identity", Some(&map), None);
    maker.page(wide_lines(&["Penalties apply after 30 days", "Gift cards are never paid back"]));
    let document = read(maker);
    let right = document.text.contains("Penalties apply after 30 days");
    assert!(right || states(&document) == [PageState::Doubtful], "{:?}", document.text);
}

/// pdf.js issue3521: character maps of East Asian encodings, which one reader has not and another panics on.
#[rstest]
#[case::chinese("GBK-EUC-H", "GB1", "cdcbbfeec6dacfde", "\u{9000}\u{6b3e}\u{671f}\u{9650}")]
#[case::chinese_unicode("UniGB-UCS2-H", "GB1", "90006b3e671f9650", "\u{9000}\u{6b3e}\u{671f}\u{9650}")]
#[case::japanese("90ms-RKSJ-H", "Japan1", "93fa967b8cea", "\u{65e5}\u{672c}\u{8a9e}")]
fn east_asian_encodings_are_read(#[case] encoding: &str, #[case] ordering: &str, #[case] bytes: &str, #[case] expected: &str) {
    let mut maker = Maker::new();
    maker.wide_font("F2", encoding, ordering, None, None);
    maker.page(format!("BT /F2 12 Tf 72 700 Td <{bytes}> Tj ET"));
    let document = read(maker);
    assert!(document.text == expected || states(&document) == [PageState::Doubtful], "{:?}", document.text);
}

/// FAULTS 9: text that lopdf alone would lose.
#[test]
fn text_in_forms_is_text() {
    let mut maker = Maker::new();
    let form = dictionary! {
        "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
    };
    maker.drawing("Fm1", Stream::new(form, lines(&["The limit is 30 days."]).into_bytes()));
    maker.page("/Fm1 Do");
    let document = read(maker);
    assert_eq!((document.text.as_str(), states(&document)), ("The limit is 30 days.", vec![PageState::Ok]));
}

#[test]
fn columns_are_read_one_after_the_other() {
    let mut maker = Maker::new();
    let column = |x: u32, lines: [&str; 3]| {
        let line = |(at, line): (u32, &str)| format!("BT /F1 10 Tf {x} {} Td ({line}) Tj ET\n", 700 - 12 * at);
        (0..).zip(lines).map(line).collect::<String>()
    };
    let left = column(72, ["The left column has", "three lines of text", "and ends here."]);
    maker.page(left + &column(310, ["The right column", "comes after it and", "is read second."]));
    let document = read(maker);
    assert!(document.text.contains("three lines of text\nand ends here."), "{}", document.text);
    assert!(document.text.find("ends here") < document.text.find("The right column"), "{}", document.text);
}

#[test]
fn headers_and_page_numbers_stand_beside_the_text() {
    let mut maker = Maker::new();
    for (page, body) in (1..).zip(["The limit runs across the", "border of the page, and", "the third page ends."]) {
        let around = format!("BT /F1 9 Tf 72 810 Td (Refund rules) Tj ET BT /F1 9 Tf 290 30 Td ({page}) Tj ET\n");
        maker.page(around + &lines(&[body]));
    }
    let document = read(maker);
    assert!(!document.text.contains("Refund rules") && !document.text.contains('2'), "{}", document.text);
    assert!(document.text.starts_with("The limit runs across the\nborder of the page"), "{}", document.text);
    let furniture: Vec<_> = document.pages.iter().map(|page| page.furniture.join("|")).collect();
    assert_eq!(furniture, ["Refund rules|1", "Refund rules|2", "Refund rules|3"]);
}
