//! Recall: candidates from the store's tiers, admitted or refused, fused, weighed, made diverse,
//! and packed under a token budget.

mod admit;
mod cover;
mod fuse;
pub mod gate;
mod render;
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

/// A question to the store.
pub struct Question<'a> {
    pub text: &'a str,
    pub filter: Filter,
    /// The project that ranks first among equals.
    pub current: Option<&'a ProjectKey>,
    pub limit: usize,
    pub now: Timestamp,
    /// When what is asked about happened, as far as the question says.
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

/// Words of the longest question that the encoder reads: longer ones would take it longer than all the rest takes, and
/// say enough by their words.
const LONGEST_READ: usize = 24;

/// The best memories for a question, best first; empty when nothing is relevant.
pub fn answer(
    store: &Store,
    embedder: &dyn Embedder,
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    answer_with(store, embedder, None, question)
}

/// The same with an encoder beside the index's own model. It speaks for the passages that have a vector of
/// its, and for the others the static model does as always.
pub fn answer_with(
    store: &Store,
    embedder: &dyn Embedder,
    encoder: Option<&dyn Embedder>,
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    // "two weeks ago" says when, not what: as words they would only find other talk of weeks.
    let text = what_is_asked(&question.time.without_spans(question.text));
    let is_short = text.split_whitespace().nth(LONGEST_READ).is_none();
    let encoder = match encoder {
        Some(encoder) if is_short && store.knows_space(encoder.id())? => Some(encoder),
        _ => None,
    };
    store.finish_memories()?;
    std::thread::scope(|scope| {
        // It takes the encoder about as long to read the question as it takes the tiers to propose.
        let reading = encoder.map(|encoder| (encoder, scope.spawn(|| encoder.embed(head(&text)))));
        let second = move || {
            let (encoder, reading) = reading?;
            Some(Second { space: encoder.id().to_owned(), vector: reading.join().ok().flatten()? })
        };
        store.on_one_snapshot(|store| {
            let terms = store.understand(&text)?;
            let meaning = meaning(&terms, &text, embedder)
                .map(|meaning| Meaning { times: question.time.windows(), ..meaning });
            let candidates =
                store.search(terms, meaning.as_ref(), second, &question.filter, Depth::default())?;
            let named = store.named_in(question.text, &question.filter)?;
            let admitted = admit::admit(&candidates, &named);
            if admitted.is_empty() && named.is_empty() {
                return Ok(Vec::new());
            }
            fuse::rank(store, &candidates, &admitted, &named, question)
        })
    })
}

/// What the question means. Mistyped words count as what was meant, and words that neither the store
/// nor the model has ever seen not at all: guessed from pieces they would be near to anything odd.
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

/// What is embedded of a long question: its beginning says what it is about.
fn head(text: &str) -> &str {
    let mut end = text.len().min(4_096);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
