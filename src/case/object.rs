//! JSON objects that keep what they do not know: unknown keys survive a rewrite, but one that looks like a slip of a known key is refused.

use std::borrow::Cow;

use serde::de::{self, MapAccess};

/// The unknown keys of an object, sorted.
pub type Extra = serde_json::Map<String, serde_json::Value>;

/// The known key that `key` is probably a slip of: within edit distance 2 (1 for keys of up to three letters, which everything is near to).
pub(super) fn slip_of<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = |name: &&&str| {
        let limit = if name.len() < 4 { 1 } else { 2 };
        // Letters tell most keys apart, and every line of a file may have the same unknown ones.
        letters_apart(key, name) <= 2 * limit && strsim::damerau_levenshtein(key, name) <= limit
    };
    known.iter().filter(near).min_by_key(|name| strsim::damerau_levenshtein(key, name)).copied()
}

/// In how many letters two keys differ, whatever their order: an edit changes at most two.
fn letters_apart(a: &str, b: &str) -> usize {
    let mut counts = [0_isize; 32];
    a.bytes().for_each(|byte| counts[usize::from(byte & 31)] += 1);
    b.bytes().for_each(|byte| counts[usize::from(byte & 31)] -= 1);
    counts.iter().map(|count| count.unsigned_abs()).sum()
}

/// Takes an unknown key, or refuses it.
pub(super) fn take_unknown<'de, A: MapAccess<'de>>(map: &mut A, key: &str, known: &[&str], extra: &mut Extra) -> Result<(), A::Error> {
    if let Some(meant) = slip_of(key, known) {
        return Err(de::Error::custom(format_args!("unknown key `{key}`; did you mean `{meant}`?")));
    }
    if extra.insert(key.to_owned(), map.next_value()?).is_some() {
        return Err(de::Error::custom(format_args!("key `{key}` stands twice")));
    }
    Ok(())
}

/// Reads a known key's value; `null` is the same as absent.
pub(super) fn take_known<'de, A: MapAccess<'de>, T: serde::Deserialize<'de>>(
    map: &mut A,
    key: &'static str,
    slot: &mut Option<T>,
) -> Result<(), A::Error> {
    if slot.is_some() {
        return Err(de::Error::custom(format_args!("key `{key}` stands twice")));
    }
    *slot = map.next_value::<Option<T>>().map_err(|error| de::Error::custom(format_args!("`{key}`: {error}")))?;
    Ok(())
}

/// A borrowed key where the input allows it.
pub(super) type Key<'de> = Cow<'de, str>;

/// Declares a struct whose JSON object keeps unknown keys in `extra`. Absent and `null` give the field's default; defaults are not written.
macro_rules! open_object {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $( $(#[$field_meta:meta])* $field:ident : $ty:ty, )* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $vis struct $name {
            $( $(#[$field_meta])* pub $field: $ty, )*
            /// Keys that this version does not know; kept when the object is written again.
            pub extra: $crate::case::object::Extra,
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a JSON object")
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        const KNOWN: &[&str] = &[$(stringify!($field)),*];
                        $( let mut $field: Option<$ty> = None; )*
                        let mut extra = $crate::case::object::Extra::new();
                        while let Some(key) = map.next_key::<$crate::case::object::Key<'de>>()? {
                            match key.as_ref() {
                                $( stringify!($field) => $crate::case::object::take_known(&mut map, stringify!($field), &mut $field)?, )*
                                other => $crate::case::object::take_unknown(&mut map, other, KNOWN, &mut extra)?,
                            }
                        }
                        Ok($name { $( $field: $field.unwrap_or_default(), )* extra })
                    }
                }
                deserializer.deserialize_map(Visitor)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(None)?;
                $( if self.$field != <$ty>::default() { map.serialize_entry(stringify!($field), &self.$field)?; } )*
                for (key, value) in &self.extra {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    };
}
pub(super) use open_object;

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("evidnce", Some("evidence"))]
    #[case("querry", Some("query"))]
    #[case("uid", Some("id"))]
    #[case("kind", None)]
    #[case("x_confidence", None)]
    fn slips_are_told_from_new_keys(#[case] key: &str, #[case] meant: Option<&str>) {
        assert_eq!(slip_of(key, &["id", "query", "evidence"]), meant);
    }
}
