//! Sections: the disjoint slices of a document that cases are generated from, each at most once.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Document;
use super::chunker::pieces::{Piece, Rank, pieces};
use crate::id::Fingerprint;

/// One slice of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// `<document>#<n>`, from 1.
    pub id: String,
    /// Byte span in the document's text, without white space at its ends.
    pub span: Range<usize>,
    /// The headings above its start, outermost first.
    pub headings: Vec<String>,
    /// Its length, by [`token_estimate`](crate::text::token_estimate) of its pieces: never less than that of the whole.
    pub tokens: usize,
    /// The fingerprint of its text.
    pub text_hash: Fingerprint,
}

impl Section {
    /// Its text in the document that it was cut from.
    pub fn text<'a>(&self, document: &'a Document) -> &'a str {
        &document.text[self.span.clone()]
    }
}

/// Cuts a document into sections of at most `max_tokens` (0 counts as 1). Every character that is not white space is in exactly one of them.
///
/// A section ends at the last heading of its second half, else at a paragraph's end. A heading stays with what follows it. A paragraph is cut
/// only where it exceeds the limit alone (with its headings): at the end of a sentence, list item or table row; failing these at a line, then a
/// word. Code fences and indented paragraphs belong to the paragraph before them as long as the limit allows.
pub fn sections(document: &Document, max_tokens: usize) -> Vec<Section> {
    let limit = max_tokens.max(1);
    let pieces = pieces(document, limit);
    let borders = borders(&document.text, &pieces);
    let end = pieces.len() - 1;
    let mut sections = Vec::new();
    let mut start = 0;
    while start < end {
        let cut = next_cut(&pieces, &borders, start, limit);
        let offset = pieces[start].start;
        let text = document.text[offset..pieces[cut].start].trim_end();
        sections.push(Section {
            id: format!("{}#{}", document.id, sections.len() + 1),
            span: offset..offset + text.len(),
            headings: document.heading_path(offset),
            tokens: pieces[cut].before - pieces[start].before,
            text_hash: Fingerprint::of_bytes(text.as_bytes()),
        });
        start = cut;
    }
    sections
}

/// What a cut before a piece would do, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Border {
    /// Divides a word, or takes a heading from its text.
    Inside,
    /// Divides a line, a table row among them.
    Word,
    /// Divides a code fence or a sentence at a line's end.
    Line,
    /// Divides a paragraph.
    Sentence,
    /// Before a paragraph that its indent joins to the one before.
    Indented,
    Paragraph,
    Heading,
}

/// Where the section that starts with piece `start` ends.
fn next_cut(pieces: &[Piece], borders: &[Border], start: usize, limit: usize) -> usize {
    let end = pieces.len() - 1;
    let tokens = |at: usize| pieces[at].before - pieces[start].before;
    let furthest = (start + 1..=end).take_while(|at| tokens(*at) <= limit).last().unwrap_or(start + 1);
    if furthest == end {
        return end;
    }
    let last = |weakest: Border| (start + 1..=furthest).rev().find(|at| borders[*at] >= weakest);
    let heading = last(Border::Heading).filter(|at| tokens(*at) * 2 > limit);
    let weaker = [Border::Paragraph, Border::Indented, Border::Sentence, Border::Line, Border::Word];
    heading.or_else(|| weaker.into_iter().find_map(last)).unwrap_or(furthest)
}

/// The border before each piece.
fn borders(text: &str, pieces: &[Piece]) -> Vec<Border> {
    let fences = fences(text);
    let border = |piece: &Piece| {
        let line_start = text[..piece.start].rfind('\n').map_or(0, |end| end + 1);
        let lead = &text[line_start..piece.start];
        let starts_line = lead.trim().is_empty();
        let fence = &fences[..fences.partition_point(|fence| fence.start < piece.start)];
        let in_fence = fence.last().is_some_and(|fence| piece.start < fence.end);
        match piece.rank {
            Rank::Heading => Border::Heading,
            Rank::Paragraph | Rank::Row | Rank::Line if in_fence => Border::Line,
            Rank::Paragraph if !lead.is_empty() => Border::Indented,
            Rank::Paragraph => Border::Paragraph,
            Rank::Sentence if in_fence || !starts_line && is_row(text, line_start) => Border::Word,
            Rank::Row | Rank::Sentence => Border::Sentence,
            Rank::Line => Border::Line,
            Rank::Word => Border::Word,
            Rank::Glued | Rank::Character | Rank::Part => Border::Inside,
        }
    };
    pieces.iter().map(border).collect()
}

fn is_row(text: &str, line_start: usize) -> bool {
    let line = text[line_start..].lines().next().unwrap_or_default();
    line.starts_with('|') || line.contains(" | ") || line.contains('\t')
}

