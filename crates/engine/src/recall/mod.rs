//! Recall: candidates from the store's tiers, admitted or refused, fused, weighed, made diverse,
//! and packed under a token budget.

mod admit;
mod fuse;
mod render;

pub use fuse::{Ranked, Tier};
pub use render::{Detail, RenderedHit, pack};

use hark_core::{ProjectKey, Timestamp};
use hark_store::search::{Depth, Filter};
use hark_store::{Store, StoreError};

use hark_core::vector::Embedder;

/// A question to the store.
pub struct Question<'a> {
    pub text: &'a str,
    pub filter: Filter,
    /// The project that ranks first among equals.
    pub current: Option<&'a ProjectKey>,
    pub limit: usize,
    pub now: Timestamp,
}

/// The best memories for a question, best first; empty when nothing is relevant.
pub fn answer(store: &Store, embedder: &dyn Embedder, question: &Question<'_>) -> Result<Vec<Ranked>, StoreError> {
    let vector = embedder.embed(head(question.text));
    let candidates = store.search(question.text, vector.as_ref(), &question.filter, Depth::default())?;
    let named = store.named_in(question.text, &question.filter)?;
    let admitted = admit::admit(&candidates, &named);
    if admitted.is_empty() {
        return Ok(Vec::new());
    }
    fuse::rank(store, &candidates, admitted, &named, question)
}

/// What is embedded of a long question: its beginning says what it is about.
fn head(text: &str) -> &str {
    let mut end = text.len().min(4_096);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
