//! `document.xml` and the notes: paragraphs and tables in the order in which they are read.

use quick_xml::events::BytesStart;

use super::numbering::{Mark, Numbering};
use super::styles::{Styles, level_of_outline};
use super::xml::{self, Node, attribute};
use super::{malformed, symbols};
use crate::error::ExtractErrorKind;

/// Tables and text boxes inside each other; more is no document.
const MAX_NESTED: usize = 50;

/// A column that more cells than this span is a mistake.
const MAX_SPAN: usize = 64;

/// A vertically merged cell of at most this many bytes is said again in each of its rows.
const MAX_REPEATED: usize = 200;

/// Elements whose content is not shown, or a second time: deletions, field codes, properties, what programs without drawings show.
const SKIPPED: [&str; 14] = [
    "del",
    "moveFrom",
    "delText",
    "delInstrText",
    "instrText",
    "Fallback",
    "sdtPr",
    "sdtEndPr",
    "sectPr",
    "rt",
    "tblPr",
    "tblGrid",
    "trPr",
    "ffData",
];

/// A part of the text.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Paragraph(Paragraph),
    Table(Table),
}

/// A paragraph; `\n` is a line break inside it.
#[derive(Clone, Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) heading: Option<u8>,
    /// The level (from 0) and mark of a list item.
    pub(super) item: Option<(u8, Mark)>,
    pub(super) code: bool,
    /// The notes that it refers to, as indexes into [`Parser::notes`].
    pub(super) notes: Vec<usize>,
    style: Option<String>,
    list: Option<String>,
    list_level: Option<u8>,
    outline: Option<u8>,
    /// Its end was deleted: the next paragraph goes on with it.
    joined: bool,
}

/// Rows of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) column: usize,
    pub(super) blocks: Vec<Block>,
}

/// What is in a file and not in the text.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    pub(super) pictures: usize,
    pub(super) drawings: usize,
    pub(super) objects: usize,
    pub(super) comments: usize,
    pub(super) changes: usize,
    pub(super) hidden_words: usize,
    pub(super) symbols: usize,
}

/// A place that blocks go to: the body, a table cell, a text box, a note.
#[derive(Default)]
struct Frame {
    blocks: Vec<Block>,
    paragraph: Option<Paragraph>,
    /// Paragraphs wrongly inside the open one.
    inner: usize,
    /// The start of the next paragraph.
    joined: Option<Paragraph>,
    tables: Vec<Table>,
    /// Text boxes of the open paragraph: they are read after it.
    boxes: Vec<Block>,
    /// The column of the next cell of the open table.
    next_column: usize,
    /// Where a frame is a cell: its column, how many it spans, whether it goes on from the row above.
    column: usize,
    span: usize,
    merged: bool,
}

#[derive(Default)]
struct Run {
    hidden: bool,
    font: String,
}

/// Reads the parts that hold text.
pub(super) struct Parser<'a> {
    styles: &'a Styles,
    numbering: Numbering,
    /// The notes in the order of their marks: whether an endnote, and the id.
    pub(super) notes: Vec<(bool, String)>,
    pub(super) left_out: LeftOut,
    frames: Vec<Frame>,
    /// Open elements of the skipped one, itself included.
    skipped: usize,
    run: Run,
    in_paragraph_properties: bool,
    in_text: bool,
    /// Open fields: whether its result has begun.
    fields: Vec<bool>,
    /// The description of the open drawing.
    description: Option<String>,
}

type Done = Result<(), ExtractErrorKind>;

impl<'a> Parser<'a> {
    pub(super) fn new(styles: &'a Styles, numbering: Numbering) -> Self {
        Self {
            styles,
            numbering,
            notes: Vec::new(),
            left_out: LeftOut::default(),
            frames: Vec::new(),
            skipped: 0,
            run: Run::default(),
            in_paragraph_properties: false,
            in_text: false,
            fields: Vec::new(),
            description: None,
        }
    }

