//! A cross-encoder: reads a question and a passage together and says how well the passage answers it.

use std::path::Path;

use super::MiniLm;
use super::encoder::{self, Sequence};
use super::error::ModelError;
use super::layout::Role;
use super::weights::Weights;

/// An open reranker.
pub struct Reranker {
    model: MiniLm,
}

impl Reranker {
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let weights = Weights::open(path)?;
        if weights.shape.role() != Role::Reranker {
            return Err(ModelError::damaged(path, "is an encoder, not a reranker"));
        }
        Ok(Reranker { model: MiniLm::from_weights(weights) })
    }

    /// How well a passage answers a question: higher is better, without a fixed scale.
    pub fn score(&self, question: &str, passage: &str) -> Result<f32, ModelError> {
        let weights = &self.model.weights;
        let (vocabulary, positions) = (weights.vocabulary(), self.model.positions());
        // A long question leaves at least half of the room to the passage.
        let mut tokens = vocabulary.tokens(question, weights.marks, positions / 2);
        let second = tokens.len();
        let room = positions - second + 1;
        tokens.extend(&vocabulary.tokens(passage, weights.marks, room)[1..]);
        let texts = [Sequence { tokens, second }];
        self.model.with_room(|room| {
            encoder::encode(weights, self.model.level, &texts, room)?;
            Ok(judge(weights, room.outputs()))
        })
    }
}

/// The pooler and the classifier, over the output of the first token.
fn judge(weights: &Weights, outputs: &[f32]) -> f32 {
    let size = weights.shape.hidden;
    let (first, floats) = (&outputs[..size], weights.floats(&weights.more));
    let (_, floats) = floats.split_at(size);
    let (matrix, floats) = floats.split_at(size * size);
    let (bias, floats) = floats.split_at(size);
    let (row, last) = floats.split_at(size);
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let pooled =
        matrix.chunks_exact(size).zip(bias).map(|(weights, bias)| (dot(weights, first) + bias).tanh());
    pooled.zip(row).map(|(x, weight)| x * weight).sum::<f32>() + last.iter().sum::<f32>()
}
