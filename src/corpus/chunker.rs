//! The chunker: contiguous pieces of a document, cut on the best border there is.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use self::pieces::{Piece, Rank, pieces};
use super::{Chunk, Chunker, Document, chunk_id};
use crate::id::{Fingerprint, Stage};

pub(super) mod pieces;

/// Changes whenever the same document and parameters give other chunks.
const VERSION: &str = "chunker/1";

/// What makes a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Strategy {
    /// As much text as fits, across paragraphs and short sections.
    #[default]
    Tokens,
    /// One section (a heading and its text), split where it is too long.
    Headings,
    /// One paragraph, list or table, split where it is too long; a heading goes with what follows it.
    Paragraphs,
}

impl Strategy {
    fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Headings => "headings",
            Self::Paragraphs => "paragraphs",
        }
    }

    /// The weakest border that always separates two chunks.
    fn separates(self, rank: Rank) -> bool {
        match self {
            Self::Tokens => false,
            Self::Headings => rank == Rank::Heading,
            Self::Paragraphs => rank >= Rank::Paragraph,
        }
    }
}

/// Cuts a document's text into contiguous chunks of at most `max_tokens`.
///
/// A cut falls on the best border of the chunk's second half: heading, paragraph, table row or list item, sentence; failing these, line,
/// word, character. A heading stays with the text below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextChunker {
    /// What makes a chunk.
    pub strategy: Strategy,
    /// The most tokens of a chunk, by [`token_estimate`](crate::text::token_estimate); 0 counts as 1.
    pub max_tokens: usize,
    /// The most tokens that a chunk repeats of the one before: whole sentences or rows, never more than half of `max_tokens`, never across a
    /// heading, nor (with [`Strategy::Paragraphs`]) across a paragraph.
    pub overlap_tokens: usize,
}

impl Default for TextChunker {
    /// Filled chunks of at most 256 tokens, 32 of them repeated.
    fn default() -> Self {
        Self { strategy: Strategy::Tokens, max_tokens: 256, overlap_tokens: 32 }
    }
}

impl Stage for TextChunker {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of([VERSION, self.strategy.name(), &self.max_tokens.to_string(), &self.overlap_tokens.to_string()])
    }
}

impl Chunker for TextChunker {
    fn chunk(&self, document: &Document) -> Vec<Chunk> {
        let pieces = pieces(document, self.limit());
        let mut chunks = Vec::new();
        for span in self.units(&pieces).into_iter().flat_map(|unit| self.cut_unit(&pieces, unit)) {
            let start = pieces[span.start].start;
            let text = document.text[start..pieces[span.end].start].trim_end();
            let span = start..start + text.len();
            chunks.push(Chunk {
                id: chunk_id(&document.id, chunks.len(), text),
                source_id: document.id.clone(),
                pages: document.pages_of(&span),
                headings: document.heading_path(start),
                text: text.to_owned(),
                span: Some(span),
                ..Chunk::default()
            });
        }
        chunks
    }
}

impl TextChunker {
    fn limit(&self) -> usize {
        self.max_tokens.max(1)
    }

    /// The runs of pieces that are cut on their own.
    fn units(&self, pieces: &[Piece]) -> Vec<Range<usize>> {
        let mut units: Vec<Range<usize>> = Vec::new();
        for (i, piece) in pieces[..pieces.len() - 1].iter().enumerate() {
            match units.last_mut() {
                Some(last) if !self.strategy.separates(piece.rank) => last.end = i + 1,
                _ => units.push(i..i + 1),
            }
        }
        units
    }

    /// The chunks of a unit, as runs of pieces.
    fn cut_unit(&self, pieces: &[Piece], unit: Range<usize>) -> Vec<Range<usize>> {
        let mut chunks: Vec<Range<usize>> = Vec::new();
        let mut fresh = unit.start;
        while fresh < unit.end {
            let overlap = chunks.last().map_or(fresh, |last| self.overlap_start(pieces, last));
            let window = Window { pieces, start: overlap, fresh, end: unit.end, limit: self.limit() };
            // A repeated sentence is not worth breaking a new one.
            let end = window.cut().filter(|cut| overlap == fresh || *cut == unit.end || pieces[*cut].rank >= Rank::Sentence);
            let (start, end) = match end {
                Some(end) => (overlap, end),
                None => (fresh, Window { start: fresh, ..window }.cut().unwrap_or(fresh + 1)),
            };
            chunks.push(start..end);
            fresh = end;
        }
        chunks
    }

