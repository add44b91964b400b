//! Tiny files, written here part by part.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use rstest::rstest;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::read;
use crate::corpus::{Document, Heading};
use crate::error::ExtractErrorKind;

const LIMIT: usize = 1 << 20;

const STYLES: &str = r#"
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Round"><w:name w:val="Round"/><w:basedOn w:val="Round"/></w:style>
<w:style w:type="paragraph" w:styleId="Inhalt"><w:name w:val="TOC Heading"/><w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="U2"><w:name w:val="Überschrift 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="HTML Preformatted"/></w:style>
<w:style w:type="paragraph" w:styleId="Aufzhlung"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>"#;

const NUMBERING: &str = r#"
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl>
  <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
  <w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>"#;

const NOTES: &str = r#"
<w:footnote w:id="0" w:type="separator"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:id="7"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>Since May.</w:t></w:r></w:p></w:footnote>"#;

fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).expect("a part");
        archive.write_all(text.as_bytes()).expect("written");
    }
    archive.finish().expect("an archive").into_inner()
}

fn part(root: &str, content: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><w:{root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">{content}</w:{root}>"#
    )
}

fn docx(body: &str) -> Vec<u8> {
    let relation = |kind: &str| {
        format!(
            r#"<Relationship Id="{kind}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{kind}.xml"/>"#
        )
    };
    let relations: String = ["styles", "numbering", "footnotes"].map(relation).concat();
    archive(&[
        (
            "_rels/.rels",
            &format!("<Relationships>{}</Relationships>", relation("officeDocument").replace("officeDocument.xml", "/word/document.xml")),
        ),
        ("word/_rels/document.xml.rels", &format!("<Relationships>{relations}</Relationships>")),
        ("word/styles.xml", &part("styles", STYLES)),
        ("word/numbering.xml", &part("numbering", NUMBERING)),
        ("word/footnotes.xml", &part("footnotes", NOTES)),
        ("word/header1.xml", &part("hdr", "<w:p><w:r><w:t>Confidential</w:t></w:r></w:p>")),
        ("../../evil.txt", "out"),
        ("word/document.xml", &part("document", &format!("<w:body>{body}</w:body>"))),
    ])
}

fn document(body: &str) -> Document {
    read(&docx(body), LIMIT).expect("readable")
}

fn text(body: &str) -> String {
    document(body).text
}

/// A paragraph of one run.
fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// A paragraph with properties.
fn pp(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn item(list: u8, level: u8, text: &str) -> String {
    pp(&format!(r#"<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr>"#), text)
}

fn table(rows: &[&[&str]]) -> String {
    let row =
        |cells: &&[&str]| format!("<w:tr>{}</w:tr>", cells.iter().map(|cell| format!("<w:tc>{cell}</w:tc>")).collect::<Vec<_>>().concat());
    format!("<w:tbl><w:tblPr/>{}</w:tbl>", rows.iter().map(row).collect::<String>())
}

#[rstest]
#[case::paragraphs(&(p("One") + &p("") + &p("two &amp; &#8364;5")), "One\n\ntwo & €5")]
#[case::runs(
    "<w:p><w:r><w:t xml:space='preserve'>Re</w:t></w:r><w:proofErr/><w:r><w:rPr><w:b/></w:rPr><w:t>fund</w:t></w:r></w:p>",
    "Refund"
)]
#[case::breaks(
    "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>",
    "a b\nc\u{2011}d"
)]
#[case::tab_stops(&pp("<w:tabs><w:tab w:val='left' w:pos='720'/></w:tabs>", "a"), "a")]
#[case::page_break("<w:p><w:r><w:t>a</w:t><w:br w:type='page'/></w:r></w:p>", "a")]
#[case::link("<w:p><w:hyperlink r:id='x'><w:r><w:t>the site</w:t></w:r></w:hyperlink></w:p>", "the site")]
#[case::tracked(
    "<w:p><w:r><w:t>It is </w:t></w:r><w:del><w:r><w:delText>5</w:delText></w:r></w:del><w:ins><w:r><w:t>7</w:t></w:r></w:ins></w:p>",
    "It is 7"
)]
#[case::moved("<w:p><w:moveFrom><w:r><w:t>old</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>new</w:t></w:r></w:moveTo></w:p>", "new")]
#[case::end_deleted(&(pp("<w:rPr><w:del/></w:rPr>", "One ") + &p("line")), "One line")]
#[case::former_properties(&pp("<w:pPrChange><w:pPr><w:pStyle w:val='berschrift1'/></w:pPr></w:pPrChange>", "Text"), "Text")]
#[case::hidden("<w:p><w:r><w:t>seen</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>not</w:t></w:r></w:p>", "seen")]
#[case::field(
    "<w:p><w:r><w:fldChar w:fldCharType='begin'/><w:instrText>PAGE</w:instrText><w:t>code</w:t><w:fldChar w:fldCharType='separate'/><w:t>3</w:t><w:fldChar w:fldCharType='end'/></w:r></w:p>",
    "3"
)]
#[case::field_without_end(&(String::from("<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r></w:p>") + &p("kept")), "kept")]
#[case::symbols(
    "<w:p><w:r><w:sym w:font='Symbol' w:char='F061'/><w:sym w:font='Wingdings' w:char='F0FC'/></w:r><w:r><w:rPr><w:rFonts w:ascii='Symbol'/></w:rPr><w:t>&#xF0B3;</w:t></w:r></w:p>",
    "α✓≥"
)]
#[case::formula(
    "<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>",
    "a/b"
)]
#[case::content_control(&format!("<w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>", p("inside")), "inside")]
#[case::code(&(pp("<w:pStyle w:val='Code'/>", "if x:") + &pp("<w:pStyle w:val='Code'/>", "  y") + &p("After")), "if x:\n  y\n\nAfter")]
#[case::other_prefix("<ns0:p><ns0:r><ns0:t>any</ns0:t></ns0:r></ns0:p>", "any")]
fn reads_as_seen(#[case] body: &str, #[case] expected: &str) {
    assert_eq!(text(body), expected);
}

