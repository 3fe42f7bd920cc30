//! The arithmetic of the encoder: integer matrix products and the few functions a transformer needs.
//!
//! Written once over vectors of a fixed width; `dispatch!` compiles it for each kind of processor and chooses
//! at run time. Widths are multiples of [`LANES`] and [`HEAD`], which the reader of the file has checked.

use fearless_simd::{Level, Simd, dispatch, f32x8, i8x16, i16x16, i32x8, prelude::*, u8x16};

/// Row widths are multiples of this.
pub(super) const LANES: usize = 16;
/// Head widths are multiples of this.
pub(super) const HEAD: usize = 32;
/// Floats per vector; as many bits as [`LANES`] activations.
const HALF: usize = 8;

/// Activations are rounded to this many steps on each side of zero. Weights have 127 and rows at most 4,096
/// values, so sums fit into 32 bits. Products use 16-bit values anyway, so the finer steps cost nothing over
/// eight bits, and only the rounding of the weights is noticeable.
const STEPS: f32 = 4095.0;
/// The same for packed weights, which reach 15 × 127 when widened, in rows of at most [`WIDEST_PACKED`].
const STEPS_BESIDE_PACKED: f32 = 511.0;
pub(super) const WIDEST_PACKED: usize = 2048;
/// The number of packed weights that share a factor.
pub(super) const GROUP: usize = 32;
const HALF_GROUP: usize = GROUP / 2;
/// Weight rows that are widened together, so that every activation row uses them while they are in the L1
/// cache.
const PANEL: usize = 8;

/// The weights of a matrix as stored in the file, row by row.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    /// One `i8` each.
    Bytes(&'a [u8]),
    /// Two per byte, and a factor for every [`GROUP`] of them.
    Packed { pairs: &'a [u8], factors: &'a [u8] },
}

/// A weight matrix: a row for each output, with its scale and bias.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) values: Values<'a>,
    pub(super) scales: &'a [f32],
    pub(super) bias: &'a [f32],
}

/// Rows of activations rounded to integers, a scale for each, and a buffer for widened weights.
#[derive(Default)]
pub(super) struct Rounded {
    width: usize,
    values: Vec<i16>,
    scales: Vec<f32>,
    panel: Vec<i16>,
    #[cfg(target_arch = "x86_64")]
    bytes: super::packed::Buffers,
}

/// `out[i][j] = x[i] · w[j] + bias[j]` for rows `x` of `width` values.
pub(super) fn multiply(
    level: Level,
    x: &[f32],
    width: usize,
    w: Matrix<'_>,
    rounded: &mut Rounded,
    out: &mut [f32],
) {
    #[cfg(target_arch = "x86_64")]
    if let (Some(avx2), Values::Packed { pairs, factors }) = (level.as_avx2(), w.values)
        && w.scales.len().is_multiple_of(super::packed::COLUMNS)
    {
        return super::packed::multiply(avx2, x, width, (pairs, factors), w, &mut rounded.bytes, out);
    }
    dispatch!(level, simd => {
        let steps = match w.values {
            Values::Bytes(_) => STEPS,
            Values::Packed { .. } => STEPS_BESIDE_PACKED,
        };
        rounded.fill(simd, x, width, steps);
        product(simd, rounded, w, out);
    });
}

impl Rounded {
    #[inline(always)]
    fn fill<S: Simd>(&mut self, simd: S, floats: &[f32], width: usize, steps: f32) {
        self.width = width;
        self.values.resize(floats.len(), 0);
        self.scales.clear();
        for (row, rounded) in floats.chunks_exact(width).zip(self.values.chunks_exact_mut(width)) {
            let mut largest = f32x8::splat(simd, f32::MIN_POSITIVE);
            for x in row.as_chunks::<HALF>().0 {
                largest = largest.max(f32x8::from_slice(simd, x).abs());
            }
            let largest = largest.reduce_max();
            let factor = steps / largest;
            for (to, from) in rounded.iter_mut().zip(row) {
                *to = (from * factor + SHIFT).to_bits() as i16;
            }
            self.scales.push(largest / steps);
        }
    }
}

