//! Recall: takes candidates from the store's tiers, filters, fuses, weighs and diversifies them, and packs
//! them into a token budget.

mod admit;
mod cover;
mod fuse;
pub mod gate;
mod render;
pub(crate) mod rerank;
mod tell;

pub use fuse::{Ranked, Tier};
pub use render::{Detail, RenderedHit, pack};
pub use tell::tell;

use hark_core::text::{Shape, asks_about_self, what_is_asked};
use hark_core::vector::Embedder;
use hark_core::when::Times;
use hark_core::{ProjectKey, Timestamp};
use hark_store::search::{Depth, Filter, Meaning, QueryTerm, QueryTerms, Second};
use hark_store::{Store, StoreError};
use tracing::debug_span;

/// A question to the store.
pub struct Question<'a> {
    pub text: &'a str,
    pub filter: Filter,
    /// The project that ranks first among equals.
    pub current: Option<&'a ProjectKey>,
    pub limit: usize,
    pub now: Timestamp,
    /// The time that the question asks about, if it mentions one.
    pub time: Times,
}

impl<'a> Question<'a> {
    pub fn new(
        text: &'a str,
        filter: Filter,
        current: Option<&'a ProjectKey>,
        limit: usize,
        now: Timestamp,
    ) -> Self {
        Question { text, filter, current, limit, now, time: Times::in_question(text, now) }
    }
}

/// The encoder reads only questions up to this many words: longer ones would take longer than everything
/// else, and their words say enough.
const LONGEST_READ: usize = 24;

/// The best memories for a question, best first; empty if nothing is relevant.
pub fn answer(
    store: &Store,
    embedder: &dyn Embedder,
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    answer_with(store, embedder, None, question)
}

/// Like [`answer`], with an encoder in addition to the index's own model. It judges the passages that have an
/// encoder vector; the static model judges the others as always.
pub fn answer_with(
    store: &Store,
    embedder: &dyn Embedder,
    encoder: Option<&dyn Embedder>,
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    // "two weeks ago" says when, not what: as words they would only find other mentions of weeks.
    let text = what_is_asked(&question.time.without_spans(question.text));
    let is_short = text.split_whitespace().nth(LONGEST_READ).is_none();
    let encoder = match encoder {
        Some(encoder) if is_short && store.knows_space(encoder.id())? => Some(encoder),
        _ => None,
    };
    store.finish_memories()?;
    std::thread::scope(|scope| {
        // The encoder takes about as long to read the question as the tiers take to propose candidates.
        let reading = encoder.map(|encoder| (encoder, scope.spawn(|| encoder.embed_question(head(&text)))));
        let second = move || {
            let (encoder, reading) = reading?;
            Some(Second { space: encoder.id().to_owned(), vector: reading.join().ok().flatten()? })
        };
        store.on_one_snapshot(|store| {
            let terms = debug_span!("read question").in_scope(|| store.understand(&text))?;
            let meaning = meaning(&terms, &text, embedder)
                .map(|meaning| Meaning { times: question.time.windows(), ..meaning });
            let candidates = debug_span!("search").in_scope(|| {
                store.search(terms, meaning.as_ref(), second, &question.filter, Depth::default())
            })?;
            let named = store.named_in(question.text, &question.filter, question.current)?;
            let admitted = admit::admit(&candidates, &named);
            if admitted.is_empty() && named.is_empty() {
                return Ok(Vec::new());
            }
            debug_span!("rank").in_scope(|| fuse::rank(store, &candidates, &admitted, &named, question))
        })
    })
}

/// The vector of the question. Corrected typos count as the intended word, and words unknown to both the
/// store and the model do not count: guessed from pieces, they would be close to anything odd.
fn meaning(terms: &QueryTerms, text: &str, embedder: &dyn Embedder) -> Option<Meaning> {
    let is_known = |term: &QueryTerm| term.df > 0 || term.shape != Shape::Word || embedder.knows(&term.word);
    let (mut meant, mut words) = (Vec::new(), Vec::new());
    let (mut all, mut understood) = (0.0, 0.0);
    for term in &terms.terms {
        let word = match term.repairs.first() {
            Some(repair) => Some(repair.word.as_str()),
            None => is_known(term).then_some(term.word.as_str()),
        };
        all += term.idf;
        if let Some(word) = word {
            understood += term.idf;
            meant.push(word);
            words.push((embedder.words(word), term.idf));
        }
    }
    let about_self = asks_about_self(head(text));
    let as_typed = terms.terms.iter().all(|term| term.repairs.is_empty() && is_known(term));
    let text = if as_typed { head(text).to_owned() } else { meant.join(" ") };
    let vector = embedder.embed(&text)?;
    let understood = if all > 0.0 { understood / all } else { 0.0 };
    Some(Meaning { vector, words, understood, about_self, times: Vec::new() })
}

/// The part of a long question that is embedded: its beginning says what it is about.
fn head(text: &str) -> &str {
    let mut end = text.len().min(4_096);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
