//! Products with packed weights on processors with AVX2, which multiply pairs of bytes in one step: twice as
//! many products per instruction as with the 16-bit values of the other kernel.
//!
//! Activations are rounded to eight bits with a scale for every [`GROUP`], so that one large value costs only its
//! neighbours some precision. A weight `2v - 15` is used as the byte `2v`; the part that is missing, 15 times the
//! activations, is where the sums start. The largest sum of a group is 15 × 127 × 16, so 16 bits are enough, even
//! if they overflow on the way.

use std::arch::x86_64::{
    __m256, __m256i, _mm_add_epi16, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_castsi256_si128,
    _mm256_cvtepi32_ps, _mm256_cvtps_epi32, _mm256_extracti128_si256, _mm256_maddubs_epi16, _mm256_mul_ps,
    _mm256_mullo_epi16, _mm256_packs_epi16, _mm256_packs_epi32, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_ps, _mm256_setr_epi32, _mm256_unpackhi_epi32,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use fearless_simd::{Avx2, f32x8, i16x16, i32x8, kernel, prelude::*, u8x16, u8x32};

use super::kernel::{GROUP, Matrix};

/// Columns that are computed together: two vectors of sums.
pub(super) const COLUMNS: usize = 16;
const VECTOR: usize = 8;
/// A group is read four values at a time.
const STEPS: usize = GROUP / 4;
const LARGEST: f32 = 127.0;

/// Activations rounded to bytes.
#[derive(Clone, Copy, Default)]
struct Group {
    /// Four bytes each.
    steps: [i32; STEPS],
    /// Two 16-bit sums: what the first and the second two bytes of all steps would add for a weight of -15.
    start: i32,
    scale: f32,
}

/// A group of the weights of [`COLUMNS`] columns: for each step, four bytes of every column.
#[derive(Clone, Copy)]
struct Weights {
    steps: [[[u8; 32]; 2]; STEPS],
    /// A column has two sums: its factor twice, in 16 bits each.
    factors: [[i32; VECTOR]; 2],
}

const NO_WEIGHTS: Weights = Weights { steps: [[[0; 32]; 2]; STEPS], factors: [[0; VECTOR]; 2] };

/// Buffers, reused from product to product.
#[derive(Default)]
pub(super) struct Buffers {
    x: Vec<Group>,
    panel: Vec<Weights>,
}

kernel!(
    /// `out[i][j] = x[i] · w[j] + bias[j]` for rows `x` of `width` values; the number of columns is a multiple of
    /// [`COLUMNS`].
    pub(super) fn multiply(
        avx2: Avx2,
        x: &[f32],
        width: usize,
        packed: (&[u8], &[u8]),
        w: Matrix<'_>,
        room: &mut Buffers,
        out: &mut [f32],
    ) {
        let (pairs, factors) = packed;
        let (groups, columns) = (width / GROUP, w.scales.len());
        let x = x.as_chunks::<GROUP>().0;
        room.x.resize(x.len(), Group::default());
        for (to, from) in room.x.iter_mut().zip(x) {
            *to = round(avx2, from);
        }
        room.panel.resize(groups, NO_WEIGHTS);
        let panels = w.scales.as_chunks::<COLUMNS>().0.iter().zip(w.bias.as_chunks::<COLUMNS>().0);
        for (p, (scales, bias)) in panels.enumerate() {
            let first = p * COLUMNS * groups;
            arrange(avx2, &pairs[first * GROUP / 2..], &factors[first..], &mut room.panel);
            let rows = room.x.chunks(4 * groups).zip(out.chunks_mut(4 * columns));
            for (x, out) in rows {
                let out = Out { out, columns, at: p * COLUMNS };
                match x.len() / groups {
                    4 => tile::<4>(avx2, x, &room.panel, scales, bias, out),
                    3 => tile::<3>(avx2, x, &room.panel, scales, bias, out),
                    2 => tile::<2>(avx2, x, &room.panel, scales, bias, out),
                    _ => tile::<1>(avx2, x, &room.panel, scales, bias, out),
                }
            }
        }
    }
);

/// Where the sums of a tile go: from column `at` of each row.
struct Out<'a> {
    out: &'a mut [f32],
    columns: usize,
    at: usize,
}

