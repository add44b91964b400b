//! Extractive answers over a third set of documents, written after the rules for them.

use rstest::rstest;

use super::{extractive_verdict, literals};
use crate::verdict::Verdict;

const LOCKERS: &str = "Sizes\n\nSize | Inner height | Heaviest parcel | Fee for 24 hours\nS | 9 cm | 5 kg | 1.20 EUR\nM | 19 cm | 15 kg | 1.90 \
    EUR\nL | 41 cm | 25 kg | 2.70 EUR\n\nA parcel waits in the locker for five days and then goes back to its sender. Perishable goods may not \
    be stored longer than 12 hours. The pickup code has eight digits and must not be passed on by e-mail. Three wrong entries of the code block \
    the door for 20 minutes. Alcohol is handed out only against proof of age. No lockers are emptied on public holidays. A lost parcel is \
    reimbursed up to 520 EUR, jewellery up to 100 EUR.";
const INTERFACE: &str = "Endpoints\n\nCall | Method | Limit | Scope\n/v3/parcels | POST | 40 a minute | parcels:write\n/v3/parcels/{id} | GET \
    | 200 a minute | parcels:read\n/v3/doors/open | POST | 5 a minute | doors:operate\n/v3/sites | GET | 60 a minute | none\n\nTokens live for \
    55 minutes and cannot be renewed; request a new one. The header X-Parcel-Trace is optional and holds at most 64 characters. Events are \
    delivered at least once and not in order. The field door_state is deprecated since version 3.4 and will not be sent after 1 February 2027. \
    Test sites have numbers from 9000 to 9099. A batch takes up to 120 parcels.";
const RULES: &str = "5.1 The operator is liable for damage to parcels only where it acted with intent or gross negligence.\n\n5.2 The sender \
    warrants that parcels contain no live animals, no explosives and no cash above 250 EUR.\n\n5.3 Complaints about damage must reach the \
    operator within seven days after pickup.\n\n6.1 The parties may terminate the framework contract with three months' notice, but not before \
    the end of the first year.\n\n6.2 Unless the operator objects within 10 days, a change of the pickup address is deemed approved.\n\n6.3 \
    Prices are exclusive of tax. A surcharge for islands is not levied. Minimum turnover is 2,400 EUR a year; a shortfall is invoiced in \
    January.\n\n6.4 Personal data are erased 18 months after the last pickup, unless a dispute is pending.";

fn verdict(query: &str, reference: &str, wanted: &[&str], answer: &str) -> Verdict {
    extractive_verdict(&[LOCKERS, INTERFACE, RULES], query, reference, &literals(wanted), answer)
}

