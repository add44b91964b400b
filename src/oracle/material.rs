//! Indexed text: where a term stands, in which sentence, denied or not.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::clause::{Clause, Kind, Term};
use super::passage::{Passage, Sentence};
use super::token::Border;

/// Sentences that a frequent term is looked up in at most; keeps long texts linear.
const POSTINGS: usize = 128;
/// Keys of one prefix that a fuzzy search compares at most.
const BUCKET: usize = 64;

/// Passages to compare with.
#[derive(Debug, Default)]
pub(super) struct Material {
    passages: Vec<Passage>,
    /// (passage, sentence) of each sentence number.
    places: Vec<(usize, usize)>,
    keys: HashMap<String, usize>,
    names: Vec<String>,
    /// Sentence numbers of each key, ascending, cut at [`POSTINGS`].
    postings: Vec<Vec<usize>>,
    units: HashMap<usize, BTreeSet<&'static str>>,
    buckets: HashMap<String, Vec<usize>>,
    initials: HashMap<String, usize>,
    /// The words of each sentence.
    wordings: HashSet<String>,
}

impl Material {
    /// Indexes passages.
    pub(super) fn new(passages: Vec<Passage>) -> Self {
        let mut material = Self::default();
        for (p, passage) in passages.iter().enumerate() {
            for (s, sentence) in passage.sentences.iter().enumerate() {
                let number = material.places.len();
                material.places.push((p, s));
                sentence.clauses.iter().flat_map(|c| &c.terms).for_each(|term| material.add(term, number));
                material.add_initials(sentence, number);
                material.wordings.insert(sentence.words().join(" "));
            }
        }
        material.passages = passages;
        material
    }

    fn add(&mut self, term: &Term, sentence: usize) {
        let id = self.key(&term.key, sentence);
        if let Some(unit) = term.unit {
            self.units.entry(id).or_default().insert(unit);
        }
        if let Some(letters) = without_note_number(&term.key) {
            self.key(letters, sentence);
        }
    }

    fn key(&mut self, key: &str, sentence: usize) -> usize {
        let id = if let Some(id) = self.keys.get(key) {
            *id
        } else {
            let id = self.names.len();
            self.keys.insert(key.to_owned(), id);
            self.names.push(key.to_owned());
            self.postings.push(Vec::new());
            if let Some(prefix) = prefix(key) {
                let bucket = self.buckets.entry(prefix.to_owned()).or_default();
                if bucket.len() < BUCKET {
                    bucket.push(id);
                }
            }
            id
        };
        let postings = &mut self.postings[id];
        if postings.len() < POSTINGS && postings.last() != Some(&sentence) {
            postings.push(sentence);
        }
        id
    }

    /// `Food and Drug Administration` also answers to `fda`.
    fn add_initials(&mut self, sentence: &Sentence, number: usize) {
        for (_, initials) in capital_runs(sentence) {
            let id = self.key(&format!("@{initials}"), number);
            self.initials.insert(initials, id);
        }
    }

    /// The key that a term matches: the same stem, a close spelling, an abbreviation.
    pub(super) fn find(&self, term: &Term) -> Option<usize> {
        if let Some(id) = self.keys.get(&term.key) {
            return Some(*id);
        }
        if term.kind == Kind::Number {
            return None;
        }
        let exact = without_note_number(&term.key).and_then(|letters| self.keys.get(letters)).or_else(|| self.initials.get(&term.key));
        exact.copied().or_else(|| {
            let bucket = self.buckets.get(prefix(&term.key)?)?;
            bucket.iter().copied().find(|id| similar(&term.key, &self.names[*id], term.kind))
        })
    }

    /// Whether a sentence of some length stands here word for word.
    pub(super) fn quotes(&self, sentence: &Sentence) -> bool {
        const SHORTEST: usize = 4;
        sentence.tokens.len() >= SHORTEST && self.wordings.contains(&sentence.words().join(" "))
    }

    /// Whether an initial stands here (`B. N. Rau`).
    pub(super) fn has_initial(&self, name: &str) -> bool {
        name.chars().next().is_some_and(|c| self.keys.contains_key(c.encode_utf8(&mut [0; 4]) as &str))
    }

    /// Whether an abbreviation stands here as a term.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Whether a number stands here, but only with other units.
    pub(super) fn unit_conflict(&self, term: &Term, id: usize) -> bool {
        let (Some(unit), Some(units)) = (term.unit, self.units.get(&id)) else { return false };
        !units.contains(unit)
    }

    /// The sentences of a key.
    pub(super) fn postings(&self, id: usize) -> &[usize] {
        &self.postings[id]
    }

