//! Texts as vectors: the [`Embedder`] trait, the quantised [`Vector`], and the arithmetic that recall scans
//! with. The engine turns text into vectors.

use fearless_simd::{Simd, dispatch, i8x16, i32x4, prelude::*, u8x16};

pub use fearless_simd::Level;

/// A text as a unit vector quantised to `i8`: the cosine of two is `dot(a, b) * a.scale * b.scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    pub scale: f32,
    pub values: Box<[i8]>,
}

/// Turns texts into vectors of one space.
pub trait Embedder: Send + Sync {
    /// Names the vector space; changes whenever vectors stop being comparable with older ones.
    fn id(&self) -> &str;

    /// How many values a vector has.
    fn dims(&self) -> usize;

    /// `None` if nothing is known about the text.
    fn embed(&self, text: &str) -> Option<Vector>;

    /// The same for a question, which some models read differently.
    fn embed_question(&self, text: &str) -> Option<Vector> {
        self.embed(text)
    }

    /// Whether the model knows this word as a whole, rather than guessing from pieces.
    fn knows(&self, word: &str) -> bool;

    /// The words of a text one by one, as opaque bytes that are stored next to its vector.
    fn words(&self, text: &str) -> Vec<u8>;

    /// How much of the weighted query words each passage's words account for, by the same words or words of
    /// similar meaning. Words and passages are results of [`Embedder::words`]. Takes many passages at once,
    /// because they share words.
    fn word_matches(&self, query: &[(Vec<u8>, f32)], passages: &[Vec<u8>]) -> Vec<WordMatch>;
}

/// Shares of a query's words with a counterpart, 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WordMatch {
    /// Anywhere in the passage.
    pub anywhere: f32,
    /// In the sentence with the most of them.
    pub sentence: f32,
    /// In the best sentence in which people speak about themselves.
    pub of_self: f32,
}

impl Vector {
    /// Quantises a direction of any length. `None` if it has no direction: empty, all zero or not finite.
    #[must_use]
    pub fn from_floats(direction: &[f32]) -> Option<Self> {
        let largest = direction.iter().fold(0f32, |m, x| m.max(x.abs()));
        if !(largest.is_finite() && largest > f32::MIN_POSITIVE) || direction.iter().any(|x| x.is_nan()) {
            return None;
        }
        let values: Box<[i8]> =
            direction.iter().map(|x| (f64::from(*x) / f64::from(largest) * 127.0).round() as i8).collect();
        // The scale is derived from the rounded values, so that a vector's cosine with itself is exactly one.
        let scale = (f64::from(dot(&values, &values)).sqrt().recip()) as f32;
        Some(Self { scale, values })
    }

    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        self.cosine_with(other.scale, &other.values)
    }

    /// The same for a vector given as scale and values, as the store keeps it.
    #[must_use]
    pub fn cosine_with(&self, scale: f32, values: &[i8]) -> f32 {
        dot(&self.values, values) as f32 * self.scale * scale
    }
}

/// The inner product of two vectors' values; over the shorter one if the lengths differ.
#[must_use]
pub fn dot(a: &[i8], b: &[i8]) -> i32 {
    let (a_chunks, a_rest) = a.as_chunks::<32>();
    let (b_chunks, b_rest) = b.as_chunks::<32>();
    if a.len() != b.len() {
        return a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    }
    // The compiler turns fixed-size chunks and 16-bit products into vector instructions.
    let chunks = a_chunks
        .iter()
        .zip(b_chunks)
        .map(|(x, y)| x.iter().zip(y).map(|(x, y)| i32::from(i16::from(*x) * i16::from(*y))).sum::<i32>());
    let rest = a_rest.iter().zip(b_rest).map(|(x, y)| i32::from(*x) * i32::from(*y));
    chunks.sum::<i32>() + rest.sum::<i32>()
}

/// [`dot`] over raw bytes, as in files and databases.
#[must_use]
pub fn dot_bytes(a: &[u8], b: &[u8]) -> i32 {
    let length = a.len().min(b.len());
    let (a, b) = (&a[..length], &b[..length]);
    dispatch!(Level::new(), _simd => {
        // A plain loop, as in `signs_within`; 16-bit products become vector instructions.
        let mut sum = 0i32;
        let mut at = 0;
        while at < length {
            sum += i32::from(i16::from(a[at].cast_signed()) * i16::from(b[at].cast_signed()));
            at += 1;
        }
        sum
    })
}

/// [`dot_bytes`] of one vector with many of the same length that are stored one after another, in order.
pub fn dots_bytes(level: Level, one: &[u8], many: &[u8], dots: &mut Vec<i32>) {
    dots.clear();
    if one.is_empty() {
        return;
    }
    dots.resize(many.len() / one.len(), 0);
    let dots = dots.as_mut_slice();
    dispatch!(level, simd => {
        for (dot, other) in dots.iter_mut().zip(many.chunks_exact(one.len())) {
            *dot = dot_in_vectors(simd, one, other);
        }
    });
}

/// Spelled out: in a build optimised for size, a plain loop would take four times as long.
#[inline(always)]
fn dot_in_vectors<S: Simd>(simd: S, a: &[u8], b: &[u8]) -> i32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut sums = i32x4::splat(simd, 0);
    for (a, b) in a.iter().zip(b) {
        let (a, b): (i8x16<S>, i8x16<S>) =
            (u8x16::from_slice(simd, a).bitcast(), u8x16::from_slice(simd, b).bitcast());
        let ((a_low, a_high), (b_low, b_high)) = (a.widen(), b.widen());
        sums += a_low.pairwise_dot_product(b_low);
        sums += a_high.pairwise_dot_product(b_high);
    }
    let mut sum = sums.reduce_sum();
    for (a, b) in a_rest.iter().zip(b_rest) {
        sum += i32::from(a.cast_signed()) * i32::from(b.cast_signed());
    }
    sum
}

