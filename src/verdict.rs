//! The words of a judgement: criteria, ratings, verdict, outcome, origin.

use serde::{Deserialize, Serialize};

use crate::error::CallError;

/// One of the five criteria of the RAG-Tester paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// Nothing in the answer contradicts the reference or the evidence, or is invented beside them.
    Faithfulness,
    /// The answer answers this question.
    Relevance,
    /// The answer holds all of the reference answer. Correct extra detail never lowers it.
    Completeness,
    /// The answer can be read: not empty, cut, repeated or broken markup.
    Clarity,
    /// The case's keywords are in it: all, some, none.
    Keywords,
}

impl Criterion {
    /// All five, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Faithfulness, Self::Relevance, Self::Completeness, Self::Clarity, Self::Keywords];

    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faithfulness => "faithfulness",
            Self::Relevance => "relevance",
            Self::Completeness => "completeness",
            Self::Clarity => "clarity",
            Self::Keywords => "keywords",
        }
    }
}

/// A rating on the paper's three-step scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rating {
    /// 0.
    False,
    /// 0.5.
    Partially,
    /// 1.
    True,
}

impl Rating {
    /// 0, 0.5 or 1.
    pub fn value(self) -> f64 {
        match self {
            Self::False => 0.0,
            Self::Partially => 0.5,
            Self::True => 1.0,
        }
    }

    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Partially => "partially",
            Self::True => "true",
        }
    }
}

/// One criterion's rating with the sentence and the evidence that decided it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// The criterion.
    pub criterion: Criterion,
    /// `None` where the criterion cannot apply: left out of the mean, shown as `n/a`.
    pub rating: Option<Rating>,
    /// Why.
    pub reason: String,
}

/// Whether a fact of the case is in the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactCheck {
    /// The fact, as the case has it.
    pub fact: String,
    /// `true` for a required fact, `false` for a forbidden one.
    pub required: bool,
    /// What the judge found.
    pub state: FactState,
}

/// What a judge says of one fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactState {
    /// The answer says it.
    Entailed,
    /// The answer does not say it.
    Not,
    /// The answer says the opposite.
    Contradicted,
    /// The judge cannot tell: the case is an error, never a fail.
    Undecided,
}

/// Whether an answer declines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// It only says that it cannot answer.
    Refusal,
    /// A caveat with content beside it.
    Partial,
    /// It answers.
    Answer,
}

/// The paper's pass rule, or ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// The paper's rule and: completeness false fails.
    #[default]
    Strict,
    /// The mean of the applicable ratings is at least 0.5 and faithfulness is not false (RAG-Tester, section on the oracle).
    Paper,
}

/// How a person or the oracle names an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerLabel {
    /// Right and complete enough.
    Supported,
    /// Right as far as it goes.
    Incomplete,
    /// Wrong.
    Incorrect,
    /// Declined.
    Abstained,
}

impl AnswerLabel {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Incomplete => "incomplete",
            Self::Incorrect => "incorrect",
            Self::Abstained => "abstained",
        }
    }
}

/// The oracle's judgement of one answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the answer passes.
    pub passed: bool,
    /// The mean of the applicable ratings, 0 to 1; `None` when none applies.
    pub mean: Option<f64>,
    /// The five ratings.
    pub ratings: Vec<Assessment>,
    /// Strict entailment by the retrieved context; `None` when the context is not exposed.
    pub groundedness: Option<Rating>,
    /// The case's facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactCheck>,
    /// Whether the answer declines.
    pub refusal: Refusal,
    /// The oracle's proposal for a label.
    pub label: AnswerLabel,
    /// The reason in one or two sentences.
    pub rationale: String,
    /// The judge: kind, version.
    pub judge: String,
}

impl Verdict {
    /// The rating of a criterion; `None` = not applicable.
    pub fn rating(&self, criterion: Criterion) -> Option<Rating> {
        self.ratings.iter().find(|a| a.criterion == criterion)?.rating
    }
}

