//! BM25 keyword search.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::blob;
use super::rows::{Rows, best};
use super::search::{IndexBuilder, Search};
use crate::corpus::Chunk;
use crate::id::{Fingerprint, Stage};
use crate::model::{Embedder, Reply};
use crate::question::Question;
use crate::response::Hit;
use crate::store::DerivedStore;
use crate::text::{Language, for_each_word, is_cjk, is_function_word, stem, strip_accents, words};

/// BM25 (Robertson and Zaragoza 2009, with Lucene's idf, which is never negative) over stems, whole and split identifiers, and bigrams of
/// scripts without spaces. Accents are ignored. A query is only ever words: nothing in it is an operator.
///
/// A chunk is stemmed in the language that its first words tell; too short for such a guess is a question, so it is searched in every language
/// that the chunks are of, and each chunk meets the stems of its own. What does not tell counts as English.
#[derive(Clone, Debug, PartialEq)]
pub struct Bm25 {
    /// How fast repeats of a word stop to count: 0 (at once) and up. Default 0.9, as in Anserini.
    pub k1: f32,
    /// How much long texts are damped: 0 (not) to 1 (fully). Default 0.4, as in Anserini.
    pub b: f32,
    /// The language of all chunks; `None` (the default) guesses that of each.
    pub language: Option<Language>,
    /// Where the postings are kept.
    pub store: DerivedStore,
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k1: 0.9, b: 0.4, language: None, store: DerivedStore::default() }
    }
}

impl Stage for Bm25 {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(["bm25/2".to_owned(), self.k1.to_string(), self.b.to_string(), format!("{:?}", self.language)])
    }
}

impl IndexBuilder for Bm25 {
    fn open(&self, chunks: Arc<[Chunk]>, _: Arc<dyn Embedder>) -> Reply<'_, Arc<dyn Search>> {
        Box::pin(async move {
            let rows = Rows::new(chunks);
            let build = async { Ok(Bm25Index::build(rows.texts(), self.k1, self.b, self.language)) };
            let index = self.store.get_or_build("bm25", rows.key(self, None), build).await?;
            Ok(Arc::new(Opened { rows, index }) as Arc<dyn Search>)
        })
    }
}

struct Opened {
    rows: Rows,
    index: Bm25Index,
}

impl Search for Opened {
    fn search<'a>(&'a self, question: &'a Question, k: usize) -> Reply<'a, Vec<Hit>> {
        let found = self.index.search(&question.query, k, |row| self.rows.visible(row, question));
        Box::pin(std::future::ready(Ok(self.rows.hits(found))))
    }
}

/// An inverted index with the BM25 weight of each posting worked out, in a few flat arrays that open without decoding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bm25Index {
    languages: Vec<Language>,
    documents: u32,
    /// All terms, sorted, one after the other; each begins with a letter for its language.
    terms: String,
    /// For each term: where it ends in `terms`.
    #[serde(with = "blob")]
    term_ends: Vec<u32>,
    /// For each term: where its postings end in `rows` and `weights`.
    #[serde(with = "blob")]
    posting_ends: Vec<u32>,
    #[serde(with = "blob")]
    rows: Vec<u32>,
    #[serde(with = "blob")]
    weights: Vec<f32>,
}

