//! What a query asks for: its terms and their weights, the kind of figure, and how much a word of a passage is one of the terms.

use strsim::osa_distance;

use super::page::Figure;
use crate::text::{Language, is_stop_word, stem, words};

/// Words that ask rather than name a subject: they weigh little, found or not. Sorted.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "above", "actually", "again", "against", "allowed", "already", "always", "anybody", "anyone", "anything", "away", "back", "became",
    "because", "become", "becomes", "before", "begin", "below", "between", "big", "biggest", "came", "cannot", "come", "comes", "count",
    "day", "days", "deadline", "during", "earliest", "either", "else", "ever", "every", "everything", "exactly", "explain", "fast",
    "find", "forgot", "get", "gets", "getting", "give", "given", "go", "goes", "gone", "got", "happen", "happens", "help", "high",
    "highest", "hour", "hours", "however", "instead", "keep", "keeps", "kept", "kind", "know", "largest", "latest", "least", "less",
    "let", "like", "limit", "long", "longest", "look", "looks", "lot", "lots", "low", "lowest", "make", "many", "max", "maximum", "may",
    "maybe", "mean", "means", "min", "mine", "minimum", "minute", "minutes", "month", "months", "much", "must", "need", "needed", "never",
    "no", "not", "now", "number", "often", "once", "one", "ones", "only", "onto", "ourselves", "own", "per", "possible", "put", "quick",
    "quickly", "rather", "really", "right", "said", "same", "say", "says", "see", "seem", "seems", "shall", "short", "shortest", "since",
    "size", "small", "smallest", "somebody", "someone", "something", "sometimes", "somewhere", "soon", "stand", "stands", "still", "take",
    "takes", "tell", "thing", "through", "time", "times", "today", "together", "too", "towards", "try", "under", "unless", "until",
    "upon", "use", "used", "using", "via", "want", "wants", "way", "week", "weeks", "weird", "well", "went", "whatever", "whenever",
    "whether", "whose", "within", "without", "work", "works", "wrong", "year", "years", "yes", "yesterday", "yet", "yourself",
];

/// Words whose answer has a number in it. Sorted.
#[rustfmt::skip]
const COUNTING: &[&str] = &[
    "amount", "biggest", "cost", "costs", "fee", "fees", "highest", "large", "largest", "limit", "low", "lowest", "many", "max",
    "maximum", "min", "minimum", "much", "number", "percent", "percentage", "price", "rate", "size", "smallest", "threshold",
    "thresholds",
];

/// Words whose answer has a time in it. Sorted.
#[rustfmt::skip]
const TIMING: &[&str] = &[
    "date", "day", "days", "deadline", "earliest", "expire", "expires", "fast", "hour", "hours", "latest", "long", "months", "often",
    "period", "quickly", "retention", "soon", "time", "timeout", "until", "when", "window", "year", "years",
];

/// One thing that the query is about.
pub(super) struct Term {
    /// Its letters and digits.
    pub(super) solid: String,
    stem: String,
    pub(super) weight: f64,
    /// An identifier: without it there is no answer.
    pub(super) decisive: bool,
    /// A route or file name: a longer one that holds it will do.
    path: bool,
}

/// The distinct terms of a query, in order. Identifiers stay whole, other compounds are taken in their parts.
pub(super) fn terms(query: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut parts_to_skip = 0;
    for word in words(query) {
        if parts_to_skip > 0 {
            parts_to_skip -= 1;
            continue;
        }
        let decisive = is_identifier(&word);
        let joint = |c: char| !c.is_alphanumeric() && c != '\'';
        if word.contains(joint) {
            if !decisive {
                continue;
            }
            parts_to_skip = word.split(joint).filter(|part| !part.is_empty()).count();
        } else if is_stop_word(&word) {
            continue;
        }
        let term = Term {
            solid: solid(&word),
            stem: stem(&word, Language::English),
            weight: weight(&word, decisive),
            decisive,
            path: word.contains('/'),
        };
        if terms.iter().all(|known| known.stem != term.stem) {
            terms.push(term);
        }
    }
    terms
}

fn weight(word: &str, decisive: bool) -> f64 {
    if decisive {
        2.0
    } else if ASKING.binary_search(&word).is_ok() {
        0.15
    } else if word.contains(char::is_numeric) {
        // The user's own figures are often not those of the text.
        0.4
    } else {
        1.0
    }
}

/// The figure that the answer should have.
pub(super) fn wanted(query: &str) -> Figure {
    let words = words(query);
    let any = |list: &[&str]| words.iter().any(|word| list.binary_search(&word.as_str()).is_ok());
    if any(TIMING) {
        Figure::Time
    } else if any(COUNTING) {
        Figure::Number
    } else {
        Figure::None
    }
}