#[rstest]
#[case::bullets(&(item(1, 0, "a") + &item(1, 1, "b") + &item(1, 0, "c") + &p("End")), "- a\n  - b\n- c\n\nEnd")]
#[case::of_style(&(pp("<w:pStyle w:val='Aufzhlung'/>", "a") + &p("b")), "- a\n\nb")]
#[case::numbers(&(item(2, 0, "a") + &item(2, 1, "b") + &item(2, 1, "c") + &item(2, 0, "d")), "3. a\n  - 3.a) b\n  - 3.b) c\n4. d")]
#[case::interrupted(&(item(2, 0, "a") + &p("x") + &item(2, 0, "b")), "3. a\n\nx\n\n4. b")]
#[case::starts_anew(&(item(2, 0, "a") + &item(3, 0, "b") + &item(3, 0, "c")), "3. a\n\n1. b\n2. c")]
#[case::no_list(&item(0, 0, "a"), "a")]
#[case::undefined(&item(9, 250, "a"), "a")]
#[case::numbered_heading(&pp("<w:pStyle w:val='berschrift1'/><w:numPr><w:ilvl w:val='0'/><w:numId w:val='2'/></w:numPr>", "Scope"), "3. Scope")]
fn lists_are_items(#[case] body: &str, #[case] expected: &str) {
    assert_eq!(text(body), expected);
}

#[rstest]
#[case::rows(&table(&[&[&p("A"), &p("B")], &[&p("1"), &(p("2") + &p("3"))]]), "A | B\n1 | 2 3")]
#[case::gap(&table(&[&[&p("A"), &p("B"), &p("C")], &[&p(""), &p("2"), &p("")]]), "A | B | C\n | 2")]
#[case::spans(&table(&[&[&format!("<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{}", p("A")), &p("B")], &[&p("1"), &p("2"), &p("3")]]), "A |  | B\n1 | 2 | 3")]
#[case::merged(&table(&[&[&format!("<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>{}", p("A")), &p("1")], &[&format!("<w:tcPr><w:vMerge/></w:tcPr>{}", p("")), &p("2")]]), "A | 1\nA | 2")]
#[case::box_of_one_cell(&table(&[&[&(p("One") + &item(1, 0, "a"))]]), "One\n\n- a")]
#[case::layout(&table(&[&[&pp("<w:pStyle w:val='berschrift1'/>", "H"), &p("b")]]), "H\n\nb")]
#[case::nested(&table(&[&[&table(&[&[&p("a"), &p("b")]]), &p("c")]]), "a | b\n\nc")]
#[case::deleted_row(&table(&[&[&p("a"), &p("b")], &[&p(""), &p("")], &[&p("c"), &p("d")]]), "a | b\nc | d")]
fn tables_keep_every_cell(#[case] body: &str, #[case] expected: &str) {
    assert_eq!(text(body), expected);
}

#[test]
fn headings_are_those_of_the_styles() {
    let style = |id: &str, text: &str| pp(&format!("<w:pStyle w:val='{id}'/>"), text);
    let body =
        style("Titel", "Guide") + &style("Kapitel", "One") + &style("U2", "Two") + &style("Inhalt", "Contents") + &style("Round", "r");
    let document = document(&(body + &style("Heading3", "Three") + &pp("<w:outlineLvl w:val='7'/>", "Deep") + &p("Text")));
    let found: Vec<_> = document.headings.iter().map(|Heading { level, text, .. }| (*level, text.as_str())).collect();
    assert_eq!(found, [(1, "Guide"), (1, "One"), (2, "Two"), (3, "Three"), (6, "Deep")]);
    assert_eq!(document.heading_path(document.text.len()), ["One", "Two", "Three", "Deep"]);
    assert!(document.pages.is_empty());
}