impl Bm25Index {
    /// Indexes `texts`; a text's number is its place in them. `k1`, `b` and `language` as in [`Bm25`].
    pub fn build<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, k1: f32, b: f32, language: Option<Language>) -> Self {
        let mut counts = Counts::default();
        for text in texts {
            let text = text.as_ref();
            counts.add(text, language.or_else(|| Language::of(sample(text))).unwrap_or_default());
        }
        counts.weigh(k1, b)
    }

    /// The number of indexed texts.
    pub fn len(&self) -> usize {
        self.documents as usize
    }

    /// Whether nothing was indexed.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// The best `k` of the texts that share a term with the query and pass `filter`, with their scores, best first, equal scores by number.
    /// Stop words count only where the query has nothing else.
    pub fn search(&self, query: &str, k: usize, filter: impl Fn(usize) -> bool) -> Vec<(usize, f32)> {
        let words = words(query);
        let mut scores = vec![0.0_f32; self.len()];
        for language in &self.languages {
            let topical = words.iter().any(|word| !is_function_word(word, *language));
            for word in words.iter().filter(|word| !topical || !is_function_word(word, *language)) {
                let (rows, weights) = self.postings(&term(word, *language));
                for (row, weight) in rows.iter().zip(weights) {
                    scores[*row as usize] += weight;
                }
            }
        }
        best(scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0), k, f32::total_cmp, filter)
    }

    fn postings(&self, term: &str) -> (&[u32], &[f32]) {
        let span = |ends: &[u32], at: usize| if at == 0 { 0 } else { ends[at - 1] as usize }..ends[at] as usize;
        let (mut low, mut high) = (0, self.term_ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.terms[span(&self.term_ends, middle)].cmp(term) {
                std::cmp::Ordering::Equal => {
                    let found = span(&self.posting_ends, middle);
                    return (&self.rows[found.clone()], &self.weights[found]);
                }
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        (&[], &[])
    }
}

/// The beginning of a text, about forty words: enough to tell its language.
fn sample(text: &str) -> &str {
    &text[..text.floor_char_boundary(240)]
}

/// What a word is indexed as: its language's letter and its stem.
fn term(word: &str, language: Language) -> String {
    let stem = stem(word, language);
    // Voiced kana are a base and a mark, but not the same letter.
    let stem = if stem.is_ascii() || stem.contains(is_cjk) { stem } else { strip_accents(&stem) };
    format!("{}{stem}", letter(language))
}

fn letter(language: Language) -> char {
    char::from(b'A' + language as u8)
}

/// The counts while an index is built.
#[derive(Default)]
struct Counts {
    languages: BTreeSet<Language>,
    /// The term's number of each spelling in a language. Nearly all spellings fit into a number themselves, which spares a look at another
    /// place in memory for each word.
    short: HashMap<u128, u32, BuildHasherDefault<Mix>>,
    long: HashMap<(Language, String), u32>,
    numbers: HashMap<String, u32>,
    /// For each term: whether it carries no topic.
    stops: Vec<bool>,
    /// Term and count, text by text.
    counted: Vec<(u32, u32)>,
    texts: Vec<Text>,
    /// The terms of the text at hand.
    terms: Vec<u32>,
}

struct Text {
    /// Where its terms end in `counted`.
    end: usize,
    /// Its topical words. Stop words are indexed for queries that have nothing else, but they make no text longer.
    length: u32,
}

impl Counts {
    fn add(&mut self, text: &str, language: Language) {
        self.languages.insert(language);
        let mut terms = std::mem::take(&mut self.terms);
        for_each_word(text, |word| terms.push(self.number(word, language)));
        terms.sort_unstable();
        let mut length = 0;
        for same in terms.chunk_by(|a, b| a == b) {
            let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
            length += if self.stops[same[0] as usize] { 0 } else { count };
            self.counted.push((same[0], count));
        }
        self.texts.push(Text { end: self.counted.len(), length });
        terms.clear();
        self.terms = terms;
    }

    fn number(&mut self, word: &str, language: Language) -> u32 {
        let packed = packed(word, language);
        let known = match packed {
            Some(packed) => self.short.get(&packed),
            None => self.long.get(&(language, word.to_owned())),
        };
        if let Some(number) = known {
            return *number;
        }
        let next = u32::try_from(self.stops.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(term(word, language)).or_insert(next);
        if number == next {
            self.stops.push(is_function_word(word, language));
        }
        match packed {
            Some(packed) => self.short.insert(packed, number),
            None => self.long.insert((language, word.to_owned()), number),
        };
        number
    }

    fn weigh(self, k1: f32, b: f32) -> Bm25Index {
        let documents = self.texts.len();
        let total: u64 = self.texts.iter().map(|text| u64::from(text.length)).sum();
        let mean = total.max(1) as f32 / documents.max(1) as f32;
        let mut sorted: Vec<(String, u32)> = self.numbers.into_iter().collect();
        sorted.sort_unstable();
        let mut holding = vec![0_u32; sorted.len()];
        self.counted.iter().for_each(|(term, _)| holding[*term as usize] += 1);
        let mut index = Bm25Index {
            languages: self.languages.into_iter().collect(),
            documents: u32::try_from(documents).unwrap_or(u32::MAX),
            terms: String::new(),
            term_ends: Vec::with_capacity(sorted.len()),
            posting_ends: Vec::with_capacity(sorted.len()),
            rows: vec![0; self.counted.len()],
            weights: vec![0.0; self.counted.len()],
        };
        // For each term's number: the place of its next posting, and its idf.
        let mut places = vec![(0, 0.0); sorted.len()];
        let mut place = 0;
        for (term, number) in &sorted {
            let count = holding[*number as usize];
            let idf = (1.0 + (documents as f32 - count as f32 + 0.5) / (count as f32 + 0.5)).ln();
            places[*number as usize] = (place as usize, idf);
            place += count;
            index.terms.push_str(term);
            index.term_ends.push(u32::try_from(index.terms.len()).unwrap_or(u32::MAX));
            index.posting_ends.push(place);
        }
        let mut start = 0;
        for (row, text) in (0..).zip(&self.texts) {
            let norm = k1 * (1.0 - b + b * text.length as f32 / mean);
            for (term, count) in &self.counted[start..text.end] {
                let (place, idf) = &mut places[*term as usize];
                let count = *count as f32;
                index.rows[*place] = row;
                index.weights[*place] = *idf * count * (k1 + 1.0) / (count + norm);
                *place += 1;
            }
            start = text.end;
        }
        index
    }
}

/// A short word and its language in one number.
fn packed(word: &str, language: Language) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes[..14].get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    bytes[14..].copy_from_slice(&[u8::try_from(word.len()).ok()?, language as u8]);
    Some(u128::from_le_bytes(bytes))
}

/// Both halves of a number multiplied and folded: much faster than the standard hasher, and the words of a test corpus are no attack.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u128(u128::from(*byte));
        }
    }

    fn write_u128(&mut self, number: u128) {
        #[expect(clippy::cast_possible_truncation, reason = "the halves of a number")]
        let halves = |number: u128| (number as u64, (number >> 64) as u64);
        let (low, high) = halves(number);
        let (low, high) = halves(u128::from(low ^ self.0 ^ 0x9e37_79b9_7f4a_7c15) * u128::from(high ^ 0xd1b5_4a32_d192_ed03));
        self.0 = low ^ high;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::index::tests::ready;
    use crate::model::HashedEmbedder;

    const TEXTS: [&str; 12] = [
        "项目记忆库",
        "データベースを復元する手順",
        "환불은 영업일 기준 5일이 걸립니다",
        "The caf\u{e9} opens at nine",
        "Set retry_count to limit the attempts",
        "The file config/settings.toml holds the defaults",
        "Version 2.4.1 removed the old endpoint",
        "Error LP-4021: the account is blocked",
        "Call POST /v2/refunds with the payment",
        "See https://docs.example.com/start for following: steps",
        "Who are we and what is it about",
        "Settlements arrive within two days",
    ];

    #[rstest]
    #[case::chinese("记忆", 0)]
    #[case::japanese("復元", 1)]
    #[case::korean("환불", 2)]
    #[case::accented("caf\u{e9}", 3)]
    #[case::accent_forgotten("cafe", 3)]
    #[case::snake_case("retry_count", 4)]
    #[case::part_of_snake_case("retry", 4)]
    #[case::path("config/settings.toml", 5)]
    #[case::file("settings.toml", 5)]
    #[case::version("2.4.1", 6)]
    #[case::code("lp-4021", 7)]
    #[case::number_of_code("4021", 7)]
    #[case::route("/v2/refunds", 8)]
    #[case::url("https://docs.example.com/start", 9)]
    #[case::field_syntax("following:", 9)]
    #[case::negation_syntax("-blocked", 7)]
    #[case::operators("account AND (NOT OR \"blocked", 7)]
    #[case::wildcard("settlements*", 11)]
    #[case::inflected("a settlement arriving", 11)]
    #[case::only_stop_words("who is it about?", 10)]
    fn finds_its_one_document_first(#[case] query: &str, #[case] expected: usize) {
        let found = Bm25Index::build(TEXTS, 0.9, 0.4, Some(Language::English)).search(query, 3, |_| true);
        assert_eq!(found.first().map(|(row, _)| *row), Some(expected), "{found:?}");
    }

    #[rstest]
    #[case::empty("")]
    #[case::punctuation("?! -- \"")]
    #[case::unknown("zebra")]
    fn finds_nothing(#[case] query: &str) {
        assert_eq!(Bm25Index::build(TEXTS, 0.9, 0.4, Some(Language::English)).search(query, 3, |_| true), []);
    }

    #[test]
    fn stop_words_are_searched_only_alone() {
        let index = Bm25Index::build(["what is it", "the payment"], 0.9, 0.4, Some(Language::English));
        assert_eq!(index.search("what is it payment", 5, |_| true).len(), 1);
        assert!(Bm25Index::build(["what is it"], 0.9, 0.4, Some(Language::German)).search("was it?", 5, |_| true).len() == 1);
    }

    /// Each question has one text that says the same in other forms, among texts of three languages.
    #[rstest]
    #[case::english("refunded payment", 0)]
    #[case::german("Wann kommt die R\u{fc}ckzahlung?", 1)]
    #[case::german_plural("Rechnung", 1)]
    #[case::french("remboursements envoy\u{e9}s", 2)]
    #[case::french_article("Les comptes", 2)]
    #[case::identifier_in_any_language("LP-4021", 1)]
    fn a_question_meets_each_text_in_its_language(#[case] query: &str, #[case] expected: usize) {
        let texts = [
            "The refunds of the payments are sent to the customer within five days.",
            "Die R\u{fc}ckzahlungen werden mit den Rechnungen auf das Konto des Kunden gebucht, sonst Fehler LP-4021.",
            "Le remboursement est envoy\u{e9} sur le compte du client dans les cinq jours.",
        ];
        let found = Bm25Index::build(texts, 0.9, 0.4, None).search(query, 3, |_| true);
        assert_eq!(found.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [expected], "{found:?}");
    }

    #[test]
    fn german_words_meet_their_inflections() {
        let index = Bm25Index::build(["R\u{fc}ckzahlungen an den Kunden", "Auszahlung"], 0.9, 0.4, Some(Language::German));
        assert_eq!(index.search("die R\u{fc}ckzahlung", 5, |_| true).len(), 1);
    }

    #[test]
    fn the_filter_comes_before_the_cut_and_ties_go_by_number() {
        let index = Bm25Index::build(["refund", "refund", "refund", "other"], 0.9, 0.4, Some(Language::English));
        let rows = |filter: fn(usize) -> bool| index.search("refund", 2, filter).iter().map(|(row, _)| *row).collect::<Vec<_>>();
        assert_eq!(rows(|_| true), [0, 1]);
        assert_eq!(rows(|row| row > 0), [1, 2]);
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        let index = Bm25Index::build([""; 0], 0.9, 0.4, Some(Language::English));
        assert!(index.is_empty() && index.search("refund", 5, |_| true).is_empty());
        let blank = Bm25Index::build([" "], 0.9, 0.4, Some(Language::English));
        assert!(blank.len() == 1 && blank.search("refund", 5, |_| true).is_empty());
    }

    #[test]
    fn the_stage_finds_by_heading_and_hides_other_scopes() {
        let chunk = |id: &str, heading: &str| Chunk {
            id: id.into(),
            source_id: "doc".into(),
            headings: vec![heading.into()],
            text: "It takes 5 days.".into(),
            ..Chunk::default()
        };
        let chunks = [chunk("b", "Refunds"), Chunk { scopes: vec!["staff".into()], ..chunk("a", "Refunds") }, chunk("c", "Payouts")];
        let index = ready(Bm25::default().open(chunks.into(), Arc::new(HashedEmbedder::default()))).expect("searches");
        let hits = ready(index.search(&Question::new("refund").scope("customer"), 1)).expect("searches");
        assert_eq!(hits.len(), 1);
        assert_eq!(
            (hits[0].chunk_id.as_deref(), hits[0].source_id.as_deref(), hits[0].text.as_deref()),
            (Some("b"), Some("doc"), Some("It takes 5 days."))
        );
    }

    /// BM25 as its papers write it, word for word.
    fn plain_bm25(texts: &[String], query: &str, (k1, b): (f32, f32)) -> Vec<f32> {
        let texts: Vec<Vec<&str>> = texts.iter().map(|text| text.split(' ').collect()).collect();
        let mean = texts.iter().map(Vec::len).sum::<usize>() as f32 / texts.len() as f32;
        let score = |text: &Vec<&str>, word: &str| {
            let count = text.iter().filter(|w| **w == word).count() as f32;
            let holding = texts.iter().filter(|text| text.contains(&word)).count() as f32;
            let idf = (1.0 + (texts.len() as f32 - holding + 0.5) / (holding + 0.5)).ln();
            idf * count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * text.len() as f32 / mean))
        };
        texts.iter().map(|text| query.split(' ').map(|word| score(text, word)).sum()).collect()
    }

    proptest! {
        #[test]
        fn scores_are_those_of_the_formula(texts in prop::collection::vec("[xyz]{2}( [xyz]{2}){0,9}", 1..9), query in "[xyz]{2}( [xyz]{2}){0,3}") {
            let index = Bm25Index::build(&texts, 0.9, 0.4, Some(Language::Other));
            let expected = plain_bm25(&texts, &query, (0.9, 0.4));
            let found = index.search(&query, texts.len(), |_| true);
            prop_assert_eq!(found.len(), expected.iter().filter(|score| **score > 0.0).count());
            for (row, score) in found {
                prop_assert!((score - expected[row]).abs() < 1e-4, "{} {}", score, expected[row]);
            }
        }

        #[test]
        fn any_text_and_query_work_and_survive_storage(texts in prop::collection::vec("\\PC{0,40}", 0..6), query in "\\PC{0,40}") {
            let index = Bm25Index::build(&texts, 0.9, 0.4, Some(Language::English));
            let stored: Bm25Index = postcard::from_bytes(&postcard::to_stdvec(&index).expect("encodes")).expect("decodes");
            prop_assert_eq!(&stored, &index);
            prop_assert!(stored.search(&query, 3, |_| true).iter().all(|(row, score)| *row < texts.len() && *score > 0.0));
        }
    }
}
