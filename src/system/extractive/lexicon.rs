//! How common each word is in a corpus.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::query::solid;
use crate::text::{Language, stem, words};

/// In how many texts of a corpus each word stands: tells the words that name a subject from those that are everywhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lexicon {
    texts: u32,
    holding: BTreeMap<String, u32>,
}

impl Lexicon {
    /// Counts the words of `texts`.
    pub fn of<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        let mut lexicon = Self::default();
        for text in texts {
            lexicon.texts += 1;
            for form in forms(text.as_ref()).into_iter().collect::<BTreeSet<_>>() {
                *lexicon.holding.entry(form).or_default() += 1;
            }
        }
        lexicon
    }

    /// The words, sorted, each with the number of texts that hold it.
    pub(super) fn words(&self) -> impl Iterator<Item = (&String, u32)> {
        self.holding.iter().map(|(word, holding)| (word, *holding))
    }

    /// 0 for a word of every text to 1 for one of no text (inverse document frequency, as a share of the largest).
    pub(super) fn rarity(&self, holding: u32) -> f64 {
        let texts = f64::from(self.texts);
        let most = (1.0 + texts / 0.5).ln();
        if most == 0.0 { 1.0 } else { (1.0 + (texts - f64::from(holding)) / (0.5 + f64::from(holding))).ln() / most }
    }
}

/// The stems of a text in their order, letters and digits alone; `cut-off` also as `cutoff`, `ISO 27001` also as `iso27001`.
pub(super) fn forms(text: &str) -> Vec<String> {
    let words = words(text);
    let joined = words
        .windows(2)
        .filter(|pair| pair[0].chars().all(char::is_alphabetic) && pair[1].chars().all(char::is_numeric))
        .map(<[String]>::concat);
    joined.chain(words.iter().map(|word| stem(&solid(word), Language::English))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_are_told_from_common_ones() {
        let lexicon = Lexicon::of(["The refunds of ISO 27001", "the refund, a refund", "the cut-off"]);
        let counts: BTreeMap<_, _> = lexicon.words().map(|(word, holding)| (word.as_str(), holding)).collect();
        assert_eq!(
            ["the", "refund", "cutoff", "iso27001", "none"].map(|word| counts.get(word).copied()),
            [Some(3), Some(2), Some(1), Some(1), None]
        );
        let rarities = [0, 1, 2, 3].map(|holding| lexicon.rarity(holding));
        assert!(rarities.is_sorted_by(|a, b| a > b) && rarities[0] > 0.999 && rarities[3] < 0.001, "{rarities:?}");
    }

    #[test]
    fn without_texts_every_word_is_rare() {
        assert!((Lexicon::default().rarity(0) - 1.0).abs() < 1e-9);
    }
}
