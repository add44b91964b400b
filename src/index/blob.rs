//! Number arrays as one byte string in a stored index: opening copies memory instead of decoding number by number.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// A number of `N` bytes, little-endian on disk.
pub(super) trait Number<const N: usize>: Copy {
    fn to_bytes(self) -> [u8; N];
    fn from_bytes(bytes: [u8; N]) -> Self;
}

#[cfg(feature = "hnsw")]
impl Number<1> for u8 {
    fn to_bytes(self) -> [u8; 1] {
        [self]
    }

    fn from_bytes(bytes: [u8; 1]) -> Self {
        bytes[0]
    }
}

impl Number<4> for u32 {
    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }

    fn from_bytes(bytes: [u8; 4]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

impl Number<4> for f32 {
    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }

    fn from_bytes(bytes: [u8; 4]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

pub(super) fn serialize<const N: usize, T: Number<N>, S: Serializer>(numbers: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::with_capacity(numbers.len() * N);
    bytes.extend(numbers.iter().flat_map(|n| n.to_bytes()));
    serializer.serialize_bytes(&bytes)
}

pub(super) fn deserialize<'de, const N: usize, T: Number<N>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_bytes(Blob::<N, T>(PhantomData))
}

struct Blob<const N: usize, T>(PhantomData<T>);

impl<const N: usize, T: Number<N>> Visitor<'_> for Blob<N, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes, {N} for each number")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        let (numbers, rest) = bytes.as_chunks::<N>();
        if !rest.is_empty() {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        Ok(numbers.iter().map(|n| T::from_bytes(*n)).collect())
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
