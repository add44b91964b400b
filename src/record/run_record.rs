//! One line of `records/*.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::case::Strategy;
use crate::error::CallError;
use crate::id::Fingerprint;
use crate::metrics::JudgedList;
use crate::response::{Citation, Hit, ToolCall, Usage};
use crate::verdict::{AnswerLabel, Origin, Outcome, Verdict};

/// The record format's version.
pub const RECORD_FORMAT: u32 = 1;

/// What a record is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordKey {
    /// The suite.
    pub suite: String,
    /// The system.
    pub system: String,
    /// The case.
    pub case_id: String,
}

impl RecordKey {
    /// A file name for the key.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of([&self.suite, &self.system, &self.case_id])
    }
}

/// One chunk as it was retrieved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetrievedChunk {
    /// From 1.
    pub rank: usize,
    /// The hit.
    pub chunk_id: Option<String>,
    /// The document.
    pub source_id: Option<String>,
    /// The system's score.
    pub score: Option<f64>,
    /// The text.
    pub text: Option<String>,
    /// Numbers (from 1) of the evidence items that the list held from this rank on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meets: Vec<usize>,
}

impl RetrievedChunk {
    /// The chunk as a hit.
    pub fn to_hit(&self) -> Hit {
        Hit { chunk_id: self.chunk_id.clone(), source_id: self.source_id.clone(), text: self.text.clone(), score: self.score }
    }
}

/// The exchange with the judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgeTrace {
    /// The judge: kind and version.
    pub model: String,
    /// What decides its verdicts: prompt, rules.
    pub rubric_hash: Fingerprint,
    /// Calls that were needed.
    pub attempts: u32,
}

/// What the harness adds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HarnessFacts {
    /// The run.
    pub run_id: String,
    /// UTC.
    pub started_at: String,
    /// The ranked list, judged: every retrieval metric at every k comes from it.
    pub judged: JudgedList,
    /// For the exact index's first chunks in order: their ranks (from 1) in the list of the approximate index that the system searched. Absent
    /// where nothing is approximated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact_ranks: Option<Vec<Option<usize>>>,
    /// Which parts of the pipeline decided the result.
    pub fingerprints: BTreeMap<String, Fingerprint>,
    /// The team that a failure concerns.
    pub owner: Option<String>,
    /// The case's tags.
    pub tags: Vec<String>,
    /// What a right answer does.
    pub expect: String,
    /// Why the outcome is what it is, in one line.
    pub reason: String,
    /// What kept the case from being judged.
    #[serde(default)]
    pub error: Option<CallError>,
}

/// What a system returned for one case, with metrics and verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The record format's version.
    pub format: u32,
    /// The case.
    pub case_id: String,
    /// The suite.
    pub suite: String,
    /// The system.
    pub system: String,
    /// How the case came to be.
    pub strategy: Strategy,
    /// The case's home document.
    pub document: Option<String>,
    /// The user's words.
    pub query: String,
    /// The knowledge snapshot that was asked about.
    pub knowledge_snapshot_id: Option<String>,
    /// Who asked.
    pub access_scope: Option<String>,
    /// The ranked chunks; absent where the system does not expose them.
    pub retrieved_chunks: Option<Vec<RetrievedChunk>>,
    /// Which of them entered the prompt (indices from 0); absent = unknown.
    pub context: Option<Vec<usize>>,
    /// The answer.
    pub answer: Option<String>,
    /// The answer's hash: people's reviews are merged by it.
    pub answer_hash: Option<Fingerprint>,
    /// The chunks that the answer refers to.
    pub citations: Vec<Citation>,
    /// Free facts about the prompt.
    pub prompt_metadata: BTreeMap<String, String>,
    /// Calls of an agentic system.
    pub tool_calls: Vec<ToolCall>,
    /// Chunks of earlier turns.
    pub prior_context: Vec<Hit>,
    /// Milliseconds from question to answer.
    pub latency_ms: f64,
    /// Tokens and money.
    pub usage: Usage,
    /// What went wrong, where the system gave no answer.
    pub error: Option<CallError>,
    /// Metric name to value; not scored = absent.
    pub metrics: BTreeMap<String, f64>,
    /// The oracle's judgement.
    pub verdict: Option<Verdict>,
    /// What became of the case. On disk one word; `origin`, `harness.error` and `harness.reason` hold the rest.
    #[serde(with = "outcome_word")]
    pub outcome: Outcome,
    /// The stage that a failure comes from.
    pub origin: Option<Origin>,
    /// Right without any evidence retrieved.
    #[serde(default)]
    pub lucky: bool,
    /// `generated` or `manual`.
    pub document_origin: String,
    /// `unreviewed` until a person speaks.
    pub answer_review: String,
    /// The oracle's proposal.
    pub answer_review_auto: Option<AnswerLabel>,
    /// The exchange with the judge.
    pub judge: Option<JudgeTrace>,
    /// What the harness adds.
    pub harness: HarnessFacts,
}

impl RunRecord {
    /// What the record is about.
    pub fn key(&self) -> RecordKey {
        RecordKey { suite: self.suite.clone(), system: self.system.clone(), case_id: self.case_id.clone() }
    }

    /// Completes the outcome after reading: its word is on disk, its details stand in other fields.
    pub(super) fn complete_outcome(&mut self) {
        match &mut self.outcome {
            Outcome::Pass => {}
            Outcome::Fail(origin) => *origin = self.origin,
            Outcome::Error(error) => {
                if let Some(recorded) = &self.harness.error {
                    error.clone_from(recorded);
                }
            }
            Outcome::NotScored(reason) | Outcome::Skipped(reason) => reason.clone_from(&self.harness.reason),
        }
    }
}

/// An outcome as one word.
mod outcome_word {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::error::{CallError, CallErrorKind};
    use crate::verdict::Outcome;

    pub(super) fn serialize<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(outcome.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(match word.as_str() {
            "pass" => Outcome::Pass,
            "fail" => Outcome::Fail(None),
            "error" => Outcome::Error(CallError::new(CallErrorKind::Other, "no reason recorded")),
            "not-scored" => Outcome::NotScored(String::new()),
            "skipped" => Outcome::Skipped(String::new()),
            other => return Err(serde::de::Error::custom(format_args!("unknown outcome {other:?}"))),
        })
    }
}
