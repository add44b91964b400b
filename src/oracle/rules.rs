//! The judge: the five criteria, groundedness, facts and the verdict.

use super::clarity;
use super::clause::Term;
use super::clean;
use super::completeness::{Coverage, Said, coverage};
use super::exhibit::Exhibit;
use super::fact::FactFinder;
use super::keywords;
use super::material::Material;
use super::passage::Passage;
use super::question::Question;
use super::refusal::Reading;
use super::support::{Finding, Support, findings};
use crate::case::Expect;
use crate::verdict::{AnswerLabel, Assessment, Criterion, FactCheck, FactState, Rating, Refusal, Rule, Verdict, mean_rating, passes};

/// The version of the rules: a change of a verdict changes it.
pub const RULES_VERSION: &str = "rules-2";

/// New words that make a caveat an answer after all.
const NEW_WORDS: usize = 4;

/// Judges an answer by rules alone.
///
/// `passed` follows the rule, the facts and what the case expects. With an undecided fact it is `false`: the caller reports an error.
pub fn judge(exhibit: &Exhibit<'_>, rule: Rule) -> Verdict {
    let bench = Bench::new(exhibit);
    let ratings = bench.ratings();
    let facts = bench.facts();
    let facts_hold = facts.iter().all(|check| match (check.required, check.state) {
        (_, FactState::Undecided) => false,
        (required, state) => required == (state == FactState::Entailed),
    });
    let passed = passes(&ratings, rule) && facts_hold && !bench.is_blank() && !bench.invents_without_context();
    Verdict {
        passed,
        mean: mean_rating(&ratings),
        groundedness: bench.groundedness(),
        refusal: bench.reading.refusal,
        label: bench.label(&ratings),
        rationale: rationale(&ratings, &facts, passed),
        judge: format!("embedded {RULES_VERSION}"),
        ratings,
        facts,
    }
}

/// One answer with everything that it is compared with.
struct Bench<'a> {
    exhibit: &'a Exhibit<'a>,
    expect: Expect,
    reference: Option<&'a str>,
    question: Question,
    reading: Reading,
    coverage: Option<Coverage>,
    /// Against reference, evidence and context.
    faith: Vec<Finding>,
    /// The sources are complete: what they do not have is invented.
    closed: bool,
    /// Against the context alone.
    ground: Option<Vec<Finding>>,
}

impl<'a> Bench<'a> {
    fn new(exhibit: &'a Exhibit<'a>) -> Self {
        let question = Question::new(exhibit.query);
        let reading = Reading::of(Passage::answer(exhibit.answer));
        let reference = exhibit.reference_answer.filter(|r| !clean::is_blank(r));
        // A reference that itself declines makes the case one to abstain from.
        let declined = exhibit.expect == Expect::Answer && reference.is_some_and(|r| super::classify_refusal(r) == Refusal::Refusal);
        let (expect, reference) = if declined { (Expect::Abstain, None) } else { (exhibit.expect, reference) };
        let read = |texts: &[String]| texts.iter().filter(|t| !clean::is_blank(t)).map(|t| Passage::source(t)).collect::<Vec<_>>();
        let context = exhibit.context.map(read);
        let mut sources = context.clone().unwrap_or_default();
        let closed = !sources.is_empty() || (reference.is_none() && !exhibit.evidence.is_empty());
        sources.extend(read(exhibit.evidence));
        sources.extend(reference.into_iter().map(Passage::source));
        let statements = &reading.statements;
        // Where a caveat is part of what is wanted, its words count.
        let compared = if expect == Expect::Partial { &reading.whole } else { statements };
        let sources = Material::new(sources);
        let coverage = reference.map(|reference| {
            let has_keywords = matches!(keywords::rate(exhibit.keywords, &keyword_text(exhibit, &reading)).0, None | Some(Rating::True));
            let material = Material::new(vec![compared.clone()]);
            coverage(reference, &Said { answer: compared, material, question: &question, sources: &sources, has_keywords })
        });
        let held = reference.map(|reference| Material::new(vec![Passage::source(reference)]));
        let faith = findings(statements, &sources, held.as_ref(), &question);
        let ground = context.map(|context| findings(statements, &Material::new(context), None, &question));
        Self { exhibit, expect, reference, question, reading, coverage, faith, closed, ground }
    }

    fn is_blank(&self) -> bool {
        clean::is_blank(&self.reading.whole.text)
    }

    /// It retrieved nothing and states something all the same.
    fn invents_without_context(&self) -> bool {
        let nothing = self.exhibit.context.is_some_and(|texts| texts.iter().all(|text| clean::is_blank(text)));
        nothing && self.reading.refusal != Refusal::Refusal
    }

    fn declines(&self) -> bool {
        self.reading.refusal == Refusal::Refusal
    }

    fn caveat(&self) -> String {
        self.reading.caveat.clone().unwrap_or_else(|| super::passage::excerpt(&self.reading.whole.text))
    }

