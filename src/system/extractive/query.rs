//! What a query asks for: its terms and their weights, the kind of figure, and how much a word of a passage is one of the terms.

use strsim::osa_distance;

use super::lexicon::Lexicon;
use super::page::Figure;
use crate::text::{Language, STOP_WORDS, is_cjk, is_stop_word, stem, words};

/// Words that ask rather than name a subject: they weigh little, found or not. Sorted.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "above", "actually", "again", "against", "allowed", "already", "always", "anybody", "anyone", "anything", "away", "back", "became",
    "because", "become", "becomes", "before", "began", "begin", "begun", "below", "between", "big", "biggest", "came", "cannot", "come",
    "comes", "count", "day", "days", "deadline", "done", "during", "earliest", "either", "else", "ever", "every", "everything", "exactly",
    "explain", "fast", "find", "forgot", "found", "get", "gets", "getting", "give", "given", "go", "goes", "gone", "got", "happen",
    "happens", "help", "high", "highest", "hour", "hours", "however", "instead", "keep", "keeps", "kept", "kind", "know", "largest",
    "latest", "least", "less", "let", "like", "limit", "long", "longest", "look", "looks", "lot", "lots", "low", "lowest", "made", "make",
    "many", "max", "maximum", "may", "maybe", "mean", "means", "meant", "min", "mine", "minimum", "minute", "minutes", "month", "months",
    "much", "must", "need", "needed", "never", "no", "not", "now", "number", "often", "once", "one", "ones", "only", "onto", "ourselves",
    "own", "per", "possible", "put", "quick", "quickly", "rather", "really", "right", "said", "same", "say", "says", "see", "seem",
    "seems", "seen", "shall", "short", "shortest", "show", "shown", "shows", "since", "size", "small", "smallest", "somebody", "someone",
    "something", "sometimes", "somewhere", "soon", "stand", "stands", "still", "take", "taken", "takes", "tell", "thing", "through",
    "time", "times", "today", "together", "told", "too", "took", "towards", "try", "under", "unless", "until", "upon", "use", "used",
    "using", "via", "want", "wants", "way", "week", "weeks", "weird", "well", "went", "whatever", "whenever", "whether", "whose", "within",
    "without", "work", "works", "wrong", "year", "years", "yes", "yesterday", "yet", "yourself",
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

/// German function words that are no English words. Sorted.
#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "aber", "alle", "als", "auch", "auf", "aus", "bei", "beim", "bin", "bis", "dann", "darf", "das", "dass", "dem",
    "der", "des", "dies", "diese", "diesem", "diesen", "dieser", "doch", "du", "durch", "ein", "eine", "einem", "einen", "einer",
    "eines", "er", "es", "f\u{fc}r", "gegen", "gibt", "habe", "haben", "ich", "ihr", "ihre", "im", "ist", "ja", "jede", "jeden",
    "jeder", "kann", "k\u{f6}nnen", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir", "mit", "muss", "m\u{fc}ssen",
    "nach", "nicht", "noch", "nur", "ob", "oder", "ohne", "sein", "seine", "sich", "sie", "sind", "soll", "\u{fc}ber", "um", "und",
    "uns", "unser", "unter", "vom", "von", "vor", "wann", "warum", "weil", "welche", "welchem", "welchen", "welcher",
    "welches", "wem", "wen", "wenn", "wer", "werde", "werden", "wie", "wieso", "wieviel", "wir", "wird", "wo", "wof\u{fc}r", "woher",
    "wohin", "wurde", "zu", "zum", "zur", "zwischen",
];

/// Pronouns that stand for something said before. Sorted.
const POINTING: &[&str] = &["he", "it", "one", "she", "that", "them", "these", "they", "this", "those"];

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
    /// Whether the corpus has the word itself: if not, it may be misspelt.
    known: bool,
    /// 0 for a word that is everywhere in the corpus to 1 for one that is nowhere.
    pub(super) rarity: f64,
}

