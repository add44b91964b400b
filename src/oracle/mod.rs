//! The oracle: whether an answer is good. Rules alone, without a model: pure, the same on every machine, bound to [`RULES_VERSION`].

mod clarity;
mod clause;
mod clean;
mod completeness;
mod conflict;
mod decisive;
mod exhibit;
mod fact;
mod judge;
mod keywords;
mod material;
mod negation;
mod number;
mod passage;
mod pattern;
mod phrases;
mod question;
mod refusal;
mod rules;
mod support;
#[cfg(test)]
mod tests;
mod token;

pub use exhibit::Exhibit;
pub use judge::{Judge, RuleJudge, context_texts};
pub use refusal::classify_refusal;
pub use rules::{RULES_VERSION, judge};
