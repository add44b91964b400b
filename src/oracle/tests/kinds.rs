//! Kinds of false alarm that extractive answers once raised, one case or two for each, and their true counterparts.

use rstest::rstest;

use super::extractive_verdict;
use crate::case::{Expect, Fact};
use crate::oracle::{Exhibit, judge};
use crate::verdict::{Criterion, FactState, Rating, Rule, Verdict};

/// The answer is retrieved as it stands.
fn verdict(query: &str, reference: &str, facts: &[Fact], answer: &str) -> Verdict {
    extractive_verdict(&[answer], query, reference, facts, answer)
}

#[rstest]
#[case::denial_after_it("company register", "- an extract from the company register that is not older than three months;", true)]
#[case::denial_far_before_it("1 March 2026", "Text messages have not been offered since 1 March 2026.", true)]
#[case::bound_before_it("30 days", "The claim is made not more than 30 days later.", true)]
#[case::denied("30 days", "The period is not 30 days.", false)]
#[case::denied_with_a_verb("a fee", "This does not cost a fee.", false)]
#[case::no("fee", "There is no fee.", false)]
fn a_literal_is_denied_only_by_a_negation_that_governs_it(#[case] literal: &str, #[case] answer: &str, #[case] there: bool) {
    for fact in [Fact::Literal(literal.to_owned()), Fact::Claim(literal.to_owned())] {
        let state = verdict("What is it?", answer, &[fact], answer).facts[0].state;
        assert_eq!(state == FactState::Entailed, there, "{state:?}");
    }
}

#[rstest]
#[case::cell_says_no(
    "How long may the descriptor be?",
    "The descriptor, the text on the bank statement of the customer, is 5 to 22 characters long.",
    "descriptor | string | no | Text on the bank statement of the customer, 5 to 22 characters long.\n\
     metadata | object | no | Up to 30 pairs; keys of at most 40 and values of at most 500 characters."
)]
#[case::row_with_currency(
    "biggest bank debit in euros",
    "The highest single amount for a bank debit is 10,000 EUR.",
    "bank_debit | EUR, GBP | four business days | 10,000 EUR\n\
     The ceiling of 10,000 EUR for bank debits is low because a debit can be returned for weeks."
)]
#[case::currency_by_its_code(
    "smallest USD payout",
    "The smallest payout in dollars is 25.00 USD.",
    "USD | 25.00 USD | ACH | two business days\nThe higher minimum of 25.00 USD reflects what banks charge for returned ACH transfers."
)]
#[case::denial_of_something_else(
    "How much credit do we get for an outage?",
    "The merchant may claim a credit of five per cent of the fees of that month, subject to a maximum of 40 per cent.",
    "7.1 The interface is available at all times but for maintenance, whose aggregate duration shall not exceed four hours in a month; where \
     the figure is not attained, the merchant may claim a credit of five per cent of the fees of that month, subject to a maximum of 40 per cent."
)]
#[case::exclusion_is_denial(
    "where do excluded activities mention weapons or gambling",
    "Clause 3.1 excludes, among others, unlicensed games of chance and the sale of weapons or ammunition.",
    "3.1 The services may not be employed, whether directly or through others, in connection with unlicensed games of chance, the sale of \
     weapons or ammunition, or medicines without the requisite licence."
)]
#[case::section_number(
    "how long can money be kept after termination",
    "The balance may be retained for 180 days.",
    "9.1 The agreement is concluded for an indefinite period.\n\n9.2 Upon termination the balance may be retained for 180 days."
)]
fn right_quotations_pass(#[case] query: &str, #[case] reference: &str, #[case] answer: &str) {
    let verdict = verdict(query, reference, &[], answer);
    assert!(verdict.passed, "{verdict:#?}");
}

