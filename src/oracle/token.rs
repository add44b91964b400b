//! Tokens: words with their case, the punctuation before them, numbers with units, contractions taken apart.

use unicode_normalization::char::is_combining_mark;

use super::number;
use crate::text::{fold, is_cjk, strip_accents};

/// The punctuation before a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Border {
    /// None that matters.
    None,
    /// A comma.
    Comma,
    /// A semicolon, colon, bracket, quote or spaced dash.
    Strong,
    /// The border of a table cell.
    Cell,
}

/// The capitals of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Case {
    /// Starts without one.
    Lower,
    /// Starts with one.
    Capital,
    /// Has nothing else, and two at least.
    Upper,
}

/// A word or number of a sentence.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Folded, without accents and possessive.
    pub word: String,
    /// Its capitals.
    pub case: Case,
    /// What stands before it.
    pub border: Border,
    /// Stands between double quotes.
    pub quoted: bool,
    /// The canonical digits of a number.
    pub number: Option<String>,
    /// A digit-written number, not a number word.
    pub digits: bool,
    /// The unit of the number.
    pub unit: Option<&'static str>,
}

impl Token {
    /// Starts with a capital.
    pub(super) fn is_capital(&self) -> bool {
        self.case != Case::Lower
    }

    fn new(word: String, surface: &str, border: Border, quoted: bool) -> Self {
        Self { word, case: case(surface), border, quoted, number: None, digits: false, unit: None }
    }
}

fn case(surface: &str) -> Case {
    if !surface.starts_with(char::is_uppercase) {
        Case::Lower
    } else if surface.chars().count() > 1 && !surface.contains(char::is_lowercase) {
        Case::Upper
    } else {
        Case::Capital
    }
}

/// The tokens of a plain text (see [`super::clean::plain`]).
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let quotes_balance = chars.iter().filter(|c| **c == '"').count() % 2 == 0;
    let mut out: Vec<Token> = Vec::with_capacity(text.len() / 5);
    let (mut border, mut quoted, mut currency) = (Border::None, false, None);
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if !is_word(c) {
            match c {
                '|' | '\t' => border = Border::Cell,
                ',' => border = border.max(Border::Comma),
                ';' | ':' | '(' | ')' | '[' | ']' | '!' | '?' => border = border.max(Border::Strong),
                '-' if i > 0 && chars[i - 1] == ' ' && chars.get(i + 1) == Some(&' ') => border = border.max(Border::Comma),
                '"' => quoted = quotes_balance && !quoted,
                '$' | '\u{20ac}' | '\u{a3}' => currency = number::unit(c.encode_utf8(&mut [0; 4])),
                '%' => set_unit(&mut out, "%"),
                _ => {}
            }
            i += 1;
            continue;
        }
        let start = i;
        while i < chars.len() && (is_word(chars[i]) || joins(&chars, i)) {
            i += 1;
        }
        let surface: String = chars[start..i].iter().collect();
        let before = out.len();
        push(&surface, border, quoted, &mut out);
        if let (Some(unit), Some(token)) = (currency.take(), out.get_mut(before)) {
            token.unit = token.unit.or(Some(unit));
        }
        border = Border::None;
    }
    join_scales_and_units(&mut out);
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Whether the punctuation at `i` is inside a word: `don't`, `1,000`, `3.5`, `settings.toml`, `retry_count`, `U.S`, `AT&T`.
fn joins(chars: &[char], i: usize) -> bool {
    let (Some(before), Some(after)) = (i.checked_sub(1).map(|b| chars[b]), chars.get(i + 1)) else { return false };
    if !is_word(before) || !is_word(*after) {
        return false;
    }
    let digit_at = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    match chars[i] {
        '\'' | '_' | '&' | '@' => true,
        ':' => before.is_ascii_digit() && after.is_ascii_digit(),
        ',' => before.is_ascii_digit() && (1..=3).all(|step| digit_at(i + step)) && !digit_at(i + 4),
        '.' => {
            let initial = before.is_uppercase() && after.is_uppercase() && (i < 2 || !chars[i - 2].is_alphabetic());
            initial || after.is_lowercase() || after.is_ascii_digit()
        }
        _ => false,
    }
}

fn set_unit(out: &mut [Token], unit: &'static str) {
    if let Some(last) = out.last_mut().filter(|last| last.number.is_some()) {
        last.unit = Some(unit);
    }
}