    /// The sentence of a number.
    pub(super) fn sentence(&self, number: usize) -> &Sentence {
        let (p, s) = self.places[number];
        &self.passages[p].sentences[s]
    }

    /// The sentence's text, for a message.
    pub(super) fn excerpt(&self, number: usize) -> String {
        self.passages[self.places[number].0].excerpt(self.sentence(number))
    }

    /// The number of different terms.
    pub(super) fn keys(&self) -> usize {
        self.names.iter().filter(|name| !name.starts_with('@')).count()
    }

    /// A key.
    pub(super) fn name(&self, id: usize) -> &str {
        &self.names[id]
    }

    /// All clauses.
    pub(super) fn clauses(&self) -> impl Iterator<Item = (usize, &Clause)> {
        (0..self.places.len()).flat_map(|number| self.sentence(number).clauses.iter().map(move |clause| (number, clause)))
    }
}

/// Runs of two to eight capitalised words, linked by function words at most: their tokens and initials.
pub(super) fn capital_runs(sentence: &Sentence) -> Vec<(Range<usize>, String)> {
    const LINKS: [&str; 5] = ["of", "and", "the", "for", "&"];
    let mut runs: Vec<(Range<usize>, String)> = Vec::new();
    let mut open = false;
    for (at, token) in sentence.tokens.iter().enumerate() {
        match runs.last_mut() {
            Some((range, initials)) if token.is_capital() && open && token.border == Border::None => {
                range.end = at + 1;
                initials.extend(token.word.chars().next());
            }
            _ if token.is_capital() => {
                runs.push((at..at + 1, token.word.chars().take(1).collect()));
                open = true;
            }
            _ => open = open && LINKS.contains(&token.word.as_str()),
        }
    }
    runs.retain(|(_, initials)| (2..=8).contains(&initials.chars().count()));
    runs
}

/// The letters of a word with a note number glued to it (`tigers1`).
fn without_note_number(key: &str) -> Option<&str> {
    let letters = key.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = key.len() - letters.len();
    ((1..=3).contains(&digits) && letters.len() >= 4 && letters.chars().all(char::is_alphabetic)).then_some(letters)
}

/// The first four characters of a word that is long enough to be misspelt.
fn prefix(key: &str) -> Option<&str> {
    let end = key.char_indices().nth(4)?.0;
    (!key.starts_with(['#', '@'])).then_some(&key[..end])
}

/// Whether two stems are spellings or forms of one word. Names must be closer than words.
pub(super) fn similar(a: &str, b: &str, kind: Kind) -> bool {
    let (short, long) = if a.chars().count() <= b.chars().count() { (a, b) } else { (b, a) };
    let (short_len, long_len) = (short.chars().count(), long.chars().count());
    // Identifiers are the same or not.
    if long_len > 40 || a.contains(|c: char| c.is_ascii_digit()) || b.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let common = short.chars().zip(long.chars()).take_while(|(x, y)| x == y).count();
    if common < 4 {
        return false;
    }
    let typo = short_len >= 6 && strsim::osa_distance(short, long) <= 1;
    let form = match kind {
        Kind::Name => common == short_len && long_len - short_len <= 4 && short_len >= 5,
        _ => common >= 5 && common * 10 >= long_len * 7 || (common == short_len && long_len - short_len <= 3 && short_len >= 4),
    };
    typo || form
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::spelling("organis", "organiz", Kind::Word, true)]
    #[case::form("overse", "overseen", Kind::Word, true)]
    #[case::nationality("german", "germani", Kind::Name, true)]
    #[case::other_country("austria", "australia", Kind::Name, false)]
    #[case::other_name("marin", "marion", Kind::Name, false)]
    #[case::identifier("lp-4021", "lp-4022", Kind::Word, false)]
    #[case::short("viu", "ziu", Kind::Name, false)]
    fn similarity(#[case] a: &str, #[case] b: &str, #[case] kind: Kind, #[case] expected: bool) {
        assert_eq!(similar(a, b, kind), expected);
    }

    #[rstest]
    #[case::same("The mosaics", "mosaic", true)]
    #[case::initialism("the Food and Drug Administration", "the FDA", true)]
    #[case::note_number("the Auburn Tigers1", "Tigers", true)]
    #[case::number("in 1945", "1945", true)]
    #[case::other_number("in 1945", "1946", false)]
    fn finds(#[case] text: &str, #[case] term: &str, #[case] expected: bool) {
        let material = Material::new(vec![Passage::source(text)]);
        let passage = Passage::source(term);
        let term = passage.terms().next().expect("a term");
        assert_eq!(material.find(term).is_some(), expected);
    }
}