/// One bit per value, set if it is positive: 32 bytes that replace a vector in a first pass over very many.
/// Covers the first 256 values.
#[must_use]
pub fn sign_bits(values: &[i8]) -> [u8; 32] {
    let mut bits = [0u8; 32];
    for (byte, values) in bits.iter_mut().zip(values.chunks(8)) {
        *byte = values.iter().enumerate().fold(0, |b, (i, x)| b | (u8::from(*x > 0) << i));
    }
    bits
}

/// Sign bits as machine words.
pub type Signs = [u64; 4];

#[must_use]
pub fn sign_words(bits: &[u8; 32]) -> Signs {
    let words = bits.as_chunks::<8>().0;
    std::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

/// Which of many sign bits are within `most` of one, with their distances, in order. Most are not, so a slot
/// is written for each and kept for few: no branch to predict. Counting bits is one instruction on any
/// processor of the last fifteen years, but not in the baseline that this is built for; hence the dispatch,
/// once for many.
pub fn signs_within(level: Level, from: &Signs, many: &[Signs], most: u32, found: &mut Vec<(u32, u32)>) {
    found.clear();
    found.resize(many.len() + 1, (0, 0));
    let places = found.as_mut_slice();
    let mut count = 0;
    dispatch!(level, _simd => {
        // Plain loops, because iterators are not inlined into code for another processor.
        let [a, b, c, d] = *from;
        let mut at = 0;
        while at < many.len() && count < places.len() {
            let [w, x, y, z] = many[at];
            let distance =
                (a ^ w).count_ones() + (b ^ x).count_ones() + (c ^ y).count_ones() + (d ^ z).count_ones();
            places[count] = (at as u32, distance);
            count += usize::from(distance <= most);
            at += 1;
        }
    });
    found.truncate(count);
}

/// The number of differing bits; over the shorter one if the lengths differ.
#[must_use]
pub fn hamming(a: &[u8], b: &[u8]) -> u32 {
    let (a_words, a_rest) = a.as_chunks::<8>();
    let (b_words, b_rest) = b.as_chunks::<8>();
    if a.len() != b.len() {
        return a.iter().zip(b).map(|(x, y)| (x ^ y).count_ones()).sum();
    }
    let words = a_words.iter().zip(b_words);
    let rest = a_rest.iter().zip(b_rest);
    words.map(|(x, y)| (u64::from_ne_bytes(*x) ^ u64::from_ne_bytes(*y)).count_ones()).sum::<u32>()
        + rest.map(|(x, y)| (x ^ y).count_ones()).sum::<u32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_within_the_distance_are_found_with_their_distances() {
        let bits: Vec<[u8; 32]> =
            (0..40u8).map(|i| std::array::from_fn(|j| i.wrapping_mul(j as u8 ^ 77))).collect();
        let many: Vec<Signs> = bits.iter().map(sign_words).collect();
        let singly: Vec<u32> = bits.iter().map(|b| hamming(&bits[7], b)).collect();
        assert_eq!(singly[7], 0);
        for most in [0, 90, 128, u32::MAX] {
            let mut found = vec![(9, 9)];
            signs_within(Level::new(), &many[7], &many, most, &mut found);
            let within = (0u32..).zip(&singly).filter(|(_, distance)| **distance <= most);
            assert_eq!(found, within.map(|(at, distance)| (at, *distance)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn quantised_vectors_have_unit_length() {
        let v = Vector::from_floats(&[0.3, -1.7, 0.0, 2.5]).expect("a direction");
        assert_eq!(&*v.values, [15, -86, 0, 127]);
        assert!((v.cosine(&v) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_zero_direction_gives_no_vector() {
        for floats in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY], &[1e-40]] {
            assert!(Vector::from_floats(floats).is_none(), "{floats:?}");
        }
    }

    #[test]
    fn batched_products_equal_single_ones() {
        for length in [1, 15, 16, 17, 64, 256] {
            let byte = |at: usize| (at.wrapping_mul(2_654_435_761) >> 7) as u8;
            let one: Vec<u8> = (0..length).map(byte).collect();
            let many: Vec<u8> = (0..5 * length).map(|at| byte(at + 9)).collect();
            let mut dots = Vec::new();
            dots_bytes(Level::new(), &one, &many, &mut dots);
            let single: Vec<i32> = many.chunks(length).map(|other| dot_bytes(&one, other)).collect();
            assert_eq!(dots, single, "{length}");
        }
        let mut dots = vec![7];
        dots_bytes(Level::new(), &[], &[1, 2], &mut dots);
        assert!(dots.is_empty());
    }

    #[test]
    fn dot_takes_any_length() {
        let a: Vec<i8> = (0..100).map(|i| (i * 7 % 255 - 127) as i8).collect();
        let plain: i32 = a.iter().map(|x| i32::from(*x).pow(2)).sum();
        assert_eq!(dot(&a, &a), plain);
        assert_eq!(dot(&[-128; 33], &[-128; 33]), 33 * 16384);
        assert_eq!(dot(&a, &a[..1]), i32::from(a[0]).pow(2));
        assert_eq!(dot(&[], &a), 0);
    }

    #[test]
    fn sign_bits_follow_signs() {
        let mut floats = [-1f32; 256];
        floats[0] = 1.0;
        floats[9] = 1.0;
        let bits = sign_bits(&Vector::from_floats(&floats).expect("a direction").values);
        assert_eq!(bits[..3], [1, 2, 0]);
        assert_eq!(hamming(&bits, &[0; 32]), 2);
        assert_eq!(hamming(&bits[..9], &[0xff; 9]), 70);
        assert_eq!(hamming(&bits, &[1]), 0);
    }
}