    pub(super) fn read_body(&mut self, text: &str) -> Result<Vec<Block>, ExtractErrorKind> {
        let mut body = None;
        xml::walk(text, |node| match node {
            Node::Open("body", _) if body.is_none() => {
                self.frames.push(Frame::default());
                body = Some(Vec::new());
                Ok(())
            }
            Node::Close("body") if self.frames.len() == 1 => {
                body = self.close_frame().map(|frame| frame.blocks);
                Ok(())
            }
            node => self.node(&node),
        })?;
        body.ok_or_else(|| malformed("the file is no Word document: its main part has no body"))
    }

    /// The notes of a part by id. Separators are no notes.
    pub(super) fn read_notes(&mut self, text: &str) -> Result<Vec<(String, Vec<Block>)>, ExtractErrorKind> {
        let mut notes = Vec::new();
        let mut open = None;
        xml::walk(text, |node| match node {
            Node::Open("footnote" | "endnote", tag) if open.is_none() => {
                open = attribute(tag, "id").filter(|_| attribute(tag, "type").is_none_or(|kind| kind == "normal"));
                if open.is_some() {
                    self.frames.push(Frame::default());
                }
                Ok(())
            }
            Node::Close("footnote" | "endnote") if self.frames.len() == 1 => {
                notes.extend(open.take().zip(self.close_frame().map(|frame| frame.blocks)));
                Ok(())
            }
            node => self.node(&node),
        })?;
        Ok(notes)
    }

    fn node(&mut self, node: &Node) -> Done {
        match *node {
            _ if self.frames.is_empty() => {}
            Node::Open(..) if self.skipped > 0 => self.skipped += 1,
            Node::Close(_) if self.skipped > 0 => self.skipped -= 1,
            Node::Text(_) if self.skipped > 0 => {}
            Node::Open(name, tag) if self.in_paragraph_properties => self.paragraph_property(name, tag),
            Node::Open(name, tag) => return self.open(name, tag),
            Node::Close(name) => self.close(name),
            Node::Text(text) if self.in_text => self.push(text),
            Node::Text(_) => {}
        }
        Ok(())
    }

