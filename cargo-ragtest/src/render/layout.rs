//! Blocks as strips, strips on pages.

use std::path::Path;

use krilla::image::Image;
use pulldown_cmark::Alignment;

use super::font::Fonts;
use super::markup::{Block, Body, Container};
use super::table;
use super::text::{Line, Span, set};
use super::{Problems, picture};

/// The font size of running text, in points.
pub(super) const SIZE: f32 = 10.0;
/// The height of a line, in parts of its font size.
pub(super) const LEADING: f32 = 1.4;
/// The font sizes of headings. Each differs from the others: that is how readers tell the levels.
const HEADINGS: [f32; 6] = [18.0, 15.0, 13.2, 12.4, 11.9, 11.5];
const CODE_SIZE: f32 = 8.5;
/// How far a list or quote moves its text.
const INDENT: f32 = 18.0;
/// The most that lists and quotes move text.
const MAX_INDENT: f32 = 10.0 * INDENT;
/// The points of a pixel.
const PIXEL: f32 = 0.75;

/// A page and its margins, in points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheet {
    pub(super) width: f32,
    pub(super) height: f32,
    /// Left and right.
    pub(super) side: f32,
    /// Above and below the text.
    pub(super) edge: f32,
}

impl Sheet {
    pub(super) fn text_width(self) -> f32 {
        self.width - 2.0 * self.side
    }

    pub(super) fn text_height(self) -> f32 {
        self.height - 2.0 * self.edge
    }
}

/// What is drawn, relative to its strip's upper left corner.
#[derive(Debug)]
pub(super) enum Mark {
    Text {
        x: f32,
        baseline: f32,
        size: f32,
        line: Line,
    },
    /// A grey rectangle: 0 is black, 255 white.
    Box {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        grey: u8,
    },
    /// A quote's bar, as high as the strip and the space above it.
    Bar {
        x: f32,
    },
    Picture {
        x: f32,
        width: f32,
        height: f32,
        image: Image,
    },
}

/// What stands on one page in any case: a line and what is beside it.
#[derive(Debug, Default)]
pub(super) struct Strip {
    /// The space above it, except at the top of a page.
    pub(super) space: f32,
    pub(super) height: f32,
    /// Whether the next strip stays on its page.
    pub(super) glue: bool,
    pub(super) marks: Vec<Mark>,
    /// The heading that starts here.
    pub(super) heading: Option<(u8, String)>,
}

/// Lays out blocks; what cannot be drawn goes to `problems`.
pub(super) struct Layout<'a> {
    pub(super) fonts: &'a Fonts,
    pub(super) sheet: Sheet,
    /// Where pictures are looked for.
    pub(super) folder: &'a Path,
    pub(super) problems: &'a mut Problems,
}

