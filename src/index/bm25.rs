//! BM25 keyword search.

use std::collections::HashMap;
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
use crate::text::{Language, for_each_word, is_cjk, is_stop_word, stem, strip_accents, words};

/// BM25 (Robertson and Zaragoza 2009, with Lucene's idf, which is never negative) over stems, whole and split identifiers, and bigrams of
/// scripts without spaces. Accents are ignored. A query is only ever words: nothing in it is an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Bm25 {
    /// How fast repeats of a word stop to count: 0 (at once) and up. Default 0.9, as in Anserini.
    pub k1: f32,
    /// How much long texts are damped: 0 (not) to 1 (fully). Default 0.4, as in Anserini.
    pub b: f32,
    /// The language of stems and stop words.
    pub language: Language,
    /// Where the postings are kept.
    pub store: DerivedStore,
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k1: 0.9, b: 0.4, language: Language::default(), store: DerivedStore::default() }
    }
}

impl Stage for Bm25 {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(["bm25/1".to_owned(), self.k1.to_string(), self.b.to_string(), format!("{:?}", self.language)])
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
    language: Language,
    documents: u32,
    /// All terms, sorted, one after the other.
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
    /// Indexes `texts`; a text's number is its place in them. `k1` and `b` as in [`Bm25`].
    pub fn build<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, k1: f32, b: f32, language: Language) -> Self {
        let mut counts = Counts::default();
        texts.into_iter().for_each(|text| counts.add(text.as_ref(), language));
        counts.weigh(k1, b, language)
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
        let topical = words.iter().any(|word| !is_stop(word, self.language));
        let mut scores = vec![0.0_f32; self.len()];
        for word in words.iter().filter(|word| !topical || !is_stop(word, self.language)) {
            let (rows, weights) = self.postings(&term(word, self.language));
            for (row, weight) in rows.iter().zip(weights) {
                scores[*row as usize] += weight;
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

fn is_stop(word: &str, language: Language) -> bool {
    language == Language::English && is_stop_word(word)
}

/// What a word is indexed as.
fn term(word: &str, language: Language) -> String {
    let stem = stem(word, language);
    // Voiced kana are a base and a mark, but not the same letter.
    if stem.is_ascii() || stem.contains(is_cjk) { stem } else { strip_accents(&stem) }
}

/// The counts while an index is built.
#[derive(Default)]
struct Counts {
    /// Each spelling's term, as a place in `terms`.
    spellings: HashMap<String, u32, BuildHasherDefault<Fnv>>,
    terms: Vec<Term>,
    numbers: HashMap<String, u32, BuildHasherDefault<Fnv>>,
    /// The topical words of each text. Stop words are indexed for queries that have nothing else, but they make no text longer.
    lengths: Vec<u32>,
}

struct Term {
    stop: bool,
    /// Text number and count.
    postings: Vec<(u32, u32)>,
}

impl Counts {
    fn add(&mut self, text: &str, language: Language) {
        let number = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let mut length = 0;
        for_each_word(text, |word| {
            let at = match self.spellings.get(word) {
                Some(at) => *at,
                None => self.spell(word, language),
            };
            let term = &mut self.terms[at as usize];
            length += u32::from(!term.stop);
            match term.postings.last_mut() {
                Some((last, count)) if *last == number => *count += 1,
                _ => term.postings.push((number, 1)),
            }
        });
        self.lengths.push(length);
    }

    fn spell(&mut self, word: &str, language: Language) -> u32 {
        let next = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        let at = *self.numbers.entry(term(word, language)).or_insert(next);
        if at == next {
            self.terms.push(Term { stop: is_stop(word, language), postings: Vec::new() });
        }
        self.spellings.insert(word.to_owned(), at);
        at
    }

    fn weigh(self, k1: f32, b: f32, language: Language) -> Bm25Index {
        let documents = self.lengths.len();
        let total: u64 = self.lengths.iter().map(|length| u64::from(*length)).sum();
        let mean = total.max(1) as f32 / documents.max(1) as f32;
        let norms: Vec<f32> = self.lengths.iter().map(|length| k1 * (1.0 - b + b * *length as f32 / mean)).collect();
        let mut sorted: Vec<(String, u32)> = self.numbers.into_iter().collect();
        sorted.sort_unstable();
        let mut index = Bm25Index {
            language,
            documents: u32::try_from(documents).unwrap_or(u32::MAX),
            terms: String::new(),
            term_ends: Vec::with_capacity(sorted.len()),
            posting_ends: Vec::with_capacity(sorted.len()),
            rows: Vec::new(),
            weights: Vec::new(),
        };
        for (term, at) in sorted {
            let postings = &self.terms[at as usize].postings;
            let holding = postings.len() as f32;
            let idf = (1.0 + (documents as f32 - holding + 0.5) / (holding + 0.5)).ln();
            for (row, count) in postings {
                let count = *count as f32;
                index.rows.push(*row);
                index.weights.push(idf * count * (k1 + 1.0) / (count + norms[*row as usize]));
            }
            index.terms.push_str(&term);
            index.term_ends.push(u32::try_from(index.terms.len()).unwrap_or(u32::MAX));
            index.posting_ends.push(u32::try_from(index.rows.len()).unwrap_or(u32::MAX));
        }
        index
    }
}

/// FNV-1a: faster than the standard hasher on short words, and the words of a test corpus are no attack.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
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
        let found = Bm25Index::build(TEXTS, 0.9, 0.4, Language::English).search(query, 3, |_| true);
        assert_eq!(found.first().map(|(row, _)| *row), Some(expected), "{found:?}");
    }

    #[rstest]
    #[case::empty("")]
    #[case::punctuation("?! -- \"")]
    #[case::unknown("zebra")]
    fn finds_nothing(#[case] query: &str) {
        assert_eq!(Bm25Index::build(TEXTS, 0.9, 0.4, Language::English).search(query, 3, |_| true), []);
    }

    #[test]
    fn stop_words_are_searched_only_alone() {
        let index = Bm25Index::build(["what is it", "the payment"], 0.9, 0.4, Language::English);
        assert_eq!(index.search("what is it payment", 5, |_| true).len(), 1);
        assert!(Bm25Index::build(["what is it"], 0.9, 0.4, Language::German).search("was it?", 5, |_| true).len() == 1);
    }

    #[test]
    fn german_words_meet_their_inflections() {
        let index = Bm25Index::build(["R\u{fc}ckzahlungen an den Kunden", "Auszahlung"], 0.9, 0.4, Language::German);
        assert_eq!(index.search("die R\u{fc}ckzahlung", 5, |_| true).len(), 1);
    }

    #[test]
    fn the_filter_comes_before_the_cut_and_ties_go_by_number() {
        let index = Bm25Index::build(["refund", "refund", "refund", "other"], 0.9, 0.4, Language::English);
        let rows = |filter: fn(usize) -> bool| index.search("refund", 2, filter).iter().map(|(row, _)| *row).collect::<Vec<_>>();
        assert_eq!(rows(|_| true), [0, 1]);
        assert_eq!(rows(|row| row > 0), [1, 2]);
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        let index = Bm25Index::build([""; 0], 0.9, 0.4, Language::English);
        assert!(index.is_empty() && index.search("refund", 5, |_| true).is_empty());
        let blank = Bm25Index::build([" "], 0.9, 0.4, Language::English);
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
            let index = Bm25Index::build(&texts, 0.9, 0.4, Language::Other);
            let expected = plain_bm25(&texts, &query, (0.9, 0.4));
            let found = index.search(&query, texts.len(), |_| true);
            prop_assert_eq!(found.len(), expected.iter().filter(|score| **score > 0.0).count());
            for (row, score) in found {
                prop_assert!((score - expected[row]).abs() < 1e-4, "{} {}", score, expected[row]);
            }
        }

        #[test]
        fn any_text_and_query_work_and_survive_storage(texts in prop::collection::vec("\\PC{0,40}", 0..6), query in "\\PC{0,40}") {
            let index = Bm25Index::build(&texts, 0.9, 0.4, Language::English);
            let stored: Bm25Index = postcard::from_bytes(&postcard::to_stdvec(&index).expect("encodes")).expect("decodes");
            prop_assert_eq!(&stored, &index);
            prop_assert!(stored.search(&query, 3, |_| true).iter().all(|(row, score)| *row < texts.len() && *score > 0.0));
        }
    }
}
