//! The sentence encoder all-MiniLM-L6-v2: packed into the binary, or as an optional file with weights rounded
//! to eight bits.
//!
//! No runtime, no network, one thread. A question takes a few milliseconds and a passage a few tens, so
//! passages are embedded in the background. Recall uses it as a second opinion on passages that already have
//! a vector.

mod convert;
mod encoder;
mod error;
mod kernel;
mod layout;
mod safetensors;
mod source;
mod tokens;
mod weights;
mod zip;

use std::path::Path;
use std::sync::Mutex;

use fearless_simd::Level;
use hark_core::vector::WordMatch;

use super::{Embedder, Vector};
use encoder::Room;
use weights::Weights;

pub use error::ModelError;
pub use source::{HOW, Obtained, PINNED, Pinned, obtain};

/// An open encoder.
pub struct MiniLm {
    weights: Weights,
    level: Level,
    room: Mutex<Room>,
}

/// Created by `models/pack.py`.
static PACKED: &[u8] = include_bytes!("../../../../../models/encoder-384.hark");

impl MiniLm {
    /// The encoder in this binary.
    pub fn inside() -> Self {
        let weights = Weights::inside(PACKED).expect("the packed encoder is well formed; a test opens it");
        MiniLm { weights, level: Level::new(), room: Mutex::default() }
    }

    /// Its size in the binary, in bytes.
    pub fn inside_size() -> u64 {
        PACKED.len() as u64
    }

    /// Opens a model file without verifying its checksum; see [`MiniLm::check`].
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        Ok(MiniLm { weights: Weights::open(path)?, level: Level::new(), room: Mutex::default() })
    }

    /// Reads a whole model file and verifies its checksum, which is returned as hexadecimal digits.
    pub fn check(path: &Path) -> Result<String, ModelError> {
        weights::check(path)
    }

    /// How many tokens of a text are read, special tokens included.
    pub fn positions(&self) -> usize {
        self.weights.shape.positions
    }

    /// The vector of a text; `None` if it contains no words.
    pub fn encode(&self, text: &str) -> Result<Option<Vector>, ModelError> {
        let tokens = self.weights.vocabulary().tokens(text, self.weights.marks, self.positions());
        if tokens.len() < 3 {
            return Ok(None);
        }
        // Whatever a panicked thread left in the buffers is overwritten anyway.
        let mut room = self.room.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let direction = encoder::encode(&self.weights, self.level, &tokens, &mut room)?;
        Ok(Vector::from_floats(&direction))
    }

    /// Vectors for many texts, one after another on this thread, until `enough` returns true: the result can
    /// be shorter than the input.
    pub fn embed_passages<'a>(
        &self,
        texts: impl IntoIterator<Item = &'a str>,
        mut enough: impl FnMut() -> bool,
    ) -> Result<Vec<Option<Vector>>, ModelError> {
        let mut vectors = Vec::new();
        for text in texts {
            if enough() {
                break;
            }
            vectors.push(self.encode(text)?);
        }
        Ok(vectors)
    }
}

/// The static model handles single words; this one handles texts.
impl Embedder for MiniLm {
    fn id(&self) -> &str {
        &self.weights.id
    }

    fn dims(&self) -> usize {
        self.weights.shape.hidden
    }

    fn embed(&self, text: &str) -> Option<Vector> {
        self.encode(text).ok().flatten()
    }

    fn knows(&self, _word: &str) -> bool {
        false
    }

    fn words(&self, _text: &str) -> Vec<u8> {
        Vec::new()
    }

    fn word_matches(&self, _query: &[(Vec<u8>, f32)], passages: &[Vec<u8>]) -> Vec<WordMatch> {
        vec![WordMatch::default(); passages.len()]
    }
}

#[cfg(test)]
pub(crate) mod tests;
