//! Clauses: the parts of a sentence that state one thing each, with their terms and their negation.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::number;
use super::phrases::OPENINGS;
use super::token::{Border, Case, Token};
use crate::text::{Language, is_stop_word, stem};

/// What a term is, which decides how strictly it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A content word.
    Word,
    /// A capitalised word inside a sentence.
    Name,
    /// A number.
    Number,
}

/// A word that carries content.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// The stem, or the canonical digits after `#`.
    pub key: String,
    /// What it is.
    pub kind: Kind,
    /// A number's unit.
    pub unit: Option<&'static str>,
    /// Written in digits.
    pub digits: bool,
    /// The token's place in its sentence.
    pub at: usize,
}

/// A part of a sentence with at most one statement.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// Where its own words start, after `but` and an opening.
    pub claim_start: usize,
    /// Its terms.
    pub terms: Vec<Term>,
    /// The place of the word that negates it.
    pub negation: Option<usize>,
    /// Starts a contrast (`but`, `however`, a semicolon).
    pub contrast: bool,
}

impl Clause {
    /// The first term after the negation: what is denied.
    pub(super) fn denied(&self) -> Option<&Term> {
        let cue = self.negation?;
        self.terms.iter().find(|term| term.at > cue && !term.key.ends_with("ly") && !term.key.ends_with("li"))
    }
}

/// The number of tokens that only say where the answer comes from.
pub(super) fn opening(tokens: &[Token], words: &[&str]) -> usize {
    let mut start = 0;
    for _ in 0..3 {
        match OPENINGS.match_at(&words[start..], 0) {
            // A match that is the whole sentence ("Yes.") or denies something is no opening.
            Some(end) if end > 0 && start + end < tokens.len() && !(start..start + end).any(|at| is_cue(tokens, at)) => start += end,
            _ => break,
        }
    }
    start
}

/// `..., but based on the passage the answer is X`: only `X` is claimed.
pub(super) fn drop_inner_opening(clause: &mut Clause, tokens: &[Token]) {
    let conjunction = matches!(tokens[clause.tokens.start].word.as_str(), "but" | "and" | "however" | "though" | "so" | "yet");
    let start = clause.tokens.start + usize::from(conjunction);
    let rest = &tokens[start.min(clause.tokens.end)..clause.tokens.end];
    let words: Vec<&str> = rest.iter().map(|token| token.word.as_str()).collect();
    let end = start + opening(rest, &words);
    clause.terms.retain(|term| term.at >= end);
    clause.claim_start = end;
}

/// Function words beside the stop words: they carry no claim of their own.
static LIGHT: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "above according across actually along although among answer approximately around as became because become becomes besides \
         between both but ca called certainly commonly considered course currently during each either etc following generally \
         however include includes including indeed instead known like located lol mainly may means might must namely no often oh ok one only \
         onto other others part per primarily question rather re really referred regarded respectively resulting several since specifically there though \
         through thus toward towards typically under until upon usually various ve via well whereas whether within yeah yes yet"
        .split_whitespace()
        .collect()
});

/// German function words. German writes every noun with a capital, so capitals name nothing there.
static GERMAN: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "aber als am an auf aus bei das dem den der des die durch ein eine einem einen einer es fur im ist mit nach oder sich sind und von war werden wird zu zum zur"
        .split_whitespace()
        .collect()
});

fn is_german(tokens: &[Token]) -> bool {
    tokens.iter().filter(|token| GERMAN.contains(token.word.as_str())).take(2).count() == 2
}

fn is_light(word: &str) -> bool {
    is_stop_word(word) || LIGHT.contains(word)
}

/// How a sentence is written.
#[derive(Clone, Copy)]
struct Style {
    /// The tokens of its opening.
    start: usize,
    /// German.
    german: bool,
    /// A capital inside it marks a name.
    names: bool,
}

/// The clauses of a sentence after its opening.
pub(super) fn clauses(tokens: &[Token], start: usize, is_answer: bool) -> Vec<Clause> {
    let german = is_german(tokens);
    let style = Style { start, german, names: !(german || is_answer && is_title_case(tokens)) };
    let mut clauses = Vec::new();
    let mut from = start;
    for at in start..tokens.len() {
        if at > from && (splits(tokens, at) || ends_concession(tokens, from, at)) {
            clauses.push(clause(tokens, from..at, style));
            from = at;
        }
    }
    if from < tokens.len() {
        clauses.push(clause(tokens, from..tokens.len(), style));
    }
    for at in 1..clauses.len() {
        clauses[at].contrast |= ends_concession(tokens, clauses[at - 1].tokens.start, clauses[at].tokens.start);
    }
    clauses
}

/// Whether a new clause starts at a token.
fn splits(tokens: &[Token], at: usize) -> bool {
    let (word, border) = (tokens[at].word.as_str(), tokens[at].border);
    let next = tokens.get(at + 1).map_or("", |next| next.word.as_str());
    let comma = border == Border::Comma;
    border >= Border::Strong
        || matches!(word, "but" | "however" | "although" | "though" | "whereas" | "while" | "nonetheless" | "nevertheless")
        || matches!((word, next), ("rather", "than") | ("instead", "of"))
        || (comma && matches!(word, "and" | "so" | "which" | "who" | "because" | "therefore" | "yet" | "not" | "or" | "as" | "nor"))
        || (matches!(word, "and" | "so") && matches!(next, "i" | "he" | "she" | "it" | "they" | "we" | "you"))
}

