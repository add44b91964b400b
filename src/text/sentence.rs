//! Sentences: Unicode rules, list items and table rows on their own, abbreviations not taken for ends.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// After these a full stop does not end the sentence.
const ABBREVIATIONS: [&str; 30] = [
    "dr", "mr", "mrs", "ms", "prof", "st", "no", "nos", "fig", "figs", "eq", "sec", "art", "vol", "pp", "ca", "cf", "vs", "e.g", "i.e",
    "etc", "approx", "inc", "ltd", "jan", "feb", "aug", "sept", "oct", "nov",
];

/// The byte ranges of the sentences of `text`, trimmed, in order, never empty. A line break ends a sentence only where the next line is a new
/// paragraph, list item, table row or heading-like line; a broken line of running text goes on.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for block in blocks(text) {
        let mut start = block.start;
        // Unicode ends a sentence at every line break; here only blocks do. The copy keeps all offsets.
        let body = text[block.clone()].replace(['\n', '\r'], " ");
        for (offset, piece) in body.split_sentence_bound_indices() {
            let end = block.start + offset + piece.len();
            if end < block.end && ends_in_abbreviation(&text[start..end], &text[end..block.end]) {
                continue;
            }
            push_trimmed(text, start..end, &mut found);
            start = end;
        }
        push_trimmed(text, start..block.end, &mut found);
    }
    found
}

/// Paragraphs, list items, table rows.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.len();
        offset = range.end;
        let trimmed = line.trim();
        if trimmed.is_empty() {
            open = false;
            continue;
        }
        let row = trimmed.starts_with('|') || trimmed.contains(" | ") || trimmed.contains('\t');
        match blocks.last_mut() {
            Some(last) if open && !row && !starts_item(trimmed) => last.end = range.end,
            _ => blocks.push(range),
        }
        open = !row;
    }
    blocks
}

fn starts_item(line: &str) -> bool {
    let marks = ['-', '*', '+', '\u{2022}', '\u{2013}', '#'];
    let bullet = line.starts_with('\u{2022}') || line.strip_prefix(marks).is_some_and(|rest| rest.starts_with([' ', '#']));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    bullet || (1..=3).contains(&digits) && line[digits..].starts_with([')', '.']) && line[digits + 1..].starts_with(' ')
}

/// Whether the full stop at the end of `sentence` belongs to an abbreviation, an initial or the number of an item.
pub(super) fn ends_in_abbreviation(sentence: &str, rest: &str) -> bool {
    let trimmed = sentence.trim();
    let Some(before) = trimmed.strip_suffix('.') else { return false };
    // The number of a list item or heading.
    let marker = before.trim_start_matches('#').trim_start();
    if (1..=3).contains(&marker.len()) && marker.bytes().all(|b| b.is_ascii_digit()) {
        return true;
    }
    let last = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default().to_lowercase();
    // "No. 5" goes on; "No. It is not." does not.
    if matches!(last.as_str(), "no" | "nos") && !rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    // A single capital is an initial.
    ABBREVIATIONS.contains(&last.as_str()) || (last.chars().count() == 1 && before.ends_with(char::is_uppercase))
}

fn push_trimmed(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let piece = &text[range.clone()];
    let trimmed = piece.trim();
    if !trimmed.is_empty() {
        let start = range.start + (piece.len() - piece.trim_start().len());
        found.push(start..start + trimmed.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("One. Two! Three?", &["One.", "Two!", "Three?"])]
    #[case::abbreviation("See Fig. 3 for it. Dr. No came.", &["See Fig. 3 for it.", "Dr. No came."])]
    #[case::number("See No. 5 here.", &["See No. 5 here."])]
    #[case::reply("No. It is not.", &["No.", "It is not."])]
    #[case::wrapped("A line that\ngoes on. Next.", &["A line that\ngoes on.", "Next."])]
    #[case::items("Do:\n- first thing\n- second thing\n\nEnd", &["Do:", "- first thing", "- second thing", "End"])]
    #[case::rows("LP-1 | 402 | no funds\nLP-2 | 404 | gone", &["LP-1 | 402 | no funds", "LP-2 | 404 | gone"])]
    #[case::decimals("It takes 1.5 s. Then stop.", &["It takes 1.5 s.", "Then stop."])]
    #[case::numbered("1. Open it. Wait.\n2. Close it.\n## 3. End", &["1. Open it.", "Wait.", "2. Close it.", "## 3. End"])]
    #[case::wide_marks("Intro\n\u{2013}x\n\u{2022}y", &["Intro\n\u{2013}x", "\u{2022}y"])]
    #[case::empty(" \n\n ", &[])]
    fn splits(#[case] text: &str, #[case] expected: &[&str]) {
        let found: Vec<_> = sentences(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn ranges_are_ordered_and_lose_no_letter(text in "\\PC{0,200}(\n[-\u{2013}\u{2022}] ?\\PC{0,40}){0,3}") {
            let ranges = sentences(&text);
            let mut end = 0;
            for range in &ranges {
                prop_assert!(range.start >= end && range.end > range.start);
                prop_assert!(text[end..range.start].trim().is_empty());
                end = range.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
