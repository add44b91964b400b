//! The fonts of a rendered document: `DejaVu`, which the program carries, and those of `--font` for what it lacks.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use krilla::text::Font;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "Markdown combines them freely")]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) mono: bool,
    pub(super) strike: bool,
}

/// One character's picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Glyph {
    /// Its font in [`Fonts`].
    pub(super) face: usize,
    pub(super) id: u32,
    /// Its width, in parts of the font size.
    pub(super) advance: f32,
}

struct Face {
    font: Font,
    data: Arc<dyn AsRef<[u8]> + Send + Sync>,
    /// What was looked up: glyph and width, or `None` where the font has no glyph.
    known: RefCell<HashMap<char, Option<(u32, f32)>>>,
}

impl Face {
    fn new(data: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Option<Self> {
        let font = Font::new(Arc::clone(&data).into(), 0)?;
        Some(Self { font, data, known: RefCell::default() })
    }

    fn glyph(&self, c: char) -> Option<(u32, f32)> {
        *self.known.borrow_mut().entry(c).or_insert_with(|| {
            let font = FontRef::from_index(self.data.as_ref().as_ref(), 0).ok()?;
            let id = font.charmap().map(c).filter(|id| id.to_u32() > 0)?;
            let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
            Some((id.to_u32(), metrics.advance_width(id)? / self.font.units_per_em()))
        })
    }
}

/// The fonts, in the order in which they are asked.
pub(super) struct Fonts(Vec<Face>);

/// Before those of `--font`: regular, bold, oblique, bold oblique, monospaced, monospaced bold.
const CARRIED: usize = 6;
const MONO: usize = 4;

impl Fonts {
    /// The carried fonts and `extra` files.
    pub(super) fn load<P: AsRef<Path>>(extra: &[P]) -> Result<Self> {
        use dejavu::{sans_condensed as sans, sans_mono as mono};
        let carried: [&'static [u8]; CARRIED] =
            [sans::regular(), sans::bold(), sans::oblique(), sans::bold_oblique(), mono::regular(), mono::bold()];
        let mut faces = Vec::new();
        for data in carried {
            faces.push(Face::new(Arc::new(data)).context("read a font of this program")?);
        }
        for path in extra.iter().map(AsRef::as_ref) {
            let data = std::fs::read(path).with_context(|| format!("read font {}", path.display()))?;
            let face =
                Face::new(Arc::new(data)).with_context(|| format!("read font {}: it is no TrueType or OpenType font", path.display()));
            faces.push(face?);
        }
        Ok(Self(faces))
    }

    /// The glyph of a character: in the style's font, else upright, else in any font.
    pub(super) fn glyph(&self, c: char, style: Style) -> Option<Glyph> {
        let slant = usize::from(style.bold) + 2 * usize::from(style.italic);
        let first = if style.mono { MONO + usize::from(style.bold) } else { slant };
        let order = [first, slant, 0].into_iter().chain(CARRIED..self.0.len());
        order.into_iter().find_map(|face| {
            let (id, advance) = self.0[face].glyph(c)?;
            Some(Glyph { face, id, advance })
        })
    }

    /// The font to draw a glyph with.
    pub(super) fn font(&self, face: usize) -> Font {
        self.0[face].font.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_greek_and_cyrillic_are_carried_in_every_style() {
        let fonts = Fonts::load::<&Path>(&[]).expect("fonts");
        for bits in 0..8_u8 {
            let style = Style { bold: bits & 1 > 0, italic: bits & 2 > 0, mono: bits & 4 > 0, strike: false };
            for c in "aZéßőñø€–„“…•→×≤αΩώжЯїў".chars() {
                assert!(fonts.glyph(c, style).is_some_and(|glyph| glyph.advance > 0.0), "{c} {style:?}");
            }
        }
        assert_eq!(fonts.glyph('中', Style::default()), None);
        let wide = |c| fonts.glyph(c, Style { mono: true, ..Style::default() }).expect("glyph").advance;
        assert!((wide('i') - wide('W')).abs() < 1e-6);
    }

    #[test]
    fn a_file_that_is_no_font_says_so() {
        let file = tempfile::NamedTempFile::new().expect("file");
        std::fs::write(file.path(), "no font").expect("write");
        let error = Fonts::load(&[file.path()]).err().expect("refused");
        assert!(error.to_string().contains("no TrueType"), "{error}");
    }
}
