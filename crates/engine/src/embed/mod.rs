//! Turns text into vectors: [`StaticModel`] is compiled in and always available, [`minilm`] reads whole
//! texts, with the encoder in the binary or one that is installed.
//!
//! Vectors of different embedders are never compared; an index records which one built it.

mod fold;
pub mod minilm;
mod shelf;
mod static_model;
mod table;
mod word_list;
mod word_match;
mod words;

use std::sync::Arc;

pub use hark_core::vector::{Embedder, Vector};
pub use shelf::{Choice, NAMES, Shelf, is_name, pinned, release_models};
pub use static_model::{MAX_TOKENS, StaticModel};

/// The default embedder: no download, no startup cost, microseconds per text.
pub fn default_embedder() -> Arc<dyn Embedder> {
    Arc::new(StaticModel::embedded())
}
