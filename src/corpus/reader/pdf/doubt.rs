//! Whether a page's text can be believed.
//!
//! The figures come from the pages of 54 manuals of many programs and languages (docs/pdf.md): pages beyond them are damaged, or in fonts
//! that do not say what they show.

use super::content::Drawn;
use super::letters::Letters;

/// Fewer characters tell nothing about a page.
const MIN_CHARACTERS: usize = 40;
/// Fewer words tell nothing about their length.
const MIN_WORDS: usize = 40;
/// The share of the second reader's letters that may be missing, and the other way round.
const MAX_DISAGREEMENT: f64 = 0.25;

/// Why a page's text looks wrong; `None` if it does not. `text` is as the reader gave it, not cleaned.
pub(super) fn doubt(text: &str, drawn: &Drawn) -> Option<String> {
    if let Some(fault) = &drawn.fault {
        return Some(fault.clone());
    }
    unreadable(text).or_else(|| guessed(drawn)).or_else(|| disagreement(&Letters::of(text), drawn)).or_else(|| odd_words(text))
}

/// Control and replacement characters.
fn unreadable(text: &str) -> Option<String> {
    let mut shown = 0;
    let mut bad = 0;
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        shown += 1;
        bad += usize::from(c.is_control() || c == char::REPLACEMENT_CHARACTER);
    }
    let wrong = shown >= MIN_CHARACTERS && bad * 50 > shown || bad * 2 > shown;
    wrong.then(|| format!("{bad} of its {shown} characters are unreadable"))
}

/// Text in fonts that do not say what it is.
fn guessed(drawn: &Drawn) -> Option<String> {
    let all = drawn.unsaid + drawn.unknown + drawn.letters.total() as usize;
    (drawn.unsaid * 5 > all).then(|| "its fonts do not say what they show, so its text is a guess".to_owned())
}

/// Letters that one of the two readers has and the other has not. Where fonts do not state their encoding the second reader knows only
/// some letters, so only those can be missing.
fn disagreement(read: &Letters, drawn: &Drawn) -> Option<String> {
    let known = drawn.letters.total();
    let missing = drawn.letters.missing_in(read);
    if known as usize >= MIN_CHARACTERS && share(missing, known) > MAX_DISAGREEMENT {
        return Some(format!("a second reader finds {missing} of {known} letters that its text does not have"));
    }
    let extra = read.missing_in(&drawn.letters);
    let total = read.total();
    if drawn.unknown + drawn.unsaid == 0 && total as usize >= MIN_CHARACTERS && share(extra, total) > MAX_DISAGREEMENT {
        return Some(format!("a second reader does not find {extra} of the {total} letters of its text"));
    }
    None
}

fn share(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole.max(1))
}

/// Words of Latin letters that are no words by their mean length: letters drawn one by one, or words without spaces. Programs, tables and
/// formulas have words of any length, but fewer letters among their characters.
fn odd_words(text: &str) -> Option<String> {
    let words: Vec<usize> =
        text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(|word| word.chars().count()).collect();
    let letters: usize = words.iter().sum();
    let latin = text.chars().filter(|c| matches!(c, 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}')).count();
    let shown = text.chars().filter(|c| !c.is_whitespace()).count();
    let mean = letters as f64 / words.len().max(1) as f64;
    let odd = mean > 9.0 && letters >= MIN_WORDS * 3 || mean < 2.5 && words.len() >= MIN_WORDS;
    (odd && latin * 10 >= letters * 9 && letters * 5 >= shown * 4).then(|| format!("its words have {mean:.1} letters on average"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const PROSE: &str = "The limit is thirty days for every order that was placed in the shop, and gift cards are never paid back. A \
                         request needs the number of the order, the reason, and the account that the money goes to.";

    fn drawn(text: &str) -> Drawn {
        Drawn { letters: Letters::of(text), text: true, ..Drawn::default() }
    }

    #[rstest]
    #[case::both_agree(PROSE, drawn(PROSE), "")]
    #[case::order_does_not_matter(PROSE, drawn(&PROSE.chars().rev().collect::<String>()), "")]
    #[case::a_second_reader_without_encodings(PROSE, Drawn { unknown: 150, ..Drawn::default() }, "")]
    #[case::text_was_lost(&PROSE[..120], drawn(PROSE), "letters that its text does not have")]
    #[case::text_was_made_up(PROSE, drawn(&PROSE[..120]), "does not find")]
    #[case::some_fonts_unknown(PROSE, Drawn { unknown: 70, ..drawn(&PROSE[..120]) }, "")]
    #[case::shifted(PROSE.chars().map(shifted).collect::<String>(), drawn(PROSE), "characters are unreadable")]
    #[case::replaced(PROSE.replace('e', "\u{fffd}"), drawn(PROSE), "characters are unreadable")]
    #[case::control(PROSE.replace("th", "\u{1}"), drawn(PROSE), "characters are unreadable")]
    #[case::letter_by_letter(PROSE.chars().flat_map(|c| [c, ' ']).collect::<String>(), drawn(PROSE), "1.0 letters on average")]
    #[case::no_spaces(PROSE.replace(' ', ""), drawn(PROSE), "letters on average")]
    #[case::chinese("\u{9000}\u{6b3e}\u{671f}\u{9650}\u{4e3a}\u{4e09}\u{5341}\u{5929}".repeat(30), Drawn { unknown: 9, ..Drawn::default() }, "")]
    #[case::guessed(PROSE, Drawn { unsaid: 70, ..drawn(&PROSE[..120]) }, "is a guess")]
    #[case::damaged(PROSE, Drawn { fault: Some("its content breaks off".into()), ..drawn(PROSE) }, "its content breaks off")]
    #[case::program("if (t <= 10) { x := t; y[0] = 0; ib += 3 };\n".repeat(9), Drawn { unknown: 9, ..Drawn::default() }, "")]
    #[case::figures("1 2 a 3 b ".repeat(9), drawn(&"1 2 a 3 b ".repeat(9)), "")]
    fn pages(#[case] text: impl AsRef<str>, #[case] drawn: Drawn, #[case] expected: &str) {
        let found = doubt(text.as_ref(), &drawn).unwrap_or_default();
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found:?}");
    }

    /// What a font without a map gives: each letter the one 29 before it.
    fn shifted(c: char) -> char {
        char::from_u32(u32::from(c) - 29).expect("ASCII")
    }
}