#[inline(always)]
fn product<S: Simd>(simd: S, x: &mut Rounded, w: Matrix<'_>, out: &mut [f32]) {
    let (width, columns) = (x.width, w.scales.len());
    x.panel.resize(PANEL * width, 0);
    let panels = w.scales.chunks(PANEL).zip(w.bias.chunks(PANEL));
    for (p, (scales, bias)) in panels.enumerate() {
        widen(simd, w.values, p * PANEL * width, &mut x.panel);
        let rows = x.values.chunks(4 * width).zip(x.scales.chunks(4)).zip(out.chunks_mut(4 * columns));
        for ((rows, row_scales), out) in rows {
            // The last row is repeated as padding; the sums of the padding are not written.
            let last = row_scales.len() - 1;
            let rows: [&[i16]; 4] = std::array::from_fn(|r| &rows[r.min(last) * width..][..width]);
            for (c, (pair, scales)) in x.panel.chunks_exact(2 * width).zip(scales.chunks(2)).enumerate() {
                let sums = four_by_two(simd, rows, pair.split_at(width));
                for (r, (sums, row_scale)) in sums.iter().zip(row_scales).enumerate() {
                    let at = p * PANEL + 2 * c;
                    for (k, scale) in scales.iter().enumerate() {
                        out[r * columns + at + k] = sums[k] as f32 * row_scale * scale + bias[2 * c + k];
                    }
                }
            }
        }
    }
}

/// Widens the weights from `first` on, as many as exist and fit.
#[inline(always)]
fn widen<S: Simd>(simd: S, values: Values<'_>, first: usize, panel: &mut [i16]) {
    match values {
        Values::Bytes(bytes) => {
            for (to, from) in panel.iter_mut().zip(&bytes[first..]) {
                *to = i16::from(from.cast_signed());
            }
        }
        Values::Packed { pairs, factors } => {
            let pairs = pairs[first / 2..].as_chunks::<HALF_GROUP>().0;
            let factors = &factors[first / GROUP..];
            let panel = panel.as_chunks_mut::<GROUP>().0;
            let (fifteen, low_half) = (i8x16::splat(simd, 15), u8x16::splat(simd, 15));
            for ((to, pairs), factor) in panel.iter_mut().zip(pairs).zip(factors) {
                let pairs = u8x16::from_slice(simd, pairs);
                let factor = i8x16::splat(simd, factor.cast_signed());
                let (low, high): (i8x16<S>, i8x16<S>) =
                    ((pairs & low_half).bitcast(), (pairs >> 4).bitcast());
                let (a, b) = (low + low - fifteen).widening_mul(factor);
                let (c, d) = (high + high - fifteen).widening_mul(factor);
                let (first, second) = to.split_at_mut(HALF_GROUP);
                a.store_slice(&mut first[..HALF]);
                b.store_slice(&mut first[HALF..]);
                c.store_slice(&mut second[..HALF]);
                d.store_slice(&mut second[HALF..]);
            }
        }
    }
}

/// Computes eight sums at once, so that each loaded value is used several times.
#[inline(always)]
fn four_by_two<S: Simd>(simd: S, x: [&[i16]; 4], (a, b): (&[i16], &[i16])) -> [[i32; 2]; 4] {
    let mut sums = [[i32x8::splat(simd, 0); 2]; 4];
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let x = x.map(|row| &row.as_chunks::<LANES>().0[..a.len()]);
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        let (a, b) = (i16x16::from_slice(simd, a), i16x16::from_slice(simd, b));
        for (sums, row) in sums.iter_mut().zip(x) {
            let x = i16x16::from_slice(simd, &row[i]);
            sums[0] += x.pairwise_dot_product(a);
            sums[1] += x.pairwise_dot_product(b);
        }
    }
    // No closures from here down to a vector operation: one that is not inlined is compiled for the baseline
    // processor.
    let mut totals = [[0; 2]; 4];
    for (totals, sums) in totals.iter_mut().zip(sums) {
        *totals = [sums[0].reduce_sum(), sums[1].reduce_sum()];
    }
    totals
}

