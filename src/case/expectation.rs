//! What a case expects of an answer.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a case came to be, and so what it tests. The trial's kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Strategy {
    /// A question that a passage answers.
    #[default]
    Positive,
    /// A question about the hardest passages to read.
    Complex,
    /// A question that the documents do not answer.
    Negative,
    /// A question about a passage that no other case uses.
    Coverage,
    /// The paper's baseline without a strategy.
    Unguided,
    /// A trap with its own expectation.
    Probe,
    /// A reworded other case.
    Variant,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 7] = [Self::Positive, Self::Complex, Self::Negative, Self::Coverage, Self::Unguided, Self::Probe, Self::Variant];

    /// The name in files and trial names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Complex => "complex",
            Self::Negative => "negative",
            Self::Coverage => "coverage",
            Self::Unguided => "unguided",
            Self::Probe => "probe",
            Self::Variant => "variant",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a right answer does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Expect {
    /// Answers the question.
    #[default]
    Answer,
    /// Says that the documents do not tell.
    Abstain,
    /// Names the false premise; abstaining passes too unless the case says `must_deny`.
    Deny,
    /// Answers what is known and names what is not.
    Partial,
    /// Says that the documents disagree.
    FlagConflict,
}

impl Expect {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Abstain => "abstain",
            Self::Deny => "deny",
            Self::Partial => "partial",
            Self::FlagConflict => "flag_conflict",
        }
    }

    /// Whether a plain refusal is right.
    pub fn allows_refusal(self) -> bool {
        matches!(self, Self::Abstain | Self::Deny)
    }
}

/// A fact that an answer must, or must not, state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A claim: a literal match settles it, else the judge rates it.
    Claim(String),
    /// A text that code alone looks for: `{"literal": "..."}`.
    Literal(String),
}

impl Fact {
    /// The fact's words.
    pub fn text(&self) -> &str {
        match self {
            Self::Claim(text) | Self::Literal(text) => text,
        }
    }
}

impl Serialize for Fact {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Claim(text) => serializer.serialize_str(text),
            Self::Literal(text) => {
                use serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("literal", text)?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Fact {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Fact;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a claim, or {\"literal\": \"...\"}")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Fact, E> {
                Ok(Fact::Claim(text.to_owned()))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Fact, A::Error> {
                let entry = map.next_entry::<String, String>()?;
                match entry {
                    Some((key, text)) if key == "literal" && map.next_key::<String>()?.is_none() => Ok(Fact::Literal(text)),
                    _ => Err(serde::de::Error::custom("a fact is a claim, or an object with the one key `literal`")),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
