//! Vectors as the store keeps them: unit length, quantised to i8, with a sign-bit sketch for the
//! first cut. What turns text into one is an [`Embedder`]; the engine has the real ones.

/// A text as a unit vector: component `i` is `values[i] as f32 * scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    pub scale: f32,
    pub values: Box<[i8]>,
}

impl Vector {
    pub fn cosine(&self, scale: f32, values: &[i8]) -> f32 {
        dot(&self.values, values) as f32 * self.scale * scale
    }
}

/// Turns text into a vector. `None` when nothing is known about the text.
pub trait Embedder: Send + Sync {
    /// Names the space; vectors of different spaces are never compared.
    fn id(&self) -> &str;
    fn dims(&self) -> usize;
    fn embed(&self, text: &str) -> Option<Vector>;
}

/// Written so that the compiler vectorises it: fixed blocks, no branches inside.
pub fn dot(a: &[i8], b: &[i8]) -> i32 {
    let blocks = a.chunks_exact(16).zip(b.chunks_exact(16));
    let mut total = 0i32;
    for (x, y) in blocks {
        total += x.iter().zip(y).map(|(x, y)| i32::from(i16::from(*x) * i16::from(*y))).sum::<i32>();
    }
    let rest = a.len().min(b.len()) / 16 * 16;
    total + a[rest..].iter().zip(&b[rest..]).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum::<i32>()
}

/// One bit per dimension.
pub fn sign_bits(values: &[i8]) -> Vec<u8> {
    values
        .chunks(8)
        .map(|chunk| chunk.iter().enumerate().fold(0, |acc, (i, v)| acc | (u8::from(*v > 0) << i)))
        .collect()
}

pub fn hamming(a: &[u8], b: &[u8]) -> u32 {
    let words = a.chunks_exact(8).zip(b.chunks_exact(8));
    words
        .map(|(x, y)| {
            let x = u64::from_le_bytes(x.try_into().unwrap_or_default());
            let y = u64::from_le_bytes(y.try_into().unwrap_or_default());
            (x ^ y).count_ones()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_equals_the_plain_sum() {
        let a: Vec<i8> = (0..259).map(|i| (i * 37 % 255 - 127) as i8).collect();
        let b: Vec<i8> = (0..259).map(|i| (i * 91 % 255 - 127) as i8).collect();
        let plain: i32 = a.iter().zip(&b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
        assert_eq!(dot(&a, &b), plain);
        assert_eq!(dot(&[-128; 256], &[-128; 256]), 128 * 128 * 256);
    }

    #[test]
    fn opposite_signs_differ_everywhere() {
        let a = sign_bits(&[1; 256]);
        let b = sign_bits(&[-1; 256]);
        assert_eq!((a.len(), hamming(&a, &b), hamming(&a, &a)), (32, 256, 0));
    }
}
