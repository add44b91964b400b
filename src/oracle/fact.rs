//! Facts: whether an answer says them.

use super::clause::is_cue;
use super::keywords::stands_between_borders;
use super::material::Material;
use super::passage::{Passage, Sentence};
use super::question::Question;
use super::support::{Support, findings};
use crate::case::Fact;
use crate::text::fold;
use crate::verdict::FactState;

/// Claims that speak about the answer (`names the file that holds the timeout`): words alone cannot rate them.
const ABOUT_THE_ANSWER: [&str; 22] = [
    "names",
    "mentions",
    "states",
    "says",
    "explains",
    "lists",
    "describes",
    "gives",
    "includes",
    "identifies",
    "notes",
    "warns",
    "recommends",
    "cites",
    "points",
    "refers",
    "tells",
    "acknowledges",
    "contains",
    "provides",
    "clarifies",
    "the answer",
];

/// The facts of one case, looked up in one answer.
#[derive(Debug)]
pub(super) struct FactFinder<'a> {
    /// The answer, whole.
    whole: &'a Passage,
    /// Its statements.
    material: Material,
    question: &'a Question,
}

impl<'a> FactFinder<'a> {
    pub(super) fn new(whole: &'a Passage, statements: &Passage, question: &'a Question) -> Self {
        Self { whole, material: Material::new(vec![statements.clone()]), question }
    }

    /// What the answer says of a fact.
    pub(super) fn state(&self, fact: &Fact) -> FactState {
        match fact {
            Fact::Literal(text) if self.has_characters(text) && self.stands_affirmed(text) != Some(false) => FactState::Entailed,
            Fact::Literal(_) => FactState::Not,
            Fact::Claim(text) => match self.stands_affirmed(text) {
                Some(true) => FactState::Entailed,
                Some(false) => FactState::Contradicted,
                None => self.rate(text),
            },
        }
    }

    /// The characters of `text` between word borders: `C++` is not `C`.
    fn has_characters(&self, text: &str) -> bool {
        let line = |text: &str| fold(text).replace(['`', '*'], "").split_whitespace().collect::<Vec<_>>().join(" ");
        stands_between_borders(&line(text), &line(&self.whole.text))
    }

    /// Whether the words of `text`, where they stand in order, are affirmed at least once: no negation governs them, or the text itself has it.
    /// `None`: they do not stand there as words, though the characters may: text without spaces is cut into other words beside other text.
    fn stands_affirmed(&self, text: &str) -> Option<bool> {
        let passage = Passage::source(text);
        let wanted: Vec<&str> = passage.sentences.iter().flat_map(Sentence::words).collect();
        let itself_negates = passage.sentences.iter().flat_map(|s| &s.clauses).any(|c| c.negation.is_some());
        let affirmed = |sentence: &Sentence| {
            let words = sentence.words();
            let places = words.windows(wanted.len().max(1)).enumerate().filter(|(_, window)| *window == wanted);
            places.map(|(at, _)| itself_negates || !is_denied(sentence, at)).max()
        };
        self.whole.sentences.iter().filter_map(affirmed).max()
    }

    fn rate(&self, claim: &str) -> FactState {
        let folded = claim.trim().to_lowercase();
        if ABOUT_THE_ANSWER.iter().any(|start| folded.starts_with(start)) {
            return FactState::Undecided;
        }
        let passage = Passage::source(claim);
        // An answer need not repeat the question, so the fact's other words decide. A fact in the question's own words stands or falls with
        // all of them, or with a plain yes or no.
        let found = if passage.terms().all(|term| self.question.has(term)) {
            if let Some(state) = self.by_yes_or_no(&passage) {
                return state;
            }
            findings(&passage, &self.material, None, &Question::none())
        } else {
            findings(&passage, &self.material, None, self.question)
        };
        match found.iter().map(|finding| finding.support).min() {
            None | Some(Support::Weak) => FactState::Undecided,
            Some(Support::Contradicted) => FactState::Contradicted,
            Some(Support::Absent) => FactState::Not,
            Some(Support::Full) => FactState::Entailed,
        }
    }