#[inline(always)]
fn tile<const R: usize>(
    avx2: Avx2,
    x: &[Group],
    panel: &[Weights],
    scales: &[f32; COLUMNS],
    bias: &[f32; COLUMNS],
    to: Out<'_>,
) {
    let groups = panel.len();
    let rows: [&[Group]; R] = std::array::from_fn(|r| &x[r * groups..][..groups]);
    let mut totals = [[f32x8::splat(avx2, 0.0); 2]; R];
    for (g, weights) in panel.iter().enumerate() {
        let mut x = [&rows[0][g]; R];
        let mut sums = [[i16x16::splat(avx2, 0); 2]; R];
        for r in 0..R {
            x[r] = &rows[r][g];
            sums[r] = [i32x8::splat(avx2, x[r].start).bitcast(); 2];
        }
        let mut s = 0;
        while s < STEPS {
            step(avx2, x, weights, &mut sums, s);
            step(avx2, x, weights, &mut sums, s + 1);
            s += 2;
        }
        let [left, right] = &weights.factors;
        let factors: [i16x16<Avx2>; 2] =
            [i32x8::from_slice(avx2, left).bitcast(), i32x8::from_slice(avx2, right).bitcast()];
        for ((totals, sums), x) in totals.iter_mut().zip(sums).zip(x) {
            let scale = f32x8::splat(avx2, x.scale);
            for ((total, sum), factors) in totals.iter_mut().zip(sums).zip(factors) {
                let sum = floats(avx2, sum.pairwise_dot_product(factors));
                *total = sum.mul_add(scale, *total);
            }
        }
    }
    let Out { out, columns, at } = to;
    for (r, totals) in totals.iter().enumerate() {
        let out = &mut out[r * columns + at..][..COLUMNS];
        for (half, total) in totals.iter().enumerate() {
            let range = half * VECTOR..(half + 1) * VECTOR;
            let scale = f32x8::from_slice(avx2, &scales[range.clone()]);
            let bias = f32x8::from_slice(avx2, &bias[range.clone()]);
            total.mul_add(scale, bias).store_slice(&mut out[range]);
        }
    }
}

#[inline(always)]
fn step<const R: usize>(
    avx2: Avx2,
    x: [&Group; R],
    weights: &Weights,
    sums: &mut [[i16x16<Avx2>; 2]; R],
    s: usize,
) {
    let [left, right] = &weights.steps[s];
    let (left, right) = (u8x32::from_slice(avx2, left), u8x32::from_slice(avx2, right));
    for (sums, x) in sums.iter_mut().zip(x) {
        let x = i32x8::splat(avx2, x.steps[s]);
        sums[0] += products(avx2, left, x);
        sums[1] += products(avx2, right, x);
    }
}

