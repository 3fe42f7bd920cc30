//! The transformer's forward pass over sequences of tokens. Several short texts go through together, because the
//! weights are widened once per pass.

use std::ops::Range;

use fearless_simd::Level;

use super::error::ModelError;
use super::kernel::{Attention, Rounded, add_and_normalise, attend, gelu, multiply};
use super::weights::Weights;

/// Buffers between the layers, reused from text to text.
#[derive(Default)]
pub(super) struct Room {
    hidden: Vec<f32>,
    wide: Vec<f32>,
    mixed: Vec<f32>,
    added: Vec<f32>,
    rounded: Rounded,
    attention: Attention,
}

impl Room {
    /// The outputs of the last pass, a row for each token of each text.
    pub(super) fn outputs(&self) -> &[f32] {
        &self.hidden
    }
}

/// The tokens of a text, or of two that are judged together.
pub(super) struct Sequence {
    pub(super) tokens: Vec<u16>,
    /// Where the second text starts; the number of tokens if there is none.
    pub(super) second: usize,
}

impl From<Vec<u16>> for Sequence {
    fn from(tokens: Vec<u16>) -> Self {
        Sequence { second: tokens.len(), tokens }
    }
}

/// Reads texts, given as tokens. Returns the rows of each in [`Room::outputs`].
pub(super) fn encode(
    weights: &Weights,
    level: Level,
    texts: &[Sequence],
    room: &mut Room,
) -> Result<Vec<Range<usize>>, ModelError> {
    let shape = &weights.shape;
    let (size, inner) = (shape.hidden, shape.inner);
    let head = size / shape.heads;
    let Room { hidden, wide, mixed, added, rounded, attention } = room;
    let positions = weights.floats(&weights.positions);
    let mut texts_rows = Vec::with_capacity(texts.len());
    let mut count = 0;
    hidden.clear();
    added.clear();
    for Sequence { tokens, second } in texts {
        let tokens = &tokens[..tokens.len().min(shape.positions)];
        weights.rows(tokens, hidden)?;
        added.extend_from_slice(&positions[..tokens.len() * size]);
        for row in added.chunks_exact_mut(size).skip(count + second) {
            row.iter_mut().zip(weights.floats(&weights.more)).for_each(|(x, more)| *x += more);
        }
        texts_rows.push(count..count + tokens.len());
        count += tokens.len();
    }
    let norm = &weights.norm;
    add_and_normalise(level, hidden, added, weights.floats(&norm.gain), weights.floats(&norm.shift));

    mixed.resize(count * size, 0.0);
    for layer in &weights.layers {
        let [first, second] = &layer.norms;
        wide.resize(count * 3 * size, 0.0);
        multiply(level, hidden, size, weights.matrix(layer, 0), rounded, wide);
        for rows in &texts_rows {
            let (wide, mixed) = (
                &wide[rows.start * 3 * size..rows.end * 3 * size],
                &mut mixed[rows.start * size..rows.end * size],
            );
            for at in (0..size).step_by(head) {
                attend(level, wide, mixed, size, (at, head), attention);
            }
        }
        multiply(level, mixed, size, weights.matrix(layer, 1), rounded, added);
        add_and_normalise(level, hidden, added, weights.floats(&first.gain), weights.floats(&first.shift));

        wide.resize(count * inner, 0.0);
        multiply(level, hidden, size, weights.matrix(layer, 2), rounded, wide);
        gelu(level, wide);
        multiply(level, wide, inner, weights.matrix(layer, 3), rounded, added);
        add_and_normalise(level, hidden, added, weights.floats(&second.gain), weights.floats(&second.shift));
    }
    Ok(texts_rows)
}

/// The mean of a text's rows: a direction, not normalised.
pub(super) fn mean(rows: &[f32], size: usize) -> Vec<f32> {
    let mut mean = vec![0.0; size];
    for row in rows.chunks_exact(size) {
        for (sum, x) in mean.iter_mut().zip(row) {
            *sum += x;
        }
    }
    mean
}

/// A direction at length one.
pub(super) fn unit(direction: &[f32]) -> impl Iterator<Item = f32> {
    let length = direction.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    direction.iter().map(move |x| x / length)
}
