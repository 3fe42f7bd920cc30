//! The sentence encoder all-MiniLM-L6-v2: packed into the binary, or as an optional file with its weights rounded to
//! eight bits.
//!
//! No runtime, no network, one thread. A question takes some milliseconds, a passage some tens, so passages are for a
//! job in the background. Recall asks it for a second opinion on what has a vector already.

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

/// Made by `models/pack.py`.
static PACKED: &[u8] = include_bytes!("../../../../../models/encoder-384.hark");

impl MiniLm {
    /// The one inside this binary.
    pub fn inside() -> Self {
        let weights = Weights::inside(PACKED).expect("the packed encoder is well formed; a test opens it");
        MiniLm { weights, level: Level::new(), room: Mutex::default() }
    }

    /// Bytes that it takes in the binary.
    pub fn inside_size() -> u64 {
        PACKED.len() as u64
    }

    /// Opens a model's file; its checksum is not looked at, see [`MiniLm::check`].
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        Ok(MiniLm { weights: Weights::open(path)?, level: Level::new(), room: Mutex::default() })
    }

    /// Reads a model's file to the end and compares it with its checksum, which is returned as hexadecimal digits.
    pub fn check(path: &Path) -> Result<String, ModelError> {
        weights::check(path)
    }

    /// How many tokens of a text are read, marks included.
    pub fn positions(&self) -> usize {
        self.weights.shape.positions
    }

    /// The vector of a text; `None` when there are no words in it.
    pub fn encode(&self, text: &str) -> Result<Option<Vector>, ModelError> {
        let tokens = self.weights.vocabulary().tokens(text, self.weights.marks, self.positions());
        if tokens.len() < 3 {
            return Ok(None);
        }
        // What a thread that panicked left there is overwritten anyway.
        let mut room = self.room.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let direction = encoder::encode(&self.weights, self.level, &tokens, &mut room)?;
        Ok(Vector::from_floats(&direction))
    }

    /// Vectors for many texts, one after the other on this thread, until `enough` says so: the result can be
    /// shorter than the input.
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

/// Words one by one are the static model's business: this one knows texts.
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