/// A float of this size has no room for fractions: adding it rounds to an integer, which is then in the
/// lowest bits. Needs neither a call nor a branch.
const SHIFT: f32 = 12_582_912.0;

/// e^x for x ≤ 0, to six digits; below -87 it is practically zero.
#[inline(always)]
fn exp<S: Simd>(simd: S, x: f32x8<S>) -> f32x8<S> {
    let x = x.max(f32x8::splat(simd, -87.0));
    let shift = f32x8::splat(simd, SHIFT);
    let shifted = x * f32x8::splat(simd, std::f32::consts::LOG2_E) + shift;
    let whole = shifted - shift;
    let rest = x - whole * f32x8::splat(simd, 0.693_359_4) + whole * f32x8::splat(simd, 2.121_944_4e-4);
    let mut curve = f32x8::splat(simd, 1.0 / 720.0);
    for term in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        curve = curve.mul_add(rest, f32x8::splat(simd, term));
    }
    let bits: i32x8<S> = shifted.bitcast();
    let power: f32x8<S> = ((bits + i32x8::splat(simd, 127)) << 23).bitcast();
    curve * power
}

/// The activation between the two halves of a layer: x · Φ(x), with Abramowitz and Stegun 7.1.26 for Φ.
pub(super) fn gelu(level: Level, values: &mut [f32]) {
    dispatch!(level, simd => for chunk in values.as_chunks_mut::<HALF>().0 {
        let (x, one) = (f32x8::from_slice(simd, chunk), f32x8::splat(simd, 1.0));
        let z = x.abs() * f32x8::splat(simd, std::f32::consts::FRAC_1_SQRT_2);
        let t = one / z.mul_add(f32x8::splat(simd, 0.327_591_1), one);
        let mut poly = f32x8::splat(simd, 1.061_405_4);
        for term in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6, 0.0] {
            poly = poly.mul_add(t, f32x8::splat(simd, term));
        }
        let tail = poly * exp(simd, -(z * z)) * f32x8::splat(simd, 0.5);
        let share = x.simd_lt(f32x8::splat(simd, 0.0)).select(tail, one - tail);
        (x * share).store_slice(chunk);
    });
}

/// Adds `more` to `values`, normalises each row to mean 0 and deviation 1, then applies the learned gain and
/// shift.
pub(super) fn add_and_normalise(level: Level, values: &mut [f32], more: &[f32], gain: &[f32], shift: &[f32]) {
    dispatch!(level, simd => {
        let width = gain.len();
        for (row, more) in values.chunks_exact_mut(width).zip(more.chunks_exact(width)) {
            normalise(simd, row.as_chunks_mut().0, more.as_chunks().0, gain.as_chunks().0, shift.as_chunks().0);
        }
    });
}

#[inline(always)]
fn normalise<S: Simd>(
    simd: S,
    row: &mut [[f32; HALF]],
    more: &[[f32; HALF]],
    gain: &[[f32; HALF]],
    shift: &[[f32; HALF]],
) {
    let width = (row.len() * HALF) as f32;
    let mut sums = f32x8::splat(simd, 0.0);
    for (x, more) in row.iter_mut().zip(more) {
        let sum = f32x8::from_slice(simd, x) + f32x8::from_slice(simd, more);
        sum.store_slice(x);
        sums += sum;
    }
    let mean = f32x8::splat(simd, sums.reduce_sum() / width);
    let mut squares = f32x8::splat(simd, 0.0);
    for x in row.iter_mut() {
        let apart = f32x8::from_slice(simd, x) - mean;
        apart.store_slice(x);
        squares = apart.mul_add(apart, squares);
    }
    let factor = f32x8::splat(simd, 1.0 / (squares.reduce_sum() / width + 1e-12).sqrt());
    for ((x, gain), shift) in row.iter_mut().zip(gain).zip(shift) {
        let scaled = f32x8::from_slice(simd, x) * factor;
        scaled.mul_add(f32x8::from_slice(simd, gain), f32x8::from_slice(simd, shift)).store_slice(x);
    }
}

