//! The test case as it stands in a `cases/*.jsonl` file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::expectation::{Expect, Fact, Strategy};
use super::object::open_object;
use crate::id::Fingerprint;

open_object! {
    /// One test case: query and expectation. Never holds results.
    pub struct TestCase {
        /// Unique within the suite after NFC and trim.
        id: String,
        /// How the case came to be; absent = positive, or negative where a refusal is expected.
        strategy: Option<Strategy>,
        /// The user's words.
        query: String,
        /// The right answer, self-contained.
        reference_answer: Option<String>,
        /// What a right answer does; absent = answers.
        expect: Option<Expect>,
        /// With `expect = "deny"`: abstaining is not enough.
        must_deny: bool,
        /// A free rubric, kept verbatim and handed to the judge.
        answer_expectation: Option<String>,
        /// Where the answer stands.
        evidence: Vec<EvidenceItem>,
        /// Decisive strings of the answer, matched by code.
        keywords: Vec<String>,
        /// Facts that the answer must state.
        required_facts: Vec<Fact>,
        /// Facts that the answer must not state.
        forbidden_facts: Vec<Fact>,
        /// Retrieval thresholds of this case alone, for example `{"recall@5": 1.0}`.
        min: BTreeMap<String, f64>,
        /// The home document.
        document: Option<String>,
        /// The knowledge snapshot that is asked about.
        knowledge_snapshot_id: Option<String>,
        /// Who asks.
        access_scope: Option<String>,
        /// Free labels: `smoke`, `golden`, ...
        tags: Vec<String>,
        /// The team that a failure concerns.
        owner: Option<String>,
        /// The format's version; absent = 1.
        version: Option<u64>,
        /// Where a generated case comes from.
        origin: Option<CaseOrigin>,
        /// Whether a person accepted it; absent = written, and so accepted, by hand.
        review: Option<Review>,
        /// Expectations per knowledge snapshot; one trial each.
        at: BTreeMap<String, SnapshotExpectation>,
        /// The case that this one rewords.
        variant_of: Option<String>,
    }
}

open_object! {
    /// One place where (part of) the answer stands.
    pub struct EvidenceItem {
        /// The document.
        document: Option<String>,
        /// Its words, found whatever the chunking.
        quote: Option<String>,
        /// A chunk id of a system that is not ours.
        chunk_id: Option<String>,
        /// A document id of a system that is not ours.
        source_id: Option<String>,
        /// 1 (supports) to 3 (answers); absent = 1.
        grade: Option<u8>,
    }
}

impl EvidenceItem {
    /// The grade, 1 to 3.
    pub fn grade(&self) -> u8 {
        self.grade.unwrap_or(1)
    }
}

open_object! {
    /// How a case was generated.
    pub struct CaseOrigin {
        /// The recipe or person's method.
        method: Option<String>,
        /// The model.
        model: Option<String>,
        /// The prompt's hash.
        prompt: Option<String>,
        /// The section, `document#ordinal`.
        section: Option<String>,
        /// The hash of the document's bytes at that time.
        document_hash: Option<Fingerprint>,
    }
}

open_object! {
    /// A person's (or machine's) word on a case.
    pub struct Review {
        /// The state; absent = accepted.
        status: Option<ReviewStatus>,
        /// Who.
        by: Option<String>,
        /// When (date, UTC).
        at: Option<String>,
        /// Remarks.
        note: Option<String>,
        /// The hash of the home document's bytes when it was accepted.
        document_hash: Option<Fingerprint>,
    }
}

/// The states of a case's review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewStatus {
    /// Written, nobody looked.
    Draft,
    /// Checked by machine.
    Fit,
    /// Accepted by a person: it blocks.
    #[default]
    Accepted,
    /// Refused by a person.
    Rejected,
}

impl ReviewStatus {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Fit => "fit",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }
}

open_object! {
    /// What a case expects at one knowledge snapshot; absent parts are those of the case.
    pub struct SnapshotExpectation {
        /// The evidence there.
        evidence: Option<Vec<EvidenceItem>>,
        /// The right answer there.
        reference_answer: Option<String>,
        /// What a right answer does there.
        expect: Option<Expect>,
        /// The keywords there.
        keywords: Option<Vec<String>>,
    }
}

