//! What a RAG system returns: ranked chunks, the answer, and what it says of how it got there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One chunk in a ranked list. Every field that the system does not expose stays `None`; nothing is made up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hit {
    /// The system's own id of the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<String>,
    /// The document it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// The chunk's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The system's score: higher is better, no fixed range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl Hit {
    /// A hit that is known by its text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Sets the chunk's id.
    #[must_use]
    pub fn chunk_id(mut self, id: impl Into<String>) -> Self {
        self.chunk_id = Some(id.into());
        self
    }

    /// Sets the document.
    #[must_use]
    pub fn source_id(mut self, id: impl Into<String>) -> Self {
        self.source_id = Some(id.into());
        self
    }

    /// Sets the score.
    #[must_use]
    pub fn score(mut self, score: f64) -> Self {
        self.score = Some(score);
        self
    }
}

/// The answer's pointer to a chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Citation {
    /// The cited chunk's id.
    pub chunk_id: Option<String>,
    /// The cited document.
    pub source_id: Option<String>,
    /// The part of the answer that the citation stands for.
    pub text: Option<String>,
}

impl Citation {
    /// A citation of a chunk.
    pub fn chunk(id: impl Into<String>) -> Self {
        Self { chunk_id: Some(id.into()), ..Self::default() }
    }
}

/// One tool call that an agentic system made on its way to the answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: serde_json::Value,
    /// What it returned, where the system says so.
    pub output: Option<String>,
}

/// What a call cost, as far as the system reports it. Unreported = `None`, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// What the system under test returned for one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Response {
    /// The ranked chunks, best first. `None`: the system does not expose them; `Some([])`: it retrieved nothing.
    pub chunks: Option<Vec<Hit>>,
    /// Which of `chunks` entered the prompt, in order (indices from 0). `None` = unknown.
    pub context: Option<Vec<usize>>,
    /// The answer. `None`: a retrieval-only system.
    pub answer: Option<String>,
    /// The chunks that the answer refers to.
    pub citations: Vec<Citation>,
    /// Calls of an agentic system.
    pub tool_calls: Vec<ToolCall>,
    /// Chunks that an earlier turn already put into the conversation.
    pub prior_context: Vec<Hit>,
    /// The knowledge snapshot that the system says it used.
    pub snapshot_id: Option<String>,
    /// Free facts about the prompt (template, version, ...).
    pub prompt_metadata: BTreeMap<String, String>,
    /// Tokens and money.
    pub usage: Usage,
}

impl Response {
    /// A response with an answer and nothing else exposed.
    pub fn answer(answer: impl Into<String>) -> Self {
        Self { answer: Some(answer.into()), ..Self::default() }
    }

    /// A response of retrieved chunks only.
    pub fn chunks(chunks: Vec<Hit>) -> Self {
        Self { chunks: Some(chunks), ..Self::default() }
    }

    /// Sets the ranked chunks.
    #[must_use]
    pub fn with_chunks(mut self, chunks: Vec<Hit>) -> Self {
        self.chunks = Some(chunks);
        self
    }

    /// Sets which chunks entered the prompt.
    #[must_use]
    pub fn with_context(mut self, context: Vec<usize>) -> Self {
        self.context = Some(context);
        self
    }

    /// Sets the citations.
    #[must_use]
    pub fn with_citations(mut self, citations: Vec<Citation>) -> Self {
        self.citations = citations;
        self
    }

    /// Sets the usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets the knowledge snapshot that was used.
    #[must_use]
    pub fn with_snapshot(mut self, snapshot: impl Into<String>) -> Self {
        self.snapshot_id = Some(snapshot.into());
        self
    }
}
