//! The widths of a table's columns.

use super::Problems;
use super::font::Fonts;
use super::text::{Span, set};

/// The widths of a table's columns in points, each with `padding`: as wide as the text, or as the page if that is less; then each column has
/// at least its longest word, as far as all fit.
pub(super) fn columns(rows: &[Vec<Vec<Span>>], fonts: &Fonts, size: f32, width: f32, padding: f32) -> Vec<f32> {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let mut whole = vec![0.0_f32; count];
    let mut least = vec![0.0_f32; count];
    for (column, cell) in rows.iter().flat_map(|row| row.iter().enumerate()) {
        whole[column] = whole[column].max(widest(cell, fonts, size));
        for span in cell {
            for word in span.text.split_whitespace() {
                let word = Span { text: word.to_owned(), ..span.clone() };
                least[column] = least[column].max(widest(&[word], fonts, size));
            }
        }
    }
    let free = width - padding * count as f32;
    let (all, words): (f32, f32) = (whole.iter().sum(), least.iter().sum());
    let wide = |(whole, least): (&f32, &f32)| {
        let own = if all <= free {
            *whole
        } else if words <= free {
            least + (free - words) * (whole - least) / (all - words).max(f32::MIN_POSITIVE)
        } else {
            free * least / words.max(f32::MIN_POSITIVE)
        };
        // Rounding must not break a line that fits.
        own.max(size) + padding + 0.01
    };
    whole.iter().zip(&least).map(wide).collect()
}

/// The width of the widest line. What no font shows is reported when the cell is set.
fn widest(cell: &[Span], fonts: &Fonts, size: f32) -> f32 {
    let lines = set(cell, fonts, size, f32::INFINITY, &mut Problems::default());
    lines.iter().map(|line| line.width).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::font::Style;

    fn row(cells: &[&str]) -> Vec<Vec<Span>> {
        let span = |text: &str| vec![Span { text: text.into(), style: Style { mono: true, ..Style::default() }, link: None, line: 1 }];
        cells.iter().map(|text| span(text)).collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_text_if_the_page_is() {
        let fonts = Fonts::load::<&str>(&[]).expect("fonts");
        let letter = fonts.glyph('x', Style { mono: true, ..Style::default() }).expect("glyph").advance * 10.0;
        let near = |found: &[f32], letters: &[f32]| {
            assert_eq!(found.len(), letters.len());
            assert!(found.iter().zip(letters).all(|(found, letters)| (found - letters * letter - 8.0).abs() < 0.1), "{found:?}");
        };
        let rows = [row(&["name", "what it is"]), row(&["ab", "a"])];
        near(&columns(&rows, &fonts, 10.0, 400.0, 8.0), &[4.0, 10.0]);
        // Eight letters are free of ten: the long column gives way, but not below its longest word.
        near(&columns(&rows, &fonts, 10.0, 10.0 * letter + 16.0, 8.0), &[4.0, 6.0]);
    }
}