/// The code fences of a text whose reader keeps them: from the opening mark to the end of the closing line.
fn fences(text: &str) -> Vec<Range<usize>> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        match open {
            Some((start, mark)) if trimmed == mark => {
                fences.push(start..offset + line.len());
                open = None;
            }
            Some(_) => {}
            None => open = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)).map(|mark| (offset, mark)),
        }
        offset += line.len();
    }
    fences
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::corpus::Heading;
    use crate::text::token_estimate;

    /// A document with Markdown's headings.
    fn document(text: &str) -> Document {
        let mut document = Document { id: "d.md".into(), ..Document::default() };
        for line in text.split_inclusive('\n') {
            let shown = line.strip_prefix("# ").unwrap_or(line);
            if shown.len() < line.len() {
                document.headings.push(Heading { level: 1, text: shown.trim().into(), offset: document.text.len() });
            }
            document.text.push_str(shown);
        }
        document
    }

    #[rstest]
    #[case::fits("One two.\n\nThree.", 9, &["One two.\n\nThree."])]
    #[case::paragraphs_stay_whole("a b. c d.\n\ne f. g h.", 9, &["a b. c d.", "e f. g h."])]
    #[case::paragraphs_join("a b.\n\nc d.\n\ne f.", 6, &["a b.\n\nc d.", "e f."])]
    #[case::long_paragraph("a b c.\n\nD e f. G h k. L m n.", 9, &["a b c.", "D e f. G h k.", "L m n."])]
    #[case::tail_joins("a b. c d. e f.\n\ng.", 6, &["a b. c d.", "e f.\n\ng."])]
    #[case::heading_goes_along("one two three\n\n# B\n\nfour five", 5, &["one two three", "B\n\nfour five"])]
    #[case::heading_with_long_paragraph("one two\n\n# B\n\nfour five. six.", 4, &["one two", "B\n\nfour five.", "six."])]
    #[case::half_full_ends_at_heading("one two three four\n\n# B\n\nfive six\n\nseven", 7, &["one two three four", "B\n\nfive six\n\nseven"])]
    #[case::rows_stay_whole("a. B | c\nd. E | f\ng | h", 7, &["a. B | c", "d. E | f", "g | h"])]
    #[case::fence_stays_whole("Do this.\n\n```\nx\n\ny\n```\n\nThen so.", 10, &["Do this.", "```\nx\n\ny\n```", "Then so."])]
    #[case::long_fence("```\na b c\n\nd e f. G h\n```", 6, &["```\na b c", "d e f. G h", "```"])]
    #[case::indented_goes_along("One.\n\n- two\n\n  more\n\nThree four.", 4, &["One.", "- two\n\n  more", "Three four."])]
    #[case::word("abcdefg hijklmn", 1, &["abcdef", "g", "hijklm", "n"])]
    #[case::japanese("返金は三十日以内です。例外はありません。", 12, &["返金は三十日以内です。", "例外はありません。"])]
    #[case::blank(" \n\n ", 5, &[])]
    fn cuts_where_it_hurts_least(#[case] text: &str, #[case] max_tokens: usize, #[case] expected: &[&str]) {
        let document = document(text);
        let found: Vec<_> = sections(&document, max_tokens).iter().map(|section| section.text(&document).to_owned()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sections_know_what_they_are() {
        let document = document("# Guide\n\none two.\n\n# Set up\n\nthree four.\n");
        let sections = sections(&document, 5);
        assert_eq!(sections.iter().map(|section| section.id.as_str()).collect::<Vec<_>>(), ["d.md#1", "d.md#2"]);
        assert_eq!(sections[1].headings, ["Set up"]);
        assert_eq!(sections[1].text_hash, Fingerprint::of_bytes(b"Set up\n\nthree four."));
        assert_eq!(sections[1].tokens, 5);
    }

    fn any_text() -> impl Strategy<Value = String> {
        let word = prop_oneof![6 => "[a-z]{1,12}[.,]?", 1 => "\\PC{1,20}", 1 => "[一-龠。]{1,30}", 1 => "[a-z0-9]{20,90}"];
        let gap = prop_oneof![8 => Just(" "), 2 => Just("\n"), 2 => Just("\n\n"), 1 => Just("\n\n# "), 1 => Just("\n- "), 1 => Just(" | "), 1 => Just("\n```\n")];
        proptest::collection::vec((gap, word), 0..60)
            .prop_map(|parts| parts.into_iter().flat_map(|(gap, word)| [gap.to_owned(), word]).collect())
    }

    proptest! {
        #[test]
        fn every_character_is_in_exactly_one_section(text in any_text(), max_tokens in 1..60_usize) {
            let document = document(&text);
            let mut end = 0;
            for section in sections(&document, max_tokens) {
                let text = section.text(&document);
                prop_assert!(document.text[end..section.span.start].trim().is_empty(), "lost or doubled before {}", section.id);
                prop_assert!(!text.is_empty() && text.trim_end() == text);
                prop_assert!(token_estimate(text) <= section.tokens && section.tokens <= max_tokens);
                end = section.span.end;
            }
            prop_assert!(document.text[end..].trim().is_empty());
        }

        #[test]
        fn only_paragraphs_above_the_limit_are_cut(paragraphs in proptest::collection::vec("[a-z]{1,5}( [a-z]{1,9}[.]?){0,20}", 1..8), max_tokens in 1..40_usize) {
            let document = document(&paragraphs.join("\n\n"));
            let sections = sections(&document, max_tokens);
            for paragraph in paragraphs.iter().filter(|paragraph| token_estimate(paragraph) <= max_tokens) {
                prop_assert!(sections.iter().any(|section| section.text(&document).contains(paragraph.as_str())), "{paragraph:?} is cut");
            }
        }
    }
}