    fn ratings(&self) -> Vec<Assessment> {
        let (clarity, readable) = clarity::rate(self.exhibit.answer, &self.reading.whole);
        let (keywords, found) = keywords::rate(self.exhibit.keywords, &keyword_text(self.exhibit, &self.reading));
        let [faithfulness, relevance, completeness] = self.content_ratings();
        let assess = |criterion, (rating, reason)| Assessment { criterion, rating, reason };
        vec![
            assess(Criterion::Faithfulness, faithfulness),
            assess(Criterion::Relevance, relevance),
            assess(Criterion::Completeness, completeness),
            assess(Criterion::Clarity, (Some(clarity), readable)),
            assess(Criterion::Keywords, (keywords, found)),
        ]
    }

    /// Faithfulness, relevance and completeness, by what the case expects.
    fn content_ratings(&self) -> [(Option<Rating>, String); 3] {
        if self.is_blank() {
            return all_three(Rating::False, "the answer is blank");
        }
        if self.invents_without_context() {
            return all_three(Rating::False, "nothing was retrieved, yet the answer states something");
        }
        match self.expect {
            Expect::Answer => self.answer_ratings(),
            Expect::Abstain => self.abstain_ratings(),
            Expect::Deny => self.deny_ratings(),
            Expect::Partial => self.partial_ratings(),
            Expect::FlagConflict => self.conflict_ratings(),
        }
    }

    fn answer_ratings(&self) -> [(Option<Rating>, String); 3] {
        if self.declines() || self.evades() {
            let reason = format!("declines a question that has an answer: {}", self.caveat());
            return [
                (Some(Rating::True), "claims nothing".to_owned()),
                (Some(Rating::False), reason.clone()),
                (Some(Rating::False), reason),
            ];
        }
        let statements = &self.reading.statements;
        if !self.question.is_blank() && self.question.is_echoed_by(statements) {
            let reason = "only repeats the question".to_owned();
            return [(Some(Rating::Partially), reason.clone()), (Some(Rating::False), reason.clone()), (Some(Rating::False), reason)];
        }
        [self.faithfulness(), self.relevance(), self.completeness()]
    }

    /// A caveat without a reference to compare with, and beside it a statement that neither comes as the answer nor names anything of the question.
    fn evades(&self) -> bool {
        const SHORT: usize = 4;
        let statements = &self.reading.statements;
        let clauses = || statements.sentences.iter().flat_map(|s| &s.clauses);
        let comes_as_answer = || clauses().any(|clause| clause.claim_start > clause.tokens.start + 1);
        let about_it = || statements.terms().any(|term| self.question.has(term));
        let caveat = self.reading.refusal == Refusal::Partial && !self.reading.flags_conflict;
        let unguided = self.reference.is_none() && !self.question.is_blank();
        caveat && unguided && statements.terms().count() > SHORT && !comes_as_answer() && !about_it()
    }

    fn faithfulness(&self) -> (Option<Rating>, String) {
        if let Some(conflict) = self.coverage.as_ref().and_then(|c| c.conflict.clone()) {
            return (Some(Rating::False), conflict);
        }
        let worst = self.faith.iter().min_by_key(|finding| finding.support);
        let supported = self.faith.iter().any(|finding| finding.support >= Support::Weak);
        match worst {
            Some(finding) if finding.support == Support::Contradicted && (self.closed || self.reference.is_some()) => {
                (Some(Rating::False), finding.reason.clone())
            }
            _ if !self.closed && self.reference.is_none() => {
                (None, "there is no reference, evidence or context to compare with".to_owned())
            }
            _ if !self.closed => (Some(Rating::True), "does not contradict the reference".to_owned()),
            Some(finding) if finding.support == Support::Absent => (Some(Rating::False), finding.reason.clone()),
            Some(finding) if finding.support == Support::Weak => (Some(Rating::Partially), finding.reason.clone()),
            Some(finding) if supported => (Some(Rating::True), finding.reason.clone()),
            _ if self.coverage.as_ref().is_some_and(|c| c.rating == Rating::True) => {
                (Some(Rating::True), "agrees with the reference".to_owned())
            }
            _ => (Some(Rating::False), "makes no statement that the sources support".to_owned()),
        }
    }

    fn relevance(&self) -> (Option<Rating>, String) {
        if self.question.is_blank() {
            return (None, "there is no question".to_owned());
        }
        if self.reading.statements.sentences.is_empty() {
            return (Some(Rating::False), "answers nothing".to_owned());
        }
        (Some(Rating::True), "states something of its own".to_owned())
    }

    fn completeness(&self) -> (Option<Rating>, String) {
        match &self.coverage {
            Some(coverage) => (Some(coverage.rating), coverage.reason.clone()),
            None => (None, "there is no reference answer".to_owned()),
        }
    }