/// Buffers that attention reuses.
#[derive(Default)]
pub(super) struct Attention {
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    scores: Vec<f32>,
}

/// One head of attention over a sequence. `qkv` has one row per token: its query, key and value, each
/// `hidden` wide, of which this head uses `size` values from `at`. The result goes to the same range of
/// `out`.
pub(super) fn attend(
    level: Level,
    qkv: &[f32],
    out: &mut [f32],
    hidden: usize,
    (at, size): (usize, usize),
    room: &mut Attention,
) {
    dispatch!(level, simd => {
        let tokens = qkv.len() / (3 * hidden);
        room.gather(qkv, hidden, (at, size));
        let padded = tokens.next_multiple_of(2 * HALF);
        for first in (0..tokens).step_by(4) {
            score(simd, room, first / 4, padded, size);
            let group = (tokens - first).min(4);
            let mut totals = [1.0; 4];
            for (scores, total) in room.scores.chunks_exact_mut(padded).zip(&mut totals).take(group) {
                *total = soften(simd, scores, tokens);
            }
            for (r, total) in totals.iter().take(group).enumerate() {
                let out = &mut out[(first + r) * hidden + at..][..size];
                mix(simd, &room.scores[r * padded..][..tokens], &room.values, 1.0 / total, out);
            }
        }
    });
}

impl Attention {
    /// Gathers this head's values in reading order: queries by four and dimension, keys by eight and
    /// dimension, values by token.
    #[inline(always)]
    fn gather(&mut self, qkv: &[f32], hidden: usize, (at, size): (usize, usize)) {
        let tokens = qkv.len() / (3 * hidden);
        let padded = tokens.next_multiple_of(2 * HALF);
        self.queries.resize(tokens.next_multiple_of(4) * size, 0.0);
        self.keys.resize(padded * size, 0.0);
        self.values.resize(tokens * size, 0.0);
        self.scores.resize(4 * padded, 0.0);
        let factor = 1.0 / (size as f32).sqrt();
        for (token, row) in qkv.chunks_exact(3 * hidden).enumerate() {
            let queries = self.queries[token / 4 * 4 * size..].as_chunks_mut::<4>().0;
            for (to, from) in queries.iter_mut().zip(&row[at..][..size]) {
                to[token % 4] = from * factor;
            }
            let keys = self.keys[token / HALF * HALF * size..].as_chunks_mut::<HALF>().0;
            for (to, from) in keys.iter_mut().zip(&row[hidden + at..][..size]) {
                to[token % HALF] = *from;
            }
            self.values[token * size..][..size].copy_from_slice(&row[2 * hidden + at..][..size]);
        }
    }
}

/// Scores four queries against the keys, sixteen at a time.
#[inline(always)]
fn score<S: Simd>(simd: S, room: &mut Attention, group: usize, padded: usize, size: usize) {
    let queries = room.queries[group * 4 * size..][..4 * size].as_chunks::<4>().0;
    for (column, keys) in room.keys.chunks_exact(2 * HALF * size).enumerate() {
        let (left, right) = keys.split_at(HALF * size);
        let (left, right) = (left.as_chunks::<HALF>().0, right.as_chunks::<HALF>().0);
        let mut sums = [[f32x8::splat(simd, 0.0); 2]; 4];
        for ((query, left), right) in queries.iter().zip(left).zip(right) {
            let (left, right) = (f32x8::from_slice(simd, left), f32x8::from_slice(simd, right));
            for (sums, query) in sums.iter_mut().zip(query) {
                let query = f32x8::splat(simd, *query);
                sums[0] = query.mul_add(left, sums[0]);
                sums[1] = query.mul_add(right, sums[1]);
            }
        }
        for (sums, scores) in sums.iter().zip(room.scores.chunks_exact_mut(padded)) {
            let scores = &mut scores[2 * HALF * column..];
            sums[0].store_slice(&mut scores[..HALF]);
            sums[1].store_slice(&mut scores[HALF..2 * HALF]);
        }
    }
}

