//! The sentence encoder all-MiniLM-L6-v2: packed into the binary, or as an optional file with weights rounded
//! to eight bits.
//!
//! No runtime, no network. A question takes a few milliseconds and a passage a few tens, so
//! passages are embedded in the background. Recall uses it as a second opinion on passages that already have
//! a vector.

mod convert;
mod encoder;
mod error;
mod kernel;
mod layout;
#[cfg(target_arch = "x86_64")]
mod packed;
mod safetensors;
mod source;
mod tokens;
mod weights;
mod zip;

use std::num::NonZero;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

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
    /// Buffers that no thread uses at the moment.
    rooms: Mutex<Vec<Room>>,
}

/// Created by `models/pack.py`.
static PACKED: &[u8] = include_bytes!("../../../../../models/encoder-384.hark");

impl MiniLm {
    /// The encoder in this binary.
    pub fn inside() -> Self {
        let weights = Weights::inside(PACKED).expect("the packed encoder is well formed; a test opens it");
        MiniLm { weights, level: Level::new(), rooms: Mutex::default() }
    }

    /// Its size in the binary, in bytes.
    pub fn inside_size() -> u64 {
        PACKED.len() as u64
    }

    /// Opens a model file without verifying its checksum; see [`MiniLm::check`].
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        Ok(MiniLm { weights: Weights::open(path)?, level: Level::new(), rooms: Mutex::default() })
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
        Ok(self.encode_many(&[text])?.pop().flatten())
    }

    /// The vectors of texts in their order, on this thread; `None` for a text without words. Short texts go through
    /// the encoder together.
    pub fn encode_many(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>, ModelError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut pending = Pending::default();
        for text in texts {
            let tokens = self.weights.vocabulary().tokens(text, self.weights.marks, self.positions());
            if pending.rows + tokens.len() > TOGETHER {
                self.read(&mut pending, &mut vectors)?;
            }
            // Only the special tokens: there are no words.
            let is_empty = tokens.len() < 3;
            vectors.push(None);
            if !is_empty {
                pending.rows += tokens.len();
                pending.places.push(vectors.len() - 1);
                pending.texts.push(tokens);
            }
        }
        self.read(&mut pending, &mut vectors)?;
        Ok(vectors)
    }

    /// Reads the pending texts and puts their vectors in place.
    fn read(&self, pending: &mut Pending, vectors: &mut [Option<Vector>]) -> Result<(), ModelError> {
        let Pending { texts, places, .. } = std::mem::take(pending);
        if texts.is_empty() {
            return Ok(());
        }
        // Whatever a panicked thread left in the buffers is overwritten anyway.
        let rooms = || self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let mut room = rooms().pop().unwrap_or_default();
        let read = encoder::encode(&self.weights, self.level, &texts, &mut room);
        let size = self.dims();
        for (place, rows) in places.into_iter().zip(read?) {
            let rows = &room.outputs()[rows.start * size..rows.end * size];
            vectors[place] = Vector::from_floats(&encoder::mean(rows, size));
        }
        rooms().push(room);
        Ok(())
    }

    /// The vectors of many texts on several threads, until `enough` returns true: texts that were not reached have
    /// `None`, texts without words `Some(None)`.
    pub fn encode_until(
        &self,
        texts: &[&str],
        enough: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Option<Option<Vector>>>, ModelError> {
        let mut vectors = vec![None; texts.len()];
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        let work = Mutex::new(texts.chunks(SHARE).zip(vectors.chunks_mut(SHARE)));
        let next = || work.lock().unwrap_or_else(PoisonError::into_inner).next();
        let run = || -> Result<(), ModelError> {
            while !enough()
                && let Some((texts, vectors)) = next()
            {
                for (to, vector) in vectors.iter_mut().zip(self.encode_many(texts)?) {
                    *to = Some(vector);
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let others = threads.min(texts.len().div_ceil(SHARE)).saturating_sub(1);
            let others: Vec<_> = (0..others).map(|_| scope.spawn(run)).collect();
            let own = run();
            others.into_iter().map(|other| other.join().unwrap_or(Ok(()))).fold(own, Result::and)
        })?;
        Ok(vectors)
    }
}

/// Texts that go through the encoder together have at most this many tokens, so that what is between the layers
/// stays in the cache.
const TOGETHER: usize = 128;
/// Texts that a thread takes at once.
const SHARE: usize = 4;
/// More threads would make the machine slow for the user, and wait for memory anyway.
const MOST_THREADS: usize = 4;

/// Texts to read in one pass.
#[derive(Default)]
struct Pending {
    texts: Vec<Vec<u16>>,
    /// Where their vectors go.
    places: Vec<usize>,
    rows: usize,
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
