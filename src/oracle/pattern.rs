//! Phrase patterns over words. One pattern is one line of a table:
//!
//! * `find|locate` one of these words; `mention*` any word that starts so; a trailing `?` makes the step optional;
//! * `@meta` one of a named list of words (see [`super::phrases::CLASSES`]);
//! * `..3` up to three words of any kind;
//! * `^` the sentence starts here, `$` it ends here.

use std::collections::HashMap;

use super::phrases::CLASSES;

#[derive(Clone, Debug)]
enum Step {
    OneOf { words: Vec<&'static str>, optional: bool },
    Gap(usize),
    End,
}

#[derive(Clone, Debug)]
struct Pattern {
    at_start: bool,
    steps: Vec<Step>,
}

/// A table of patterns, found by their first word.
#[derive(Debug)]
pub(super) struct Patterns {
    all: Vec<Pattern>,
    /// Patterns by first word; those that start with a gap or a prefix are under the empty word.
    by_word: HashMap<&'static str, Vec<usize>>,
}

impl Patterns {
    /// Reads a table.
    pub(super) fn new(table: &[&'static str]) -> Self {
        let all: Vec<_> = table.iter().map(|line| Pattern::parse(line)).collect();
        let mut by_word: HashMap<&'static str, Vec<usize>> = HashMap::new();
        for (index, pattern) in all.iter().enumerate() {
            match pattern.steps.first() {
                Some(Step::OneOf { words, optional: false }) if words.iter().all(|word| !word.ends_with('*')) => {
                    for word in words {
                        by_word.entry(word).or_default().push(index);
                    }
                }
                _ => by_word.entry("").or_default().push(index),
            }
        }
        Self { all, by_word }
    }

    /// The longest match that starts at word `at`: its end.
    pub(super) fn match_at(&self, words: &[&str], at: usize) -> Option<usize> {
        let candidates = [*words.get(at)?, ""].into_iter().filter_map(|word| self.by_word.get(word)).flatten();
        candidates
            .map(|index| &self.all[*index])
            .filter(|pattern| at == 0 || !pattern.at_start)
            .filter_map(|pattern| matches(&pattern.steps, words, at))
            .max()
    }

    /// Whether any pattern matches anywhere.
    pub(super) fn any(&self, words: &[&str]) -> bool {
        (0..words.len()).any(|at| self.match_at(words, at).is_some())
    }
}

impl Pattern {
    fn parse(line: &'static str) -> Self {
        let mut pattern = Self { at_start: false, steps: Vec::new() };
        for step in line.split_whitespace() {
            match step {
                "^" => pattern.at_start = true,
                "$" => pattern.steps.push(Step::End),
                _ if step.starts_with("..") => pattern.steps.push(Step::Gap(step[2..].parse().unwrap_or(0))),
                _ => {
                    let optional = step.ends_with('?');
                    let words = step.trim_end_matches('?').split('|').flat_map(expand).collect();
                    pattern.steps.push(Step::OneOf { words, optional });
                }
            }
        }
        pattern
    }
}

fn expand(word: &'static str) -> Vec<&'static str> {
    let class = word.strip_prefix('@').and_then(|name| CLASSES.iter().find(|(class, _)| *class == name));
    class.map_or_else(|| vec![word], |(_, words)| words.split_whitespace().collect())
}

fn matches(steps: &[Step], words: &[&str], at: usize) -> Option<usize> {
    let Some((step, rest)) = steps.split_first() else { return Some(at) };
    match step {
        Step::End => (at == words.len()).then_some(at),
        Step::Gap(longest) => (0..=*longest).take_while(|skip| at + skip <= words.len()).find_map(|skip| matches(rest, words, at + skip)),
        Step::OneOf { words: options, optional } => {
            let hit = words.get(at).is_some_and(|word| {
                options.iter().any(|option| option.strip_suffix('*').map_or(option == word, |prefix| word.starts_with(prefix)))
            });
            let taken = if hit { matches(rest, words, at + 1) } else { None };
            taken.or_else(|| if *optional { matches(rest, words, at) } else { None })
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("i do not know", "i do not know", true)]
    #[case::inside("i do not know", "well i do not know it", true)]
    #[case::gap("i do not ..2 know", "i do not really quite know", true)]
    #[case::gap_too_wide("i do not ..1 know", "i do not really quite know", false)]
    #[case::start("^ unknown", "it is unknown", false)]
    #[case::end("unknown $", "unknown origin", false)]
    #[case::optional("the very? end", "the end", true)]
    #[case::prefix("not mention*", "not mentioned", true)]
    #[case::class("the @meta says", "the passage says", true)]
    #[case::nothing("a b", "", false)]
    fn finds(#[case] pattern: &'static str, #[case] text: &str, #[case] expected: bool) {
        let words: Vec<_> = text.split_whitespace().collect();
        assert_eq!(Patterns::new(&[pattern]).any(&words), expected);
    }
}