/// Turns the scores of `tokens` keys into weights, which the caller divides by the returned sum. Padding gets a
/// weight of practically zero.
#[inline(always)]
fn soften<S: Simd>(simd: S, scores: &mut [f32], tokens: usize) -> f32 {
    scores[tokens..].fill(f32::MIN);
    let scores = scores.as_chunks_mut::<HALF>().0;
    let mut highest = f32x8::splat(simd, f32::MIN);
    for x in scores.iter() {
        highest = highest.max(f32x8::from_slice(simd, x));
    }
    let highest = f32x8::splat(simd, highest.reduce_max());
    let mut sums = f32x8::splat(simd, 0.0);
    for x in scores {
        let share = exp(simd, f32x8::from_slice(simd, x) - highest);
        share.store_slice(x);
        sums += share;
    }
    sums.reduce_sum()
}

/// The weighted sum of the values.
#[inline(always)]
fn mix<S: Simd>(simd: S, shares: &[f32], values: &[f32], factor: f32, out: &mut [f32]) {
    let size = out.len();
    for (part, out) in out.as_chunks_mut::<HEAD>().0.iter_mut().enumerate() {
        // Two accumulators each, so that an addition need not wait for the previous one.
        let mut sums = [[f32x8::splat(simd, 0.0); HEAD / HALF]; 2];
        let pairs = shares.chunks(2).zip(values.chunks(2 * size));
        for (shares, values) in pairs {
            for ((share, values), sums) in shares.iter().zip(values.chunks_exact(size)).zip(&mut sums) {
                let share = f32x8::splat(simd, *share);
                let values: &[f32; HEAD] = &values.as_chunks().0[part];
                for (sum, values) in sums.iter_mut().zip(values.as_chunks::<HALF>().0) {
                    *sum = share.mul_add(f32x8::from_slice(simd, values), *sum);
                }
            }
        }
        for ((a, b), out) in sums[0].into_iter().zip(sums[1]).zip(out.as_chunks_mut::<HALF>().0) {
            ((a + b) * f32x8::splat(simd, factor)).store_slice(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn packed_weights_multiply_like_unpacked_ones(
            pairs in prop::collection::vec(any::<u8>(), 32 * 64 / 2),
            factors in prop::collection::vec(1u8..=127, 32 * 64 / GROUP),
            x in prop::collection::vec(-3.0f32..3.0, 7 * 64),
            // The second is a number of columns that has a kernel of its own on some processors.
            columns in prop::sample::select(vec![10usize, 32]),
        ) {
            let width = 64;
            let (scales, bias) = (vec![0.001; columns], vec![0.5; columns]);
            let w = Matrix {
                values: Values::Packed { pairs: &pairs, factors: &factors },
                scales: &scales,
                bias: &bias,
            };
            let mut out = vec![0.0; 7 * columns];
            multiply(Level::new(), &x, width, w, &mut Rounded::default(), &mut out);
            let weight = |row: usize, at: usize| {
                let (group, within) = ((row * width + at) / GROUP, at % GROUP);
                let pair = pairs[group * HALF_GROUP + within % HALF_GROUP];
                let code = if within < HALF_GROUP { pair & 15 } else { pair >> 4 };
                0.001 * f32::from(factors[group]) * (2.0 * f32::from(code) - 15.0)
            };
            for (i, x) in x.chunks(width).enumerate() {
                for column in 0..columns {
                    let wanted = 0.5 + x.iter().enumerate().map(|(at, x)| x * weight(column, at)).sum::<f32>();
                    let got = out[i * columns + column];
                    prop_assert!((got - wanted).abs() < 0.4, "{got} {wanted}");
                }
            }
        }
    }
}
