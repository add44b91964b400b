//! Vectors of length 1 in whole numbers, and the exact search over them.
//!
//! Sums of whole numbers do not depend on their order, so every processor finds the same rows with the same scores, whatever vector registers
//! it has. A component is `high * 2^16 + low` in units of `1 / SCALE`. The first pass over all rows reads the high halves alone: two bytes a
//! component, half of what floats take, and twice as many to a vector register. What it may get wrong is bounded, and the rows within that bound
//! are compared again by all 32 bits.

use super::rows::best;

/// What stands for 1: the largest number whose high half fits into 16 bits and whose low half is 0.
const SCALE: f64 = 32_767.0 * 65_536.0;

/// Rows of the first pass that are compared with all queries before the next: 192 KiB of 384 dimensions, which second-level caches hold.
const BLOCK: usize = 256;

/// Unit vectors of one dimension, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Vectors {
    dimension: usize,
    high: Vec<i16>,
    low: Vec<i16>,
}

impl Vectors {
    /// Space for `rows` vectors of `dimension` components, all zeros until they are [set](Self::set).
    pub(super) fn new(dimension: usize, rows: usize) -> Self {
        Self { dimension, high: vec![0; dimension * rows], low: vec![0; dimension * rows] }
    }

    /// One vector scaled to length 1, or what is wrong with it.
    pub(super) fn one(vector: &[f32]) -> Result<Self, String> {
        if let Some(at) = vector.iter().position(|x| !x.is_finite()) {
            return Err(format!("is not finite at dimension {at}"));
        }
        // In double precision, so that no finite vector is too long or too short to be scaled.
        let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        if length == 0.0 {
            return Err("is all zeros".to_owned());
        }
        let (high, low) = vector.iter().map(|x| halves(f64::from(*x) / length)).unzip();
        Ok(Self { dimension: vector.len(), high, low })
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(super) fn len(&self) -> usize {
        self.high.len().checked_div(self.dimension).unwrap_or_default()
    }

    /// The high halves of a row.
    pub(super) fn high(&self, row: usize) -> &[i16] {
        &self.high[row * self.dimension..(row + 1) * self.dimension]
    }

    /// The low halves of a row.
    pub(super) fn low(&self, row: usize) -> &[i16] {
        &self.low[row * self.dimension..(row + 1) * self.dimension]
    }

    /// Sets a row from the bytes of its high and then its low halves, two each, little-endian.
    pub(super) fn set(&mut self, row: usize, bytes: &[u8]) {
        let (high, low) = bytes.split_at(bytes.len() / 2);
        let place = row * self.dimension..(row + 1) * self.dimension;
        for (halves, bytes) in [(&mut self.high, high), (&mut self.low, low)] {
            for (half, bytes) in halves[place.clone()].iter_mut().zip(bytes.as_chunks().0) {
                *half = i16::from_le_bytes(*bytes);
            }
        }
    }

    /// Sets a row from the one vector of `other`.
    pub(super) fn copy(&mut self, row: usize, other: &Self) {
        let place = row * self.dimension..(row + 1) * self.dimension;
        self.high[place.clone()].copy_from_slice(&other.high);
        self.low[place].copy_from_slice(&other.low);
    }

    /// The bytes that [`Self::set`] takes.
    pub(super) fn push_bytes(&self, row: usize, bytes: &mut Vec<u8>) {
        bytes.extend(self.high(row).iter().chain(self.low(row)).flat_map(|half| half.to_le_bytes()));
    }

    /// For each query (a row of `queries`): the best `k` rows that pass `visible`, with their cosines, best first, equal ones by row. Nothing
    /// is missed.
    pub(super) fn search(&self, queries: &Self, k: usize, visible: impl Fn(usize, usize) -> bool) -> Vec<Vec<(usize, f64)>> {
        let rough = self.rough(queries);
        let search = |(query, rough): (usize, Vec<i32>)| {
            let visible = |row: usize| visible(query, row);
            let Some((_, worst)) = best(rough.iter().copied().enumerate(), k, Ord::cmp, visible).pop() else { return Vec::new() };
            let least = worst.saturating_sub(self.doubt());
            let close = rough.iter().enumerate().filter(|(row, rough)| **rough >= least && visible(*row)).map(|(row, _)| row);
            self.rank(queries, query, close, k)
        };
        rough.into_iter().enumerate().map(search).collect()
    }

    /// The best `k` of `rows` by the cosine of all 32 bits, equal ones by row.
    pub(super) fn rank(&self, queries: &Self, query: usize, rows: impl Iterator<Item = usize>, k: usize) -> Vec<(usize, f64)> {
        let cosines = rows.map(|row| (row, self.product(row, queries, query)));
        best(cosines, k, Ord::cmp, |_| true).into_iter().map(|(row, sum)| (row, sum as f64 / (SCALE * SCALE))).collect()
    }

    /// For each query: the product of the high halves with each row.
    fn rough(&self, queries: &Self) -> Vec<Vec<i32>> {
        let mut products: Vec<_> = (0..queries.len()).map(|_| Vec::with_capacity(self.len())).collect();
        for block in self.high.chunks(BLOCK * self.dimension.max(1)) {
            for (query, products) in products.iter_mut().enumerate() {
                products.extend(block.chunks_exact(self.dimension).map(|row| dot(row, queries.high(query))));
            }
        }
        products
    }

    /// Twice the most by which a product of high halves differs from the true one, in units of the high halves. A difference of vectors is at
    /// most `sqrt(dimension) / 2` long, because each component is rounded by at most a half; each vector is as long as `SCALE` makes it, but
    /// for that difference; and a product is no greater than the product of the lengths (Cauchy and Schwarz).
    fn doubt(&self) -> i32 {
        let difference = (self.dimension as f64).sqrt() / 2.0;
        let length = SCALE / 65_536.0 + 1.0;
        #[expect(clippy::cast_possible_truncation, reason = "casts from floats saturate, and a bound that is too large only costs time")]
        let bound = (2.0 * difference * (2.0 * length + difference)).ceil() as i32;
        bound
    }

    /// The product of two vectors, exact: both are no longer than `SCALE` and a rounding, so it is below 2^62.
    fn product(&self, row: usize, others: &Self, other: usize) -> i64 {
        let whole = |(high, low): (&i16, &i16)| i64::from(*high) * 65_536 + i64::from(*low);
        let own = self.high(row).iter().zip(self.low(row)).map(whole);
        own.zip(others.high(other).iter().zip(others.low(other)).map(whole)).map(|(a, b)| a * b).sum()
    }
}

/// A component between -1 and 1 in units of `1 / SCALE`, as high and low half; the high half is rounded to the nearest.
fn halves(component: f64) -> (i16, i16) {
    #[expect(clippy::cast_possible_truncation, reason = "SCALE keeps the number within 32 bits, and its high half within 16")]
    let (number, half) = ((component * SCALE).round() as i64, |number: i64| number as i16);
    let high = (number + 32_768) >> 16;
    (half(high), half(number - high * 65_536))
}

/// The product of two vectors of high halves. No sum of a part of it leaves 32 bits: it is at most the product of two lengths of about 2^15.
///
/// Never inlined: the compiler fills its vector registers with the lanes of this function, and with less where it sees more around it.
#[inline(never)]
pub(super) fn dot(a: &[i16], b: &[i16]) -> i32 {
    // One running sum would leave the registers half empty.
    const LANES: usize = 16;
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let product = |(a, b): (&i16, &i16)| i32::from(*a) * i32::from(*b);
    let mut sums = [0; LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for (sum, pair) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += product(pair);
        }
    }
    sums.iter().sum::<i32>() + a_rest.iter().zip(b_rest).map(product).sum::<i32>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stored(vectors: &[Vec<f32>]) -> Vectors {
        let mut stored = Vectors::new(vectors[0].len(), vectors.len());
        for (row, vector) in vectors.iter().enumerate() {
            stored.copy(row, &Vectors::one(vector).expect("is sound"));
        }
        stored
    }