#[rstest]
#[case::other_wait(
    "how fast must my server respond to a hook",
    "Answer a delivery with any 2xx status within 10 seconds.",
    "If the first request is still running, the second one waits for up to 8 seconds and then receives a conflict."
)]
#[case::other_languages(
    "what languages does support speak",
    "Support answers in English, German, French and Spanish.",
    "Language | Package | Version\nPython | larkpay | 5.3.1\nTypeScript and JavaScript | @larkpay/node | 5.3.0"
)]
#[case::other_tolerance(
    "webhook signature timestamp tolerance",
    "Refuse deliveries whose timestamp differs from your clock by more than 300 seconds.",
    "The tolerance of the clock check can be widened with the argument tolerance_s, but values above 600 are rejected."
)]
#[case::denied_in_its_own_words(
    "Are wallets refunded?",
    "Wallet payments are refunded in full.",
    "Wallet payments are not refunded in full."
)]
#[case::affirmed_where_denied("What of wallets?", "Wallet payments are not refunded in full.", "Wallet payments are refunded in full.")]
#[case::same_number_in_another_unit("api limit", "The maximum is 30 calls an hour.", "Switch it off for 30 minutes and call the service.")]
#[case::same_value_of_another_thing(
    "price of the Studio plan",
    "The Studio plan costs 18.00 EUR.",
    "A lost card is replaced for 18.00 EUR."
)]
#[case::row_of_another_model("how many zones does the Aster 12 have", "The Aster 12 has 6 zones.", "Aster 6 | 2 zones | 55 degrees | 6 kW")]
fn wrong_quotations_fail(#[case] query: &str, #[case] reference: &str, #[case] answer: &str) {
    let verdict = verdict(query, reference, &[], answer);
    assert!(!verdict.passed, "{verdict:#?}");
}

#[rstest]
#[case::extra_row("limit_a | number | 30 | Pairs of metadata\nlimit_b | number | 5 | Tries of a call")]
#[case::neighbour_that_denies("The limit is 5 tries. A call is not tried 30 times.")]
fn what_stands_in_the_sources_is_faithful(#[case] answer: &str) {
    let verdict = verdict("how many tries", "5 tries of a call", &[], answer);
    assert_eq!(verdict.rating(Criterion::Faithfulness), Some(Rating::True), "{verdict:#?}");
}

#[test]
fn a_section_number_is_no_rival_of_a_number() {
    let verdict = verdict("how long", "For 180 days.", &[], "9.1 The agreement is concluded for an indefinite period.");
    assert!(!verdict.passed && !verdict.rationale.contains("9.1 where"), "{verdict:#?}");
}

#[rstest]
#[case::limited("until when is it sent", "The field is sent until 1 May.", "The field will not be sent after 1 May.", true)]
#[case::same_limit("when is it sent", "The field will be sent after 1 May.", "The field will not be sent after 1 May.", false)]
#[case::more_than(
    "maximum pressure",
    "The circuit may be filled up to 2.5 bar.",
    "The circuit must not be filled with more than 2.5 bar.",
    true
)]
#[case::condition(
    "how long is it prolonged",
    "A contract that is cancelled too late is prolonged by 12 months.",
    "A contract that runs out is, where it is not cancelled in time, prolonged by 12 months.",
    true
)]
fn a_denial_with_a_limit_is_no_opposite(#[case] query: &str, #[case] reference: &str, #[case] answer: &str, #[case] passed: bool) {
    let verdict = verdict(query, reference, &[], answer);
    assert_eq!(verdict.passed, passed, "{verdict:#?}");
}

#[rstest]
#[case::nearest_sentence(
    "are spare parts part of the inspection",
    "No, the inspection does not include spare parts.",
    "Its price is 189 EUR a year. The inspection does not include spare parts.",
    true
)]
#[case::cell_says_no(
    "is the fan lowered at night",
    "Yes, the fan is lowered at night.",
    "fan | number | no | The fan is lowered at night",
    true
)]
#[case::denial_of_something_else(
    "can I put the outdoor unit into the cellar",
    "No, the outdoor unit may not stand in a closed room.",
    "The antifreeze must not be thrown away.",
    false
)]
fn the_sentence_about_the_matter_replies(#[case] query: &str, #[case] reference: &str, #[case] answer: &str, #[case] passed: bool) {
    let verdict = verdict(query, reference, &[], answer);
    assert_eq!(verdict.passed, passed, "{verdict:#?}");
}

#[test]
fn what_stands_in_the_sources_is_not_measured_by_its_like() {
    let answer = "Payments by wallet are refunded in full.";
    let context = ["Payments by wallet are not refunded in full after a dispute. Payments by wallet are refunded in full.".to_owned()];
    let case = Exhibit {
        query: "What is the policy?",
        expect: Expect::Answer,
        must_deny: false,
        reference_answer: Some(answer),
        evidence: &[],
        context: Some(&context),
        answer,
        keywords: &[],
        required_facts: &[],
        forbidden_facts: &[],
    };
    assert_eq!(judge(&case, Rule::Strict).rating(Criterion::Faithfulness), Some(Rating::True));
}
