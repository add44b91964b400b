//! Pages as a PDF file. Nothing in it depends on the time or the machine.

use anyhow::{Result, anyhow};
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::luma;
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;
use krilla::{Document, SerializeSettings};

use super::font::Fonts;
use super::layout::{LEADING, Mark, SIZE, Sheet, Strip};
use super::text::{Line, Run};

/// The margin above and below the text: header and footer stand in it.
pub(super) const EDGE: f32 = 6.0 * SIZE;
/// How dark text is, from 0 (black).
const INK: u8 = 20;
const LINK_INK: u8 = 70;
const EDGE_INK: u8 = 110;
/// The font size of header and footer.
pub(super) const EDGE_SIZE: f32 = 8.0;

/// A document ready to be drawn.
pub(super) struct Paper {
    pub(super) title: String,
    pub(super) sheet: Sheet,
    /// For each page its strips, with their distance from the top of the text.
    pub(super) pages: Vec<Vec<(f32, Strip)>>,
    /// For each page its header and footer.
    pub(super) edges: Vec<[Line; 2]>,
}

/// The bytes of a PDF file.
pub(super) fn draw(paper: Paper, fonts: &Fonts) -> Result<Vec<u8>> {
    let Paper { title, sheet, pages, edges } = paper;
    let settings = SerializeSettings { enable_tagging: false, ..SerializeSettings::default() };
    let mut document = Document::new_with(settings);
    document.set_metadata(Metadata::new().title(title).creator("cargo ragtest".to_owned()));
    let mut headings = Vec::new();
    for (number, (strips, edges)) in pages.into_iter().zip(edges).enumerate() {
        let settings = PageSettings::from_wh(sheet.width, sheet.height).ok_or_else(|| anyhow!("lay out a page of no size"))?;
        let mut page = document.start_page_with(settings);
        let mut links = Vec::new();
        let mut surface = page.surface();
        let mut pen = Pen { surface: &mut surface, fonts, links: &mut links };
        // Readers follow the order of drawing: the header comes first, the footer last.
        let [header, footer] = edges;
        pen.line(&header, (sheet.width - header.width) / 2.0, sheet.edge - 22.0, EDGE_SIZE, EDGE_INK);
        for (y, strip) in strips {
            let top = sheet.edge + y;
            if let Some((level, text)) = strip.heading {
                headings.push((level, OutlineNode::new(text, XyzDestination::new(number, Point::from_xy(sheet.side, top)))));
            }
            let whole = (top - strip.space, strip.space + strip.height);
            for mark in strip.marks {
                pen.mark(mark, sheet.side, top, whole);
            }
        }
        pen.line(&footer, (sheet.width - footer.width) / 2.0, sheet.height - sheet.edge + 30.0, EDGE_SIZE, EDGE_INK);
        surface.finish();
        for link in links {
            page.add_annotation(link);
        }
        page.finish();
    }
    document.set_outline(outline(headings));
    document.finish().map_err(|error| anyhow!("{error:?}").context("write the PDF file"))
}

/// Draws on one page.
struct Pen<'a, 'b> {
    surface: &'a mut Surface<'b>,
    fonts: &'a Fonts,
    links: &'a mut Vec<Annotation>,
}

impl Pen<'_, '_> {
    /// Draws a mark of a strip; `whole` is where it and the space above it start, and their height.
    fn mark(&mut self, mark: Mark, side: f32, top: f32, whole: (f32, f32)) {
        match mark {
            Mark::Text { x, baseline, size, line } => self.line(&line, side + x, top + baseline, size, INK),
            Mark::Box { x, y, width, height, grey } => self.fill(Rect::from_xywh(side + x, top + y, width, height), grey),
            Mark::Bar { x } => self.fill(Rect::from_xywh(side + x, whole.0, 2.0, whole.1), 190),
            Mark::Picture { x, width, height, image } => {
                let Some(size) = Size::from_wh(width, height) else { return };
                self.surface.push_transform(&Transform::from_translate(side + x, top));
                self.surface.draw_image(image, size);
                self.surface.pop();
            }
        }
    }

    fn line(&mut self, line: &Line, x: f32, baseline: f32, size: f32, ink: u8) {
        for run in &line.runs {
            let x = x + run.x;
            self.ink(if run.link.is_some() { LINK_INK } else { ink });
            self.surface.draw_glyphs(Point::from_xy(x, baseline), &run.glyphs, self.fonts.font(run.face), &run.text, size, false);
            if run.style.strike {
                self.fill(Rect::from_xywh(x, baseline - size * 0.3, run.width, size * 0.06), ink);
            }
            self.link(run, x, baseline, size);
        }
    }

    fn link(&mut self, run: &Run, x: f32, baseline: f32, size: f32) {
        let Some(url) = &run.link else { return };
        self.fill(Rect::from_xywh(x, baseline + size * 0.12, run.width, size * 0.05), LINK_INK);
        if let Some(area) = Rect::from_xywh(x, baseline - size, run.width, size * LEADING) {
            let target = Target::Action(Action::Link(LinkAction::new(url.to_string())));
            self.links.push(Annotation::new_link(LinkAnnotation::new(area, target), None));
        }
    }

    fn ink(&mut self, grey: u8) {
        let fill = Fill { paint: luma::Color::new(grey).into(), opacity: NormalizedF32::ONE, rule: FillRule::NonZero };
        self.surface.set_fill(Some(fill));
    }

    fn fill(&mut self, area: Option<Rect>, grey: u8) {
        let mut path = PathBuilder::new();
        let Some(area) = area else { return };
        path.push_rect(area);
        let Some(path) = path.finish() else { return };
        self.ink(grey);
        self.surface.draw_path(&path);
    }
}

/// Headings as bookmarks: each below the last one of a lower level.
fn outline(headings: Vec<(u8, OutlineNode)>) -> Outline {
    let mut outline = Outline::new();
    let mut open: Vec<(u8, OutlineNode)> = Vec::new();
    let mut close = |open: &mut Vec<(u8, OutlineNode)>, level: u8| {
        while let Some((_, node)) = open.pop_if(|(own, _)| *own >= level) {
            match open.last_mut() {
                Some((_, parent)) => parent.push_child(node),
                None => outline.push_child(node),
            }
        }
    };
    for (level, node) in headings {
        close(&mut open, level);
        open.push((level, node));
    }
    close(&mut open, 0);
    outline
}
