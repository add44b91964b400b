//! From pages to the document: the text flow, its headings, and what is said about pages.

use std::collections::BTreeMap;
use std::ops::Range;

use super::lines::Line;
use super::page::PageRead;
use super::{furniture, hyphens};
use crate::corpus::{Document, Heading, Page, PageState, Warning};

/// The document that the pages make, numbered from 1.
pub(super) fn document(remarks: Vec<String>, mut pages: Vec<PageRead>) -> Document {
    let mut lines: Vec<&mut Vec<Line>> = pages.iter_mut().map(|page| &mut page.lines).collect();
    let furniture = furniture::take(&mut lines);
    hyphens::join(&mut lines);
    let mut flow = Flow::default();
    for remark in remarks {
        flow.warn(None, remark);
    }
    for ((number, page), furniture) in (1..).zip(pages).zip(furniture) {
        flow.push(number, page, furniture);
    }
    flow.finish()
}

/// The document in the making.
#[derive(Default)]
struct Flow {
    document: Document,
    /// The lines of known size: where they start and end, and the size in half points.
    sized: Vec<(Range<usize>, u32)>,
    /// Pages with nothing on them.
    blank: Vec<String>,
}

impl Flow {
    fn warn(&mut self, page: Option<u32>, message: impl Into<String>) {
        self.document.warnings.push(Warning { page, message: message.into() });
    }

    fn push(&mut self, number: u32, page: PageRead, furniture: Vec<String>) {
        let start = self.push_lines(&page.lines);
        let mut state = page.state;
        if let Some(remark) = page.remark {
            self.warn(Some(number), remark);
        } else if page.lines.is_empty() && page.pictures {
            state = PageState::ImageOnly;
            self.warn(Some(number), "pictures only, no text but header or footer");
        } else if page.lines.is_empty() {
            self.blank.push(number.to_string());
        }
        self.document.pages.push(Page { number, span: start..self.document.text.len(), state, furniture });
    }

    /// Adds a page's lines and tells where they start.
    fn push_lines(&mut self, lines: &[Line]) -> usize {
        let text = &mut self.document.text;
        if let Some(first) = lines.first().filter(|_| !text.is_empty()) {
            text.push_str(if goes_on(text, &first.text) { "\n" } else { "\n\n" });
        }
        let start = text.len();
        for (i, line) in lines.iter().enumerate() {
            match (i, line.apart) {
                (0, _) => {}
                (_, false) => text.push('\n'),
                (_, true) => text.push_str("\n\n"),
            }
            self.sized.push((text.len()..text.len() + line.text.len(), line.size));
            text.push_str(&line.text);
        }
        start
    }

    fn finish(mut self) -> Document {
        if !self.blank.is_empty() {
            self.warn(None, format!("no text stands on page {}", self.blank.join(", ")));
        }
        let Self { mut document, sized, .. } = self;
        let levels = heading_levels(&sized);
        let mut end_of_last = None;
        for (span, size) in &sized {
            let line = &document.text[span.clone()];
            let Some(level) = levels.get(size).copied().filter(|_| looks_like_heading(line)) else { continue };
            let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
            let goes_on = end_of_last.is_some_and(|end: usize| document.text[end..span.start] == *"\n");
            match document.headings.last_mut() {
                // The second line of a long heading.
                Some(last) if goes_on && last.level == level => last.text = format!("{} {text}", last.text),
                _ => document.headings.push(Heading { level, text, offset: span.start }),
            }
            end_of_last = Some(span.end);
        }
        document
    }
}

/// Whether a sentence runs across the page border.
fn goes_on(before: &str, after: &str) -> bool {
    let open = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '-'));
    open && after.starts_with(char::is_lowercase)
}

/// The heading levels of the font sizes well above that of running text, the largest first.
fn heading_levels(sized: &[(Range<usize>, u32)]) -> BTreeMap<u32, u8> {
    let mut used: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (span, size) in sized.iter().filter(|(_, size)| *size > 0) {
        let (bytes, lines) = used.entry(*size).or_default();
        *bytes += span.len();
        *lines += 1;
    }
    let Some((most, (bytes, _))) = used.iter().max_by_key(|(_, (bytes, _))| *bytes) else { return BTreeMap::new() };
    // Where listings are most of a file, its prose is still larger than they are: long lines, and many of them.
    let prose = used.iter().rev().find(|(_, (b, lines))| b * 10 >= *bytes && b / lines >= 40);
    let body = prose.map_or(*most, |(size, _)| *size);
    let larger = used.into_keys().rev().take_while(|size| *size * 100 >= body * 112);
    larger.zip((1..=6).chain(std::iter::repeat(6))).collect()
}

/// Short, with a word in it, and no line of a table of contents.
fn looks_like_heading(line: &str) -> bool {
    let leaders = [". . .", "....", "\u{2026}\u{2026}"];
    line.len() <= 160 && line.chars().filter(|c| c.is_alphabetic()).count() >= 2 && !leaders.iter().any(|dots| line.contains(dots))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn read(lines: &[&str], pictures: bool) -> PageRead {
        let line =
            |(at, text): (u8, &&str)| Line { text: (*text).into(), size: 24, place: Some(700.0 - 14.0 * f32::from(at)), ..Line::default() };
        PageRead { lines: (0..).zip(lines).map(line).collect(), state: PageState::Ok, remark: None, pictures }
    }

    #[test]
    fn furniture_stands_beside_the_text() {
        let pages = vec![
            read(&["Guide 1", "A sentence runs across the bor-"], false),
            read(&["Guide 2", "der and is whole, though its word is divi-", "ded."], false),
            read(&["Guide 3"], true),
            read(&["Guide 4"], false),
        ];
        let document = document(vec!["a remark".into()], pages);
        assert_eq!(document.text, "A sentence runs across the bor-\nder and is whole, though its word is divided.");
        let furniture: Vec<_> = document.pages.iter().map(|page| page.furniture.join("|")).collect();
        assert_eq!(furniture, ["Guide 1", "Guide 2", "Guide 3", "Guide 4"]);
        assert_eq!((document.pages[2].state, document.pages[3].state), (PageState::ImageOnly, PageState::Ok));
        let warnings: Vec<_> = document.warnings.iter().map(|warning| (warning.page, warning.message.as_str())).collect();
        let expected = [(None, "a remark"), (Some(3), "pictures only, no text but header or footer"), (None, "no text stands on page 4")];
        assert_eq!(warnings, expected);
        let finder = crate::text::QuoteFinder::new(&document.text);
        assert_eq!(finder.find("runs across the border and is whole").len(), 1);
    }

    /// Each entry: font size in half points, length of a line, number of lines.
    #[rstest]
    #[case::book(&[(20, 70, 900), (34, 20, 10), (24, 25, 40), (16, 60, 90)], &[(34, 1), (24, 2)])]
    #[case::mostly_listings(&[(16, 45, 900), (20, 70, 200), (28, 20, 30)], &[(28, 1)])]
    #[case::one_size(&[(20, 70, 9)], &[])]
    #[case::little_text(&[(24, 30, 2), (48, 12, 1)], &[(48, 1)])]
    #[case::unknown_sizes(&[(0, 70, 9)], &[])]
    fn sizes_above_running_text_are_levels(#[case] lines: &[(u32, usize, usize)], #[case] expected: &[(u32, u8)]) {
        let sized: Vec<_> = lines.iter().flat_map(|(size, length, count)| vec![(0..*length, *size); *count]).collect();
        assert_eq!(heading_levels(&sized), expected.iter().copied().collect());
    }
}
