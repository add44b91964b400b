//! From pieces of text with positions to lines.
//!
//! Programs that typeset write a page in reading order, columns included, so the order of drawing is kept; the positions only tell where
//! words, lines and paragraphs end. Against poppler's text of 14 manuals this keeps more 12-letter runs whole than any reordering did.

use std::borrow::Cow;

use pdf_oxide::layout::TextSpan;

/// A line of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    /// The font size of its start, in half points; 0 = unknown.
    pub(super) size: u32,
    /// Whether white space sets it apart from the line before.
    pub(super) apart: bool,
    /// The height of its base line on the page, in points, where it is known.
    pub(super) place: Option<f32>,
}

/// A line in the making.
struct Open {
    text: String,
    size: f32,
    /// The base line.
    y: f32,
    right: f32,
}

/// The lines of a page in the order of drawing. `None` for pages where that is not the order of reading: right-to-left, vertical or
/// rotated text, and pages drawn in pieces here and there.
pub(super) fn in_drawing_order(mut spans: Vec<TextSpan>) -> Option<Vec<Line>> {
    let turned = spans.iter().filter(|span| span.rotation_degrees != 0.0).count();
    if turned * 2 > spans.len() || spans.iter().any(|span| span.text.contains(is_right_to_left)) {
        return None;
    }
    spans.sort_by_key(|span| span.sequence);
    let mut lines: Vec<Open> = Vec::new();
    let mut last: Option<&TextSpan> = None;
    for span in spans.iter().filter(|span| !span.text.is_empty()) {
        if last.is_some_and(|last| is_drawn_twice(last, span)) {
            continue;
        }
        match lines.last_mut() {
            Some(line) if line.takes(span) => line.push(span),
            _ => lines.push(Open::new(span)),
        }
        last = Some(span);
    }
    lines.retain(|line| !line.text.trim().is_empty());
    if !reads_downwards(&lines) {
        return None;
    }
    let pitch = pitch(&lines);
    let apart = |i: usize| i > 0 && is_apart(&lines[i - 1], &lines[i], pitch);
    let line = |(i, open): (usize, &Open)| Line {
        text: open.text.clone(),
        size: half_points(open.size),
        apart: apart(i),
        place: Some(open.y).filter(|y| y.is_finite()),
    };
    Some(lines.iter().enumerate().map(line).collect())
}

impl Open {
    fn new(span: &TextSpan) -> Self {
        Self { text: span.text.clone(), size: span.font_size.max(1.0), y: span.bbox.y, right: span.bbox.x + span.bbox.width }
    }

    /// Whether a piece continues the line; indices and exponents do.
    fn takes(&self, span: &TextSpan) -> bool {
        let size = self.size.max(span.font_size);
        span.rotation_degrees == 0.0 && (span.bbox.y - self.y).abs() < size / 2.0 && span.bbox.x > self.right - 0.7 * size
    }

    fn push(&mut self, span: &TextSpan) {
        let gap = span.bbox.x - self.right;
        let small = self.size.min(span.font_size.max(1.0));
        let spaced = self.text.ends_with(char::is_whitespace) || span.text.starts_with(char::is_whitespace);
        if gap > 2.0 * self.size {
            // A column of a table: white space for a quote, a border for a sentence.
            self.text.truncate(self.text.trim_end().len());
            self.text.push('\t');
        } else if gap > 0.15 * small && !spaced {
            self.text.push(' ');
        }
        self.text.push_str(&span.text);
        self.right = self.right.max(span.bbox.x + span.bbox.width);
    }
}

/// Bold made by drawing the same text twice, a hair apart.
fn is_drawn_twice(last: &TextSpan, span: &TextSpan) -> bool {
    let near = 0.2 * span.font_size;
    last.text == span.text && (last.bbox.x - span.bbox.x).abs() < near && (last.bbox.y - span.bbox.y).abs() < near
}

/// Upward steps lead to the next column, a header or a foot note: there are few of them, and lines are longer than a letter or two.
fn reads_downwards(lines: &[Open]) -> bool {
    let upward = lines.windows(2).filter(|pair| pair[1].y > pair[0].y + pair[0].size).count();
    let short = lines.iter().filter(|line| line.text.chars().count() <= 2).count();
    upward <= 4 + lines.len() / 8 && (lines.len() < 12 || short * 2 < lines.len())
}

/// The usual distance of two base lines.
fn pitch(lines: &[Open]) -> f32 {
    let mut steps: Vec<f32> = lines.windows(2).map(|pair| pair[0].y - pair[1].y).filter(|step| *step > 0.0).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or_default()
}

