//! What a RAG system is asked.

use serde::{Deserialize, Serialize};

/// One question to the system under test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The user's words, verbatim.
    pub query: String,
    /// Who asks: only documents of this scope, and those without any, may be used. `None` = somebody of no scope: documents without any.
    pub access_scope: Option<String>,
    /// The knowledge snapshot that the question is about.
    pub knowledge_snapshot_id: Option<String>,
    /// A conversation's id, for systems that keep state.
    pub session: Option<String>,
    /// Earlier turns of the conversation, oldest first.
    pub turns: Vec<Turn>,
}

/// One earlier turn of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// `user` or `assistant`.
    pub role: String,
    /// What was said.
    pub content: String,
}

impl Question {
    /// A question without scope, snapshot or history.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), ..Self::default() }
    }

    /// Sets who asks.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.access_scope = Some(scope.into());
        self
    }

    /// Sets the knowledge snapshot.
    #[must_use]
    pub fn snapshot(mut self, snapshot: impl Into<String>) -> Self {
        self.knowledge_snapshot_id = Some(snapshot.into());
        self
    }
}
