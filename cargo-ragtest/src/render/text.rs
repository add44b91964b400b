//! Lines: text set in glyphs and broken at a width.

use std::rc::Rc;

use krilla::text::{GlyphId, KrillaGlyph};
use ragtest::text::is_cjk;

use super::Problems;
use super::font::{Fonts, Glyph, Style};

/// A piece of text of one style.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
    /// Where a click leads.
    pub(super) link: Option<Rc<str>>,
    /// The line of the Markdown file, from 1.
    pub(super) line: usize,
}

/// Text that is drawn at once: one font, one style.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) face: usize,
    pub(super) text: String,
    pub(super) glyphs: Vec<KrillaGlyph>,
    pub(super) style: Style,
    pub(super) link: Option<Rc<str>>,
    /// From the line's start, in points.
    pub(super) x: f32,
    /// In points.
    pub(super) width: f32,
}

/// A line of text.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) runs: Vec<Run>,
    /// In points, without the space at its end.
    pub(super) width: f32,
}

/// A character that takes part in line breaking.
struct Atom<'a> {
    c: char,
    glyph: Glyph,
    span: &'a Span,
}

/// Sets text in lines of at most `width` points; `\n` ends a line. Characters without a glyph go to `problems`.
pub(super) fn set(spans: &[Span], fonts: &Fonts, size: f32, width: f32, problems: &mut Problems) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut atoms: Vec<Atom<'_>> = Vec::new();
    for span in spans {
        let mut column = 0;
        for c in span.text.chars() {
            match c {
                '\n' => {
                    break_lines(&std::mem::take(&mut atoms), size, width, &mut lines);
                    column = 0;
                }
                '\t' => {
                    let stop = 4 - column % 4;
                    column += stop;
                    (0..stop).for_each(|_| push(&mut atoms, ' ', span, fonts, problems));
                }
                _ => {
                    column += 1;
                    push(&mut atoms, c, span, fonts, problems);
                }
            }
        }
    }
    break_lines(&atoms, size, width, &mut lines);
    lines
}

fn push<'a>(atoms: &mut Vec<Atom<'a>>, c: char, span: &'a Span, fonts: &Fonts, problems: &mut Problems) {
    // Shown by no font: joiners, marks of direction, selectors of a picture's style.
    if matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}') {
        return;
    }
    match fonts.glyph(c, span.style).filter(|_| !is_shaped(c)) {
        Some(glyph) => atoms.push(Atom { c, glyph, span }),
        None if is_shaped(c) => problems.add(span.line, format!("{} needs right-to-left or joined letters, which are not drawn", shown(c))),
        None => problems.add(span.line, format!("no font has a glyph for {}; name one with --font FILE", shown(c))),
    }
}

fn shown(c: char) -> String {
    let code = u32::from(c);
    if c.is_control() { format!("U+{code:04X}") } else { format!("'{c}' (U+{code:04X})") }
}

