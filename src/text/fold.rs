//! Folding: two spellings of the same text become the same characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// NFKC, lower case, straight quotes and hyphens, no soft hyphens or zero-width characters. Digits are never folded into words, and
/// accents stay: `café` and `cafe` are different words until [`strip_accents`].
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    // No character composes across a space, and most words are plain ASCII even where the text is not.
    for word in text.split_inclusive(' ') {
        if word.bytes().all(|b| b.is_ascii_graphic() && b != b'`' || matches!(b, b' ' | b'\n')) {
            let start = folded.len();
            folded.push_str(word);
            folded[start..].make_ascii_lowercase();
        } else {
            folded.extend(word.nfkc().flat_map(char::to_lowercase).filter_map(fold_char));
        }
    }
    folded
}

/// The plain form of typographic characters: curly quotes, dashes, special spaces. `None` for characters that show nothing.
pub fn fold_char(c: char) -> Option<char> {
    Some(match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{02bc}' | '`' | '\u{00b4}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' | '\u{00ab}' | '\u{00bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{00ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{202a}'..='\u{202e}' => return None,
        c if c.is_whitespace() && c != '\n' => ' ',
        c => c,
    })
}

/// The text without its accents (`é` to `e`), for comparisons that must survive careless typing.
pub fn strip_accents(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfd().filter(|c| !is_combining_mark(*c)).nfc().collect()
}

/// Whether the character belongs to a script that is written without spaces (Han, Kana, Hangul).
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::curly("I can\u{2019}t", "i can't")]
    #[case::ligature("\u{fb01}le", "file")]
    #[case::full_width("ＬＰ－４０２１", "lp-4021")]
    #[case::no_break_space("a\u{a0}b", "a b")]
    #[case::zero_width("re\u{ad}fund\u{200b}", "refund")]
    #[case::superscript_stays_a_digit("10\u{b2}", "102")]
    #[case::accent_stays("Café", "café")]
    #[case::decomposed("Cafe\u{301} \u{301}a", "café \u{301}a")]
    #[case::plain_ascii_like_the_rest("Tab\there `x`\n", "tab here 'x'\n")]
    fn folds(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(fold(text), expected);
    }

    #[test]
    fn accents_go_only_when_asked() {
        assert_eq!(strip_accents("café Ünal"), "cafe Unal");
    }
}
