//! Wordings that people meet: refusals, caveats with an answer, answers that only look like refusals.

use rstest::rstest;

use crate::oracle::classify_refusal;
use crate::verdict::Refusal::{Answer, Partial, Refusal};

#[rstest]
#[case::know("I do not know who signed the lease.")]
#[case::know_curly("I don\u{2019}t really know, sorry.")]
#[case::no_idea("I have no idea when the branch in Graz opens.")]
#[case::enough("I don't have enough information to name the supplier.")]
#[case::access("Sorry, I do not have access to the payroll records.")]
#[case::insufficient("Insufficient details to say which valve was replaced.")]
#[case::there_is_too_little("There isn't enough context to answer that.")]
#[case::does_not_mention("The passage does not mention a warranty period.")]
#[case::does_not_say("The manual doesn't say how often the filter has to be cleaned.")]
#[case::markdown("**The provided documents do not specify** the fee.")]
#[case::supplied("The excerpts you supplied don't cover pricing in Norway.")]
#[case::no_mention("There is no mention of a night shift in the handbook.")]
#[case::no_information("There is no information available about parental leave here.")]
#[case::no_evidence("There's no evidence in the report for such a meeting.")]
#[case::could_not_find("I couldn't find anything about roaming charges.")]
#[case::unable("I was unable to locate the clause on subletting.")]
#[case::unable_bare("Unable to determine the release date from the changelog.")]
#[case::cannot_be_determined("The length of the bridge cannot be determined from the given text.")]
#[case::answer_cannot("The answer to this question can't be derived from the sources.")]
#[case::unclear("It is unclear from the context which pump failed.")]
#[case::not_possible("It is not possible to say who won, based on the article.")]
#[case::impossible("Based on these excerpts it's impossible to tell.")]
#[case::not_specified("The colour is not specified in the documents.")]
#[case::not_stated_anywhere("That is not stated anywhere in the report.")]
#[case::none_of("None of the retrieved documents discuss the merger.")]
#[case::no_document("No document in the corpus addresses the dress code.")]
#[case::silent("The sources are silent on overtime pay.")]
#[case::scope("Questions about visas are outside the scope of these documents.")]
#[case::no_such("No such flag exists in the documentation.")]
#[case::nothing_in("Nothing in the handbook covers pets in the office.")]
#[case::says_nothing("The policy document says nothing about remote work.")]
#[case::no_info_on("I have no information on the second shareholder.")]
#[case::without("Without additional context, I can't answer this.")]
#[case::model("As an AI language model, I don't have access to live traffic data.")]
#[case::not_aware("I'm not aware of any such agreement.")]
#[case::not_sure("I am not sure.")]
#[case::bare("Not specified.")]
#[case::bare_na("N/A")]
#[case::bare_unknown("Unknown.")]
#[case::bare_text("The text doesn't say.")]
#[case::no_indication("The passage gives no indication of the cost.")]
#[case::only_covers("The context only covers the 2021 edition, so I can't tell what changed in 2023.")]
#[case::only_discusses("I can't answer that. The article only discusses the harbour.")]
#[case::not_enough_evidence("There is not enough evidence in the report to say who was at fault.")]
#[case::not_able("I wasn't able to find the serial number.")]
#[case::no_answer("No answer can be derived from the passages.")]
#[case::courtesy("I'm sorry, but I could not find that in the files. Please contact the support team for help.")]
#[case::discusses_but("The article describes the founding of the club, but it does not mention its first president.")]
#[case::unfortunately("Unfortunately, the search results do not contain the opening hours.")]
#[case::not_in("The requested figure is not included in the provided report.")]
#[case::more_context("I would need more information to answer this question.")]
#[case::neither("Neither document states the diameter.")]
fn declines(#[case] answer: &str) {
    assert_eq!(classify_refusal(answer), Refusal);
}

#[rstest]
#[case::date("The documents do not give the exact day, but the depot opened in March 2021.")]
#[case::not_certain("I'm not certain, but the limit seems to be 30 days.")]
#[case::model("As an AI model I cannot check live data. However, the library usually closes at 8 pm.")]
#[case::although("Although the report does not name the engineer, it says that the dam was finished in 1931.")]
#[case::second_sentence("The plan costs 12 euros a month. The context does not mention a discount for students.")]
#[case::conflict("Passage 1 says 45, passage 2 says 60.")]
#[case::disagree("The sources disagree: one gives 1899, the other 1901.")]
#[case::short("I don't know for sure, but probably Tuesday.")]
fn declines_in_part(#[case] answer: &str) {
    assert_eq!(classify_refusal(answer), Partial);
}

