//! Markdown as a flat list of blocks, each with the lists and quotes around it.

use std::rc::Rc;

use pulldown_cmark::{Alignment, BlockQuoteKind, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::Problems;
use super::font::Style;
use super::text::Span;

/// The most lists and quotes inside each other.
const MAX_DEPTH: usize = 24;

/// A Markdown file.
#[derive(Debug, Default)]
pub(super) struct Markup {
    /// From the front matter, else the first heading.
    pub(super) title: Option<String>,
    pub(super) blocks: Vec<Block>,
    /// What is not drawn, though nothing is wrong.
    pub(super) remarks: Vec<String>,
}

/// A table's rows of cells.
pub(super) type Rows = Vec<Vec<Vec<Span>>>;

/// A block and where it stands.
#[derive(Debug)]
pub(super) struct Block {
    /// The lists and quotes around it, outermost first.
    pub(super) inside: Vec<Container>,
    /// The bullet or number before it.
    pub(super) marker: Option<Span>,
    /// Whether it follows its list item without a gap.
    pub(super) tight: bool,
    pub(super) body: Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    List,
    Quote,
}

#[derive(Debug)]
pub(super) enum Body {
    /// A heading of level 1 to 6, or a paragraph: 0.
    Text {
        level: u8,
        spans: Vec<Span>,
    },
    Code(Span),
    /// Rows of cells, the header first.
    Table {
        alignments: Vec<Alignment>,
        rows: Rows,
    },
    Picture {
        name: String,
        alt: Vec<Span>,
        line: usize,
    },
    Rule,
}

/// Reads Markdown the way the project's reader does: GFM without HTML.
pub(super) fn parse(text: &str, problems: &mut Problems) -> Markup {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let (matter, start) = front_matter(&text);
    let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let title = matter.lines().find_map(|line| line.strip_prefix("title:"));
    let title = title.map(|title| title.trim().trim_matches(['"', '\'']).to_owned()).filter(|title| !title.is_empty());
    let mut builder = Builder { markup: Markup { title, ..Markup::default() }, line_starts, ..Builder::default() };
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES | Options::ENABLE_GFM | Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(&text[start..], options).into_offset_iter() {
        builder.line = builder.line_starts.partition_point(|at| *at <= start + range.start);
        builder.event(event);
        if builder.inside.len() > MAX_DEPTH {
            problems.add(builder.line, format!("more than {MAX_DEPTH} lists and quotes inside each other"));
            break;
        }
    }
    builder.markup
}

/// The YAML block at the start of a file, and where the text starts.
fn front_matter(text: &str) -> (&str, usize) {
    let Some(body) = text.strip_prefix("---\n") else { return ("", 0) };
    let yaml = body.lines().next().is_some_and(|first| first.contains(':') || first.starts_with('#') || first.trim_end() == "---");
    let mut offset = 0;
    for line in body.split_inclusive('\n').take_while(|_| yaml) {
        if matches!(line.trim_end(), "---" | "...") {
            return (&body[..offset], "---\n".len() + offset + line.len());
        }
        offset += line.len();
    }
    ("", 0)
}

#[derive(Default)]
struct Builder {
    markup: Markup,
    /// Where each line of the file starts.
    line_starts: Vec<usize>,
    /// The line of the event at hand, from 1.
    line: usize,
    inside: Vec<Container>,
    /// The open lists, outermost first: the next number of an ordered one.
    lists: Vec<Option<u64>>,
    marker: Option<Span>,
    /// What the next text starts with: the name of an alert or footnote.
    label: Option<Span>,
    /// Whether the open paragraph is a paragraph of its own, not the text of a tight item.
    paragraph: bool,
    spans: Vec<Span>,
    style: Style,
    link: Option<Rc<str>>,
    /// The open table: rows of cells.
    table: Option<(Vec<Alignment>, Rows)>,
    code: Option<Span>,
    /// The open picture: name, line, and the text before it.
    picture: Option<(String, usize, Vec<Span>)>,
    pictures: Vec<Body>,
    html: Option<(usize, String)>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text),
            Event::Code(text) => {
                self.style.mono = true;
                self.push(&text);
                self.style.mono = false;
            }
            Event::SoftBreak => self.soft_break(),
            Event::HardBreak => self.push("\n"),
            Event::InlineHtml(tag) if tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("<br")) => self.push("\n"),
            Event::FootnoteReference(label) => self.push(&format!("[{label}]")),
            Event::Html(html) => self.html.get_or_insert((self.line, String::new())).1.push_str(&html),
            Event::Rule => {
                self.flush(0);
                self.block(Body::Rule);
            }
            Event::InlineHtml(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => {
                self.flush(0);
                self.paragraph = true;
            }
            Tag::Heading { .. } => {
                self.flush(0);
                self.paragraph = true;
                self.style.bold = true;
            }
            Tag::BlockQuote(kind) => {
                self.flush(0);
                self.inside.push(Container::Quote);
                if let Some(kind) = kind {
                    self.label = Some(self.span(alert(kind), Style { bold: true, ..Style::default() }));
                }
            }
            Tag::List(first) => {
                self.flush(0);
                self.lists.push(first);
                self.inside.push(Container::List);
            }
            Tag::Item => {
                let text = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}.", *number - 1)
                    }
                    _ => "\u{2022}".to_owned(),
                };
                self.marker = Some(self.span(&text, Style::default()));
            }
            Tag::FootnoteDefinition(label) => {
                self.flush(0);
                self.label = Some(self.span(&format!("[{label}] "), Style::default()));
            }
            Tag::CodeBlock(kind) => {
                self.flush(0);
                let line = self.line + usize::from(matches!(kind, CodeBlockKind::Fenced(_)));
                self.code = Some(Span { line, ..self.span("", Style { mono: true, ..Style::default() }) });
            }
            Tag::Table(alignments) => {
                self.flush(0);
                self.table = Some((alignments, Vec::new()));
            }
            Tag::TableHead | Tag::TableRow => {
                self.style.bold = matches!(tag, Tag::TableHead);
                if let Some((_, rows)) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.style.italic = true,
            Tag::Strong => self.style.bold = true,
            Tag::Strikethrough => self.style.strike = true,
            Tag::Link { dest_url, .. } => self.link = self.target(&dest_url),
            Tag::Image { dest_url, .. } => self.picture = Some((dest_url.to_string(), self.line, std::mem::take(&mut self.spans))),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::FootnoteDefinition => self.flush(0),
            TagEnd::Heading(level) => {
                self.style.bold = false;
                self.heading(level as u8);
            }
            TagEnd::BlockQuote(_) => {
                self.flush(0);
                self.inside.pop();
            }
            TagEnd::List(_) => {
                self.flush(0);
                self.lists.pop();
                self.inside.pop();
            }
            TagEnd::Item => {
                self.flush(0);
                // An item without text still shows its number.
                if let Some(marker) = &self.marker {
                    let empty = Span { text: String::new(), ..marker.clone() };
                    self.block(Body::Text { level: 0, spans: vec![empty] });
                }
            }
            TagEnd::CodeBlock => {
                if let Some(code) = self.code.take() {
                    self.block(Body::Code(code));
                }
            }
            TagEnd::Table => {
                if let Some((alignments, rows)) = self.table.take() {
                    self.block(Body::Table { alignments, rows });
                }
                self.flush(0);
            }
            TagEnd::TableHead => self.style.bold = false,
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(row) = self.table.as_mut().and_then(|(_, rows)| rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis => self.style.italic = false,
            TagEnd::Strong => self.style.bold = self.table.as_ref().is_some_and(|(_, rows)| rows.len() == 1),
            TagEnd::Strikethrough => self.style.strike = false,
            TagEnd::Link => self.link = None,
            TagEnd::Image => {
                if let Some((name, line, before)) = self.picture.take() {
                    let alt = std::mem::replace(&mut self.spans, before);
                    self.pictures.push(Body::Picture { name, alt, line });
                }
            }
            TagEnd::HtmlBlock => self.close_html(),
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        if let Some(code) = &mut self.code {
            code.text.push_str(text);
        } else if !text.is_empty() {
            self.spans.push(Span { text: text.to_owned(), style: self.style, link: self.link.clone(), line: self.line });
        }
    }

    /// Text of the program's own.
    fn span(&self, text: &str, style: Style) -> Span {
        Span { text: text.to_owned(), style, link: None, line: self.line }
    }

    fn soft_break(&mut self) {
        // Scripts without spaces are broken without one.
        let unspaced = |c: char| {
            ragtest::text::is_cjk(c) && !matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}')
                || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff60}')
        };
        if !self.spans.last().is_some_and(|span| span.text.ends_with(unspaced)) {
            self.push(" ");
        }
    }

    fn heading(&mut self, level: u8) {
        let text: String = self.spans.iter().map(|span| span.text.as_str()).collect();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.markup.title.is_none() && !text.is_empty() {
            self.markup.title = Some(text);
        }
        self.flush(level);
    }

    /// Ends the open text, and draws the pictures in it below.
    fn flush(&mut self, level: u8) {
        let mut spans = std::mem::take(&mut self.spans);
        if spans.iter().any(|span| !span.text.trim().is_empty()) {
            spans.splice(..0, self.label.take());
            self.block(Body::Text { level, spans });
        }
        for picture in std::mem::take(&mut self.pictures) {
            self.block(picture);
        }
        self.paragraph = false;
    }

    fn block(&mut self, body: Body) {
        let tight = !self.lists.is_empty() && !self.paragraph && matches!(body, Body::Text { .. });
        let marker = self.marker.take();
        self.markup.blocks.push(Block { inside: self.inside.clone(), marker, tight, body });
    }

    /// Where a link leads: web and mail addresses only. Scripts and files are text.
    fn target(&mut self, url: &str) -> Option<Rc<str>> {
        let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("http" | "https" | "mailto") if !url.contains(char::is_control) => Some(url.into()),
            Some(scheme) if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => {
                self.markup.remarks.push(format!("line {}: a {scheme}: link is text only", self.line));
                None
            }
            _ => None,
        }
    }

    fn close_html(&mut self) {
        let Some((line, html)) = self.html.take() else { return };
        if !html.trim_start().starts_with("<!--") {
            self.markup.remarks.push(format!("line {line}: HTML is left out"));
        }
    }
}

fn alert(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note: ",
        BlockQuoteKind::Tip => "Tip: ",
        BlockQuoteKind::Important => "Important: ",
        BlockQuoteKind::Warning => "Warning: ",
        BlockQuoteKind::Caution => "Caution: ",
    }
}