impl TestCase {
    /// What a right answer does.
    pub fn expect(&self) -> Expect {
        self.expect.unwrap_or_default()
    }

    /// The strategy, given or implied.
    pub fn strategy(&self) -> Strategy {
        self.strategy.unwrap_or(if self.expect().allows_refusal() { Strategy::Negative } else { Strategy::Positive })
    }

    /// The review state; a case without review was written by hand and counts as accepted.
    pub fn status(&self) -> ReviewStatus {
        self.review.as_ref().and_then(|review| review.status).unwrap_or_default()
    }

    /// The document that the case belongs to: its home, else that of its first evidence.
    pub fn home(&self) -> Option<&str> {
        self.document.as_deref().or_else(|| self.evidence.first()?.document.as_deref())
    }

    /// The document hash that the last person or generator saw.
    pub fn reviewed_hash(&self) -> Option<Fingerprint> {
        self.review.as_ref().and_then(|r| r.document_hash).or_else(|| self.origin.as_ref()?.document_hash)
    }

    /// Whether the case has a tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|t| t == tag)
    }

    /// One case for each knowledge snapshot of `at`, with ids like `cfg-001@2026-10`; the case itself where there is none.
    pub fn into_instances(self) -> Vec<Self> {
        if self.at.is_empty() {
            return vec![self];
        }
        let instance = |(snapshot, expected): (&String, &SnapshotExpectation)| {
            let mut case = self.clone();
            case.id = crate::id::normalize_id(&format!("{}@{snapshot}", self.id));
            case.knowledge_snapshot_id = Some(snapshot.clone());
            case.at = BTreeMap::new();
            if let Some(evidence) = &expected.evidence {
                case.evidence.clone_from(evidence);
            }
            if let Some(keywords) = &expected.keywords {
                case.keywords.clone_from(keywords);
            }
            case.reference_answer = expected.reference_answer.clone().or(case.reference_answer);
            case.expect = expected.expect.or(case.expect);
            case
        };
        self.at.iter().map(instance).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_survive_a_rewrite_at_every_level() {
        let line = r#"{"id":"a","query":"q","evidence":[{"document":"d.md","quote":"x","grade":3,"confidence":0.5}],"x_team":{"b":[1]}}"#;
        let case: TestCase = serde_json::from_str(line).expect("parses");
        assert_eq!(serde_json::to_string(&case).expect("writes"), line);
    }

    #[test]
    fn a_slip_is_named_with_its_cure() {
        let error = serde_json::from_str::<TestCase>(r#"{"id":"a","query":"q","keywrods":[]}"#).expect_err("slip");
        assert!(error.to_string().contains("did you mean `keywords`"), "{error}");
        let error = serde_json::from_str::<TestCase>(r#"{"id":"a","id":"b"}"#).expect_err("twice");
        assert!(error.to_string().contains("stands twice"), "{error}");
        let error = serde_json::from_str::<TestCase>(r#"{"id":7}"#).expect_err("type");
        assert!(error.to_string().contains("`id`"), "{error}");
    }

    #[test]
    fn snapshots_make_one_instance_each() {
        let line = r#"{"id":"a","query":"q","expect":"answer","reference_answer":"old","keywords":["k"],
            "at":{"2026-10":{"reference_answer":"30"},"2026-11":{"expect":"abstain"}}}"#;
        let case: TestCase = serde_json::from_str(line).expect("parses");
        let instances = case.into_instances();
        assert_eq!(instances[0].id, "a@2026-10");
        assert_eq!(instances[0].reference_answer.as_deref(), Some("30"));
        assert_eq!((instances[1].id.as_str(), instances[1].expect()), ("a@2026-11", Expect::Abstain));
    }

    #[test]
    fn absent_strategy_follows_the_expectation() {
        let case: TestCase = serde_json::from_str(r#"{"id":"a","query":"q","expect":"abstain"}"#).expect("parses");
        assert_eq!(case.strategy(), Strategy::Negative);
    }
}
