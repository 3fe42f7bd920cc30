//! The transformer's forward pass over one sequence of tokens.

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

/// The mean of the encoder's outputs: a direction, not normalised.
pub(super) fn encode(
    weights: &Weights,
    level: Level,
    tokens: &[u16],
    room: &mut Room,
) -> Result<Vec<f32>, ModelError> {
    let shape = &weights.shape;
    let (size, inner) = (shape.hidden, shape.inner);
    let head = size / shape.heads;
    let Room { hidden, wide, mixed, added, rounded, attention } = room;
    let count = tokens.len().min(shape.positions);
    weights.rows(&tokens[..count], hidden)?;
    let positions = &weights.floats(&weights.positions)[..count * size];
    let norm = &weights.norm;
    add_and_normalise(level, hidden, positions, weights.floats(&norm.gain), weights.floats(&norm.shift));

    mixed.resize(count * size, 0.0);
    added.resize(count * size, 0.0);
    for layer in &weights.layers {
        let [first, second] = &layer.norms;
        wide.resize(count * 3 * size, 0.0);
        multiply(level, hidden, size, weights.matrix(layer, 0), rounded, wide);
        for at in (0..size).step_by(head) {
            attend(level, wide, mixed, size, (at, head), attention);
        }
        multiply(level, mixed, size, weights.matrix(layer, 1), rounded, added);
        add_and_normalise(level, hidden, added, weights.floats(&first.gain), weights.floats(&first.shift));

        wide.resize(count * inner, 0.0);
        multiply(level, hidden, size, weights.matrix(layer, 2), rounded, wide);
        gelu(level, wide);
        multiply(level, wide, inner, weights.matrix(layer, 3), rounded, added);
        add_and_normalise(level, hidden, added, weights.floats(&second.gain), weights.floats(&second.shift));
    }
    let mut mean = vec![0.0; size];
    for row in hidden.chunks_exact(size) {
        for (sum, x) in mean.iter_mut().zip(row) {
            *sum += x;
        }
    }
    Ok(mean)
}
