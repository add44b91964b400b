//! Whether an answer declines, and what is left of it beside that.

use super::clause::{Clause, Term};
use super::passage::{Passage, Role, Sentence};
use super::phrases::{BARE_REFUSALS, CLASSES, DENIALS, DISAGREEMENTS, OPPOSED_SOURCES, REFUSALS, SCOPES};
use super::token::Border;
use crate::verdict::Refusal;

/// Classifies an answer: it only declines, it declines with content beside that, it answers.
///
/// Works by clause: a caveat needs a first person or a word for the texts (`the context does not mention`), not just a negative. What the
/// sources say differently counts as a caveat too.
pub fn classify_refusal(answer: &str) -> Refusal {
    Reading::of(Passage::answer(answer)).refusal
}

/// An answer, read: its class and its statements without the caveats.
#[derive(Debug)]
pub(super) struct Reading {
    /// The class.
    pub refusal: Refusal,
    /// The first sentence that declines, for messages.
    pub caveat: Option<String>,
    /// It names that sources disagree.
    pub flags_conflict: bool,
    /// The statements: what is judged.
    pub statements: Passage,
    /// The answer as it was read, without text that addresses the judge.
    pub whole: Passage,
}

impl Reading {
    /// Reads an answer.
    pub(super) fn of(whole: Passage) -> Self {
        let bare = is_bare(&whole);
        let marks: Vec<Vec<Mark>> = whole.sentences.iter().map(marks).collect();
        let has = |wanted: Mark| marks.iter().flatten().any(|mark| *mark == wanted);
        let declines = bare || has(Mark::Caveat);
        let flags_conflict = has(Mark::Conflict) || whole.sentences.iter().any(|s| OPPOSED_SOURCES.any(&s.words()));
        let mut statements = Passage { text: whole.text.clone(), sentences: Vec::new() };
        let mut content = 0;
        for (sentence, marks) in whole.sentences.iter().zip(&marks).filter(|_| !bare) {
            let stated = |mark: Mark| mark == Mark::Content || (!declines && mark == Mark::Scope);
            let clauses = sentence.clauses.iter().zip(marks).filter(|(_, mark)| stated(**mark));
            let kept = Sentence { clauses: clauses.map(|(clause, _)| clause.clone()).collect(), ..sentence.clone() };
            if kept.role == Role::Statement {
                content += kept.clauses.iter().map(|clause| content_words(sentence, clause)).sum::<usize>();
            }
            if !kept.clauses.is_empty() {
                statements.sentences.push(kept);
            }
        }
        let refusal = match (declines, content) {
            (true, 0) => Refusal::Refusal,
            (true, _) => Refusal::Partial,
            (false, _) if flags_conflict => Refusal::Partial,
            (false, _) => Refusal::Answer,
        };
        let declining = whole.sentences.iter().zip(&marks).find(|(_, marks)| marks.contains(&Mark::Caveat));
        let caveat = declining.map(|(sentence, _)| whole.excerpt(sentence));
        Self { refusal, caveat, flags_conflict, statements, whole }
    }

