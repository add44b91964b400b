//! From prompt to answer.

use std::borrow::Cow;
use std::sync::Arc;

use super::extractive::{self, Lexicon, Passage};
use super::prompting::Prompt;
use crate::id::{Fingerprint, Stage};
use crate::model::{ChatModel, ChatRequest, Reply};
use crate::question::Question;
use crate::response::{Citation, Response, Usage};
use crate::text::token_estimate;

/// Answers from a prompt: extractive, or over a chat model.
pub trait Answerer: Stage {
    /// The answer, with citations and usage. Chunks and context are the pipeline's to fill.
    fn answer<'a>(&'a self, question: &'a Question, prompt: &'a Prompt) -> Reply<'a, Response>;
}

/// What the embedded tier says when the passages do not hold the answer.
const DECLINE: &str = "I have insufficient information to answer this question from the documents.";

/// The embedded tier's answerer: the passages' own sentences that best answer the question, with citations, or a refusal when their score
/// is below a fitted threshold. No model, deterministic, lexical.
#[derive(Clone, Debug)]
pub struct ExtractiveAnswerer {
    /// Scores below this decline; 0 never declines, see [`extractive::DECLINE_SCORE`].
    pub decline_below: f64,
}

impl Default for ExtractiveAnswerer {
    fn default() -> Self {
        Self { decline_below: extractive::DECLINE_SCORE }
    }
}

impl Stage for ExtractiveAnswerer {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(["extractive-3".as_bytes(), &self.decline_below.to_le_bytes()])
    }
}

impl Answerer for ExtractiveAnswerer {
    fn answer<'a>(&'a self, question: &'a Question, prompt: &'a Prompt) -> Reply<'a, Response> {
        let unknown = Vec::new();
        let ids: Vec<String> = (1..=prompt.passages.len()).map(|n| n.to_string()).collect();
        let passages: Vec<Passage<'_>> = prompt
            .passages
            .iter()
            .zip(&ids)
            .enumerate()
            .map(|(at, (hit, number))| Passage {
                id: hit.chunk_id.as_deref().unwrap_or(number),
                headings: prompt.above.get(at).unwrap_or(&unknown),
                text: hit.text.as_deref().unwrap_or_default(),
            })
            .collect();
        let own = || Lexicon::of(passages.iter().map(|passage| passage.text));
        let lexicon = prompt.lexicon.as_deref().map_or_else(|| Cow::Owned(own()), Cow::Borrowed);
        let mut response = match extractive::extract(&question.query, &passages, &lexicon, self.decline_below) {
            Ok(extract) => {
                let citations = extract.cited.iter().map(|index| {
                    let hit = &prompt.passages[*index];
                    Citation { chunk_id: hit.chunk_id.clone(), source_id: hit.source_id.clone(), text: None }
                });
                Response::answer(extract.answer).with_citations(citations.collect())
            }
            Err(_) => Response::answer(DECLINE),
        };
        let completion = response.answer.as_deref().map_or(0, token_estimate);
        response.usage =
            Usage { prompt_tokens: Some(token_estimate(&prompt.text) as u64), completion_tokens: Some(completion as u64), cost_usd: None };
        Box::pin(std::future::ready(Ok(response)))
    }
}

/// An answerer over a chat model: the prompt is sent as it is.
pub struct ModelAnswerer {
    model: Arc<dyn ChatModel>,
}

impl ModelAnswerer {
    /// Answers with a model.
    pub fn new(model: Arc<dyn ChatModel>) -> Self {
        Self { model }
    }
}

impl Stage for ModelAnswerer {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of([Fingerprint::of(["model-1"]), self.model.fingerprint()])
    }
}

impl Answerer for ModelAnswerer {
    fn answer<'a>(&'a self, _: &'a Question, prompt: &'a Prompt) -> Reply<'a, Response> {
        Box::pin(async move {
            let reply = self.model.chat(&ChatRequest::user(&prompt.text)).await?;
            let citations = cited(&reply.content, prompt);
            let usage = Usage { prompt_tokens: reply.prompt_tokens, completion_tokens: reply.completion_tokens, cost_usd: None };
            Ok(Response::answer(reply.content).with_citations(citations).with_usage(usage))
        })
    }
}

/// The passages that the answer cites as `[n]`, each once, in order. A number that no passage has is kept as a citation of nothing.
fn cited(answer: &str, prompt: &Prompt) -> Vec<Citation> {
    let mut numbers: Vec<usize> = Vec::new();
    for part in answer.split('[').skip(1) {
        if let Some(number) = part.split_once(']').and_then(|(inside, _)| inside.parse().ok()).filter(|number| !numbers.contains(number)) {
            numbers.push(number);
        }
    }
    let citation = |number: usize| match number.checked_sub(1).and_then(|index| prompt.passages.get(index)) {
        Some(hit) => Citation { chunk_id: hit.chunk_id.clone(), source_id: hit.source_id.clone(), text: None },
        None => Citation { text: Some(format!("[{number}]")), ..Citation::default() },
    };
    numbers.into_iter().map(citation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Hit;

    #[test]
    fn citations_are_taken_from_the_text() {
        let passages = vec![Hit::text("a").chunk_id("c1"), Hit::text("b").chunk_id("c2")];
        let prompt = Prompt { passages, ..Prompt::default() };
        let ids: Vec<_> = cited("As [2] says, and [1], [2], [9] and [x].", &prompt).into_iter().map(|c| c.chunk_id).collect();
        assert_eq!(ids, [Some("c2".into()), Some("c1".into()), None]);
    }
}