/// `payout_turbo`, `LP-3107`, `lp4021`, but not `3ds`, `e-mail` or `2.5`.
pub(super) fn is_identifier(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().filter(|c| c.is_numeric()).count();
    word.contains('_') || (letters > 0 && digits > 0 && letters + digits >= 4)
}

/// What identifiers of one kind share: the letters before the first digit.
pub(super) fn family(solid: &str) -> Option<&str> {
    solid.find(char::is_numeric).filter(|end| *end > 0).map(|end| &solid[..end])
}

/// A word's letters and digits.
pub(super) fn solid(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).collect()
}

impl Term {
    /// For each word of the vocabulary: how much it is this term, 0 to 1. Misspellings count only where the word itself is nowhere.
    pub(super) fn alike(&self, vocabulary: &[String]) -> Vec<f64> {
        let exact = |word: &String| *word == self.stem || *word == self.solid || (self.path && word.contains(&self.solid));
        let known = vocabulary.iter().any(exact);
        let figure = self.solid.contains(char::is_numeric);
        let similar = |word: &String| if figure { 0.0 } else { related(&self.stem, &self.solid, word, known) };
        vocabulary.iter().map(|word| if exact(word) { 1.0 } else { similar(word) }).collect()
    }
}

/// How much a stem of the passages is that of the query's `word`, though they differ.
fn related(stem: &str, word: &str, other: &str, known: bool) -> f64 {
    let (length, other_length) = (stem.chars().count(), other.chars().count());
    let shared = stem.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    // Derived words: `terminate` and `termination`.
    if shared >= 5 && shared * 10 >= length.max(other_length) * 6 {
        return 0.8;
    }
    if known || other.contains(char::is_numeric) {
        return 0.0;
    }
    // Short forms and compounds: `repo` and `repository`, `hook` and `webhook`.
    if length >= 4 && (other.starts_with(stem) || other.ends_with(stem)) {
        return 0.6;
    }
    let typos = match word.chars().count() {
        0..5 => 0,
        5..8 => 1,
        _ => 2,
    };
    if shared > 0 && length.abs_diff(other_length) <= typos && osa_distance(stem, other) <= typos { 0.9 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn word_lists_are_sorted_and_apart() {
        for list in [ASKING, COUNTING, TIMING] {
            assert!(list.is_sorted());
        }
        assert!(ASKING.iter().all(|word| !is_stop_word(word)));
    }

    #[rstest]
    #[case::identifier("What does LP-4021 mean?", "lp4021! mean")]
    #[case::setting("raise max_refund_depth above 12", "raise maxrefunddepth! above 12")]
    #[case::route("POST /v2/refunds twice", "post v2refunds! twice")]
    #[case::compound("an in-person e-mail", "person e mail")]
    #[case::number("3DS in 2.5 days", "3ds 2 5 days")]
    #[case::repeats("refund of refunds", "refund")]
    #[case::nothing("what is it?", "")]
    fn finds_terms(#[case] query: &str, #[case] expected: &str) {
        let shown: Vec<_> = terms(query).iter().map(|t| t.solid.clone() + if t.decisive { "!" } else { "" }).collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[rstest]
    #[case::time("how long is the refund window", Figure::Time)]
    #[case::number("max partial refunds", Figure::Number)]
    #[case::none("who pays arbitration", Figure::None)]
    fn knows_the_wanted_figure(#[case] query: &str, #[case] expected: Figure) {
        assert_eq!(wanted(query), expected);
    }

    #[rstest]
    #[case::same("refunds", &["refund"], 1.0)]
    #[case::typo("refnd", &["refund"], 0.9)]
    #[case::two_typos("idempotncy", &["idempot"], 0.8)]
    #[case::swapped("recieve", &["receiv"], 0.9)]
    #[case::derived("respond", &["respons"], 0.8)]
    #[case::short_form("repo", &["repository"], 0.6)]
    #[case::compound("hook", &["webhook"], 0.6)]
    #[case::near_only_if_unknown("month", &["mouth", "month"], 0.0)]
    #[case::short_words_have_no_typos("cash", &["case"], 0.0)]
    #[case::identifiers_have_no_typos("LP-4021", &["lp4022"], 0.0)]
    #[case::longer_route("/v2/refunds", &["v2refundswithdraw"], 1.0)]
    #[case::another("gift", &["lift"], 0.0)]
    fn likens_words(#[case] query: &str, #[case] vocabulary: &[&str], #[case] first: f64) {
        let vocabulary: Vec<String> = vocabulary.iter().map(|w| (*w).to_owned()).collect();
        assert!((terms(query)[0].alike(&vocabulary)[0] - first).abs() < 1e-9);
    }
}