/// The mean of the ratings that apply; `None` when none does.
pub fn mean_rating(ratings: &[Assessment]) -> Option<f64> {
    let values: Vec<f64> = ratings.iter().filter_map(|a| Some(a.rating?.value())).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Whether ratings pass under a rule. Exactly 0.5 passes.
pub fn passes(ratings: &[Assessment], rule: Rule) -> bool {
    let is_false = |criterion| ratings.iter().any(|a| a.criterion == criterion && a.rating == Some(Rating::False));
    mean_rating(ratings).is_some_and(|mean| mean >= 0.5)
        && !is_false(Criterion::Faithfulness)
        && !(rule == Rule::Strict && is_false(Criterion::Completeness))
}

/// The stage that a failure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Origin {
    /// The evidence is not in the extracted text.
    Extraction,
    /// The evidence is split so that no k chunks hold it.
    Chunking,
    /// A chunk holds the evidence, but it is not in the top k.
    Retrieval,
    /// Retrieved, but cut or dropped before the model.
    Prompt,
    /// In the prompt, but the answer is wrong.
    Generation,
    /// A panel overturns the verdict.
    Oracle,
    /// A chunk out of scope, of another snapshot or of an unknown source.
    Scope,
    /// An agent did not call its retrieval tool.
    ToolNotCalled,
    /// An agent asked its retrieval tool the wrong question.
    ToolQuery,
    /// The system exposes too little to tell.
    Undetermined,
}

impl Origin {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extraction => "extraction",
            Self::Chunking => "chunking",
            Self::Retrieval => "retrieval",
            Self::Prompt => "prompt",
            Self::Generation => "generation",
            Self::Oracle => "oracle",
            Self::Scope => "scope",
            Self::ToolNotCalled => "tool-not-called",
            Self::ToolQuery => "tool-query",
            Self::Undetermined => "undetermined",
        }
    }
}

/// What became of a case. No default ever turns one outcome into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Judged and good.
    Pass,
    /// Judged and bad; with the stage where known.
    Fail(Option<Origin>),
    /// Could not be judged.
    Error(CallError),
    /// Nothing to judge by.
    NotScored(String),
    /// Chosen not to run.
    Skipped(String),
}

impl Outcome {
    /// The name in files and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Error(_) => "error",
            Self::NotScored(_) => "not-scored",
            Self::Skipped(_) => "skipped",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratings(values: [Rating; 5]) -> Vec<Assessment> {
        let assess = |(criterion, rating)| Assessment { criterion, rating: Some(rating), reason: String::new() };
        Criterion::ALL.into_iter().zip(values).map(assess).collect()
    }

    /// All 243 combinations. The paper's rule as stated (mean >= 0.5, faithfulness not false) decides each.
    #[test]
    fn rules_agree_with_their_definitions_on_all_combinations() {
        let scale = [Rating::False, Rating::Partially, Rating::True];
        let (mut paper, mut strict) = (0, 0);
        for n in 0..243_usize {
            let digit = |i: u32| scale[n / 3_usize.pow(i) % 3];
            let all = ratings([digit(0), digit(1), digit(2), digit(3), digit(4)]);
            let half_points: usize = (0..5).map(|i| n / 3_usize.pow(i) % 3).sum();
            let expected = half_points >= 5 && digit(0) != Rating::False;
            assert_eq!(passes(&all, Rule::Paper), expected);
            assert_eq!(passes(&all, Rule::Strict), expected && digit(2) != Rating::False);
            paper += usize::from(passes(&all, Rule::Paper));
            strict += usize::from(passes(&all, Rule::Strict));
        }
        assert_eq!(paper, 116);
        assert!(strict < paper);
    }

    #[test]
    fn ratings_that_do_not_apply_leave_the_mean() {
        let mut all = ratings([Rating::True, Rating::True, Rating::False, Rating::False, Rating::False]);
        assert!(!passes(&all, Rule::Paper));
        all[4].rating = None;
        assert_eq!(mean_rating(&all), Some(0.5));
        assert!(passes(&all, Rule::Paper) && !passes(&all, Rule::Strict));
        for assessment in &mut all {
            assessment.rating = None;
        }
        assert_eq!(mean_rating(&all), None);
        assert!(!passes(&all, Rule::Paper));
    }
}