fn push(surface: &str, border: Border, quoted: bool, out: &mut Vec<Token>) {
    let folded = strip_accents(&fold(surface));
    if folded.chars().any(is_cjk) {
        let bigrams = crate::text::words(&folded).into_iter();
        out.extend(bigrams.map(|word| Token::new(word, "", border, quoted)));
        return;
    }
    let word = folded.strip_suffix("'s").unwrap_or(&folded);
    let is_pronoun = matches!(word, "it" | "that" | "there" | "here" | "what" | "who" | "he" | "she" | "this");
    let short_is = (is_pronoun && word.len() < folded.len()).then_some((word, "is"));
    if let Some((stem, tail)) = short_is.or_else(|| contraction(word)) {
        out.push(Token::new(stem.to_owned(), surface, border, quoted));
        out.push(Token::new(tail.to_owned(), "", Border::None, quoted));
        return;
    }
    // Initials of an abbreviation: `u.s` is `us`.
    let initials = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1 && part.starts_with(char::is_alphabetic));
    let mut token = Token::new(if initials { word.replace('.', "") } else { word.to_owned() }, surface, border, quoted);
    // A full hour.
    if let Some(hour) = token.word.strip_suffix(":00").map(str::to_owned) {
        token.word = hour;
    }
    if let Some((digits, unit)) = number::parse(&token.word) {
        (token.number, token.unit, token.digits) = (Some(digits), unit, true);
    } else if let Some(number) =
        number::of_word(&token.word).or_else(|| number::of_roman(&token.word).filter(|_| token.case == Case::Upper))
    {
        token.number = Some(number.to_string());
    }
    out.push(token);
}

/// `don't` is `do not`, `i'm` is `i am`, whatever the apostrophe; careless spellings too.
fn contraction(word: &str) -> Option<(&str, &str)> {
    match word {
        "cannot" | "can't" | "cant" => return Some(("can", "not")),
        "won't" | "wont" => return Some(("will", "not")),
        "shan't" => return Some(("shall", "not")),
        "dont" | "doesnt" | "didnt" | "isnt" | "wasnt" | "arent" | "couldnt" | "wouldnt" | "hasnt" => {
            return Some((&word[..word.len() - 2], "not"));
        }
        "i'm" | "im" => return Some(("i", "am")),
        _ => {}
    }
    let (stem, tail) = word.rsplit_once('\'')?;
    match tail {
        "t" => stem.strip_suffix('n').filter(|s| !s.is_empty()).map(|stem| (stem, "not")),
        "re" => Some((stem, "are")),
        "ve" => Some((stem, "have")),
        "ll" => Some((stem, "will")),
        "d" => Some((stem, "would")),
        _ => None,
    }
}

/// `5 million` is one number, and `30 days` has the unit of its next word.
fn join_scales_and_units(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        join_tens(tokens, at);
        if tokens[at].number.is_some() {
            let next = tokens.get(at + 1).filter(|next| next.border == Border::None);
            if let Some(zeros) = next.and_then(|next| number::scale(&next.word)) {
                let shifted = tokens[at].number.as_deref().map(|digits| number::shift(digits, zeros));
                tokens[at].number = shifted;
                tokens[at].digits = true;
                tokens[at + 1].word.clear();
            }
            let unit = tokens[at + 1..]
                .iter()
                .find(|t| !t.word.is_empty())
                .filter(|t| t.border == Border::None)
                .and_then(|t| number::unit(&t.word));
            tokens[at].unit = tokens[at].unit.or(unit);
        }
        at += 1;
    }
    tokens.retain(|token| !token.word.is_empty());
}

/// `twenty-one` is 21.
fn join_tens(tokens: &mut [Token], at: usize) {
    let Some(tens) = number::tens(&tokens[at].word) else { return };
    if let Some(next) = tokens.get_mut(at + 1).filter(|next| next.border == Border::None)
        && let Some(ones) = number::ones(&next.word)
    {
        next.word.clear();
        next.number = None;
        tokens[at].number = Some((tens + ones).to_string());
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::contraction("I couldn't say", &["i", "could", "not", "say"])]
    #[case::possessive("Kublai's son", &["kublai", "son"])]
    #[case::glued_sentences("Lou.Cheryl", &["lou", "cheryl"])]
    #[case::file("settings.toml", &["settings.toml"])]
    #[case::mail("to info@x.org.", &["to", "info@x.org"])]
    #[case::initials("the U.S. army", &["the", "us", "army"])]
    #[case::hyphen("non-Catholics", &["non", "catholics"])]
    #[case::list_of_numbers("1,2,3", &["1", "2", "3"])]
    #[case::accents("Böke", &["boke"])]
    #[case::han("北京大", &["北京", "京大"])]
    fn splits(#[case] text: &str, #[case] expected: &[&str]) {
        let words: Vec<_> = tokens(text).into_iter().map(|t| t.word).collect();
        assert_eq!(words, expected);
    }

    #[rstest]
    #[case::unit("30 days", "30", Some("d"))]
    #[case::percent("40%", "40", Some("%"))]
    #[case::currency("$1,500", "1500", Some("$"))]
    #[case::scale("1.5 million dollars", "1500000", Some("$"))]
    #[case::word("seven weeks", "7", Some("w"))]
    #[case::tens("twenty-one days", "21", Some("d"))]
    #[case::ordinal("the thirteenth amendment", "13", None)]
    #[case::roman("World War II", "2", None)]
    #[case::hour("at 10:00 a.m.", "10", Some("am"))]
    #[case::plain("in 1945", "1945", None)]
    fn numbers(#[case] text: &str, #[case] digits: &str, #[case] unit: Option<&str>) {
        let found = tokens(text).into_iter().find(|t| t.number.is_some()).expect("a number");
        assert_eq!((found.number.as_deref(), found.unit), (Some(digits), unit));
    }
}