    #[test]
    fn components_keep_thirty_two_bits() {
        for component in [1.0, -1.0, 0.0, 0.5, -1.0 / 3.0, 1e-9, -0.499_99] {
            let (high, low) = halves(component);
            let back = (f64::from(high) * 65_536.0 + f64::from(low)) / SCALE;
            assert!((back - component).abs() <= 0.5 / SCALE, "{component} {back}");
        }
    }

    #[test]
    fn alike_vectors_are_told_apart_beyond_the_first_pass() {
        // The first components differ by less than a tenth of a unit of the high halves.
        let near = |step: u16| vec![0.6 + f32::from(step) * 2e-6, 0.8];
        let vectors: Vec<Vec<f32>> = [1, 3, 0, 2].map(near).to_vec();
        let found = stored(&vectors).search(&stored(&[vec![1.0, 0.0]]), 3, |_, _| true).remove(0);
        assert_eq!(found.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [1, 3, 0]);
    }

    #[test]
    fn a_vector_of_one_large_component_does_not_overflow() {
        let axis = |at: usize| (0..700).map(|i| if i == at { -1.0 } else { 0.0 }).collect::<Vec<f32>>();
        let found = stored(&[axis(3), axis(699)]).search(&stored(&[axis(699), axis(3)]), 2, |_, _| true);
        assert_eq!(found, [[(1, 1.0), (0, 0.0)], [(0, 1.0), (1, 0.0)]]);
    }

    proptest! {
        /// Against all rows by all 32 bits, for several queries with filters of their own; many vectors are equal or near each other.
        #[test]
        fn the_first_pass_loses_nothing(
            rows in prop::collection::vec(prop::collection::vec((-3..4_i8, 0..3_u8), 5), 1..600),
            queries in prop::collection::vec(prop::collection::vec((-3..4_i8, 0..3_u8), 5), 1..4),
            k in 0..12_usize,
        ) {
            let floats = |vectors: &[Vec<(i8, u8)>]| -> Vec<Vec<f32>> {
                let one = |v: &Vec<(i8, u8)>| v.iter().map(|(x, y)| f32::from(*x) + f32::from(*y) * 1e-5).chain([0.5]).collect();
                vectors.iter().map(one).collect()
            };
            let (vectors, asked) = (stored(&floats(&rows)), stored(&floats(&queries)));
            let visible = |query: usize, row: usize| !(row + query).is_multiple_of(3);
            let found = vectors.search(&asked, k, visible);
            for (query, found) in found.into_iter().enumerate() {
                let all = (0..rows.len()).filter(|row| visible(query, *row));
                prop_assert_eq!(found, vectors.rank(&asked, query, all, k));
            }
        }

        #[test]
        fn cosines_are_those_of_the_floats(a in prop::collection::vec(-9.0..9.0_f32, 1..60), seed in 1..99_u8) {
            prop_assume!(a.iter().any(|x| x.abs() > 0.1));
            let b: Vec<f32> = a.iter().enumerate().map(|(i, x)| x * f32::from(seed) - (i % 7) as f32 + 0.3).collect();
            let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
            prop_assume!(product(&b, &b) > 0.01);
            let expected = product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt();
            let found = stored(&[a]).search(&stored(&[b]), 1, |_, _| true)[0][0].1;
            prop_assert!((found - expected).abs() < 1e-8, "{} {}", found, expected);
        }
    }
}
