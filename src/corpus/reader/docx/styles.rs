//! `styles.xml`: which paragraph styles are headings, lists, code.

use std::collections::HashMap;

use super::xml::{self, Node};
use crate::error::ExtractErrorKind;

/// The word before the number in the name of a heading style. Word names its own styles in English whatever its language; others do not.
const HEADING: [&str; 14] = [
    "heading",
    "überschrift",
    "titre",
    "título",
    "titulo",
    "titolo",
    "kop",
    "rubrik",
    "overskrift",
    "otsikko",
    "nagłówek",
    "заголовок",
    "標題",
    "見出し",
];

/// Styles based on each other go deeper only in a circle.
const MAX_CHAIN: usize = 20;

#[derive(Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    /// From 0; 9 is body text.
    outline: Option<u8>,
    list: Option<String>,
    list_level: Option<u8>,
}

/// The paragraph styles by id.
#[derive(Default)]
pub(super) struct Styles(HashMap<String, Style>);

impl Styles {
    pub(super) fn read(text: &str) -> Result<Self, ExtractErrorKind> {
        let mut styles = HashMap::new();
        let mut open: Option<(String, Style)> = None;
        xml::walk(text, |node| {
            match (node, &mut open) {
                (Node::Open("style", tag), _) => open = Some((xml::attribute(tag, "styleId").unwrap_or_default(), Style::default())),
                (Node::Close("style"), _) => styles.extend(open.take()),
                (Node::Open(name, tag), Some((_, style))) => style.set(name, || xml::attribute(tag, "val")),
                _ => {}
            }
            Ok(())
        })?;
        Ok(Self(styles))
    }

    /// The style and those that it is based on.
    fn chain<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a Style> {
        std::iter::successors(self.0.get(id), |style| self.0.get(style.based_on.as_deref()?)).take(MAX_CHAIN)
    }

    /// The level (from 1) of the headings of a style.
    pub(super) fn heading_level(&self, id: &str) -> Option<u8> {
        if !self.0.contains_key(id) {
            return level_of_name(id);
        }
        self.chain(id).find_map(|style| style.outline.map(level_of_outline).or_else(|| level_of_name(&style.name).map(Some)))?
    }

    /// The list of a style, with the level (from 0) if the style names it.
    pub(super) fn list(&self, id: &str) -> Option<(&str, Option<u8>)> {
        let style = self.chain(id).find(|style| style.list.is_some())?;
        Some((style.list.as_deref()?, style.list_level))
    }

    /// Whether the style is one of code, where line breaks and spaces count.
    pub(super) fn is_code(&self, id: &str) -> bool {
        let code = |name: &str| ["preformatted", "source code", "sourcecode", "code block"].iter().any(|part| name.contains(part));
        self.chain(id).any(|style| code(&style.name))
    }
}

impl Style {
    fn set(&mut self, property: &str, value: impl Fn() -> Option<String>) {
        let number = || value().and_then(|value| value.parse().ok());
        match property {
            "name" => self.name = value().unwrap_or_default().trim().to_lowercase(),
            "basedOn" => self.based_on = value(),
            "outlineLvl" => self.outline = number(),
            "numId" => self.list = value(),
            "ilvl" => self.list_level = number(),
            _ => {}
        }
    }
}

/// The heading level of an outline level; `None` for body text.
pub(super) fn level_of_outline(outline: u8) -> Option<u8> {
    (outline < 9).then(|| (outline + 1).min(6))
}

fn level_of_name(name: &str) -> Option<u8> {
    let name = name.to_lowercase();
    if name == "title" {
        return Some(1);
    }
    let number = HEADING.iter().find_map(|word| name.strip_prefix(word))?;
    number.trim().parse().ok().filter(|level| (1..=9).contains(level)).map(|level: u8| level.min(6))
}
