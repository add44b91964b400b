//! Where a quote stands in a text, whatever happened to white space, ligatures and hyphens on the way.

use std::ops::Range;

use memchr::memmem;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::fold::fold_char;

/// A text prepared for finding quotes: NFKC, typographic quotes and dashes made plain, white space and hyphens left out, each remaining
/// byte mapped back to the source. Leaving hyphens out makes `re-` + line end + `fund` equal to `refund` *and* `well-` + line end + `known`
/// equal to `well-known`; leaving white space out survives readers that space a table differently.
#[derive(Clone, Debug, Default)]
pub struct QuoteFinder {
    text: String,
    /// For each byte of `text`: the start of its source character.
    starts: Vec<u32>,
    /// For each byte of `text`: the end of its source character.
    ends: Vec<u32>,
}

impl QuoteFinder {
    /// Prepares a text of less than 4 GiB (readers refuse larger files).
    pub fn new(source: &str) -> Self {
        let mut finder = Self { text: String::with_capacity(source.len()), ..Self::default() };
        finder.starts.reserve(source.len());
        finder.ends.reserve(source.len());
        let mut rest = source.char_indices().peekable();
        while let Some((start, c)) = rest.next() {
            // Combining marks are composed together with their base.
            let mut end = start + c.len_utf8();
            while let Some((at, mark)) = rest.next_if(|(_, next)| is_combining_mark(*next)) {
                end = at + mark.len_utf8();
            }
            if c.is_ascii() && end == start + 1 {
                finder.push(c, start..end);
            } else {
                source[start..end].nfkc().for_each(|folded| finder.push(folded, start..end));
            }
        }
        finder
    }

    fn push(&mut self, c: char, source: Range<usize>) {
        let Some(c) = fold_char(c).filter(|c| !c.is_whitespace() && *c != '-') else { return };
        self.text.push(c);
        let offset = |at: usize| std::iter::repeat_n(u32::try_from(at).unwrap_or(u32::MAX), c.len_utf8());
        self.starts.extend(offset(source.start));
        self.ends.extend(offset(source.end));
    }

    /// Every place of `quote`, as byte ranges of the source text, in order and without overlap. A quote without a letter or digit stands nowhere.
    pub fn find(&self, quote: &str) -> Vec<Range<usize>> {
        let needle = Self::new(quote).text;
        if !needle.contains(char::is_alphanumeric) {
            return Vec::new();
        }
        memmem::find_iter(self.text.as_bytes(), needle.as_bytes())
            .map(|at| self.starts[at] as usize..self.ends[at + needle.len() - 1] as usize)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::as_is("The limit is 30 days.", "limit is 30", &["limit is 30"])]
    #[case::wrapped("The limit\n  is 30 days.", "limit is 30", &["limit\n  is 30"])]
    #[case::hyphenated("a re-\nfund is due", "a refund is", &["a re-\nfund is"])]
    #[case::real_hyphen("a well-\nknown rule", "well-known rule", &["well-\nknown rule"])]
    #[case::ligature("the \u{fb01}rst \u{fb01}le", "first file", &["\u{fb01}rst \u{fb01}le"])]
    #[case::curly("it\u{2019}s due", "it's due", &["it\u{2019}s due"])]
    #[case::decomposed("cafe\u{301} opens", "caf\u{e9}", &["cafe\u{301}"])]
    #[case::twice("a b. a b.", "a b.", &["a b.", "a b."])]
    #[case::absent("The limit is 30 days.", "limit is 45", &[])]
    #[case::case_matters("The Limit", "the limit", &[])]
    #[case::blank("anything", " \n", &[])]
    #[case::punctuation("a - b", "-", &[])]
    fn finds(#[case] text: &str, #[case] quote: &str, #[case] expected: &[&str]) {
        let found: Vec<_> = QuoteFinder::new(text).find(quote).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn any_slice_is_found_where_it_stands(text in "\\PC{1,80}", cut in 0..80_usize) {
            let start = text.floor_char_boundary(cut.min(text.len()));
            let quote = &text[start..];
            let places = QuoteFinder::new(&text).find(quote);
            for place in &places {
                prop_assert!(text.is_char_boundary(place.start) && text.is_char_boundary(place.end));
            }
            // A slice that starts with a combining mark composes differently; all others must be found.
            if QuoteFinder::new(quote).text.contains(char::is_alphanumeric) && !quote.starts_with(is_combining_mark) {
                prop_assert!(places.iter().any(|p| p.end > start), "{quote:?} not found");
            }
        }
    }
}