#[rstest]
#[case::cell("how heavy may a parcel in size M be", "The heaviest parcel in size M is 15 kg.", &["15 kg"], "M | 19 cm | 15 kg | 1.90 EUR")]
#[case::waits("how long does my parcel stay in the locker", "It waits for five days and then goes back to its sender.", &[], "A parcel waits in the locker for five days and then goes back to its sender. Perishable goods may not be stored longer than 12 hours.")]
#[case::perishable("how long may I store food", "Perishable goods may be stored for at most 12 hours.", &["12 hours"], "Perishable goods may not be stored longer than 12 hours.")]
#[case::digits("length of pickup code", "The pickup code has eight digits.", &[], "The pickup code has eight digits and must not be passed on by e-mail. Three wrong entries of the code block the door for 20 minutes.")]
#[case::code_by_mail("may I mail the code to my neighbour", "No, the code must not be passed on by e-mail.", &[], "The pickup code has eight digits and must not be passed on by e-mail.")]
#[case::blocked("mistyped the code, door blocked how long", "After three wrong entries the door is blocked for 20 minutes.", &["20 minutes"], "Three wrong entries of the code block the door for 20 minutes. Alcohol is handed out only against proof of age.")]
#[case::holidays("are lockers emptied on holidays", "No, not on public holidays.", &[], "No lockers are emptied on public holidays.")]
#[case::jewellery("maximum compensation for lost jewellery", "Jewellery is reimbursed up to 100 EUR.", &["100 EUR"], "A lost parcel is reimbursed up to 520 EUR, jewellery up to 100 EUR.")]
#[case::limit_of_a_call("rate limit POST /v3/parcels", "40 a minute.", &[], "/v3/parcels | POST | 40 a minute | parcels:write\n/v3/parcels/{id} | GET | 200 a minute | parcels:read")]
#[case::scope("which scope opens doors", "The scope doors:operate.", &["doors:operate"], "/v3/doors/open | POST | 5 a minute | doors:operate")]
#[case::tokens("token lifetime", "A token lives for 55 minutes and cannot be renewed.", &["55 minutes"], "Tokens live for 55 minutes and cannot be renewed; request a new one. The header X-Parcel-Trace is optional and holds at most 64 characters.")]
#[case::order("do events arrive in order", "No, events are delivered at least once and not in order.", &[], "Events are delivered at least once and not in order.")]
#[case::until("when does door_state disappear", "The field door_state will not be sent after 1 February 2027.", &["1 February 2027"], "The field door_state is deprecated since version 3.4 and will not be sent after 1 February 2027. Test sites have numbers from 9000 to 9099.")]
#[case::until_affirmed("until when is door_state sent", "The field door_state is sent until 1 February 2027.", &["1 February 2027"], "The field door_state is deprecated since version 3.4 and will not be sent after 1 February 2027.")]
#[case::batch("biggest batch", "A batch holds at most 120 parcels.", &["120 parcels"], "Test sites have numbers from 9000 to 9099. A batch takes up to 120 parcels.")]
#[case::liability("when is the operator liable", "Only for intent or gross negligence.", &[], "5.1 The operator is liable for damage to parcels only where it acted with intent or gross negligence.")]
#[case::animals("can I send a hamster", "No. Live animals, explosives and cash above 250 EUR are forbidden.", &[], "5.2 The sender warrants that parcels contain no live animals, no explosives and no cash above 250 EUR.")]
#[case::complaint("how long to complain about damage", "Seven days after pickup.", &["seven days"], "5.3 Complaints about damage must reach the operator within seven days after pickup.")]
#[case::termination("notice period of the framework contract", "Three months, but not before the end of the first year.", &[], "6.1 The parties may terminate the framework contract with three months' notice, but not before the end of the first year.")]
#[case::approved("change of address when is it approved", "A change of the pickup address counts as approved unless the operator objects within 10 days.", &["10 days"], "6.2 Unless the operator objects within 10 days, a change of the pickup address is deemed approved.")]
#[case::islands("surcharge for islands?", "There is no surcharge for islands.", &[], "6.3 Prices are exclusive of tax. A surcharge for islands is not levied.")]
#[case::erased("when are personal data erased", "Personal data are erased 18 months after the last pickup, unless a dispute is pending.", &[], "6.4 Personal data are erased 18 months after the last pickup, unless a dispute is pending.")]
fn right_passages_pass(#[case] query: &str, #[case] reference: &str, #[case] literals: &[&str], #[case] answer: &str) {
    let verdict = verdict(query, reference, literals, answer);
    assert!(verdict.passed, "{}\n{verdict:#?}", verdict.rationale);
}

