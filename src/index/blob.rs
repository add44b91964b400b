//! Number arrays as one byte string in a stored index: opening copies memory instead of decoding number by number.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// A number of four bytes, little-endian on disk.
pub(super) trait Number: Copy {
    fn to_bytes(self) -> [u8; 4];
    fn from_bytes(bytes: [u8; 4]) -> Self;
}

impl Number for u32 {
    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }

    fn from_bytes(bytes: [u8; 4]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

impl Number for f32 {
    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }

    fn from_bytes(bytes: [u8; 4]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

pub(super) fn serialize<N: Number, S: Serializer>(numbers: &[N], serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::with_capacity(numbers.len() * 4);
    bytes.extend(numbers.iter().flat_map(|n| n.to_bytes()));
    serializer.serialize_bytes(&bytes)
}

pub(super) fn deserialize<'de, N: Number, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<N>, D::Error> {
    deserializer.deserialize_bytes(Blob(PhantomData))
}

struct Blob<N>(PhantomData<N>);

impl<N: Number> Visitor<'_> for Blob<N> {
    type Value = Vec<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes, four for each number")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        Ok(numbers.iter().map(|n| N::from_bytes(*n)).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Arrays {
        #[serde(with = "super")]
        rows: Vec<u32>,
        #[serde(with = "super")]
        weights: Vec<f32>,
    }

    #[test]
    fn arrays_round_trip_as_bytes() {
        let arrays = Arrays { rows: vec![0, 7, u32::MAX], weights: vec![-0.5, f32::MIN_POSITIVE] };
        let bytes = postcard::to_stdvec(&arrays).expect("encodes and decodes");
        assert_eq!(bytes.len(), 1 + 12 + 1 + 8);
        assert_eq!(postcard::from_bytes::<Arrays>(&bytes).expect("encodes and decodes"), arrays);
    }

    #[test]
    fn a_cut_array_is_an_error() {
        assert!(postcard::from_bytes::<Arrays>(&[3, 1, 2, 3, 0]).is_err());
    }
}