/// The distinct terms of a query, in order. Identifiers stay whole, other compounds are taken in their parts.
pub(super) fn terms(query: &str, lexicon: &Lexicon) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut parts_to_skip = 0;
    let capitals = capitals(query);
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
        } else if is_stop_word(&word)
            || is_all(&word, |c| c.is_ascii_lowercase()) && word.len() == 1
            || GERMAN.binary_search(&word.as_str()).is_ok()
        {
            continue;
        }
        let term = Term {
            solid: solid(&word),
            // As the corpus's words are: without its joints, `payout.returned` has an ending to lose.
            stem: stem(&solid(&word), Language::English),
            weight: weight(&word, decisive),
            decisive,
            path: word.contains('/'),
            known: false,
            rarity: 1.0,
        };
        let (term, seen) = term.looked_up(lexicon);
        let slip = !seen && !decisive && is_short_slip(&word) && !capitals.contains(&word);
        if !slip && terms.iter().all(|known| known.stem != term.stem) {
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
    } else if word.contains(is_cjk) {
        // Bigrams overlap; those with hiragana are grammar.
        if word.contains(|c| matches!(c, '\u{3040}'..='\u{309f}')) { 0.1 } else { 0.6 }
    } else {
        1.0
    }
}

/// The words that stand in capitals in a query that is not all in capitals: `THB`.
fn capitals(query: &str) -> Vec<String> {
    let upper = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1 && !word.contains(char::is_lowercase);
    if query.contains(char::is_lowercase) { query.split_whitespace().filter(upper).flat_map(words).collect() } else { Vec::new() }
}

/// A single sign, a word of two letters, or one that misses a function word by one slip: `y`, `teh`, `wen`.
fn is_short_slip(word: &str) -> bool {
    let length = word.chars().count();
    length == 1
        || (length <= 2 && word.is_ascii() && is_all(word, char::is_alphabetic))
        || (length <= 4 && STOP_WORDS.iter().any(|stop| stop.len() > 2 && osa_distance(stop, word) == 1))
}

