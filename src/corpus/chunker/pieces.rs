//! The pieces that chunks are made of, and how good a place each border between them is for a cut.

use crate::corpus::Document;
use crate::text::{is_cjk, sentences, token_estimate};

/// What stands before a piece, from the worst to the best place for a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::corpus) enum Rank {
    /// A heading, or a part of it: cut here only if nothing else fits.
    Glued,
    Character,
    /// The inside of a compound (`a/b.c`), or two characters of a script without spaces.
    Part,
    Word,
    /// A line end inside a sentence.
    Line,
    Sentence,
    /// A sentence, table row or list item that starts its line.
    Row,
    Paragraph,
    Heading,
}

/// A word or less: what is never cut.
#[derive(Debug)]
pub(in crate::corpus) struct Piece {
    pub(in crate::corpus) start: usize,
    pub(in crate::corpus) rank: Rank,
    /// The tokens of all pieces before.
    pub(in crate::corpus) before: usize,
}

/// The pieces of a document, none above `limit` tokens, and an empty last one at the end of the text.
///
/// Pieces meet only where one of the two neighbours is no letter of a word, so their token estimates add up to that of the whole; inside a
/// long word they add up to at least as much.
pub(in crate::corpus) fn pieces(document: &Document, limit: usize) -> Vec<Piece> {
    let text = document.text.as_str();
    let mut pieces = Vec::new();
    let mut ranks = Ranks::new(document);
    let mut open: Option<(usize, Rank)> = None;
    let mut before = 0;
    let mut previous = ' ';
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        if c.is_whitespace() || previous.is_whitespace() || is_part_border(previous, c) || ranks.sentence_starts_at(at) {
            if let Some((start, rank)) = open.take() {
                push_word(&mut pieces, &mut before, start, &text[start..at], rank, limit);
            }
            if c.is_whitespace() {
                ranks.skip(c);
            } else {
                open = Some((at, ranks.next(at)));
            }
        }
        previous = c;
    }
    pieces.push(Piece { start: text.len(), rank: Rank::Heading, before });
    pieces
}

/// Adds a word; one above the limit goes in pieces of one token.
fn push_word(pieces: &mut Vec<Piece>, before: &mut usize, start: usize, word: &str, rank: Rank, limit: usize) {
    let tokens = token_estimate(word);
    pieces.push(Piece { start, rank, before: *before });
    if tokens <= limit {
        *before += tokens;
        return;
    }
    let mut open = 0;
    for (at, c) in word.char_indices().skip(1) {
        if token_estimate(&word[open..at + c.len_utf8()]) > 1 {
            *before += token_estimate(&word[open..at]);
            pieces.push(Piece { start: start + at, rank: rank.min(Rank::Character), before: *before });
            open = at;
        }
    }
    *before += token_estimate(&word[open..]);
}

/// Whether a word may be cut before `c` where no white space is.
fn is_part_border(previous: char, c: char) -> bool {
    c.is_alphanumeric() && (is_cjk(c) || is_cjk(previous) || !previous.is_alphanumeric())
}

/// Ranks the borders of a document, from its start to its end.
struct Ranks<'a> {
    document: &'a Document,
    sentences: Vec<usize>,
    next_sentence: usize,
    next_heading: usize,
    /// The end of the last heading's line.
    heading_end: usize,
    /// Whether the next piece belongs to a heading, or is the first after one.
    glued: bool,
    blank: bool,
    newlines: usize,
}

impl<'a> Ranks<'a> {
    fn new(document: &'a Document) -> Self {
        let sentences = sentences(&document.text).into_iter().map(|range| range.start).collect();
        Self { document, sentences, next_sentence: 0, next_heading: 0, heading_end: 0, glued: false, blank: false, newlines: 2 }
    }

    fn sentence_starts_at(&mut self, at: usize) -> bool {
        while self.sentences.get(self.next_sentence).is_some_and(|start| *start < at) {
            self.next_sentence += 1;
        }
        self.sentences.get(self.next_sentence) == Some(&at)
    }

    /// Notes a character between pieces.
    fn skip(&mut self, c: char) {
        self.blank = true;
        self.newlines += usize::from(c == '\n');
    }

    /// The rank of the border before the piece that starts at `at`.
    fn next(&mut self, at: usize) -> Rank {
        let headings = &self.document.headings;
        let first = self.next_heading;
        while headings.get(self.next_heading).is_some_and(|heading| heading.offset <= at) {
            self.next_heading += 1;
        }
        let heading = self.next_heading > first;
        let rank = if self.glued {
            Rank::Glued
        } else if heading {
            Rank::Heading
        } else {
            self.plain(at)
        };
        if heading {
            let text = &self.document.text;
            self.heading_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        }
        self.glued = heading || at < self.heading_end;
        (self.blank, self.newlines) = (false, 0);
        rank
    }

    fn plain(&mut self, at: usize) -> Rank {
        let sentence = self.sentence_starts_at(at);
        match self.newlines {
            2.. => Rank::Paragraph,
            1 if sentence => Rank::Row,
            1 => Rank::Line,
            _ if sentence => Rank::Sentence,
            _ if self.blank => Rank::Word,
            _ => Rank::Part,
        }
    }
}
