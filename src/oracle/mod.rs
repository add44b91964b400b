//! The oracle: whether an answer is good. Rules alone, without a model: pure, the same on every machine, bound to [`RULES_VERSION`].

mod clarity;
mod clause;
mod clean;
mod completeness;
mod conflict;
mod decisive;
mod exhibit;
#[cfg(test)]
mod extractive_fresh_tests;
#[cfg(test)]
mod extractive_kinds_tests;
#[cfg(test)]
mod extractive_more_tests;
#[cfg(test)]
mod extractive_tests;
mod fact;
mod judge;
#[cfg(test)]
mod judge_tests;
mod keywords;
mod material;
mod negation;
mod number;
mod passage;
mod pattern;
mod phrases;
mod question;
mod refusal;
#[cfg(test)]
mod refusal_probes;
mod rules;
mod support;
mod token;

pub use exhibit::Exhibit;
pub use judge::{Judge, RuleJudge, context_texts};
pub use refusal::classify_refusal;
pub use rules::{RULES_VERSION, judge};
