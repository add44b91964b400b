//! Letters and digits as a multiset: what two readings of a page must have in common, whatever they make of its words and lines.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How often each letter and digit occurs. Ligatures count as their letters; accents do not count, since readers write them before, after or
/// on their letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Letters {
    ascii: [u32; 128],
    others: BTreeMap<char, u32>,
}

impl Default for Letters {
    fn default() -> Self {
        Self { ascii: [0; 128], others: BTreeMap::new() }
    }
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let mut letters = Self::default();
        letters.add(text);
        letters
    }

    pub(super) fn add(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_ascii() {
                self.push(c);
            } else {
                std::iter::once(c).nfkd().filter(|c| !is_combining_mark(*c)).for_each(|c| self.push(c));
            }
        }
    }

    fn push(&mut self, c: char) {
        if !c.is_alphanumeric() {
            return;
        }
        match self.ascii.get_mut(c as usize) {
            Some(count) => *count += 1,
            None => *self.others.entry(c).or_default() += 1,
        }
    }

    /// How many there are.
    pub(super) fn total(&self) -> u32 {
        self.ascii.iter().chain(self.others.values()).sum()
    }

    /// How many of these are not among `others`.
    pub(super) fn missing_in(&self, others: &Self) -> u32 {
        let plain = self.ascii.iter().zip(&others.ascii).map(|(own, other)| own.saturating_sub(*other));
        let rest = self.others.iter().map(|(c, own)| own.saturating_sub(others.others.get(c).copied().unwrap_or_default()));
        plain.chain(rest).sum()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::same("The limit, 30 days.", "30 days the limiT", 0)]
    #[case::lost("abc abc", "abc", 3)]
    #[case::ligature("o\u{fb03}ce", "office", 0)]
    #[case::accents("\u{e9}l\u{e8}ve", "´el`eve", 0)]
    #[case::other_script("\u{5b57} x", "x", 1)]
    #[case::nothing("", "abc", 0)]
    fn what_is_missing(#[case] one: &str, #[case] other: &str, #[case] missing: u32) {
        assert_eq!(Letters::of(one).missing_in(&Letters::of(other)), missing);
    }

    #[test]
    fn only_letters_and_digits_count() {
        assert_eq!(Letters::of("a1 - \u{e000}\u{fffd}\u{1}\u{e9}!").total(), 3);
    }
}