#[rstest]
#[case::stress("We cannot stress enough that the valve must be closed first.")]
#[case::no_doubt("There is no doubt that the treaty was signed in Utrecht.")]
#[case::no_longer("The port is no longer open to freight.")]
#[case::no_more_than("A ticket costs no more than 4 euros.")]
#[case::refunds("The shop does not provide refunds after 14 days.")]
#[case::no_but_answer("No, a notary cannot witness his own signature.")]
#[case::origin("The origin of the name is unknown.")]
#[case::permissions("Users without sufficient permissions cannot find the menu.")]
#[case::court("The court found not enough evidence to convict him.")]
#[case::share("Members do not share information about other members.")]
#[case::third_person("The committee was unable to determine the cause of the fire.")]
#[case::public("The archive is not available to the public.")]
#[case::nobody("According to the guide, nobody knows who carved the door.")]
#[case::past("They did not know until 2004 that the seal was broken.")]
#[case::contract("The contract is silent on overtime, which means that the law applies.")]
#[case::zero("Zero. No incidents were counted in May.")]
#[case::dental("The basic plan does not include dental cover.")]
#[case::error_text("The tool prints \"I cannot find the file\" when the path is wrong.")]
#[case::no_fee("There is no fee for the first withdrawal.")]
#[case::not_allowed("Dogs are not allowed in the reading room.")]
#[case::cannot_be_undone("This step cannot be undone.")]
#[case::null("The field is unknown to version 1 and ignored.")]
#[case::insufficient_funds("Error 402 means insufficient funds on the card.")]
#[case::nothing("Nothing happens until the lever is pulled.")]
#[case::unclear_skies("Under an unclear sky the flight is delayed.")]
#[case::plain("The deposit is returned within 30 days.")]
fn answers(#[case] answer: &str) {
    assert_eq!(classify_refusal(answer), Answer);
}

/// A second batch, written after the first passed.
#[test]
fn a_second_batch_is_read_right() {
    for (wordings, expected) in [(REFUSALS, Refusal), (PARTIALS, Partial), (LOOK_ALIKES, Answer)] {
        let wrong: Vec<_> = wordings.iter().filter(|text| classify_refusal(text) != expected).collect();
        assert!(wrong.is_empty(), "not {expected:?}: {wrong:#?}");
    }
}

const REFUSALS: &[&str] = &[
    "I'm afraid the knowledge base has nothing on this topic.",
    "The information needed to answer this question is not present in the context.",
    "This question cannot be answered using only the provided passages.",
    "Sorry, I can't help with that based on the documents I have.",
    "The retrieved chunks are not relevant to the question.",
    "The given context is about something else and does not answer the question.",
    "I looked through the documents but found no reference to a swimming pool.",
    "There's nothing in the provided text about salaries.",
    "No relevant information was found in the knowledge base.",
    "I could find no mention of this.",
    "It isn't stated in the text who paid the bill.",
    "The document makes no mention of a second amendment to the lease.",
    "Information regarding the CEO's salary is not available in the given documents.",
    "My sources don't cover this.",
    "I don't see any information about that in the context.",
    "Based on the provided context, I cannot determine the exact number of employees.",
    "The context provided doesn't seem to contain the answer to your question.",
    "None of the passages answer this.",
    "That detail isn't mentioned.",
    "The answer is not in the provided documents.",
    "The context does not provide any information regarding the height of the tower. Therefore, I am unable to answer the question.",
    "I do not have any data on this. If you have further questions, let me know!",
    "I cannot answer this question.",
    "Cannot be determined.",
    "The passage doesn't contain that info. You might want to consult the official website.",
    "Regrettably, neither of the documents I was given says when the shop opens.",
    "we don't have details about that feature in our docs",
    "Answer: I don't know.",
    "\"I don't know.\"",
    "It's not clear from the passage.",
    "The text never says who the father is.",
    "The documents contain no information about the merger.",
    "There was no answer to this in the files.",
    "Not mentioned in the context.",
    "The context lacks information on that point.",
    "This is beyond what the documents cover.",
    "I'd need to see the contract to answer that.",
    "The supplied material is insufficient to answer the question.",
    "The provided information is not sufficient to determine the cause.",
    "Not enough info.",
    "I was not given any document that covers this.",
    "The search returned no results for this query.",
    "As of my last update, I don't have information on that.",
    "The price isn't specified in any of the sources.",
    "Nothing about this appears in the context.",
    "I searched the documentation and couldn't find any mention of dark mode.",
    "There doesn't appear to be any information about that in the provided files.",
    "The sources provided do not include any details on the funding round.",
    "Sorry, this is not covered in the manual.",
    "I can only answer questions about the provided documents, and they do not mention this.",
    "Given the available information, I'm unable to say.",
    "The query cannot be resolved with the available data.",
    "It's impossible to know from this extract.",
    "The article stops short of naming the culprit.",
    "The documents do not contain an answer.",
    "No details are given about the cause.",
    "The paragraph fails to mention the date.",
    "I regret that I have no record of that order.",
    "Hmm, I don't think the documents say.",
    "The answer isn't provided.",
    "The text contains nothing about cats.",
    "I'm unable to find that in my sources, sorry.",
    "That information isn't available to me.",
    "I am not able to answer because the context is empty.",
    "The context is empty.",
    "No context was provided.",
    "You haven't provided any documents.",
    "Unfortunately there is no data in the report on child mortality.",
    "The excerpt ends before the result is reported, so it is not known.",
    "I don't have that information.",
    "I cannot provide an answer as the document does not include the required details.",
    "The requested information could not be located.",
    "The question is unanswerable given the context.",
];