/// Whether a comma ends the concession that the clause is: `although the report does not say it, ...`.
fn ends_concession(tokens: &[Token], from: usize, at: usize) -> bool {
    tokens[at].border == Border::Comma && at > from + 2 && matches!(tokens[from].word.as_str(), "although" | "though" | "while" | "whereas")
}

/// Headings and titles: capitals say nothing there.
fn is_title_case(tokens: &[Token]) -> bool {
    let words = tokens.iter().filter(|t| t.number.is_none() && !is_stop_word(&t.word));
    let (capitals, all) = words.fold((0, 0), |(capitals, all), t| (capitals + usize::from(t.is_capital()), all + 1));
    all >= 5 && capitals * 10 >= all * 9
}

fn clause(tokens: &[Token], range: Range<usize>, style: Style) -> Clause {
    let mut terms = Vec::with_capacity(range.len());
    for at in range.clone() {
        let token = &tokens[at];
        let single_letter = token.word.len() == 1 && !token.is_capital();
        let is_function_word = is_light(&token.word) || (style.german && GERMAN.contains(token.word.as_str()));
        let no_content = is_function_word && !(token.case == Case::Upper && at > 0) || single_letter && token.number.is_none();
        if no_content || is_cue(tokens, at) || is_unit_of_number(tokens, at) {
            continue;
        }
        if let Some(digits) = &token.number {
            // The number of a section names a place; it counts nothing.
            let kind = if at == 0 && starts_with_section_number(tokens) { Kind::Word } else { Kind::Number };
            terms.push(Term { key: format!("#{digits}"), kind, unit: token.unit, digits: token.digits, at });
            continue;
        }
        let is_name = style.names && token.is_capital() && at > style.start;
        let kind = if is_name { Kind::Name } else { Kind::Word };
        terms.push(Term { key: stem(&token.word, Language::English), kind, unit: None, digits: false, at });
    }
    let first = &tokens[range.start];
    let contrast = first.border >= Border::Strong
        || matches!(
            first.word.as_str(),
            "but" | "however" | "although" | "though" | "whereas" | "while" | "nonetheless" | "nevertheless" | "yet"
        );
    Clause { negation: negation(tokens, range.clone()), claim_start: range.start, tokens: range, terms, contrast }
}

/// `9.1 The agreement is ...`: a number with a point, then a sentence.
fn starts_with_section_number(tokens: &[Token]) -> bool {
    const SHORTEST: usize = 5;
    let [number, next, ..] = tokens else { return false };
    let followed = next.case == Case::Capital && next.border == Border::None && tokens.len() >= SHORTEST;
    number.digits && number.unit.is_none() && number.word.contains('.') && followed
}

/// The unit belongs to the number before it: `%` and `percent` are the same.
fn is_unit_of_number(tokens: &[Token], at: usize) -> bool {
    let unit = number::unit(&tokens[at].word);
    unit.is_some() && at > 0 && tokens[at - 1].number.is_some() && tokens[at - 1].unit == unit
}

/// Whether a token (with its neighbours) negates.
pub(super) fn is_cue(tokens: &[Token], at: usize) -> bool {
    let word = tokens[at].word.as_str();
    let next = tokens.get(at + 1).map_or("", |next| next.word.as_str());
    // "No, it is not" denies once.
    // "Never" inside a title or a quotation denies nothing.
    if tokens[at].quoted && !tokens[0].quoted || at > 0 && tokens[at].case == Case::Capital && tokens[at - 1].border == Border::None {
        return false;
    }
    let is_reply = at == 0 && tokens.get(1).is_none_or(|next| next.border != Border::None);
    // The value of a table cell.
    let is_cell = tokens[at].border == Border::Cell && tokens.get(at + 1).is_none_or(|next| next.border == Border::Cell);
    match word {
        "no" if is_reply || is_cell => false,
        "not" => !matches!(next, "only" | "just" | "necessarily" | "merely" | "least"),
        "no" => {
            !matches!(next, "doubt" | "matter" | "more" | "less" | "later" | "fewer" | "sooner" | "one")
                && tokens.get(at + 1).is_none_or(|n| n.number.is_none())
        }
        "never" | "none" | "neither" | "nor" | "nobody" | "nothing" | "nicht" | "kein" | "keine" | "keinen" | "without" | "hardly"
        | "untrue" | "false" | "incorrect" | "nowhere" | "lack" | "lacks" | "lacked" | "excluded" | "excludes" | "exclude"
        | "excluding" | "prohibited" | "prohibits" | "prohibit" | "prohibiting" | "forbidden" | "forbids" | "forbid" | "banned"
        | "bans" | "disallowed" | "disallows" => true,
        "yet" | "failed" | "fails" | "refused" | "unable" => next == "to",
        "rather" => next == "than",
        "instead" => next == "of",
        _ => false,
    }
}

/// The place of the negation of a clause. Two negations are none.
fn negation(tokens: &[Token], range: Range<usize>) -> Option<usize> {
    let mut cues = range.filter(|at| is_cue(tokens, *at));
    let first = cues.next()?;
    (cues.count() % 2 == 0).then_some(first)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use crate::oracle::passage::Passage;

    #[rstest]
    #[case::plain("It was not sold.", true)]
    #[case::contraction("It isn't sold.", true)]
    #[case::not_only("It was not only sold, it was shipped", false)]
    #[case::no_more("It takes no more than 5 days.", false)]
    #[case::twice("Nobody did not know it", false)]
    #[case::yet_to("She is yet to write it.", true)]
    #[case::none("It was sold.", false)]
    fn negations(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(Passage::answer(text).sentences[0].clauses[0].negation.is_some(), expected);
    }
}
