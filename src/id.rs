//! Stable hashes, slugs and identifiers: the same bytes give the same id on every machine and in every run.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;

/// A 128-bit fingerprint (the first half of a BLAKE3 hash), written as 32 hex digits.
///
/// Fingerprints chain: the fingerprint of an index is made from that of its chunks, its embedder and its own
/// parameters. Stores, recordings and records use them as keys, so a change re-runs exactly what depends on it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The fingerprint of a list of parts. The lengths are hashed too, so `["ab", "c"]` differs from `["a", "bc"]`.
    pub fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            let part = part.as_ref();
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self::from_hash(hasher.finalize())
    }

    /// The fingerprint of one byte string as it is, for example a file's content.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::from_hash(blake3::hash(bytes))
    }

    fn from_hash(hash: blake3::Hash) -> Self {
        let mut half = [0; 16];
        half.copy_from_slice(&hash.as_bytes()[..16]);
        Self(half)
    }

    /// The 16 bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The first `digits` hex digits, for names that people read.
    pub fn short(&self, digits: usize) -> String {
        let mut text = self.to_string();
        text.truncate(digits);
        text
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl AsRef<[u8]> for Fingerprint {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let mut bytes = [0; 16];
        let whole = text.len() == 32 && text.is_ascii();
        for (i, byte) in bytes.iter_mut().enumerate() {
            let digits = whole.then(|| &text[2 * i..2 * i + 2]);
            *byte = digits
                .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))
                .and_then(|d| u8::from_str_radix(d, 16).ok())
                .ok_or_else(|| serde::de::Error::custom("a fingerprint has 32 hex digits"))?;
        }
        Ok(Self(bytes))
    }
}

/// A part of the pipeline that can be replaced. Its fingerprint names everything that decides its output: kind, version, parameters.
pub trait Stage: Send + Sync {
    /// What decides this stage's output.
    fn fingerprint(&self) -> Fingerprint;
}

/// Unicode NFC, trimmed: the form in which ids are compared and shown.
pub fn normalize_id(id: &str) -> String {
    let id = id.trim();
    if id.is_ascii() { id.to_owned() } else { id.nfc().collect() }
}

/// A portable name of `[a-z0-9-]` for `text`, without loss of identity: where the plain slug would lose something (case, a dot,
/// a slash, another script), six hex digits of the text's hash follow. Distinct texts give distinct slugs as far as 24 bits go; where names
/// must never meet, [`file_slug`] has 64.
pub fn slug(text: &str) -> String {
    hashed_slug(text, 6)
}

/// Like [`slug`], with sixteen hex digits: for the names of files.
pub fn file_slug(text: &str) -> String {
    hashed_slug(text, 16)
}

fn hashed_slug(text: &str, digits: usize) -> String {
    const LONGEST: usize = 80;
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_lowercase() || c.is_ascii_digit() => plain.push(c),
            _ if plain.ends_with('-') || plain.is_empty() => {}
            _ => plain.push('-'),
        }
    }
    plain.truncate(LONGEST);
    let plain = plain.trim_end_matches('-');
    // A slug that already ends like a hashed one is hashed too, or `a-1b2c3d` could meet the slug of some `A`.
    let hash_like = plain
        .rsplit('-')
        .next()
        .is_some_and(|last| last.len() == digits && last.bytes().all(|b| b.is_ascii_hexdigit()) && plain.len() > digits);
    if plain == text && !hash_like && !plain.is_empty() {
        return plain.to_owned();
    }
    let hash = Fingerprint::of_bytes(text.as_bytes()).short(digits);
    if plain.is_empty() { format!("x-{hash}") } else { format!("{plain}-{hash}") }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("refunds", "refunds")]
    #[case::digits("api-v2", "api-v2")]
    #[case::lost_dot("refunds.md", "refunds-md-6db589")]
    #[case::lost_script("返金", "x-")]
    #[case::lost_case("Refunds", "refunds-")]
    #[case::empty("", "x-")]
    fn slug_keeps_plain_names_and_marks_lossy_ones(#[case] text: &str, #[case] start: &str) {
        let slug = slug(text);
        assert!(slug.starts_with(start), "{slug}");
        assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{slug}");
    }

    #[test]
    fn slugs_of_similar_names_differ() {
        let names = ["a/b", "a__b", "a-b", "a.b", "A-b", "a--b", "-a-b", "a b", "a-b-"];
        let slugs: std::collections::BTreeSet<_> = names.iter().map(|n| slug(n)).collect();
        assert_eq!(slugs.len(), names.len(), "{slugs:?}");
        // The slug of a name is itself a possible name; its own slug must differ.
        let lossy = slug("a.b");
        assert_ne!(slug(&lossy), lossy);
    }

    #[test]
    fn long_names_stay_short_and_apart() {
        let (a, b) = ("x".repeat(300), "x".repeat(301));
        assert!(slug(&a).len() <= 120 && slug(&a) != slug(&b));
    }

    #[test]
    fn fingerprint_separates_parts_and_round_trips() {
        assert_ne!(Fingerprint::of(["ab", "c"]), Fingerprint::of(["a", "bc"]));
        let print = Fingerprint::of(["x"]);
        let json = serde_json::to_string(&print).expect("serializes");
        assert_eq!(serde_json::from_str::<Fingerprint>(&json).expect("parses"), print);
        assert!(serde_json::from_str::<Fingerprint>("\"zz\"").is_err());
        assert!(serde_json::from_str::<Fingerprint>("\"äääääääääääääääää\"").is_err());
    }
}