const PARTIALS: &[&str] = &[
    "The first flight was in 1903; the exact time is not mentioned in the sources.",
    "While the documents do not say who designed it, they do say that it opened in 1974.",
    "I couldn't find the exact price. The catalogue lists it at roughly 40 euros in 2019.",
    "The population is not stated, however the area is 45 square kilometres.",
    "The text mentions the years 1990 and 1995 but does not specify which is correct.",
    "It was built in 1820, but I'm not sure about the architect.",
    "Based on the passage, the fee is 20 dollars, although it does not say whether tax is included.",
    "I do not know the exact number, but it is more than 300.",
    "The documents conflict: the 2020 manual says 5 bar while the 2022 manual says 6 bar.",
    "There is no information on the colour. The weight is 4 kg.",
    "It was founded in Ghent. I couldn't verify the founding year.",
];

const LOOK_ALIKES: &[&str] = &[
    "Do not use the lift in case of fire.",
    "He did not find the treasure until 1911.",
    "The system can't find a device when Bluetooth is off.",
    "The document does not need a signature.",
    "No information is shared with third parties.",
    "Passengers without a ticket cannot provide an excuse.",
    "We cannot accept returns after 30 days.",
    "The source of the Nile was unknown to Europeans.",
    "The report was not available until June.",
    "I do not eat meat, said the author.",
    "There is no evidence that vaccines cause autism.",
    "The handbook does not allow dogs.",
    "The data is not stored anywhere.",
    "The files are missing from the archive since 1945.",
    "If the flag is not specified, the default of 5 is used.",
    "The price is not included in the subscription.",
    "The guide does not recommend using bleach.",
    "Insufficient memory causes the crash.",
    "You can not determine the voltage with this meter; use the other one.",
    "The author doesn't mention money because he was rich.",
    "No results are shown until you press Enter.",
    "Nothing in the universe travels faster than light.",
    "The API returns 404 when the document cannot be found.",
    "The manual override is not provided on the 2019 model.",
    "Their whereabouts are unknown.",
    "The spec does not define a maximum length.",
    "He was not sure which road to take.",
    "The page is not found if the slug is wrong.",
    "The results are unclear about long-term effects.",
    "The bank could not provide the loan because of the missing deed.",
    "The doctor said the cause cannot be determined without a biopsy.",
    "Customers do not have access to the admin panel.",
    "There are no documents required at the border.",
    "Sources of error are not discussed in polite company.",
    "You cannot find it cheaper elsewhere.",
    "The witness did not mention the knife.",
    "Not all birds can fly.",
    "No answer was given by the minister.",
    "None of the players were injured.",
    "The pages are not numbered.",
    "The result is unclear images at night.",
    "The file is not found in /etc but in /usr/share.",
    "The source does not have to be public.",
    "I am not a citizen, says the hero in chapter 3.",
    "The information must not be disclosed to third parties.",
    "Data cannot be recovered after deletion.",
    "It is not possible to book tickets by phone.",
    "Reports do not include figures for 2020 onward because the agency was closed.",
    "This document does not constitute legal advice.",
    "The context menu does not contain a delete entry.",
    "The results do not support the hypothesis.",
    "The text field does not accept more than 80 characters.",
    "The server does not provide a certificate, so the client refuses the connection.",
];
