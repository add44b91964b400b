//! From blocks to the text flow that all marked-up formats share.

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use super::body::{Block, Cell, LeftOut, Paragraph, Parser, Table};
use super::numbering::Mark;
use crate::corpus::reader::markdown::Flow;
use crate::corpus::{Document, Warning};

/// The notes of a part by id.
type Notes = Vec<(String, Vec<Block>)>;

/// The document of a body. Notes stand at the end of the section that refers to them.
pub(super) fn document(blocks: &[Block], parser: &Parser, notes: &[Notes; 2]) -> Document {
    let mut writer = Writer { flow: Flow::default(), lists: Vec::new(), due: Vec::new(), parser, notes, in_note: false };
    writer.blocks(blocks);
    writer.write_notes();
    let mut document = writer.flow.finish();
    document.warnings.extend(warnings(&parser.left_out).map(|message| Warning { page: None, message }));
    document
}

struct Writer<'a> {
    flow: Flow,
    /// The open lists: level, and the next number of an ordered one.
    lists: Vec<(u8, Option<u64>)>,
    /// The notes that the open section refers to.
    due: Vec<usize>,
    parser: &'a Parser<'a>,
    notes: &'a [Notes; 2],
    in_note: bool,
}

impl Writer<'_> {
    fn blocks(&mut self, blocks: &[Block]) {
        let mut rest = blocks;
        while let Some((first, others)) = rest.split_first() {
            rest = others;
            match first {
                Block::Paragraph(paragraph) if paragraph.code && paragraph.heading.is_none() => {
                    let code = |block: &&Block| matches!(block, Block::Paragraph(other) if other.code && other.heading.is_none());
                    let lines = others.iter().take_while(code).count();
                    self.code(&blocks[blocks.len() - others.len() - 1..blocks.len() - others.len() + lines]);
                    rest = &others[lines..];
                }
                Block::Paragraph(paragraph) => self.paragraph(paragraph),
                Block::Table(table) => self.table(table),
            }
        }
        self.close_lists(0);
    }

    fn paragraph(&mut self, paragraph: &Paragraph) {
        match (paragraph.heading, &paragraph.item) {
            (Some(level), item) => {
                self.close_lists(0);
                self.write_notes();
                let level = HeadingLevel::try_from(usize::from(level)).unwrap_or(HeadingLevel::H6);
                self.flow.event(Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }));
                match item {
                    Some((_, Mark::Number(number))) => self.text(&format!("{number}. ")),
                    Some((_, Mark::Shown(mark))) => self.text(&format!("{mark} ")),
                    _ => {}
                }
                self.text(paragraph.text.trim());
                self.flow.event(Event::End(TagEnd::Heading(level)));
            }
            (None, Some((level, mark))) => {
                self.open_item(*level, mark);
                if let Mark::Shown(mark) = mark {
                    self.text(&format!("{mark} "));
                }
                self.text(paragraph.text.trim());
            }
            (None, None) => {
                self.close_lists(0);
                self.flow.event(Event::Start(Tag::Paragraph));
                self.text(paragraph.text.trim());
                self.flow.event(Event::End(TagEnd::Paragraph));
            }
        }
        self.due.extend(&paragraph.notes);
    }

    fn text(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.flow.event(Event::HardBreak);
            }
            self.flow.event(Event::Text(line.into()));
        }
    }

    fn code(&mut self, lines: &[Block]) {
        self.close_lists(0);
        let texts: Vec<&str> =
            lines.iter().filter_map(|block| if let Block::Paragraph(line) = block { Some(&*line.text) } else { None }).collect();
        self.flow.event(Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Indented)));
        self.flow.event(Event::Text(texts.join("\n").into()));
        self.flow.event(Event::End(TagEnd::CodeBlock));
    }

    fn open_item(&mut self, level: u8, mark: &Mark) {
        let number = if let Mark::Number(number) = mark { Some(*number) } else { None };
        self.close_lists(level + 1);
        if self.lists.last().is_some_and(|(open, _)| *open == level) {
            self.flow.event(Event::End(TagEnd::Item));
            // Another list, or one that starts anew.
            if self.lists.last().is_some_and(|(_, next)| *next != number) {
                self.flow.event(Event::End(TagEnd::List(false)));
                self.lists.pop();
            }
        }
        if self.lists.last().is_none_or(|(open, _)| *open < level) {
            self.flow.event(Event::Start(Tag::List(number)));
            self.lists.push((level, number));
        }
        self.flow.event(Event::Start(Tag::Item));
        if let Some((_, Some(next))) = self.lists.last_mut() {
            *next = next.saturating_add(1);
        }
    }

    /// Closes the lists from `level` (from 0) on.
    fn close_lists(&mut self, level: u8) {
        while self.lists.pop_if(|(open, _)| *open >= level).is_some() {
            self.flow.event(Event::End(TagEnd::Item));
            self.flow.event(Event::End(TagEnd::List(false)));
        }
    }

    /// A table row by row. One that only lays out the page is read cell by cell.
    fn table(&mut self, table: &Table) {
        self.close_lists(0);
        let cells = || table.rows.iter().flatten();
        if cells().nth(1).is_none() || cells().any(|cell| lays_out(cell, table.rows.len())) {
            return cells().for_each(|cell| self.blocks(&cell.blocks));
        }
        self.flow.event(Event::Start(Tag::Table(Vec::new())));
        for row in table.rows.iter().filter(|row| row.iter().any(|cell| !cell.blocks.is_empty())) {
            self.flow.event(Event::Start(Tag::TableRow));
            let mut columns = 0;
            for cell in row {
                while columns < cell.column {
                    self.cell(&[]);
                    columns += 1;
                }
                self.cell(&cell.blocks);
                columns += 1;
            }
            self.flow.event(Event::End(TagEnd::TableRow));
        }
        self.flow.event(Event::End(TagEnd::Table));
    }

    /// All that is in a cell, on one line.
    fn cell(&mut self, blocks: &[Block]) {
        self.flow.event(Event::Start(Tag::TableCell));
        for (index, paragraph) in paragraphs(blocks).into_iter().enumerate() {
            if index > 0 {
                self.flow.event(Event::SoftBreak);
            }
            if let Some((_, Mark::Shown(mark))) = &paragraph.item {
                self.text(&format!("{mark} "));
            }
            self.text(paragraph.text.trim());
            self.due.extend(&paragraph.notes);
        }
        self.flow.event(Event::End(TagEnd::TableCell));
    }

    fn write_notes(&mut self) {
        if self.in_note {
            return;
        }
        for index in std::mem::take(&mut self.due) {
            let Some((endnote, id)) = self.parser.notes.get(index) else { continue };
            let Some((_, blocks)) = self.notes[usize::from(*endnote)].iter().find(|(found, _)| found == id) else { continue };
            self.flow.event(Event::Start(Tag::FootnoteDefinition((index + 1).to_string().into())));
            self.in_note = true;
            self.blocks(blocks);
            self.in_note = false;
            self.flow.event(Event::End(TagEnd::FootnoteDefinition));
        }
    }
}

