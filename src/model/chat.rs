//! Chat models.

use serde::{Deserialize, Serialize};

use super::Reply;
use crate::id::{Fingerprint, Stage};

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The text.
    pub content: String,
}

/// What a chat model is asked. Everything in it decides the reply, so everything is part of a recording's key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Sampling temperature; `None` = the model's default.
    pub temperature: Option<f64>,
    /// Sampling seed.
    pub seed: Option<u64>,
    /// Longest reply in tokens.
    pub max_tokens: Option<u32>,
    /// JSON schema of the reply, where a structured one is wanted.
    pub schema: Option<serde_json::Value>,
    /// Which of several repeats of the same question this is, from 0.
    pub repeat: u32,
}

impl ChatRequest {
    /// A request of one user message.
    pub fn user(content: impl Into<String>) -> Self {
        Self { messages: vec![Message { role: "user".into(), content: content.into() }], ..Self::default() }
    }

    /// The key of the request to a model: the model's fingerprint (provider, identity, name, parameters) and the whole request.
    pub fn key(&self, model: Fingerprint) -> Fingerprint {
        let request = serde_json::to_vec(self).unwrap_or_default();
        Fingerprint::of([model.as_ref(), request.as_slice()])
    }
}

/// What a chat model replied. Only whole replies are replies: cut and empty ones are errors of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text.
    pub content: String,
    /// Tokens sent, as the server counts them.
    pub prompt_tokens: Option<u64>,
    /// Tokens generated.
    pub completion_tokens: Option<u64>,
}

/// A chat model.
pub trait ChatModel: Stage {
    /// The reply to a request.
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> Reply<'a, ChatReply>;
}