/// Fills a panel from the packed rows of its columns.
#[inline(always)]
fn arrange(avx2: Avx2, pairs: &[u8], factors: &[u8], panel: &mut [Weights]) {
    let groups = panel.len();
    let pairs = pairs.as_chunks::<{ GROUP / 2 }>().0;
    for half in 0..2 {
        let mut columns = [(pairs, factors); VECTOR];
        for (c, column) in columns.iter_mut().enumerate() {
            let first = (half * VECTOR + c) * groups;
            *column = (&pairs[first..][..groups], &factors[first..][..groups]);
        }
        for (g, weights) in panel.iter_mut().enumerate() {
            for (factor, (_, factors)) in weights.factors[half].iter_mut().zip(columns) {
                let twice = u32::from(i16::from(factors[g].cast_signed()).cast_unsigned()) * 0x1_0001;
                *factor = twice.cast_signed();
            }
            let mut rows = [u8x32::splat(avx2, 0); 4];
            for (c, row) in rows.iter_mut().enumerate() {
                let (low, high) = (&columns[c].0[g], &columns[c + 4].0[g]);
                *row = u8x16::from_slice(avx2, low).combine(u8x16::from_slice(avx2, high));
            }
            let [a, b, c, d] = rows;
            let turned = transpose(avx2, [a.into(), b.into(), c.into(), d.into()]);
            let mask = u8x32::splat(avx2, 30);
            for (s, both) in turned.into_iter().enumerate() {
                let both: u8x32<Avx2> = both.simd_into(avx2);
                ((both << 1) & mask).store_slice(&mut weights.steps[s][half]);
                ((both >> 3) & mask).store_slice(&mut weights.steps[s + STEPS / 2][half]);
            }
        }
    }
}

kernel!(
    #[inline(always)]
    fn products(avx2: Avx2, weights: u8x32<Avx2>, x: i32x8<Avx2>) -> i16x16<Avx2> {
        _mm256_maddubs_epi16(weights.into(), x.into()).simd_into(avx2)
    }
);

kernel!(
    #[inline(always)]
    fn floats(avx2: Avx2, x: i32x8<Avx2>) -> f32x8<Avx2> {
        _mm256_cvtepi32_ps(x.into()).simd_into(avx2)
    }
);

kernel!(
    /// From four times four bytes of a column in each half to the same four bytes of eight columns.
    #[inline(always)]
    fn transpose(_avx2: Avx2, rows: [__m256i; 4]) -> [__m256i; 4] {
        let [a, b, c, d] = rows;
        let (low_ab, high_ab) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (low_cd, high_cd) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(low_ab, low_cd),
            _mm256_unpackhi_epi64(low_ab, low_cd),
            _mm256_unpacklo_epi64(high_ab, high_cd),
            _mm256_unpackhi_epi64(high_ab, high_cd),
        ]
    }
);

#[inline(always)]
fn round(avx2: Avx2, x: &[f32; GROUP]) -> Group {
    let mut parts = [f32x8::splat(avx2, 0.0); 4];
    let mut largest = f32x8::splat(avx2, f32::MIN_POSITIVE);
    for (part, x) in parts.iter_mut().zip(x.as_chunks::<VECTOR>().0) {
        *part = f32x8::from_slice(avx2, x);
        largest = largest.max(part.abs());
    }
    let largest = largest.reduce_max();
    let [a, b, c, d] = parts;
    let (steps, start) = to_bytes(avx2, [a.into(), b.into(), c.into(), d.into()], LARGEST / largest);
    let steps: i32x8<Avx2> = steps.simd_into(avx2);
    Group { steps: steps.into(), start, scale: largest / LARGEST }
}

kernel!(
    #[inline(always)]
    fn to_bytes(_avx2: Avx2, parts: [__m256; 4], factor: f32) -> (__m256i, i32) {
        let factor = _mm256_set1_ps(factor);
        let [a, b, c, d] = parts;
        let (a, b) = (_mm256_mul_ps(a, factor), _mm256_mul_ps(b, factor));
        let (c, d) = (_mm256_mul_ps(c, factor), _mm256_mul_ps(d, factor));
        let (a, b) = (_mm256_cvtps_epi32(a), _mm256_cvtps_epi32(b));
        let (c, d) = (_mm256_cvtps_epi32(c), _mm256_cvtps_epi32(d));
        let bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        // Packing works in halves; this brings the steps back into order.
        let bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        let sums = _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes);
        let sums = _mm256_mullo_epi16(sums, _mm256_set1_epi16(-15));
        let sums = _mm_add_epi16(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let sums = _mm_add_epi16(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
        let sums = _mm_add_epi16(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums));
        (bytes, _mm_cvtsi128_si32(sums))
    }
);