/// Whether a query is about something said before it: `when does it expire?`. Its only subject is a pronoun.
pub(super) fn points_back(query: &str, terms: &[Term]) -> bool {
    let content: Vec<&Term> = terms.iter().filter(|term| term.is_subject()).collect();
    let words = words(query);
    let first = words.iter().position(|word| content.iter().any(|term| term.solid == solid(word))).unwrap_or(words.len());
    content.len() <= 1
        && content.iter().all(|term| !term.decisive)
        && words[..first].iter().any(|word| POINTING.binary_search(&word.as_str()).is_ok())
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

/// `payout_turbo`, `LP-3107`, `lp4021`, `R-14`, `order.paid`, `2026-03-01`, a card number, but not `3ds`, `e-mail`, `2.5` or `10,000`.
pub(super) fn is_identifier(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().filter(|c| c.is_numeric()).count();
    let dotted = word.split('.').count() > 1 && word.split('.').all(|part| part.chars().filter(|c| c.is_alphabetic()).count() >= 3);
    let numbered = word
        .split_once('-')
        .is_some_and(|(name, number)| is_all(name, char::is_alphabetic) && number.len() > 1 && is_all(number, char::is_numeric));
    word.contains('_') || dotted || numbered || (letters > 0 && digits > 0 && letters + digits >= 4) || (letters == 0 && digits >= 8)
}

fn is_all(text: &str, test: fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(test)
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
    /// With its rarity, and whether the corpus has a word like it.
    fn looked_up(mut self, lexicon: &Lexicon) -> (Self, bool) {
        let exact = lexicon.words().filter(|(word, _)| self.is(word)).map(|(_, holding)| holding).max();
        self.known = exact.is_some();
        let likest = || {
            let alike = lexicon.words().map(|(word, holding)| (self.like(word), holding)).filter(|(like, _)| *like > 0.0);
            alike.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, holding)| holding)
        };
        let holding = exact.or_else(likest);
        self.rarity = lexicon.rarity(holding.unwrap_or(0));
        (self, holding.is_some())
    }

    /// Whether it names something, rather than asks or counts.
    fn is_subject(&self) -> bool {
        self.weight > 0.5
    }

    fn is(&self, word: &str) -> bool {
        word == self.stem || word == self.solid || (self.path && word.contains(&self.solid))
    }

    /// How much a word of the corpus is this term, 0 to 1. Misspellings count only where the word itself is nowhere.
    pub(super) fn like(&self, word: &str) -> f64 {
        if self.is(word) {
            1.0
        } else if self.solid.contains(char::is_numeric) {
            0.0
        } else {
            related(&self.stem, &self.solid, word, self.known)
        }
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
        0..4 => 0,
        // Of so short a word only a letter can be missing.
        4 => usize::from(other_length > length),
        5..8 => 1,
        _ => 2,
    };
    if shared > 0 && other_length > 3 && length.abs_diff(other_length) <= typos && osa_distance(stem, other) <= typos { 0.9 } else { 0.0 }
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
    #[case::event("when is order.paid sent", "orderpaid! sent")]
    #[case::short_code("class R-14", "class r14!")]
    #[case::date("version 2026-03-01", "version 20260301!")]
    #[case::long_number("card 4000000000000127", "card 4000000000000127!")]
    #[case::compound("an in-person e-mail", "person mail")]
    #[case::number("3DS in 2.5 days or 10,000 EUR", "3ds 2 5 days 10 000 eur")]
    #[case::repeats("refund of refunds", "refund")]
    #[case::slips_of_function_words("wat r teh fees", "fees")]
    #[case::capitals_are_no_slips("is THB a currency", "thb currency")]
    #[case::german("Wie hoch ist die Mahngeb\u{fc}hr?", "hoch mahngeb\u{fc}hr")]
    #[case::nothing("what is it?", "")]
    fn finds_terms(#[case] query: &str, #[case] expected: &str) {
        let known = Lexicon::of(["mail person 3ds 2 5"]);
        let shown: Vec<_> = terms(query, &known).iter().map(|t| t.solid.clone() + if t.decisive { "!" } else { "" }).collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[rstest]
    #[case::subject("refund fee", &[1.0, 1.0])]
    #[case::asking("maximum fee", &[0.15, 1.0])]
    #[case::figure("12 fees", &[0.4, 1.0])]
    #[case::grammar_in_japanese("\u{624b}\u{6570}\u{306f}", &[0.6, 0.1])]
    fn weighs_terms(#[case] query: &str, #[case] expected: &[f64]) {
        assert_eq!(terms(query, &Lexicon::default()).iter().map(|term| term.weight).collect::<Vec<_>>(), expected);
    }

    #[rstest]
    #[case::pronoun("When does it expire?", true)]
    #[case::several("are these included as well", true)]
    #[case::named_first("chargeback - what is it", false)]
    #[case::named_after("is it possible to cancel a payout", false)]
    #[case::one_word("refund", false)]
    #[case::identifier("what is this LP-4021", false)]
    fn knows_what_points_back(#[case] query: &str, #[case] expected: bool) {
        assert_eq!(points_back(query, &terms(query, &Lexicon::default())), expected);
    }

    #[test]
    fn a_misspelt_word_is_as_rare_as_the_right_one() {
        let lexicon = Lexicon::of(["refund fee", "refund", "refund", "card"]);
        let rarity = |query: &str| terms(query, &lexicon)[0].rarity;
        assert!((rarity("refnd") - rarity("refunds")).abs() < 1e-9);
        assert!(rarity("refund") < rarity("card") && rarity("card") < rarity("voucher"));
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
    #[case::short_word_without_a_letter("alrt", &["alert"], 0.9)]
    #[case::identifiers_have_no_typos("LP-4021", &["lp4022"], 0.0)]
    #[case::event_with_an_ending("payout.returned", &["payoutreturn"], 1.0)]
    #[case::function_with_an_ending("construct_event", &["constructev"], 1.0)]
    #[case::longer_route("/v2/refunds", &["v2refundswithdraw"], 1.0)]
    #[case::another("gift", &["lift"], 0.0)]
    fn likens_words(#[case] query: &str, #[case] vocabulary: &[&str], #[case] first: f64) {
        let term = &terms(query, &Lexicon::of(vocabulary))[0];
        assert!((term.like(vocabulary[0]) - first).abs() < 1e-9);
    }
}
