//! The seam between judges and everything that needs a verdict.

use super::{Exhibit, RULES_VERSION, judge};
use crate::case::TestCase;
use crate::error::{CallError, CallErrorKind};
use crate::id::{Fingerprint, Stage};
use crate::model::Reply;
use crate::response::Response;
use crate::verdict::{Rule, Verdict};

/// Judges an answer against its case.
pub trait Judge: Stage {
    /// The verdict, or why there is none. An error is never a bad answer.
    fn judge<'a>(&'a self, case: &'a TestCase, response: &'a Response) -> Reply<'a, Verdict>;

    /// Kind and version, as reports show it.
    fn name(&self) -> String;
}

/// Longer answers are an error of the case, never a score.
const LONGEST_ANSWER: usize = 1_000_000;

/// The embedded tier's judge: rules alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleJudge {
    /// When ratings pass.
    pub rule: Rule,
}

impl Stage for RuleJudge {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of([RULES_VERSION, if self.rule == Rule::Strict { "strict" } else { "paper" }])
    }
}

impl Judge for RuleJudge {
    fn judge<'a>(&'a self, case: &'a TestCase, response: &'a Response) -> Reply<'a, Verdict> {
        let length = response.answer.as_ref().map_or(0, String::len);
        if length > LONGEST_ANSWER {
            let message = format!("the answer has {length} bytes; the rule judge reads at most {LONGEST_ANSWER}");
            return Box::pin(std::future::ready(Err(CallError::new(CallErrorKind::Overflow, message))));
        }
        let evidence: Vec<String> = case.evidence.iter().filter_map(|item| item.quote.clone()).collect();
        let context = context_texts(response);
        let exhibit = Exhibit {
            query: &case.query,
            expect: case.expect(),
            must_deny: case.must_deny,
            reference_answer: case.reference_answer.as_deref(),
            evidence: &evidence,
            context: context.as_deref(),
            answer: response.answer.as_deref().unwrap_or_default(),
            keywords: &case.keywords,
            required_facts: &case.required_facts,
            forbidden_facts: &case.forbidden_facts,
        };
        Box::pin(std::future::ready(Ok(judge(&exhibit, self.rule))))
    }

    fn name(&self) -> String {
        format!("embedded {RULES_VERSION}")
    }
}

/// The texts that the answer could be drawn from: the chunks that entered the prompt (all of them where that is unknown) and those of
/// earlier turns. `None` = the system does not expose chunks, or not their text.
pub fn context_texts(response: &Response) -> Option<Vec<String>> {
    let chunks = response.chunks.as_ref()?;
    let used: Vec<_> = match &response.context {
        Some(indices) => indices.iter().filter_map(|index| chunks.get(*index)).collect(),
        None => chunks.iter().collect(),
    };
    if !used.is_empty() && used.iter().all(|hit| hit.text.is_none()) {
        return None;
    }
    Some(used.into_iter().chain(&response.prior_context).filter_map(|hit| hit.text.clone()).collect())
}