impl Layout<'_> {
    /// The strips of a document, from top to bottom.
    pub(super) fn strips(&mut self, blocks: &[Block]) -> Vec<Strip> {
        let mut strips: Vec<Strip> = Vec::new();
        let mut before: Option<&Block> = None;
        for block in blocks {
            let start = strips.len();
            let indent = (block.inside.len() as f32 * INDENT).min(MAX_INDENT);
            strips.extend(self.body(&block.body, indent));
            let own = &mut strips[start..];
            let Some(first) = own.first_mut() else { continue };
            // The first item of a list stands apart from the text above.
            let apart = before.replace(block).is_some_and(|before| before.inside.is_empty());
            first.space = space(block, apart);
            if let Some(marker) = &block.marker {
                self.mark(first, marker, indent);
            }
            for (depth, _) in block.inside.iter().enumerate().filter(|(_, container)| **container == Container::Quote) {
                let x = (depth as f32 * INDENT).min(MAX_INDENT - INDENT) + 4.0;
                for strip in &mut *own {
                    strip.marks.push(Mark::Bar { x });
                }
            }
        }
        strips
    }

    fn body(&mut self, body: &Body, indent: f32) -> Vec<Strip> {
        let width = self.sheet.text_width() - indent;
        match body {
            Body::Text { level: 0, spans } => self.text(spans, SIZE, indent, width),
            Body::Text { level, spans } => self.heading(*level, spans, indent, width),
            Body::Code(code) => self.code(code, indent, width),
            Body::Table { alignments, rows } => self.table(alignments, rows, indent, width),
            Body::Picture { name, alt, line } => self.picture(name, alt, *line, indent, width),
            Body::Rule => {
                let rule = Mark::Box { x: indent, y: 0.0, width, height: 0.7, grey: 150 };
                vec![Strip { height: 0.7, marks: vec![rule], ..Strip::default() }]
            }
        }
    }

    /// A paragraph. No page starts or ends with one line of it, unless it has no more.
    fn text(&mut self, spans: &[Span], size: f32, x: f32, width: f32) -> Vec<Strip> {
        let lines = set(spans, self.fonts, size, width, self.problems);
        let count = lines.len();
        let strip = |(at, line)| Strip {
            height: size * LEADING,
            glue: at + 1 < count && (at == 0 || at + 2 == count),
            marks: vec![Mark::Text { x, baseline: size * 1.05, size, line }],
            ..Strip::default()
        };
        lines.into_iter().enumerate().map(strip).collect()
    }

    fn heading(&mut self, level: u8, spans: &[Span], x: f32, width: f32) -> Vec<Strip> {
        let size = HEADINGS[usize::from(level.clamp(1, 6)) - 1];
        let mut strips = self.text(spans, size, x, width);
        for strip in &mut strips {
            strip.glue = true;
        }
        let text: String = spans.iter().map(|span| span.text.as_str()).collect();
        if let Some(first) = strips.first_mut() {
            first.heading = Some((level, text.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        strips
    }

    fn code(&mut self, code: &Span, x: f32, width: f32) -> Vec<Strip> {
        const PAD: f32 = 5.0;
        let mut strips = Vec::new();
        for (at, text) in code.text.trim_end_matches('\n').split('\n').enumerate() {
            let span = Span { text: text.to_owned(), line: code.line + at, ..code.clone() };
            strips.extend(self.text(&[span], CODE_SIZE, x + PAD, width - 2.0 * PAD));
        }
        let last = strips.len() - 1;
        for (at, strip) in strips.iter_mut().enumerate() {
            strip.glue = at < last && (at == 0 || at + 1 == last);
            pad(strip, if at == 0 { PAD } else { 0.0 }, if at == last { PAD } else { 0.0 });
            strip.marks.insert(0, Mark::Box { x, y: 0.0, width, height: strip.height, grey: 241 });
        }
        strips
    }

    fn table(&mut self, alignments: &[Alignment], rows: &[Vec<Vec<Span>>], x: f32, width: f32) -> Vec<Strip> {
        const PAD: f32 = 5.0;
        let columns = table::columns(rows, self.fonts, SIZE, width, 2.0 * PAD);
        let total: f32 = columns.iter().sum();
        let mut strips = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let start = strips.len();
            let mut left = x;
            for (column, cell) in row.iter().enumerate().take(columns.len()) {
                let inner = columns[column] - 2.0 * PAD;
                for (at, line) in set(cell, self.fonts, SIZE, inner, self.problems).into_iter().enumerate() {
                    if strips.len() == start + at {
                        strips.push(Strip { height: SIZE * LEADING, glue: true, ..Strip::default() });
                    }
                    let free = (inner - line.width).max(0.0);
                    let shift = match alignments.get(column) {
                        Some(Alignment::Right) => free,
                        Some(Alignment::Center) => free / 2.0,
                        _ => 0.0,
                    };
                    strips[start + at].marks.push(Mark::Text { x: left + PAD + shift, baseline: SIZE * 1.05, size: SIZE, line });
                }
                left += columns[column];
            }
            let Some(last) = strips.len().checked_sub(1).filter(|last| *last >= start) else { continue };
            pad(&mut strips[start], PAD * 0.6, 0.0);
            pad(&mut strips[last], 0.0, PAD * 0.6);
            // The header stays with the first row.
            strips[last].glue = number == 0 && rows.len() > 1;
            let (thick, grey) = if number == 0 { (0.8, 60) } else { (0.4, 170) };
            let rule = Mark::Box { x, y: strips[last].height - thick, width: total, height: thick, grey };
            strips[last].marks.push(rule);
        }
        strips
    }

    fn picture(&mut self, name: &str, alt: &[Span], line: usize, x: f32, width: f32) -> Vec<Strip> {
        let image = match picture::open(self.folder, name) {
            Ok(image) => image,
            Err(reason) => {
                self.problems.add(line, format!("image {name:?}: {reason}"));
                return Vec::new();
            }
        };
        let (w, h) = image.size();
        let (w, h) = (w as f32 * PIXEL, h as f32 * PIXEL);
        let shrink = (width / w).min(self.sheet.text_height() * 0.7 / h).min(1.0);
        let (w, h) = (w * shrink, h * shrink);
        let mut caption = self.text(alt, SIZE * 0.9, x, width);
        caption.retain(|strip| strip.marks.iter().any(|mark| matches!(mark, Mark::Text { line, .. } if !line.runs.is_empty())));
        let mark = Mark::Picture { x, width: w, height: h, image };
        let drawn = Strip { height: h + 3.0, glue: !caption.is_empty(), marks: vec![mark], ..Strip::default() };
        std::iter::once(drawn).chain(caption).collect()
    }

    /// Writes a bullet or number before a strip's text.
    fn mark(&mut self, strip: &mut Strip, marker: &Span, indent: f32) {
        let mut lines = set(std::slice::from_ref(marker), self.fonts, SIZE, INDENT * 4.0, self.problems);
        let Some(line) = lines.pop() else { return };
        let x = (indent - INDENT + 4.0).min(indent - 4.0 - line.width);
        let baseline = strip.marks.iter().find_map(|mark| if let Mark::Text { baseline, .. } = mark { Some(*baseline) } else { None });
        strip.marks.insert(0, Mark::Text { x, baseline: baseline.unwrap_or(SIZE * 1.05), size: SIZE, line });
    }
}

/// Makes a strip higher above and below its marks.
fn pad(strip: &mut Strip, above: f32, below: f32) {
    strip.height += above + below;
    for mark in &mut strip.marks {
        match mark {
            Mark::Text { baseline, .. } => *baseline += above,
            Mark::Box { y, .. } => *y += above,
            Mark::Bar { .. } | Mark::Picture { .. } => {}
        }
    }
}

/// The space above a block.
fn space(block: &Block, apart: bool) -> f32 {
    match &block.body {
        _ if block.tight && !apart => 2.0,
        Body::Text { level: 1, .. } => 20.0,
        Body::Text { level: 2, .. } => 16.0,
        Body::Text { level: 3.., .. } => 12.0,
        Body::Rule => 10.0,
        _ => 7.0,
    }
}

/// Puts strips on pages: for each page its strips, with their distance from the top of the text.
pub(super) fn paginate(strips: Vec<Strip>, height: f32) -> Vec<Vec<(f32, Strip)>> {
    let mut pages = vec![Vec::new()];
    let mut y = 0.0_f32;
    let mut glued = 0_usize;
    let heights: Vec<(f32, bool)> = strips.iter().map(|strip| (strip.space + strip.height, strip.glue)).collect();
    for (at, strip) in strips.into_iter().enumerate() {
        let fits = |wanted: f32| y + wanted <= height;
        let group =
            if glued == 0 { heights[at..].iter().position(|(_, glue)| !glue).map_or(heights.len() - at, |last| last + 1) } else { glued };
        let whole: f32 = heights[at..at + group].iter().map(|(height, _)| height).sum();
        // What is higher than a page is broken anywhere.
        let turn = if glued == 0 && whole <= height { !fits(whole) } else { !fits(strip.space + strip.height) };
        if turn && y > 0.0 {
            pages.push(Vec::new());
            y = 0.0;
        }
        glued = group - 1;
        let Some(page) = pages.last_mut() else { continue };
        let space = if page.is_empty() { 0.0 } else { strip.space };
        y += space;
        let height = strip.height;
        page.push((y, Strip { space, ..strip }));
        y += height;
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(height: f32, glue: bool) -> Strip {
        Strip { space: 1.0, height, glue, ..Strip::default() }
    }

    fn heights(pages: &[Vec<(f32, Strip)>]) -> Vec<Vec<f32>> {
        pages.iter().map(|page| page.iter().map(|(_, strip)| strip.height).collect()).collect()
    }

    #[test]
    fn glued_strips_share_a_page_unless_they_are_higher_than_it() {
        let pages = paginate(vec![strip(5.0, false), strip(2.0, true), strip(3.0, false), strip(6.0, true), strip(7.0, false)], 10.0);
        assert_eq!(heights(&pages), [vec![5.0], vec![2.0, 3.0], vec![6.0], vec![7.0]]);
        assert!(pages.iter().all(|page| page[0].0 == 0.0 && page[0].1.space == 0.0));
    }

    #[test]
    fn a_strip_above_the_page_height_stands_alone() {
        assert_eq!(
            heights(&paginate(vec![strip(1.0, false), strip(99.0, false), strip(1.0, false)], 10.0)),
            [vec![1.0], vec![99.0], vec![1.0]]
        );
        assert_eq!(paginate(Vec::new(), 10.0).len(), 1);
    }
}
