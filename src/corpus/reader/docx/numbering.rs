//! `numbering.xml`: the marks of list items and the numbers of headings.

use std::collections::HashMap;

use super::xml::{self, Node};
use crate::error::ExtractErrorKind;

/// Lists have nine levels.
const LEVELS: usize = 9;

#[derive(Clone, Default)]
struct Level {
    format: String,
    /// The mark, with `%1` for the number of the first level.
    text: String,
    start: Option<u64>,
    /// The paragraph style whose paragraphs stand on this level.
    style: Option<String>,
}

/// A list: its definition, and levels of its own.
#[derive(Default)]
struct List {
    definition: String,
    starts: HashMap<usize, u64>,
    started: bool,
}

/// The lists, and how far each has counted.
#[derive(Default)]
pub(super) struct Numbering {
    definitions: HashMap<String, Vec<Level>>,
    lists: HashMap<String, List>,
    counted: HashMap<String, [Option<u64>; LEVELS]>,
}

/// The mark of a list item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Bullet,
    /// A plain number, as ordered lists of Markdown have it.
    Number(u64),
    /// Any other mark, as it is shown: `1.2`, `(a)`.
    Shown(String),
}

impl Numbering {
    pub(super) fn read(text: &str) -> Result<Self, ExtractErrorKind> {
        let mut numbering = Self::default();
        let mut definition: Option<(String, Vec<Level>)> = None;
        let mut list: Option<(String, List)> = None;
        let mut level = 0;
        xml::walk(text, |node| {
            match node {
                Node::Open("abstractNum", tag) => {
                    definition = Some((xml::attribute(tag, "abstractNumId").unwrap_or_default(), vec![Level::default(); LEVELS]));
                }
                Node::Close("abstractNum") => numbering.definitions.extend(definition.take()),
                Node::Open("num", tag) => list = Some((xml::attribute(tag, "numId").unwrap_or_default(), List::default())),
                Node::Close("num") => numbering.lists.extend(list.take()),
                Node::Open("lvl" | "lvlOverride", tag) => {
                    level = xml::attribute(tag, "ilvl").and_then(|level| level.parse().ok()).unwrap_or(LEVELS).min(LEVELS - 1);
                }
                Node::Open(name, tag) => {
                    let value = || xml::attribute(tag, "val").unwrap_or_default();
                    if let Some((_, list)) = &mut list {
                        match name {
                            "abstractNumId" => list.definition = value(),
                            "startOverride" => drop(value().parse().map(|start| list.starts.insert(level, start))),
                            _ => {}
                        }
                    } else if let Some((_, levels)) = &mut definition {
                        match name {
                            "numFmt" => levels[level].format = value(),
                            "lvlText" => levels[level].text = value(),
                            "start" => levels[level].start = value().parse().ok(),
                            "pStyle" => levels[level].style = Some(value()),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(numbering)
    }

    /// The level on which a list has the paragraphs of a style.
    pub(super) fn level_of_style(&self, list: &str, style: &str) -> Option<u8> {
        let levels = self.definitions.get(&self.lists.get(list)?.definition)?;
        let level = levels.iter().position(|level| level.style.as_deref() == Some(style))?;
        u8::try_from(level).ok()
    }

    /// Counts the next item of a list on a level (from 0). `None` for a list that is not defined: no mark is shown.
    pub(super) fn next(&mut self, list: &str, level: u8) -> Option<Mark> {
        let level = usize::from(level).min(LEVELS - 1);
        let list = self.lists.get_mut(list)?;
        let levels = self.definitions.get(&list.definition)?;
        let start = |at: usize| list.starts.get(&at).copied().or(levels[at].start).unwrap_or(1);
        // Lists of one definition count on from each other, except where one says where it starts.
        let counted = self.counted.entry(list.definition.clone()).or_default();
        if !list.started {
            list.starts.keys().for_each(|level| counted[*level] = None);
        }
        counted[level] = Some(counted[level].map_or_else(|| start(level), |last| last.saturating_add(1)));
        counted[level + 1..].fill(None);
        let shown = |at: usize| format_number(&levels[at].format, counted[at].unwrap_or_else(|| start(at)));
        let Level { format, text, .. } = &levels[level];
        let mark = match (format.as_str(), text.as_str()) {
            ("bullet" | "none" | "", _) => Mark::Bullet,
            ("decimal", text) if text.trim_end_matches(['.', ')']) == format!("%{}", level + 1) => {
                Mark::Number(counted[level].unwrap_or_default())
            }
            (_, text) => {
                let numbers = (1..=level + 1).rev().fold(text.to_owned(), |text, at| text.replace(&format!("%{at}"), &shown(at - 1)));
                Mark::Shown(numbers.trim().to_owned())
            }
        };
        list.started = true;
        Some(mark)
    }
}

/// A number in the format of a list level; in digits where the format is none of the common ones.
fn format_number(format: &str, number: u64) -> String {
    match format {
        "lowerLetter" => letters(number),
        "upperLetter" => letters(number).to_uppercase(),
        "lowerRoman" => roman(number),
        "upperRoman" => roman(number).to_uppercase(),
        "decimalZero" => format!("{number:02}"),
        "bullet" | "none" => String::new(),
        _ => number.to_string(),
    }
}

/// a to z, then aa to zz.
fn letters(number: u64) -> String {
    let Some(index) = number.checked_sub(1).filter(|index| *index < 26 * 26) else { return number.to_string() };
    let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or_default());
    letter.to_string().repeat(usize::try_from(index / 26).unwrap_or_default() + 1)
}

fn roman(number: u64) -> String {
    const DIGITS: [(u64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if number >= 4000 {
        return number.to_string();
    }
    let mut rest = number;
    let mut roman = String::new();
    for (value, digit) in DIGITS {
        while rest >= value {
            rest -= value;
            roman.push_str(digit);
        }
    }
    roman
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::letter("lowerLetter", 3, "c")]
    #[case::after_z("upperLetter", 28, "BB")]
    #[case::far_beyond_letters("lowerLetter", u64::MAX, "18446744073709551615")]
    #[case::roman("lowerRoman", 1994, "mcmxciv")]
    #[case::no_roman("upperRoman", 4000, "4000")]
    #[case::padded("decimalZero", 7, "07")]
    #[case::other("chicago", 2, "2")]
    fn numbers_take_the_format_of_their_level(#[case] format: &str, #[case] number: u64, #[case] expected: &str) {
        assert_eq!(format_number(format, number), expected);
    }
}