/// Scripts that are written from right to left or whose letters change with their neighbours.
fn is_shaped(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

/// Whether a line may end between two characters: after a space, and between those of scripts without spaces.
fn may_break(before: char, after: char) -> bool {
    let closing = |c: char| {
        matches!(
            c,
            '\u{3001}'
                | '\u{3002}'
                | '\u{300d}'
                | '\u{300f}'
                | '\u{ff09}'
                | '\u{ff0c}'
                | '\u{ff0e}'
                | '\u{ff1a}'
                | '\u{ff01}'
                | '\u{ff1f}'
                | 'ー'
        )
    };
    let opening = |c: char| matches!(c, '\u{300c}' | '\u{300e}' | '\u{ff08}');
    before == ' ' || (is_cjk(before) || closing(before) || is_cjk(after)) && !closing(after) && !opening(before) && after != ' '
}

fn break_lines(atoms: &[Atom<'_>], size: f32, width: f32, lines: &mut Vec<Line>) {
    let mut start = 0;
    let mut end = 0;
    let mut used = 0.0;
    let mut place = None;
    while end < atoms.len() {
        let atom = &atoms[end];
        if end > start && may_break(atoms[end - 1].c, atom.c) {
            place = Some(end);
        }
        used += atom.glyph.advance * size;
        // A space may hang over the edge, and a character wider than the line stands alone.
        if used > width && atom.c != ' ' && end > start {
            let cut = place.unwrap_or(end);
            lines.push(line(&atoms[start..cut], size));
            (start, end, used, place) = (cut, cut, 0.0, None);
        } else {
            end += 1;
        }
    }
    lines.push(line(&atoms[start..], size));
}

/// One line, without the spaces at its end.
fn line(atoms: &[Atom<'_>], size: f32) -> Line {
    let end = atoms.iter().rposition(|atom| atom.c != ' ').map_or(0, |last| last + 1);
    let mut line = Line::default();
    for atom in &atoms[..end] {
        let joins = |run: &Run| run.face == atom.glyph.face && run.style == atom.span.style && run.link == atom.span.link;
        if !line.runs.last().is_some_and(joins) {
            let (style, link) = (atom.span.style, atom.span.link.clone());
            line.runs.push(Run { face: atom.glyph.face, text: String::new(), glyphs: Vec::new(), style, link, x: line.width, width: 0.0 });
        }
        let Some(run) = line.runs.last_mut() else { continue };
        let start = run.text.len();
        run.text.push(atom.c);
        run.glyphs.push(KrillaGlyph::new(GlyphId::new(atom.glyph.id), atom.glyph.advance, 0.0, 0.0, 0.0, start..run.text.len(), None));
        run.width += atom.glyph.advance * size;
        line.width += atom.glyph.advance * size;
    }
    line
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn span(text: &str) -> Span {
        Span { text: text.into(), style: Style { mono: true, ..Style::default() }, link: None, line: 7 }
    }

    /// Lines of text in a font of which ten characters are as wide as the line.
    fn set_ten(text: &str) -> (Vec<String>, Problems) {
        let fonts = Fonts::load::<&str>(&[]).expect("fonts");
        let mut problems = Problems::default();
        let wide = fonts.glyph('x', span("").style).expect("glyph").advance * 100.0 + 0.01;
        let lines = set(&[span(text)], &fonts, 10.0, wide, &mut problems);
        (lines.iter().map(|line| line.runs.iter().map(|run| run.text.as_str()).collect()).collect(), problems)
    }

    #[rstest]
    #[case::fits("one two", &["one two"])]
    #[case::words("one two three four", &["one two", "three four"])]
    #[case::hanging_space("one two th fourth", &["one two th", "fourth"])]
    #[case::long_word("a abcdefghijklmno", &["a", "abcdefghij", "klmno"])]
    #[case::lines("  a\n\nb", &["  a", "", "b"])]
    #[case::tabs("a\tb", &["a   b"])]
    #[case::invisible("a\u{200b}b\u{ad}c", &["abc"])]
    #[case::empty("", &[""])]
    fn lines_break_at_spaces(#[case] text: &str, #[case] expected: &[&str]) {
        let (lines, problems) = set_ten(text);
        assert_eq!(lines, expected);
        assert!(problems.is_empty());
    }

    #[rstest]
    #[case::han("好", "line 7: no font has a glyph for '好' (U+597D)")]
    #[case::escape("\u{1b}[2J", "line 7: no font has a glyph for U+001B;")]
    #[case::hebrew("אב", "line 7: 'א' (U+05D0) needs right-to-left")]
    fn what_no_font_shows_is_named(#[case] text: &str, #[case] expected: &str) {
        let (_, problems) = set_ten(text);
        assert!(problems.to_string().contains(expected), "{problems}");
    }

    #[test]
    fn scripts_without_spaces_break_between_characters_but_not_before_a_full_stop() {
        assert!(may_break('好', '的') && !may_break('的', '。') && may_break('。', '好') && !may_break('「', '好') && !may_break('a', 'b'));
    }
}