    fn abstain_ratings(&self) -> [(Option<Rating>, String); 3] {
        let new: Vec<&Term> = self.reading.statements.terms().filter(|term| !self.question.has(term)).collect();
        match self.reading.refusal {
            Refusal::Refusal => all_three(Rating::True, &format!("declines, as it should: {}", self.caveat())),
            Refusal::Partial if new.len() < NEW_WORDS => {
                all_three(Rating::True, &format!("declines with little beside: {}", self.caveat()))
            }
            _ => {
                let said = self.reading.statements.sentences.first().map(|s| self.reading.statements.excerpt(s)).unwrap_or_default();
                all_three(Rating::False, &format!("answers a question that has no answer in the sources: {said}"))
            }
        }
    }

    fn deny_ratings(&self) -> [(Option<Rating>, String); 3] {
        let denial = self.reading.denies(|term| self.question.has(term)).map(|s| self.reading.whole.excerpt(s));
        match denial {
            Some(sentence) => all_three(Rating::True, &format!("names the false premise: {sentence}")),
            None if self.declines() && !self.exhibit.must_deny => all_three(Rating::True, &format!("abstains: {}", self.caveat())),
            None => all_three(Rating::False, "does not name the false premise of the question"),
        }
    }

    fn partial_ratings(&self) -> [(Option<Rating>, String); 3] {
        let [faithfulness, relevance, completeness] = self.answer_ratings();
        match self.reading.refusal {
            Refusal::Answer => [faithfulness, relevance, (Some(Rating::False), "does not say which part is not known".to_owned())],
            _ => [faithfulness, relevance, completeness],
        }
    }

    fn conflict_ratings(&self) -> [(Option<Rating>, String); 3] {
        if self.reading.flags_conflict {
            return all_three(Rating::True, "names that the sources disagree");
        }
        if self.declines() {
            return self.answer_ratings();
        }
        let reason = "presents one side although the sources disagree".to_owned();
        [(Some(Rating::False), reason.clone()), self.relevance(), (Some(Rating::False), reason)]
    }

    /// Strict support of every statement by the retrieved texts.
    fn groundedness(&self) -> Option<Rating> {
        let findings = self.ground.as_ref()?;
        let full = findings.iter().filter(|finding| finding.support == Support::Full).count();
        let bad = findings.iter().filter(|finding| finding.support <= Support::Absent).count();
        Some(match (full, bad) {
            _ if findings.is_empty() && self.declines() => Rating::True,
            (full, _) if full == findings.len() && full > 0 => Rating::True,
            (_, bad) if bad == findings.len() => Rating::False,
            _ => Rating::Partially,
        })
    }

    fn facts(&self) -> Vec<FactCheck> {
        let finder = FactFinder::new(&self.reading.whole, &self.reading.statements, &self.question);
        let required = self.exhibit.required_facts.iter().map(|fact| (fact, true));
        let forbidden = self.exhibit.forbidden_facts.iter().map(|fact| (fact, false));
        let check =
            |(fact, required): (&crate::case::Fact, bool)| FactCheck { fact: fact.text().to_owned(), required, state: finder.state(fact) };
        required.chain(forbidden).map(check).collect()
    }

    fn label(&self, ratings: &[Assessment]) -> AnswerLabel {
        let rated = |criterion| ratings.iter().find(|a| a.criterion == criterion).and_then(|a| a.rating);
        if self.declines() {
            AnswerLabel::Abstained
        } else if rated(Criterion::Faithfulness) == Some(Rating::False) || self.is_blank() {
            AnswerLabel::Incorrect
        } else if rated(Criterion::Completeness).is_some_and(|rating| rating < Rating::True) {
            AnswerLabel::Incomplete
        } else {
            AnswerLabel::Supported
        }
    }
}

/// The answer as it came, for names in citations, and without markup, for words that it splits.
fn keyword_text(exhibit: &Exhibit<'_>, reading: &Reading) -> String {
    format!("{}\n{}", exhibit.answer, reading.whole.text)
}

fn all_three(rating: Rating, reason: &str) -> [(Option<Rating>, String); 3] {
    std::array::from_fn(|_| (Some(rating), reason.to_owned()))
}

/// What decided: the worst rating's reason, or the fact.
fn rationale(ratings: &[Assessment], facts: &[FactCheck], passed: bool) -> String {
    let fact = facts.iter().find(|check| check.state == FactState::Undecided || check.required != (check.state == FactState::Entailed));
    if let Some(check) = fact.filter(|_| !passed) {
        let kind = if check.required { "required" } else { "forbidden" };
        let state = match check.state {
            FactState::Entailed => "is in the answer",
            FactState::Not => "is not in the answer",
            FactState::Contradicted => "is contradicted",
            FactState::Undecided => "cannot be decided by rules",
        };
        return format!("the {kind} fact {} {state}", super::passage::excerpt(&check.fact));
    }
    let deciding = ratings.iter().filter(|a| a.rating.is_some()).min_by_key(|a| (a.rating, a.criterion));
    deciding.map_or_else(String::new, |a| format!("{}: {}", a.criterion.name(), a.reason))
}