/// The paragraphs in blocks, those of tables cell by cell.
fn paragraphs(blocks: &[Block]) -> Vec<&Paragraph> {
    let mut found = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph(paragraph) => found.push(paragraph),
            Block::Table(table) => found.extend(table.rows.iter().flatten().flat_map(|cell| paragraphs(&cell.blocks))),
        }
    }
    found
}

/// Whether a cell holds what no line can: a heading, or, in a table of a row or two, a table.
fn lays_out(cell: &Cell, rows: usize) -> bool {
    cell.blocks.iter().any(|block| match block {
        Block::Paragraph(paragraph) => paragraph.heading.is_some(),
        Block::Table(_) => rows < 3,
    })
}

fn warnings(left_out: &LeftOut) -> impl Iterator<Item = String> {
    let counts = [
        (left_out.pictures, "picture(s) without a description are left out"),
        (left_out.drawings, "chart(s) or diagram(s) are left out"),
        (left_out.objects, "embedded object(s) are left out"),
        (left_out.comments, "comment(s) are left out"),
        (left_out.changes, "tracked deletion(s) are left out"),
        (left_out.hidden_words, "word(s) of hidden text are left out"),
        (left_out.symbols, "symbol(s) without a Unicode character are left out"),
    ];
    counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"))
}
