//! Answer measures that need no judge (SQuAD's exact match and token F1; Rajpurkar et al. 2016).

use std::collections::BTreeMap;

use crate::text::words;

/// 1 when answer and reference have the same words in the same order, else 0.
pub fn exact_match(answer: &str, reference: &str) -> f64 {
    f64::from(u8::from(words(answer) == words(reference)))
}

/// The harmonic mean of word precision and recall, 0 to 1. Two wordless texts agree.
pub fn token_f1(answer: &str, reference: &str) -> f64 {
    let (answer, reference) = (words(answer), words(reference));
    if answer.is_empty() || reference.is_empty() {
        return f64::from(u8::from(answer == reference));
    }
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for word in &reference {
        *left.entry(word).or_default() += 1;
    }
    let mut both = 0;
    for word in &answer {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            both += 1;
        }
    }
    2.0 * f64::from(both) / (answer.len() + reference.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_agreement() {
        assert!((exact_match("30 Days.", "30 days") - 1.0).abs() < 1e-12);
        assert!(exact_match("30 days", "days 30").abs() < 1e-12);
        assert!((token_f1("within 30 days", "30 days") - 0.8).abs() < 1e-12);
        assert!(token_f1("", "30 days").abs() < 1e-12);
        assert!((token_f1("!", "?") - 1.0).abs() < 1e-12);
    }
}
