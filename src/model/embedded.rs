//! Embeddings without a model: hashed words and character n-grams.

use super::embed::{Embedder, Reply, TextRole};
use crate::id::{Fingerprint, Stage};
use crate::text::{Language, is_stop_word, stem, strip_accents, words};

/// Embeds a text as its hashed word stems and the character 3- to 5-grams of its words, with signs (Weinberger et al. 2009), repeats damped
/// to their square root, scaled to length 1. It knows spelling, not meaning: `refnd` lies near `refund`, `reimbursement` does not.
///
/// A text without letters or digits gets the first unit vector. The vectors are the same on every machine: only exactly rounded operations are
/// used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashedEmbedder {
    /// The length of the vectors, 1 and up. Default 1024.
    pub dimensions: usize,
    /// The language of stems and stop words.
    pub language: Language,
}

impl Default for HashedEmbedder {
    fn default() -> Self {
        Self { dimensions: 1024, language: Language::default() }
    }
}

impl Stage for HashedEmbedder {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(["hashed/1".to_owned(), self.dimensions.to_string(), format!("{:?}", self.language)])
    }
}

impl Embedder for HashedEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], _: TextRole) -> Reply<'a, Vec<Vec<f32>>> {
        Box::pin(async move { Ok(texts.iter().map(|text| self.vector(text)).collect()) })
    }
}

/// How much a whole word counts against one of its n-grams; the best of 1 to 4 for nDCG@10 on `SQuAD` 2 paragraphs.
const WORD_WEIGHT: f32 = 3.0;

impl HashedEmbedder {
    /// The vector of one text.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut words = words(text);
        let stop = |word: &String| self.language == Language::English && is_stop_word(word);
        if !words.iter().all(stop) {
            words.retain(|word| !stop(word));
        }
        let mut stems = Vec::with_capacity(words.len());
        let mut grams = Vec::new();
        for word in &words {
            let word = strip_accents(word);
            stems.push(hash(STEM_SEED, stem(&word, self.language).as_bytes()));
            push_grams(&word, &mut grams);
        }
        let mut vector = vec![0.0; self.dimensions.max(1)];
        add_features(&mut vector, stems, WORD_WEIGHT);
        add_features(&mut vector, grams, 1.0);
        normalize(&mut vector);
        vector
    }
}

/// The hashes of the 3- to 5-grams of a word between boundary marks.
fn push_grams(word: &str, grams: &mut Vec<u64>) {
    let marked = format!("^{word}$");
    let ends: Vec<usize> = marked.char_indices().map(|(at, _)| at).chain([marked.len()]).collect();
    for length in 3..=5 {
        grams.extend(ends.windows(length + 1).map(|place| hash(GRAM_SEED, &marked.as_bytes()[place[0]..place[length]])));
    }
}

fn add_features(vector: &mut [f32], mut hashes: Vec<u64>, weight: f32) {
    hashes.sort_unstable();
    let dimensions = vector.len() as u64;
    for same in hashes.chunk_by(|a, b| a == b) {
        let sign = if same[0] >> 63 == 0 { 1.0 } else { -1.0 };
        let place = usize::try_from((same[0] & (u64::MAX >> 1)) % dimensions).unwrap_or_default();
        vector[place] += sign * weight * (same.len() as f32).sqrt();
    }
}

fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    } else {
        vector[0] = 1.0;
    }
}

const STEM_SEED: u64 = 0xcbf2_9ce4_8422_2325;
const GRAM_SEED: u64 = !STEM_SEED;

/// FNV-1a, then the finishing mix of `MurmurHash3`: FNV alone leaves the high bits of short texts almost constant.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let fnv = bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let mixed = (fnv ^ (fnv >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn cosine(a: &str, b: &str) -> f32 {
        let embedder = HashedEmbedder::default();
        embedder.vector(a).iter().zip(embedder.vector(b)).map(|(a, b)| a * b).sum()
    }

    #[rstest]
    #[case::lost_letter("refnd", "refund", "found")]
    #[case::swapped("retreival of chunks", "retrieval of chunks", "removal of chairs")]
    #[case::inflected("refunding", "refunds", "funding rounds")]
    #[case::accent("cafe", "Caf\u{e9}", "cave")]
    #[case::identifier("LP4021", "the error LP-4021", "the error LP-7355")]
    #[case::chinese("记忆", "项目记忆库", "项目数据库")]
    #[case::function_words("the refund of it", "refund", "the return of it")]
    fn the_nearer_text_is_the_alike_one(#[case] query: &str, #[case] near: &str, #[case] far: &str) {
        let (near, far) = (cosine(query, near), cosine(query, far));
        assert!(near > far + 0.1, "{near} {far}");
    }

    #[test]
    fn stop_words_alone_still_differ() {
        assert!(cosine("who are you", "who are you?") > 0.99 && cosine("who are you", "is it there") < 0.5);
    }

    #[test]
    fn a_text_without_letters_is_the_first_unit_vector() {
        let mut first = vec![0.0; 1024];
        first[0] = 1.0;
        assert_eq!(HashedEmbedder::default().vector(" -- ?!"), first);
    }

    #[test]
    fn vectors_are_pinned() {
        let vector = HashedEmbedder { dimensions: 16, ..HashedEmbedder::default() }.vector("Refunds are refunds.");
        let rounded: Vec<_> = vector.iter().map(|x| format!("{x:.3}")).collect();
        assert_eq!(rounded.join(" "), "0.000 0.000 -0.626 0.000 0.209 0.000 0.000 0.417 0.000 -0.209 0.000 0.000 0.417 0.000 0.000 0.417");
    }

    #[test]
    fn batches_keep_their_order() {
        let embedder = HashedEmbedder::default();
        let texts = ["cat".to_owned(), "dog".to_owned()];
        let mut reply = embedder.embed(&texts, TextRole::Query);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(Ok(vectors)) = reply.as_mut().poll(&mut context) else { panic!("not ready") };
        assert_eq!(vectors, [embedder.vector("cat"), embedder.vector("dog")]);
    }

    proptest! {
        #[test]
        fn every_vector_is_of_unit_length(text in "\\PC{0,60}", dimensions in 1..70_usize) {
            let vector = HashedEmbedder { dimensions, ..HashedEmbedder::default() }.vector(&text);
            prop_assert_eq!(vector.len(), dimensions);
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            prop_assert!((length - 1.0).abs() < 1e-4, "{}", length);
        }
    }
}