    /// Where the chunk after `last` starts, so that it repeats whole sentences of it.
    fn overlap_start(&self, pieces: &[Piece], last: &Range<usize>) -> usize {
        let budget = self.overlap_tokens.min(self.limit() / 2);
        let mut start = last.end;
        if matches!(pieces[start].rank, Rank::Heading | Rank::Glued) {
            return start;
        }
        for at in (last.start + 1..last.end).rev() {
            let rank = pieces[at].rank;
            if pieces[last.end].before - pieces[at].before > budget || matches!(rank, Rank::Heading | Rank::Glued) {
                break;
            }
            if rank >= Rank::Sentence {
                start = at;
            }
        }
        start
    }
}

/// The place of the next cut.
struct Window<'a> {
    pieces: &'a [Piece],
    /// The chunk's first piece.
    start: usize,
    /// Its first piece that no chunk before holds.
    fresh: usize,
    /// The end of what may be cut.
    end: usize,
    limit: usize,
}

impl Window<'_> {
    /// The piece before which to cut: after `fresh`, within the limit, on the best border. `None` if not even one new piece fits.
    fn cut(&self) -> Option<usize> {
        let fits = |at: &usize| self.tokens(*at) <= self.limit;
        let furthest = (self.fresh + 1..=self.end).take_while(fits).last()?;
        let candidates = self.fresh + 1..furthest + 1;
        let rank = |at: usize| self.pieces[at].rank;
        let full = |at: usize| self.tokens(at) * 2 > self.limit;
        let last = |weakest: Rank| candidates.clone().rev().find(|at| rank(*at) >= weakest);

        let next_section = candidates.clone().find(|at| *at < self.end && rank(*at) == Rank::Heading && full(*at));
        if next_section.is_some() || furthest == self.end {
            return next_section.or(Some(self.end));
        }
        let best = candidates.clone().filter(|at| full(*at) && rank(*at) >= Rank::Sentence).max_by_key(|at| (rank(*at), *at));
        let line = || candidates.clone().rev().find(|at| full(*at) && rank(*at) >= Rank::Line);
        best.or_else(|| last(Rank::Sentence))
            .or_else(line)
            .or_else(|| last(Rank::Word))
            .or_else(|| last(Rank::Part))
            .or_else(|| last(Rank::Character))
            .or(Some(furthest))
    }

    /// The tokens of the chunk when it is cut before piece `at`.
    fn tokens(&self, at: usize) -> usize {
        self.pieces[at].before - self.pieces[self.start].before
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
    use proptest::strategy::Strategy as _;
    use rstest::rstest;

    use super::*;
    use crate::corpus::{Heading, Page};
    use crate::text::token_estimate;

    fn document(text: &str) -> Document {
        // Headings are written as in Markdown, to keep the tables below short.
        let mut document = Document { id: "d.md".into(), ..Document::default() };
        for line in text.split_inclusive('\n') {
            let level = line.bytes().take_while(|b| *b == b'#').count();
            let shown = line[level..].trim_start_matches(' ');
            if level > 0 {
                let offset = document.text.len();
                document.headings.push(Heading { level: u8::try_from(level).expect("small"), text: shown.trim().into(), offset });
            }
            document.text.push_str(if level > 0 { shown } else { line });
        }
        document
    }

    fn texts(strategy: Strategy, max_tokens: usize, overlap_tokens: usize, text: &str) -> Vec<String> {
        let chunker = TextChunker { strategy, max_tokens, overlap_tokens };
        chunker.chunk(&document(text)).into_iter().map(|chunk| chunk.text).collect()
    }

    #[rstest]
    #[case::fits("One two. Three.", 9, &["One two. Three."])]
    #[case::sentences("One two. Three four. Five.", 6, &["One two. Three four.", "Five."])]
    #[case::paragraph_before_sentence("a b c. d.\n\ne f g. h i j.", 9, &["a b c. d.", "e f g. h i j."])]
    #[case::words("one two three four five", 2, &["one two", "three four", "five"])]
    #[case::compound("alpha/beta.gamma", 3, &["alpha/", "beta.gamma"])]
    #[case::characters("abcdefghijklmnopqrstu", 2, &["abcdefghijkl", "mnopqrstu"])]
    #[case::rows("a | b\nc | d\ne | f", 7, &["a | b\nc | d", "e | f"])]
    #[case::items("Do:\n- first. It is.\n- second", 8, &["Do:\n- first. It is.", "- second"])]
    #[case::lines("let a = b + c\nlet d = e * f", 10, &["let a = b + c", "let d = e * f"])]
    #[case::japanese("返金は三十日以内です。例外はありません。", 12, &["返金は三十日以内です。", "例外はありません。"])]
    #[case::small_sections_join("# A\n\none\n\n# B\n\ntwo", 9, &["A\n\none\n\nB\n\ntwo"])]
    #[case::half_full_ends_at_heading("# A\n\none two three four\n\n# B\n\nfive", 9, &["A\n\none two three four", "B\n\nfive"])]
    #[case::heading_goes_with_its_text("one two three\n\n# B\n\nfour five. six.", 5, &["one two three", "B\n\nfour five.", "six."])]
    #[case::headings_stay_together("one two three\n\n# B\n\n## C\n\nfour five six", 5, &["one two three", "B\n\nC\n\nfour five six"])]
    #[case::long_heading("# one two three four\n\nfive six", 3, &["one two three", "four\n\nfive six"])]
    #[case::zero_is_one("a b", 0, &["a", "b"])]
    #[case::blank(" \n\n ", 5, &[])]
    fn tokens_strategy_cuts_on_the_best_border(#[case] text: &str, #[case] max: usize, #[case] expected: &[&str]) {
        assert_eq!(texts(Strategy::Tokens, max, 0, text), expected);
    }

    #[rstest]
    #[case::whole_sentences("A one. B two. C three. D four.", 9, 3, &["A one. B two. C three.", "C three. D four."])]
    #[case::too_long_to_repeat("A one. B two. C three four five six seven.", 9, 3, &["A one. B two.", "C three four five six seven."])]
    #[case::never_over_half("Aa. Bb. Cc. Dd.", 4, 4, &["Aa. Bb.", "Bb. Cc.", "Cc. Dd."])]
    #[case::not_across_a_heading("one. two. three.\n\n# B\n\nfour. five.", 6, 3, &["one. two. three.", "B\n\nfour. five."])]
    #[case::not_for_a_broken_sentence("A one. B two three four five six seven.", 6, 3, &["A one.", "B two three four five six", "seven."])]
    fn overlap_repeats_whole_sentences(#[case] text: &str, #[case] max: usize, #[case] overlap: usize, #[case] expected: &[&str]) {
        assert_eq!(texts(Strategy::Tokens, max, overlap, text), expected);
    }

    #[test]
    fn sections_and_paragraphs_stay_apart() {
        let text = "intro\n\n# A\n\n## A1\n\none two.\n\nthree.\n\n# B\n\n- x\n- y\n";
        assert_eq!(texts(Strategy::Headings, 99, 9, text), ["intro", "A\n\nA1\n\none two.\n\nthree.", "B\n\n- x\n- y"]);
        assert_eq!(texts(Strategy::Paragraphs, 99, 9, text), ["intro", "A\n\nA1\n\none two.", "three.", "B\n\n- x\n- y"]);
        assert_eq!(texts(Strategy::Headings, 4, 0, "# A\n\none two three. four."), ["A\n\none two", "three. four."]);
    }

    #[test]
    fn chunks_know_where_they_stand() {
        let mut document = document("# Guide\n\none two.\n\n## Set up\n\nthree four.\n");
        let half = document.text.find("Set").expect("there");
        let page = |number, span| Page { number, span, ..Page::default() };
        document.pages = vec![page(1, 0..half), page(2, half..document.text.len())];
        let chunks = TextChunker { strategy: Strategy::Headings, ..TextChunker::default() }.chunk(&document);
        assert_eq!(chunks[1].headings, ["Guide", "Set up"]);
        assert_eq!(chunks[1].pages, Some(2..3));
        assert_eq!(chunks[1].id, chunk_id("d.md", 1, "Set up\n\nthree four."));
        assert_eq!(chunks[0].source_id, "d.md");
        assert!(chunks[0].scopes.is_empty() && chunks[0].snapshot.is_none());
    }

    #[test]
    fn multibyte_runs_are_cut_between_characters() {
        let chunks = texts(Strategy::Tokens, 200, 50, &"…".repeat(2000));
        assert_eq!(chunks.len(), 10);
        assert!(chunks.iter().all(|chunk| chunk.chars().count() == 200));
    }

    #[test]
    fn parameters_change_the_fingerprint() {
        let base = TextChunker::default();
        let other = TextChunker { overlap_tokens: 0, ..base.clone() };
        assert_ne!(base.fingerprint(), other.fingerprint());
        let read: TextChunker = serde_json::from_str("{\"strategy\":\"headings\"}").expect("parses");
        assert_eq!(read, TextChunker { strategy: Strategy::Headings, ..base });
    }

    fn any_text() -> impl proptest::strategy::Strategy<Value = String> {
        let word = prop_oneof![
            6 => "[a-z]{1,12}[.,]?",
            1 => "\\PC{1,20}",
            1 => "[一-龠。]{1,30}",
            1 => "[a-z0-9]{20,90}",
        ];
        let gap = prop_oneof![8 => Just(" "), 2 => Just("\n"), 2 => Just("\n\n"), 1 => Just("\n\n# "), 1 => Just("\n## "), 1 => Just("\n- "), 1 => Just(" | ")];
        proptest::collection::vec((gap, word), 0..60)
            .prop_map(|parts| parts.into_iter().flat_map(|(gap, word)| [gap.to_owned(), word]).collect())
    }

    proptest! {
        #[test]
        fn chunks_cover_the_text_and_keep_the_limit(
            text in any_text(),
            max_tokens in 1..300_usize,
            small in any::<bool>(),
            share in 0..=100_usize,
            strategy in prop_oneof![Just(Strategy::Tokens), Just(Strategy::Headings), Just(Strategy::Paragraphs)],
        ) {
            let max_tokens = if small { max_tokens % 12 + 1 } else { max_tokens };
            let document = document(&text);
            let chunker = TextChunker { strategy, max_tokens, overlap_tokens: max_tokens * share / 100 };
            let chunks = chunker.chunk(&document);
            let mut covered = 0;
            let mut last_start = None;
            for chunk in &chunks {
                let span = chunk.span.clone().expect("a span");
                prop_assert_eq!(&document.text[span.clone()], &chunk.text);
                prop_assert!(token_estimate(&chunk.text) <= max_tokens, "{} of {max_tokens}", token_estimate(&chunk.text));
                prop_assert!(!chunk.text.is_empty() && chunk.text.trim() == chunk.text);
                prop_assert!(last_start < Some(span.start) && covered < span.end, "no progress");
                if let Some(gap) = document.text.get(covered..span.start) {
                    prop_assert!(gap.trim().is_empty(), "{gap:?} is lost");
                }
                let repeated = document.text.get(span.start..covered).unwrap_or_default();
                prop_assert!(token_estimate(repeated) <= chunker.overlap_tokens);
                prop_assert!(!document.headings.iter().any(|h| span.start < h.offset && h.offset < covered), "overlap across a heading");
                last_start = Some(span.start);
                covered = span.end;
            }
            prop_assert!(document.text[covered..].trim().is_empty());
            let ids: std::collections::BTreeSet<_> = chunks.iter().map(|chunk| &chunk.id).collect();
            prop_assert_eq!(ids.len(), chunks.len());
        }

        #[test]
        fn no_heading_ends_a_chunk_that_began_before_it(text in any_text(), max_tokens in 1..100_usize) {
            let document = document(&text);
            let headings = &document.headings;
            let line_end = |h: &Heading| h.offset + document.text[h.offset..].lines().next().unwrap_or_default().trim_end().len();
            let chunks = TextChunker { max_tokens, overlap_tokens: 0, ..TextChunker::default() }.chunk(&document);
            // What ends the document has no text below it to stay with.
            for chunk in chunks.iter().rev().skip(1) {
                let span = chunk.span.clone().expect("a span");
                let Some(last) = headings.iter().rposition(|h| line_end(h) == span.end && line_end(h) > h.offset) else { continue };
                let mut first = last;
                while first > 0 && document.text[line_end(&headings[first - 1])..headings[first].offset].trim().is_empty() {
                    first -= 1;
                }
                prop_assert!(span.start >= headings[first].offset, "{:?}", chunk.text);
            }
        }
    }
}