    /// "No." to the question whether it is so.
    fn by_yes_or_no(&self, fact: &Passage) -> Option<FactState> {
        let said = match self.whole.sentences.first()?.tokens.first()?.word.as_str() {
            "yes" => true,
            "no" => false,
            _ => return None,
        };
        let denied = fact.sentences.iter().flat_map(|s| &s.clauses).any(|clause| clause.negation.is_some());
        self.question.asks_yes_or_no().then_some(if said == denied { FactState::Contradicted } else { FactState::Entailed })
    }
}

/// Whether a negation directly governs what stands at a token: at most three words before it in the same clause (`not 30 days`), and not a bound
/// (`not more than 30 days`, `not since 1 March`), which says the value itself.
fn is_denied(sentence: &Sentence, at: usize) -> bool {
    const REACH: usize = 3;
    const BOUNDS: [&str; 13] =
        ["since", "until", "till", "unless", "before", "after", "than", "exceed", "exceeds", "exceeding", "below", "above", "except"];
    let start = sentence.clauses.iter().find(|clause| clause.tokens.contains(&at)).map_or(0, |clause| clause.tokens.start);
    let reach = start.max(at.saturating_sub(REACH))..at;
    let cue = reach.clone().rev().find(|before| is_cue(&sentence.tokens, *before));
    cue.is_some_and(|cue| !sentence.tokens[cue + 1..at].iter().any(|token| BOUNDS.contains(&token.word.as_str())))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::oracle::refusal::Reading;

    fn state(fact: &Fact, answer: &str) -> FactState {
        let reading = Reading::of(Passage::answer(answer));
        let question = Question::new("Can gift cards be returned, and how long does a refund take?");
        FactFinder::new(&reading.whole, &reading.statements, &question).state(fact)
    }

    #[rstest]
    #[case::there("30 days", "The limit is 30 days.", FactState::Entailed)]
    #[case::case_and_dash("Retry\u{2011}After", "Send retry-after first.", FactState::Entailed)]
    #[case::denied("30 days", "The limit is not 30 days.", FactState::Not)]
    #[case::said_elsewhere("30 days", "It is not weekly. The limit is 30 days.", FactState::Entailed)]
    #[case::absent("30 days", "The limit is 45 days.", FactState::Not)]
    #[case::part_of_a_word("port", "the transport", FactState::Not)]
    #[case::sign("C++", "It is written in C.", FactState::Not)]
    #[case::without_spaces("11桁", "電話番号は11桁で入力します。", FactState::Entailed)]
    #[case::without_spaces_other("11桁", "電話番号は10桁で入力します。", FactState::Not)]
    #[case::wrapped("retry count", "Set the `retry\n  count` first.", FactState::Entailed)]
    fn literals(#[case] fact: &str, #[case] answer: &str, #[case] expected: FactState) {
        assert_eq!(state(&Fact::Literal(fact.to_owned()), answer), expected);
    }

    #[rstest]
    #[case::literal("refunds take five days", "Refunds take five days.", FactState::Entailed)]
    #[case::reworded("a refund takes 5 days", "After approval, refunds will take five days.", FactState::Entailed)]
    #[case::other_number("a refund takes 5 days", "A refund takes 7 days.", FactState::Contradicted)]
    #[case::short("a refund takes 5 days", "5 days.", FactState::Entailed)]
    #[case::other_code("LP-4021 means insufficient funds", "LP-4022 means insufficient funds.", FactState::Contradicted)]
    #[case::plain_no("gift cards cannot be returned", "No.", FactState::Entailed)]
    #[case::plain_yes("gift cards cannot be returned", "Yes.", FactState::Contradicted)]
    #[case::partly("the clerk checks the weight and the seal", "The clerk checks the weight.", FactState::Undecided)]
    #[case::negated("refunds are possible after shipping", "Refunds are not possible after shipping.", FactState::Contradicted)]
    #[case::absent("the warranty covers water damage", "Refunds take 5 days.", FactState::Not)]
    #[case::about_the_answer("names the file that holds the timeout", "In settings.toml.", FactState::Undecided)]
    fn claims(#[case] fact: &str, #[case] answer: &str, #[case] expected: FactState) {
        assert_eq!(state(&Fact::Claim(fact.to_owned()), answer), expected);
    }
}
