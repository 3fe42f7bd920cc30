//! What turns text into vectors: [`StaticModel`] is compiled in and always there, [`minilm`] is stronger and has
//! to be installed.
//!
//! Vectors of different embedders are never compared; an index remembers which one built it.

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
pub use shelf::{Choice, Shelf, pinned, release_models};
pub use static_model::{MAX_TOKENS, StaticModel};

/// The embedder that needs nothing: no download, no start-up, microseconds per text.
pub fn default_embedder() -> Arc<dyn Embedder> {
    Arc::new(StaticModel::embedded())
}
