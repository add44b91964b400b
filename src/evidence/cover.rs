//! How much of one evidence item a growing set of chunks holds.

use std::ops::Range;

use super::GoldItem;
use super::judge::Located;

/// The part of an item that the chunks so far hold.
#[derive(Clone, Debug)]
pub struct Cover<'a> {
    gold: &'a GoldItem,
    /// For each place: which of its bytes are held.
    places: Vec<Vec<bool>>,
    /// For systems without spans: which of the quote's words are held.
    words: Vec<bool>,
    /// Held as a whole, by id.
    whole: bool,
}

/// Words that must agree in a row before two texts are taken to share them; shorter quotes must agree as a whole.
const SHINGLE: usize = 4;

impl<'a> Cover<'a> {
    /// Nothing is held yet.
    pub fn new(gold: &'a GoldItem) -> Self {
        let places = gold.places.iter().map(|place| vec![false; place.len()]).collect();
        Self { gold, places, words: vec![false; gold.quote.len()], whole: false }
    }

    /// Adds a chunk; returns which share of the chunk is evidence that was not held before (0 to 1).
    pub fn add(&mut self, hit: &Located<'_>) -> f64 {
        if self.whole {
            return 0.0;
        }
        if self.names(hit) {
            self.whole = true;
            return 1.0;
        }
        let other_document = matches!((&self.gold.document, hit.source_id), (Some(gold), Some(source)) if gold != source);
        match &hit.span {
            Some(_) if other_document || self.gold.snapshot != hit.snapshot => 0.0,
            Some(span) => self.add_span(span),
            // A source id of a foreign system need not be a document id of ours; where it is none, the words decide.
            None if other_document && hit.known_source => 0.0,
            None => self.add_words(&hit.words),
        }
    }

    /// Whether the hit is the item by its id.
    fn names(&self, hit: &Located<'_>) -> bool {
        let same = |gold: &Option<String>, id: Option<&str>| gold.as_deref().is_some_and(|gold| Some(gold) == id);
        match &self.gold.chunk_id {
            Some(_) => same(&self.gold.chunk_id, hit.chunk_id),
            None => self.gold.quote.is_empty() && same(&self.gold.source_id, hit.source_id),
        }
    }

    fn add_span(&mut self, span: &Range<usize>) -> f64 {
        let mut most = 0;
        for (place, held) in self.gold.places.iter().zip(&mut self.places) {
            let (start, end) = (span.start.max(place.start), span.end.min(place.end));
            let mut added = 0;
            for byte in held.iter_mut().take(end.saturating_sub(place.start)).skip(start.saturating_sub(place.start)) {
                added += usize::from(!*byte);
                *byte = true;
            }
            most = most.max(added);
        }
        if span.is_empty() { 0.0 } else { most as f64 / span.len() as f64 }
    }

    fn add_words(&mut self, words: &[String]) -> f64 {
        let quote = &self.gold.quote;
        let size = SHINGLE.min(quote.len());
        if size == 0 || words.len() < size {
            return 0.0;
        }
        let chunk: std::collections::HashSet<&[String]> = words.windows(size).collect();
        let mut added = 0;
        for (start, shingle) in quote.windows(size).enumerate() {
            if chunk.contains(shingle) {
                for held in &mut self.words[start..start + size] {
                    added += usize::from(!*held);
                    *held = true;
                }
            }
        }
        added as f64 / words.len() as f64
    }

    /// The share of the item that is held, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.whole {
            return 1.0;
        }
        let share = |held: &Vec<bool>| held.iter().filter(|h| **h).count() as f64 / held.len().max(1) as f64;
        self.places.iter().chain([&self.words]).map(share).fold(0.0, f64::max)
    }

    /// Whether at least half of one place is held.
    pub fn met(&self) -> bool {
        self.share() >= 0.5
    }
}