#[rstest]
#[case::other_cell("how heavy may a parcel in size M be", "The heaviest parcel in size M is 15 kg.", "L | 41 cm | 25 kg | 2.70 EUR")]
#[case::other_price(
    "what does L cost a day",
    "Size L costs 2.70 EUR for 24 hours.",
    "S | 9 cm | 5 kg | 1.20 EUR\nM | 19 cm | 15 kg | 1.90 EUR"
)]
#[case::food_for_parcels(
    "how long does my parcel stay in the locker",
    "It waits for five days and then goes back to its sender.",
    "Perishable goods may not be stored longer than 12 hours."
)]
#[case::parcels_for_food(
    "how long may I store food",
    "Perishable goods may be stored for at most 12 hours.",
    "A parcel waits in the locker for five days and then goes back to its sender."
)]
#[case::minutes_for_digits(
    "length of pickup code",
    "The pickup code has eight digits.",
    "Three wrong entries of the code block the door for 20 minutes."
)]
#[case::other_prohibition(
    "may I mail the code to my neighbour",
    "No, the code must not be passed on by e-mail.",
    "Perishable goods may not be stored longer than 12 hours."
)]
#[case::lifetime_for_block(
    "mistyped the code, door blocked how long",
    "After three wrong entries the door is blocked for 20 minutes.",
    "Tokens live for 55 minutes and cannot be renewed; request a new one."
)]
#[case::alcohol("are lockers emptied on holidays", "No, not on public holidays.", "Alcohol is handed out only against proof of age.")]
#[case::turnover(
    "maximum compensation for lost jewellery",
    "Jewellery is reimbursed up to 100 EUR.",
    "Minimum turnover is 2,400 EUR a year; a shortfall is invoiced in January."
)]
#[case::other_call("rate limit POST /v3/parcels", "40 a minute.", "/v3/sites | GET | 60 a minute | none")]
#[case::other_scope("which scope opens doors", "The scope doors:operate.", "/v3/parcels | POST | 40 a minute | parcels:write")]
#[case::block_for_tokens(
    "token lifetime",
    "A token lives for 55 minutes and cannot be renewed.",
    "Three wrong entries of the code block the door for 20 minutes."
)]
#[case::batch_for_order(
    "do events arrive in order",
    "No, events are delivered at least once and not in order.",
    "A batch takes up to 120 parcels."
)]
#[case::sites_for_date(
    "when does door_state disappear",
    "The field door_state will not be sent after 1 February 2027.",
    "Test sites have numbers from 9000 to 9099."
)]
#[case::limit_for_batch(
    "biggest batch",
    "A batch holds at most 120 parcels.",
    "The header X-Parcel-Trace is optional and holds at most 64 characters."
)]
#[case::warranty_for_liability(
    "when is the operator liable",
    "Only for intent or gross negligence.",
    "5.2 The sender warrants that parcels contain no live animals, no explosives and no cash above 250 EUR."
)]
#[case::alcohol_for_animals(
    "can I send a hamster",
    "No. Live animals, explosives and cash above 250 EUR are forbidden.",
    "Alcohol is handed out only against proof of age."
)]
#[case::objection_for_complaint(
    "how long to complain about damage",
    "Seven days after pickup.",
    "6.2 Unless the operator objects within 10 days, a change of the pickup address is deemed approved."
)]
#[case::erasure_for_notice(
    "notice period of the framework contract",
    "Three months, but not before the end of the first year.",
    "6.4 Personal data are erased 18 months after the last pickup, unless a dispute is pending."
)]
#[case::complaint_for_address(
    "change of address when is it approved",
    "A change of the pickup address counts as approved unless the operator objects within 10 days.",
    "5.3 Complaints about damage must reach the operator within seven days after pickup."
)]
#[case::tax(
    "surcharge for islands?",
    "There is no surcharge for islands.",
    "Minimum turnover is 2,400 EUR a year; a shortfall is invoiced in January."
)]
#[case::half(
    "height and price of size S",
    "Size S is 9 cm high and costs 1.20 EUR for 24 hours.",
    "L | 41 cm | 25 kg | 2.70 EUR\nA parcel waits in the locker for five days and then goes back to its sender."
)]
#[case::half_of_two(
    "token lifetime and test sites",
    "Tokens live for 55 minutes; test sites have numbers from 9000 to 9099.",
    "Tokens live for 55 minutes and cannot be renewed; request a new one."
)]
#[case::half_of_terms(
    "complaint period and minimum turnover",
    "Complaints within seven days after pickup; the minimum turnover is 2,400 EUR a year.",
    "5.3 Complaints about damage must reach the operator within seven days after pickup."
)]
fn wrong_passages_fail(#[case] query: &str, #[case] reference: &str, #[case] answer: &str) {
    let verdict = verdict(query, reference, &[], answer);
    assert!(!verdict.passed, "{}\n{verdict:#?}", verdict.rationale);
}