    /// The sentence that denies what the question takes for granted: what it negates is a word of the question, or that the thing exists.
    pub(super) fn denies(&self, is_of_question: impl Fn(&Term) -> bool) -> Option<&Sentence> {
        const EXISTS: [&str; 14] = [
            "exist", "support", "offer", "true", "correct", "case", "valid", "accur", "happen", "occur", "longer", "avail", "ever",
            "actual",
        ];
        let negates_it = |clause: &Clause| {
            let focus = clause.denied();
            focus.is_some_and(|term| is_of_question(term) || EXISTS.contains(&term.key.as_str()))
        };
        self.whole.sentences.iter().find(|sentence| {
            let about_it = sentence.clauses.iter().flat_map(|c| &c.terms).any(&is_of_question);
            let corrects = || DENIALS.any(&sentence.words());
            let of_premise = || sentence.tokens.iter().any(|t| matches!(t.word.as_str(), "premise" | "assumption"));
            about_it && (sentence.clauses.iter().any(negates_it) || corrects()) || of_premise() && corrects()
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// States something.
    Content,
    /// Declines.
    Caveat,
    /// Goes with a refusal.
    Scope,
    /// Says that sources disagree.
    Conflict,
}

/// One mark for each clause of a sentence.
fn marks(sentence: &Sentence) -> Vec<Mark> {
    let words = sentence.words();
    let all_quoted = sentence.tokens.iter().all(|token| token.quoted);
    let mut marks = vec![Mark::Content; sentence.clauses.len()];
    if sentence.role == Role::Courtesy {
        // "I am sorry, but I could not find it" declines; "please check the news" does not.
        marks.fill(Mark::Scope);
    }
    for at in 0..words.len() {
        if sentence.tokens[at].quoted && !all_quoted {
            continue;
        }
        // A phrase does not reach over the border of a table cell.
        let cell_end =
            sentence.tokens[at + 1..].iter().position(|t| t.border == Border::Cell).map_or(words.len(), |length| at + 1 + length);
        let words = &words[..cell_end];
        if let Some(end) = REFUSALS.match_at(words, at) {
            // The conjunction that a pattern looks ahead to starts the next clause.
            let ahead = usize::from(end > at + 1 && matches!(words[end - 1], "but" | "however"));
            mark(sentence, at..end.max(at + 1) - ahead, Mark::Caveat, &mut marks);
        } else if let Some(end) = DISAGREEMENTS.match_at(words, at) {
            mark(sentence, at..end, Mark::Conflict, &mut marks);
        } else if let Some(end) = SCOPES.match_at(words, at) {
            mark(sentence, at..end, Mark::Scope, &mut marks);
        }
    }
    // What follows a caveat without a contrast belongs to it: "I could not find X, which ...".
    let mut inside = false;
    for (clause, mark) in sentence.clauses.iter().zip(&mut marks) {
        inside = *mark == Mark::Caveat || (inside && !clause.contrast);
        if inside && *mark == Mark::Content {
            *mark = Mark::Caveat;
        }
    }
    marks
}

fn mark(sentence: &Sentence, range: std::ops::Range<usize>, kind: Mark, marks: &mut [Mark]) {
    for (clause, mark) in sentence.clauses.iter().zip(marks) {
        let touches = clause.tokens.start < range.end && range.start < clause.tokens.end;
        if touches && (kind == Mark::Caveat || *mark == Mark::Content) {
            *mark = kind;
        }
    }
}

/// Terms that can be an answer: not words for the texts and the search itself.
fn content_words(sentence: &Sentence, clause: &Clause) -> usize {
    const EMPTY: [&str; 22] = [
        "unfortun", "sorri", "search", "avail", "given", "provid", "base", "inform", "detail", "specif", "current", "time", "context",
        "afraid", "apolog", "data", "relev", "retriev", "question", "user", "further", "addit",
    ];
    let meta = CLASSES.iter().find(|(name, _)| *name == "meta").map_or("", |(_, words)| *words);
    let is_meta = |key: &str| meta.split_whitespace().any(|word| word.starts_with(key) && word.len() <= key.len() + 3);
    let own = sentence.tokens.get(clause.claim_start..clause.tokens.end).unwrap_or_default();
    let polarity = own.len() == 1 && matches!(own[0].word.as_str(), "yes" | "no");
    usize::from(polarity) + clause.terms.iter().filter(|term| !EMPTY.contains(&term.key.as_str()) && !is_meta(&term.key)).count()
}

fn is_bare(answer: &Passage) -> bool {
    let words: usize = answer.sentences.iter().map(|s| s.tokens.len()).sum();
    if words == 0 || words > 6 {
        return false;
    }
    let folded: String = answer.text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let line = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    BARE_REFUSALS.contains(&line.as_str())
}