fn is_apart(above: &Open, line: &Open, pitch: f32) -> bool {
    let step = above.y - line.y;
    let size = above.size.min(line.size);
    let usual = pitch.clamp(1.2 * size, 2.2 * size);
    step < 0.0 || step > 1.25 * usual || above.size.max(line.size) > 1.1 * size
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped; NaN becomes 0")]
fn half_points(size: f32) -> u32 {
    (size * 2.0).round().clamp(0.0, 10_000.0) as u32
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// The letters that a ligature is made of. NFC leaves ligatures whole, since they are characters of their own.
pub(super) fn fold_ligatures(text: &str) -> Cow<'_, str> {
    const LETTERS: [&str; 7] = ["ff", "fi", "fl", "ffi", "ffl", "st", "st"];
    let index = |c: char| u32::from(c).checked_sub(0xfb00).and_then(|index| LETTERS.get(index as usize));
    if !text.contains(|c| index(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match index(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        }
    }
    Cow::Owned(folded)
}

/// Puts accents that were drawn as characters of their own (`´e`) onto their letters.
pub(super) fn join_accents(text: &str) -> String {
    // These two are carets and tildes in programs, and the grave accent a quote: they are accents only among others.
    let accented = text.matches("´e").count() >= 3;
    let mut joined = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let mark = match c {
            '´' => '\u{301}',
            '¨' => '\u{308}',
            '¸' => '\u{327}',
            'ˇ' => '\u{30c}',
            'ˆ' if accented => '\u{302}',
            '˜' if accented => '\u{303}',
            '`' if accented => '\u{300}',
            _ => {
                joined.push(c);
                continue;
            }
        };
        let base = characters.peek().map(|next| if *next == 'ı' { 'i' } else { *next });
        match base.and_then(|base| unicode_normalization::char::compose(base, mark)) {
            Some(letter) => {
                joined.push(letter);
                characters.next();
            }
            None => joined.push(c),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use pdf_oxide::geometry::Rect;
    use rstest::rstest;

    use super::*;

    fn spans(pieces: &[(f32, f32, f32, &str)]) -> Vec<TextSpan> {
        let span = |(sequence, (x, y, size, text)): (usize, &(f32, f32, f32, &str))| {
            let width = size / 2.0 * f32::from(u16::try_from(text.chars().count()).expect("short"));
            let bbox = Rect { x: *x, y: *y, width, height: *size };
            TextSpan { text: (*text).to_owned(), bbox, font_size: *size, sequence, ..TextSpan::default() }
        };
        pieces.iter().enumerate().map(span).collect()
    }

    #[rstest]
    #[case::words(&[(0.0, 700.0, 10.0, "two"), (18.0, 700.0, 10.0, "words"), (43.0, 700.0, 10.0, ".")], &["two words."])]
    #[case::exponent(&[(0.0, 700.0, 10.0, "m"), (5.0, 704.0, 6.0, "2"), (11.0, 700.0, 10.0, "x")], &["m2 x"])]
    #[case::table_row(&[(0.0, 700.0, 10.0, "fee"), (90.0, 700.0, 10.0, "3 EUR")], &["fee\t3 EUR"])]
    #[case::columns(&[(0.0, 700.0, 10.0, "a1"), (0.0, 688.0, 10.0, "a2"), (90.0, 700.0, 10.0, "b1")], &["a1", "a2", "/b1"])]
    #[case::paragraph(&[(0.0, 700.0, 10.0, "a"), (0.0, 688.0, 10.0, "b"), (0.0, 676.0, 10.0, "c"), (0.0, 650.0, 10.0, "d")], &["a", "b", "c", "/d"])]
    #[case::size_changes(&[(0.0, 700.0, 14.0, "Title"), (0.0, 688.0, 10.0, "text")], &["Title", "/text"])]
    #[case::drawn_twice(&[(0.0, 700.0, 10.0, "bold"), (0.3, 700.0, 10.0, "bold"), (22.0, 700.0, 10.0, "x")], &["bold x"])]
    fn positions_become_lines(#[case] pieces: &[(f32, f32, f32, &str)], #[case] expected: &[&str]) {
        let lines = in_drawing_order(spans(pieces)).expect("in order");
        let shown: Vec<_> = lines.iter().map(|line| format!("{}{}", if line.apart { "/" } else { "" }, line.text)).collect();
        assert_eq!(shown, expected);
    }

    #[rstest]
    #[case::right_to_left(spans(&[(0.0, 700.0, 10.0, "\u{5d0}\u{5d1}")]))]
    #[case::turned(spans(&[(0.0, 700.0, 10.0, "up")]).into_iter().map(|span| TextSpan { rotation_degrees: 90.0, ..span }).collect())]
    #[case::here_and_there((0..20_u8).flat_map(|i| spans(&[(0.0, f32::from(i % 2) * 300.0 + f32::from(i), 10.0, "word")])).collect())]
    fn other_orders_are_left_to_the_library(#[case] spans: Vec<TextSpan>) {
        assert_eq!(in_drawing_order(spans), None);
    }

    #[rstest]
    #[case("o\u{fb03}ce, \u{fb02}y, \u{fb00}", "office, fly, ff")]
    #[case("be\u{fb06}", "best")]
    #[case("plain", "plain")]
    fn ligatures_are_their_letters(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(fold_ligatures(text), expected);
    }

    #[rstest]
    #[case::acute("num´erique", "numérique")]
    #[case::diaeresis_and_cedilla("r¨om ¸ca", "röm ça")]
    #[case::dotless("´el´ev´e boˆıte pr`es `a", "élévé boîte près à")]
    #[case::program("xˆa ˜user `echo`", "xˆa ˜user `echo`")]
    #[case::alone("a ´ b", "a ´ b")]
    fn accents_join_their_letters(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(join_accents(text), expected);
    }
}