#[test]
fn a_note_stands_at_the_end_of_its_section() {
    let reference = "<w:p><w:r><w:t>3 %</w:t><w:footnoteReference w:id='7'/></w:r></w:p>";
    let body = String::from(reference) + &p("More") + &pp("<w:pStyle w:val='berschrift1'/>", "Next");
    assert_eq!(text(&body), "3 %[1]\n\nMore\n\n[1] Since May.\n\nNext");
}

#[test]
fn a_text_box_is_read_once_and_a_picture_is_its_description() {
    let shape = |content: &str| format!("<w:txbxContent>{content}</w:txbxContent>");
    let body = format!(
        "<w:p><w:r><w:t>Around</w:t><mc:AlternateContent><mc:Choice><w:drawing>{0}</w:drawing></mc:Choice><mc:Fallback><w:pict>{0}</w:pict></mc:Fallback>\
         </mc:AlternateContent></w:r></w:p><w:p><w:r><w:drawing><wp:docPr descr='a plan'/><a:blip/></w:drawing><w:drawing><a:blip/></w:drawing></w:r></w:p>",
        shape(&p("Boxed"))
    );
    let document = document(&body);
    assert_eq!(document.text, "Around\n\nBoxed\n\na plan");
    assert_eq!(document.warnings.len(), 1);
    assert!(document.warnings[0].message.starts_with("1 picture(s)"), "{:?}", document.warnings);
}

#[rstest]
#[case::empty(Vec::new(), "no docx")]
#[case::cut({ let mut bytes = docx(&p("x")); bytes.truncate(bytes.len() / 2); bytes }, "cut off")]
#[case::text(b"plain text".to_vec(), "no docx")]
#[case::old_word([b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".as_slice(), &[0; 600]].concat(), "old Word file")]
#[case::no_body(archive(&[("word/document.xml", "<w:document xmlns:w='x'/>")]), "no body")]
#[case::other_office(archive(&[("xl/workbook.xml", "<workbook/>")]), "word/document.xml is missing")]
#[case::document_type(archive(&[("word/document.xml", "<!DOCTYPE d [<!ENTITY a 'b'>]><w:document><w:body>&a;</w:body></w:document>")]), "document type")]
#[case::entity(archive(&[("word/document.xml", "<w:document><w:body>&lol;</w:body></w:document>")]), "entity \"lol\"")]
#[case::broken_xml(archive(&[("word/document.xml", "<w:document><w:body></w:p></w:document>")]), "broken")]
#[case::cut_xml(archive(&[("word/document.xml", "<w:document><w:body><w:p>")]), "cut off")]
#[case::bomb(archive(&[("word/document.xml", &part("document", &format!("<w:body>{}</w:body>", " ".repeat(LIMIT))))]), "unpacks to more than 1048576 bytes")]
#[case::bottomless(docx(&("<w:tbl><w:tr><w:tc>".repeat(2000) + &"</w:tc></w:tr></w:tbl>".repeat(2000))), "nested more than")]
fn broken_files_are_errors_that_say_what_is_wrong(#[case] bytes: Vec<u8>, #[case] part: &str) {
    let error = read(&bytes, LIMIT).expect_err("no document");
    assert!(matches!(&error, ExtractErrorKind::Malformed(message) if message.contains(part)), "{error}");
}

#[test]
fn an_encrypted_file_is_named() {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = [b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".as_slice(), &[0; 1024], &name].concat();
    assert!(matches!(read(&bytes, LIMIT), Err(ExtractErrorKind::Encrypted)));
}

#[test]
fn the_main_part_may_have_another_name() {
    let relations = r#"<Relationships><Relationship Type="x/officeDocument" Target="word/document2.xml"/></Relationships>"#;
    let bytes = archive(&[("_rels/.rels", relations), ("word/document2.xml", &part("document", &format!("<w:body>{}</w:body>", p("x"))))]);
    assert_eq!(read(&bytes, LIMIT).expect("readable").text, "x");
}

proptest! {
    #[test]
    fn any_order_of_elements_ends_in_a_document_or_an_error(picks in proptest::collection::vec(0..18_usize, 0..60)) {
        const NAMES: [&str; 9] = ["p", "r", "t", "tbl", "tr", "tc", "txbxContent", "pPr", "del"];
        let mut open = Vec::new();
        let mut body = String::new();
        for pick in picks {
            match NAMES.get(pick) {
                Some(name) => {
                    body.extend(["<w:", name, ">x"]);
                    open.push(name);
                }
                None => body.extend(open.pop().map(|name| format!("</w:{name}>"))),
            }
        }
        body.extend(open.into_iter().rev().map(|name| format!("</w:{name}>")));
        let _ = read(&docx(&body), LIMIT);
    }
}