    fn open(&mut self, name: &str, tag: &BytesStart) -> Done {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match name {
            _ if name.ends_with("Change") => self.skipped = 1,
            _ if SKIPPED.contains(&name) => {
                self.skipped = 1;
                self.left_out.changes += usize::from(matches!(name, "del" | "moveFrom"));
            }
            "p" if frame.paragraph.is_some() => {
                frame.inner += 1;
                self.push("\n");
            }
            "p" => frame.paragraph = Some(frame.joined.take().unwrap_or_default()),
            "pPr" => self.in_paragraph_properties = true,
            "r" => self.run = Run::default(),
            "vanish" => self.run.hidden = xml::is_on(tag),
            "rFonts" => self.run.font = attribute(tag, "ascii").unwrap_or_default(),
            "t" => self.in_text = true,
            "tab" | "ptab" => self.push(" "),
            "br" | "cr" => self.push("\n"),
            "noBreakHyphen" => self.push("\u{2011}"),
            // Formulas: what stands above, below and under the line.
            "sup" => self.push("^"),
            "sub" => self.push("_"),
            "den" => self.push("/"),
            "sym" => self.symbol(tag),
            "footnoteReference" | "endnoteReference" => self.note(name == "endnoteReference", tag),
            "fldChar" => self.field(&attribute(tag, "fldCharType").unwrap_or_default()),
            "tbl" => {
                self.end_paragraph();
                let nested: usize = self.frames.iter().map(|frame| frame.tables.len()).sum();
                if nested + self.frames.len() > MAX_NESTED {
                    return Err(malformed(format!("its tables and text boxes are nested more than {MAX_NESTED} deep")));
                }
                self.frame(|frame| frame.tables.push(Table::default()));
            }
            "tr" => {
                frame.next_column = 0;
                frame.tables.iter_mut().next_back().into_iter().for_each(|table| table.rows.push(Vec::new()));
            }
            "tc" => {
                let column = frame.next_column;
                return self.open_frame(Frame { column, span: 1, ..Frame::default() });
            }
            "gridSpan" => frame.span = attribute(tag, "val").and_then(|span| span.parse().ok()).unwrap_or(1).clamp(1, MAX_SPAN),
            "vMerge" => frame.merged = attribute(tag, "val").is_none_or(|value| value != "restart"),
            "txbxContent" => return self.open_frame(Frame::default()),
            "docPr" => self.description = attribute(tag, "descr").filter(|text| !text.trim().is_empty()),
            "shape" => self.description = attribute(tag, "alt").filter(|text| !text.trim().is_empty()),
            "blip" | "imagedata" => match self.description.take() {
                Some(description) => self.push(&description),
                None => self.left_out.pictures += 1,
            },
            "chart" | "relIds" => self.left_out.drawings += 1,
            "OLEObject" | "altChunk" | "subDoc" | "control" => self.left_out.objects += 1,
            "commentReference" => self.left_out.comments += 1,
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str) {
        match name {
            "pPr" => self.in_paragraph_properties = false,
            "t" => self.in_text = false,
            "r" => self.run = Run::default(),
            "drawing" | "pict" | "object" => self.description = None,
            "p" => match self.frames.last_mut() {
                Some(frame) if frame.inner > 0 => frame.inner -= 1,
                _ => self.end_paragraph(),
            },
            "tc" if self.frames.len() > 1 => self.close_cell(),
            "tbl" => self.frame(|frame| {
                if let Some(table) = frame.tables.pop() {
                    frame.blocks.push(Block::Table(table));
                }
            }),
            "txbxContent" if self.frames.len() > 1 => {
                let Some(frame) = self.close_frame() else { return };
                self.frame(|outer| match outer.paragraph {
                    Some(_) => outer.boxes.extend(frame.blocks),
                    None => outer.blocks.extend(frame.blocks),
                });
            }
            _ => {}
        }
    }

    fn paragraph_property(&mut self, name: &str, tag: &BytesStart) {
        let Some(paragraph) = self.frames.last_mut().and_then(|frame| frame.paragraph.as_mut()) else { return };
        let number = || attribute(tag, "val").and_then(|value| value.parse().ok());
        match name {
            "pStyle" => paragraph.style = attribute(tag, "val"),
            "numId" => paragraph.list = attribute(tag, "val"),
            "ilvl" => paragraph.list_level = number(),
            "outlineLvl" => paragraph.outline = number(),
            "del" | "moveFrom" => paragraph.joined = true,
            _ if name.ends_with("Change") || name == "sectPr" => self.skipped = 1,
            _ => {}
        }
    }

    fn frame(&mut self, change: impl FnOnce(&mut Frame)) {
        if let Some(frame) = self.frames.last_mut() {
            change(frame);
        }
    }

    fn open_frame(&mut self, frame: Frame) -> Done {
        if self.frames.len() >= MAX_NESTED {
            return Err(malformed(format!("its tables and text boxes are nested more than {MAX_NESTED} deep")));
        }
        self.frames.push(frame);
        Ok(())
    }

    fn close_frame(&mut self) -> Option<Frame> {
        self.end_paragraph();
        let mut frame = self.frames.pop()?;
        frame.blocks.extend(frame.joined.take().map(Block::Paragraph));
        Some(frame)
    }

    fn close_cell(&mut self) {
        let Some(cell) = self.close_frame() else { return };
        self.frame(|frame| {
            frame.next_column = cell.column + cell.span;
            let Some(table) = frame.tables.last_mut() else { return frame.blocks.extend(cell.blocks) };
            let mut rows = table.rows.iter_mut().rev();
            let Some(row) = rows.next() else { return };
            let above = rows.next().and_then(|row| row.iter().find(|above| above.column == cell.column));
            let repeated = above.filter(|above| cell.merged && length(&above.blocks) <= MAX_REPEATED);
            let blocks = repeated.map_or(cell.blocks, |above| above.blocks.clone());
            row.push(Cell { column: cell.column, blocks });
        });
    }

    /// Adds text to the open paragraph, or opens one for text that stands outside.
    fn push(&mut self, text: &str) {
        if self.fields.contains(&false) {
            return;
        }
        if self.run.hidden {
            self.left_out.hidden_words += text.split_whitespace().count();
            return;
        }
        let Some(frame) = self.frames.last_mut() else { return };
        let paragraph = frame.paragraph.get_or_insert_default();
        if self.in_text {
            for character in text.chars() {
                match character {
                    '\u{f000}'..='\u{f0ff}' => match symbols::to_unicode(&self.run.font, character) {
                        Some(character) => paragraph.text.push(character),
                        None => self.left_out.symbols += 1,
                    },
                    '\n' | '\t' => paragraph.text.push(' '),
                    _ => paragraph.text.push(character),
                }
            }
        } else {
            paragraph.text.push_str(text);
        }
    }

    fn symbol(&mut self, tag: &BytesStart) {
        let code = attribute(tag, "char").and_then(|code| u32::from_str_radix(&code, 16).ok()).and_then(char::from_u32);
        let font = attribute(tag, "font").unwrap_or_default();
        match code.and_then(|code| symbols::to_unicode(&font, code)) {
            Some(character) => self.push(character.encode_utf8(&mut [0; 4])),
            None => self.left_out.symbols += 1,
        }
    }

    fn note(&mut self, endnote: bool, tag: &BytesStart) {
        let Some(id) = attribute(tag, "id").filter(|_| !self.run.hidden) else { return };
        self.notes.push((endnote, id));
        let number = self.notes.len();
        self.push(&format!("[{number}]"));
        self.frame(|frame| frame.paragraph.iter_mut().for_each(|paragraph| paragraph.notes.push(number - 1)));
    }

    fn field(&mut self, kind: &str) {
        match kind {
            "begin" => self.fields.push(false),
            "separate" => self.fields.iter_mut().next_back().into_iter().for_each(|result| *result = true),
            "end" => drop(self.fields.pop()),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        // A field code ends in its paragraph; one that does not would hide the rest of the file.
        self.fields.retain(|result| *result);
        let Some(frame) = self.frames.last_mut() else { return };
        frame.inner = 0;
        let boxes = std::mem::take(&mut frame.boxes);
        let Some(mut paragraph) = frame.paragraph.take() else { return frame.blocks.extend(boxes) };
        if paragraph.joined {
            paragraph.joined = false;
            frame.joined = Some(paragraph);
            return frame.blocks.extend(boxes);
        }
        let style = paragraph.style.as_deref().unwrap_or_default();
        paragraph.heading = match paragraph.outline {
            Some(outline) => level_of_outline(outline),
            None => self.styles.heading_level(style),
        };
        paragraph.code = self.styles.is_code(style);
        let of_style = self.styles.list(style);
        let list = paragraph.list.as_deref().or(of_style.map(|(list, _)| list)).filter(|list| *list != "0");
        // Headings without text and empty items are counted where they are numbered, and not shown.
        if let Some(list) = list {
            let level = paragraph.list_level.or(of_style.and_then(|(_, level)| level));
            let level = level.or_else(|| self.numbering.level_of_style(list, style)).unwrap_or_default().min(8);
            paragraph.item = self.numbering.next(list, level).map(|mark| (level, mark));
        }
        if !paragraph.text.trim().is_empty() {
            frame.blocks.push(Block::Paragraph(paragraph));
        }
        frame.blocks.extend(boxes);
    }
}

/// The bytes of text in blocks.
fn length(blocks: &[Block]) -> usize {
    let of = |block: &Block| match block {
        Block::Paragraph(paragraph) => paragraph.text.len(),
        Block::Table(_) => MAX_REPEATED + 1,
    };
    blocks.iter().map(of).sum()
}
