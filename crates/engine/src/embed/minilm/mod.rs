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
mod reranker;
mod safetensors;
mod source;
mod take;
mod tokens;
mod weights;
mod zip;

use std::borrow::Cow;
use std::num::NonZero;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use fearless_simd::Level;
use hark_core::vector::WordMatch;

use super::{Embedder, Vector};
use encoder::{Room, Sequence};
use weights::Weights;

pub use error::ModelError;
pub use layout::{Pooling, Role};
pub use reranker::Reranker;
pub use source::{HOW, Obtained, PINNED, Pinned, obtain};
pub use take::{TAKES, Taken, Taking, take};

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
        MiniLm::from_weights(weights)
    }

    /// Its size in the binary, in bytes.
    pub fn inside_size() -> u64 {
        PACKED.len() as u64
    }

    /// Opens a model file without verifying its checksum; see [`MiniLm::check`].
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let weights = Weights::open(path)?;
        if weights.shape.role() != Role::Encoder {
            return Err(ModelError::damaged(path, "is a reranker, not an encoder"));
        }
        Ok(MiniLm::from_weights(weights))
    }

    fn from_weights(weights: Weights) -> Self {
        MiniLm { weights, level: Level::new(), rooms: Mutex::default() }
    }

    /// The purpose of a model file.
    pub fn role(path: &Path) -> Result<Role, ModelError> {
        Weights::open(path).map(|weights| weights.shape.role())
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

    /// The vector of a question, which some models read differently from a passage.
    pub fn encode_question(&self, text: &str) -> Result<Option<Vector>, ModelError> {
        Ok(self.vectors(&[text], self.prefixes().0)?.pop().flatten())
    }

    /// The vectors of texts in their order, on this thread; `None` for a text without words. Short texts go through
    /// the encoder together.
    pub fn encode_many(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>, ModelError> {
        self.vectors(texts, self.prefixes().1)
    }

    /// What the model reads before a question and before a passage.
    pub fn prefixes(&self) -> (&str, &str) {
        self.weights.prefixes().unwrap_or_default()
    }

    fn vectors(&self, texts: &[&str], prefix: &str) -> Result<Vec<Option<Vector>>, ModelError> {
        let is_empty = |text: &&str| text.trim().is_empty();
        let prefixed: Vec<Cow<'_, str>> = match prefix {
            "" => texts.iter().map(|text| Cow::Borrowed(*text)).collect(),
            // A prefix alone would be a text with words.
            _ => texts
                .iter()
                .map(|text| {
                    Cow::Owned(if is_empty(text) { String::new() } else { format!("{prefix}{text}") })
                })
                .collect(),
        };
        let prefixed: Vec<&str> = prefixed.iter().map(|text| &**text).collect();
        let centre = self.weights.floats(&self.weights.more);
        let directions = self.directions(&prefixed)?.into_iter();
        let vector = |direction: Vec<f32>| match centre {
            [] => Vector::from_floats(&direction),
            _ => {
                let apart: Vec<f32> =
                    encoder::unit(&direction).zip(centre).map(|(x, mean)| x - mean).collect();
                Vector::from_floats(&apart)
            }
        };
        Ok(directions.map(|direction| direction.and_then(vector)).collect())
    }

    /// The pooled outputs for texts, not normalised.
    fn directions(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, ModelError> {
        let mut directions = Vec::with_capacity(texts.len());
        let mut pending = Pending::default();
        for text in texts {
            let tokens = self.weights.vocabulary().tokens(text, self.weights.marks, self.positions());
            if pending.rows + tokens.len() > TOGETHER {
                self.read(&mut pending, &mut directions)?;
            }
            directions.push(None);
            // Fewer are only the special tokens: there are no words.
            if tokens.len() > 2 {
                pending.rows += tokens.len();
                pending.places.push(directions.len() - 1);
                pending.texts.push(tokens.into());
            }
        }
        self.read(&mut pending, &mut directions)?;
        Ok(directions)
    }

    /// Reads the pending texts and puts the results in place.
    fn read(&self, pending: &mut Pending, directions: &mut [Option<Vec<f32>>]) -> Result<(), ModelError> {
        let Pending { texts, places, .. } = std::mem::take(pending);
        if texts.is_empty() {
            return Ok(());
        }
        let size = self.dims();
        self.with_room(|room| {
            let read = encoder::encode(&self.weights, self.level, &texts, room)?;
            for (place, rows) in places.into_iter().zip(read) {
                let rows = &room.outputs()[rows.start * size..rows.end * size];
                directions[place] = Some(match self.weights.shape.pooling() {
                    Pooling::Mean => encoder::mean(rows, size),
                    Pooling::Cls => rows[..size].to_vec(),
                });
            }
            Ok(())
        })
    }

    /// Lends buffers that no other thread uses.
    fn with_room<T>(&self, run: impl FnOnce(&mut Room) -> Result<T, ModelError>) -> Result<T, ModelError> {
        // Whatever is left in the buffers is overwritten.
        let rooms = || self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let mut room = rooms().pop().unwrap_or_default();
        let result = run(&mut room);
        rooms().push(room);
        result
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
    texts: Vec<Sequence>,
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

    fn embed_question(&self, text: &str) -> Option<Vector> {
        self.encode_question(text).ok().flatten()
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
