//! From hits to prompt: which chunks enter it, in which order, in which words.

use std::fmt::Write;
use std::sync::Arc;

use super::extractive::Lexicon;
use crate::id::{Fingerprint, Stage};
use crate::prompt::Template;
use crate::question::Question;
use crate::response::Hit;

/// What a model is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// The instruction with its slots filled.
    pub text: String,
    /// Which hits entered it, in order (indices from 0).
    pub context: Vec<usize>,
    /// The hits that entered it, as they entered it.
    pub passages: Vec<Hit>,
    /// What stands above each passage, outermost first: its document's name, its headings. Empty where that is unknown.
    pub above: Vec<Vec<String>>,
    /// How common words are in what the question may see; `None` where that is unknown.
    pub lexicon: Option<Arc<Lexicon>>,
}

/// Builds prompts.
pub trait PromptBuilder: Stage {
    /// The prompt for a question over its hits, best first.
    fn build(&self, question: &Question, hits: &[Hit]) -> Prompt;
}

/// The template `prompts/answer.md` over the best `top_k` hits.
#[derive(Clone, Debug)]
pub struct TemplatePrompt {
    template: Template,
    top_k: usize,
}

impl TemplatePrompt {
    /// A builder over a template with the slots `question` and `context`.
    pub fn new(template: Template, top_k: usize) -> Self {
        Self { template, top_k }
    }
}

impl Stage for TemplatePrompt {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of([self.template.fingerprint().as_ref(), &(self.top_k as u64).to_le_bytes()])
    }
}

impl PromptBuilder for TemplatePrompt {
    fn build(&self, question: &Question, hits: &[Hit]) -> Prompt {
        let passages: Vec<Hit> = hits.iter().take(self.top_k).cloned().collect();
        let mut context = String::new();
        for (number, hit) in passages.iter().enumerate() {
            let source = hit.source_id.as_deref().unwrap_or("unknown source");
            let _ = write!(context, "[{}] ({source})\n{}\n\n", number + 1, hit.text.as_deref().unwrap_or_default());
        }
        let text = self.template.fill(&[("question", &question.query), ("context", context.trim_end())]);
        Prompt { text, context: (0..passages.len()).collect(), passages, ..Prompt::default() }
    }
}
