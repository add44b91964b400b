//! Retrieved passages cut into units: sentences, list items and table rows, with what stands around each.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Passage;
use super::lexicon::forms;
use crate::text::sentences;

/// The passages of one query.
pub(super) struct Page<'a> {
    pub(super) passages: &'a [Passage<'a>],
    pub(super) units: Vec<Unit>,
    /// The stems of all words, letters and digits alone.
    pub(super) vocabulary: Vec<String>,
    /// For each passage: the words of the headings above, as places in `vocabulary`.
    pub(super) above: Vec<Vec<u32>>,
}

/// One sentence, list item or table row.
pub(super) struct Unit {
    /// The place of its passage.
    pub(super) passage: usize,
    span: Range<usize>,
    /// Places in the page's vocabulary.
    pub(super) words: Vec<u32>,
    pub(super) kind: Kind,
    /// The unit that this one cannot be read without: a table's header row, a list's lead-in.
    pub(super) head: Option<usize>,
    /// The heading line above, in the same passage.
    pub(super) heading: Option<usize>,
    pub(super) figure: Figure,
}

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Prose,
    Item,
    Row,
    /// A table's first row.
    Header,
    Heading,
    Code,
    /// A line without words.
    Rule,
}

/// What a text has of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Figure {
    None,
    Number,
    /// A number of days, hours and so on.
    Time,
}

impl<'a> Page<'a> {
    pub(super) fn new(passages: &'a [Passage<'a>]) -> Self {
        let mut page = Self { passages, units: Vec::new(), vocabulary: Vec::new(), above: Vec::new() };
        let mut places = BTreeMap::new();
        for (at, passage) in passages.iter().enumerate() {
            page.above.push(places_of(&passage.headings.join("\n"), &mut places));
            page.cut(at, passage.text, &mut places);
        }
        page.vocabulary = vec![String::new(); places.len()];
        for (word, place) in places {
            page.vocabulary[place as usize] = word;
        }
        page
    }

    fn cut(&mut self, passage: usize, text: &str, places: &mut BTreeMap<String, u32>) {
        let first = self.units.len();
        let (mut heading, mut lead, mut fenced) = (None, None, false);
        for span in rows_and_sentences(text) {
            let line = &text[span.clone()];
            let at = self.units.len();
            let marks = line.matches("```").count();
            let kind = if fenced || marks > 0 { Kind::Code } else { kind_of(text, &span) };
            fenced ^= marks % 2 == 1;
            match kind {
                Kind::Heading => (heading, lead) = (Some(at), None),
                Kind::Prose => lead = line.ends_with(':').then_some(at),
                Kind::Code => lead = None,
                Kind::Rule if at > first && self.units[at - 1].kind == Kind::Row => {
                    self.units[at - 1].kind = Kind::Header;
                    self.units[at - 1].head = None;
                    lead = Some(at - 1);
                }
                _ => {}
            }
            let head = lead.filter(|_| matches!(kind, Kind::Row | Kind::Item));
            let words = places_of(line, places);
            self.units.push(Unit { passage, words, kind, head, heading, figure: figure(line), span });
        }
    }

    pub(super) fn text(&self, at: usize) -> &'a str {
        let unit = &self.units[at];
        &self.passages[unit.passage].text[unit.span.clone()]
    }

    /// The unit's length in words.
    pub(super) fn length(&self, at: usize) -> usize {
        self.text(at).split_whitespace().count()
    }

    /// The places of the units before and after, in the same passage.
    pub(super) fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> {
        let same = move |other: &usize| self.units.get(*other).is_some_and(|unit| unit.passage == self.units[at].passage);
        [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter(same)
    }

    /// The items of the list, or the rows of the table, that a unit leads in.
    pub(super) fn led_by(&self, lead: usize) -> impl Iterator<Item = usize> {
        (lead + 1..self.units.len()).take_while(move |at| self.units[*at].head == Some(lead))
    }
}

/// Sentences, but table rows and headings whole.
fn rows_and_sentences(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for span in sentences(text) {
        if spans.last().is_some_and(|last| last.end > span.start) {
            continue;
        }
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[span.start..].find('\n').map_or(text.len(), |at| span.start + at);
        let line = &text[start..end];
        let whole = is_row(line) || line.trim_start().starts_with('#');
        spans.push(if whole { end - line.trim_start().len()..start + line.trim_end().len() } else { span });
    }
    spans
}

fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|') || line.contains(" | ") || line.contains('\t')
}

fn kind_of(text: &str, span: &Range<usize>) -> Kind {
    let line = &text[span.clone()];
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = unnumbered.len() < line.len() && unnumbered.starts_with([')', '.']) && unnumbered[1..].starts_with(' ');
    let (before, after) = (text[..span.start].trim_end_matches(' '), &text[span.end..]);
    let alone = (before.is_empty() || before.ends_with("\n\n")) && (after.trim().is_empty() || after.starts_with("\n\n"));
    if !line.contains(char::is_alphanumeric) {
        Kind::Rule
    } else if line.starts_with('#') {
        Kind::Heading
    } else if is_row(line) {
        Kind::Row
    } else if line.starts_with(['-', '*', '+', '\u{2022}']) {
        Kind::Item
    } else if alone && line.ends_with(char::is_alphanumeric) && line.split_whitespace().count() <= 8 {
        Kind::Heading
    } else if numbered {
        Kind::Item
    } else {
        Kind::Prose
    }
}

/// Number words that a text uses for figures.
const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "once", "twice", "hourly", "daily",
];

/// The beginnings of words for times.
const TIMES: &[&str] = &["second", "millisecond", "minut", "hour", "day", "week", "month", "quarter", "year", "utc", "gmt"];

fn figure(text: &str) -> Figure {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit()) || NUMBERS.contains(&word.as_str());
    let time = |word: &String| TIMES.iter().any(|start| word.starts_with(start));
    let mut figures = words.iter().enumerate().filter(|(_, word)| number(word)).peekable();
    if figures.peek().is_none() {
        Figure::None
    } else if figures.any(|(at, _)| words[at + 1..].iter().take(3).any(time)) {
        Figure::Time
    } else {
        Figure::Number
    }
}

/// The places of a text's stems, sorted.
fn places_of(text: &str, places: &mut BTreeMap<String, u32>) -> Vec<u32> {
    let mut found = Vec::new();
    for form in forms(text) {
        let next = u32::try_from(places.len()).unwrap_or(u32::MAX);
        found.push(*places.entry(form).or_insert(next));
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const TEXT: &str = "# Refunds\n\nRefund windows\n\nIt depends. See the table:\n\n| Method | Window |\n|---|---|\n| Card | 180 days. No more. |\n\n\
        You need:\n\n- a key;\n- 1. x\n\n```bash\nlark login\n\nlark logout\n```\n\n2.1 The rest.";

    #[test]
    fn units_have_kinds_and_heads() {
        let passages = [Passage { id: "a", headings: &[], text: TEXT }];
        let page = Page::new(&passages);
        let shown = |at: Option<usize>| at.map_or("-", |at| page.text(at));
        let units: Vec<_> = page.units.iter().enumerate().map(|(at, unit)| (unit.kind, page.text(at), shown(unit.head))).collect();
        let expected = [
            (Kind::Heading, "# Refunds", "-"),
            (Kind::Heading, "Refund windows", "-"),
            (Kind::Prose, "It depends.", "-"),
            (Kind::Prose, "See the table:", "-"),
            (Kind::Header, "| Method | Window |", "-"),
            (Kind::Rule, "|---|---|", "-"),
            (Kind::Row, "| Card | 180 days. No more. |", "| Method | Window |"),
            (Kind::Prose, "You need:", "-"),
            (Kind::Item, "- a key;", "You need:"),
            (Kind::Item, "- 1. x", "You need:"),
            (Kind::Code, "```bash\nlark login", "-"),
            (Kind::Code, "lark logout\n```", "-"),
            (Kind::Prose, "2.1 The rest.", "-"),
        ];
        assert_eq!(units, expected);
        assert_eq!(page.led_by(7).collect::<Vec<_>>(), [8, 9]);
        assert_eq!((shown(page.units[2].heading), page.neighbours(0).collect::<Vec<_>>()), ("Refund windows", vec![1]));
    }

    #[rstest]
    #[case::days("within 10 business days", Figure::Time)]
    #[case::clock("at 16:00 UTC", Figure::Time)]
    #[case::word("after seven days", Figure::Time)]
    #[case::amount("250 EUR each", Figure::Number)]
    #[case::identifier("LP-4021 is final", Figure::None)]
    #[case::none("some days later", Figure::None)]
    fn reads_figures(#[case] text: &str, #[case] expected: Figure) {
        assert_eq!(figure(text), expected);
    }
}
