//! The judge over whole cases: extractive answers over three sets of documents, refusals, injections, and kinds that once went wrong.

mod backup_service;
mod heat_pump;
mod kinds;
mod parcel_lockers;
mod refusals;
mod whole_cases;

use super::{Exhibit, judge};
use crate::case::{Expect, Fact};
use crate::verdict::{Rule, Verdict};

/// The verdict on an answer with all documents retrieved.
fn extractive_verdict(documents: &[&str], query: &str, reference: &str, facts: &[Fact], answer: &str) -> Verdict {
    let context: Vec<String> = documents.iter().map(|text| (*text).to_owned()).collect();
    let case = Exhibit {
        query,
        expect: Expect::Answer,
        must_deny: false,
        reference_answer: Some(reference),
        evidence: &[],
        context: Some(&context),
        answer,
        keywords: &[],
        required_facts: facts,
        forbidden_facts: &[],
    };
    judge(&case, Rule::Strict)
}

/// Facts that code alone looks for.
fn literals(texts: &[&str]) -> Vec<Fact> {
    texts.iter().map(|text| Fact::Literal((*text).to_owned())).collect()
}
