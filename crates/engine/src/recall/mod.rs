//! Recall: takes candidates from the store's tiers, filters, fuses, weighs and diversifies them, and packs
//! them into a token budget.

mod admit;
mod certainty;
mod cover;
mod evidence;
mod fuse;
pub mod gate;
mod render;
pub(crate) mod rerank;
mod standing;
mod subject;
mod tell;

pub use certainty::{Certainty, settle};
pub use fuse::{Ranked, Tier};
pub use render::{Detail, RenderedHit, pack};
pub use subject::Before;
pub use tell::tell;

use std::collections::HashMap;
use std::sync::OnceLock;

use hark_core::rank::judge::{CERTAINTY, Features, Judge, SUBJECT};
use hark_core::text::{Shape, asks_about_self, is_symptom, message, what_is_asked};
use hark_core::vector::{Embedder, Vector};
use hark_core::when::Times;
use hark_core::{MemoryId, ProjectKey, Timestamp};
use hark_store::search::{Candidates, Depth, Filter, Meaning, QueryTerm, QueryTerms, Second};
use hark_store::{Store, StoreError};
use tracing::debug_span;

use standing::Standing;

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
    /// How many bytes of it the encoder reads.
    pub read: usize,
    /// As the encoder reads it, once it has: reading takes longer than a search.
    encoded: OnceLock<Option<Vector>>,
}

impl<'a> Question<'a> {
    pub fn new(
        text: &'a str,
        filter: Filter,
        current: Option<&'a ProjectKey>,
        limit: usize,
        now: Timestamp,
    ) -> Self {
        let time = Times::in_question(text, now);
        Question { text, filter, current, limit, now, time, read: HEAD, encoded: OnceLock::new() }
    }

    /// The same question elsewhere.
    pub fn within(&self, filter: Filter, limit: usize) -> Self {
        Question { filter, limit, time: self.time.clone(), encoded: self.encoded.clone(), ..*self }
    }
}

/// What judges candidates.
#[derive(Clone, Copy)]
pub struct Models<'a> {
    /// The model of the index.
    pub embedder: &'a dyn Embedder,
    /// It judges the passages that have a vector of it; the model of the index judges the others.
    pub encoder: Option<&'a dyn Embedder>,
    /// Without one, the sum of the tiers decides.
    pub judge: Option<&'a Judge>,
}

/// The best memories for a prompt, best first; empty if nothing is relevant. Quick: without encoder and judgement.
pub fn answer(
    store: &Store,
    embedder: &dyn Embedder,
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    answer_with(store, Models { embedder, encoder: None, judge: None }, question)
}

/// The best memories for a question, best first.
pub fn answer_with(
    store: &Store,
    models: Models<'_>,
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    search(store, models, question, |candidates, standings| {
        debug_span!("rank").in_scope(|| fuse::rank(store, candidates, standings, &models, question))
    })
}

/// What a judgement is learned from.
pub struct Survey {
    /// All candidates with their evidence.
    pub candidates: Vec<(MemoryId, Features)>,
    /// The best, with what their certainty is judged by.
    pub hits: Vec<(MemoryId, [f32; CERTAINTY.len()])>,
    /// Those of them that may be on one subject: older, newer, and what tells.
    pub pairs: Vec<(MemoryId, MemoryId, [f32; SUBJECT.len()])>,
}

/// All evidence for a question, before anything is put in order by time or left out as uncertain.
pub fn survey(store: &Store, models: Models<'_>, question: &Question<'_>) -> Result<Survey, StoreError> {
    let bare = models.judge.map(|judge| Judge { trees: judge.trees.clone(), ..Judge::default() });
    let models = Models { judge: bare.as_ref(), ..models };
    let candidates = search(store, models, question, |_, standings| {
        let nums: Vec<i64> = standings.iter().map(|s| s.memory).collect();
        let judged: HashMap<i64, Features> =
            standings.iter().filter_map(|s| Some((s.memory, s.judged?.0))).collect();
        let stored = store.load(&nums)?.into_iter();
        Ok(stored.filter_map(|stored| Some((stored.memory.id, *judged.get(&stored.num)?))).collect())
    })?;
    let hits = answer_with(store, models, question)?;
    let pairs = subject::pairs(store, models.encoder.map(Embedder::id), &hits)?;
    let id = |at: usize| hits[at].stored.memory.id;
    Ok(Survey {
        candidates,
        pairs: pairs.into_iter().map(|pair| (id(pair.older), id(pair.newer), pair.values)).collect(),
        hits: (0..hits.len()).map(|at| (id(at), certainty::values(&hits, at))).collect(),
    })
}

fn search<T: Default>(
    store: &Store,
    models: Models<'_>,
    question: &Question<'_>,
    finish: impl FnOnce(&Candidates, Vec<Standing>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let Models { embedder, encoder, judge } = models;
    // "two weeks ago" says when, not what: as words they would only find other mentions of weeks.
    let text = what_is_asked(&question.time.without_spans(question.text));
    let text = if is_symptom(&text) { message(&text) } else { text };
    let encoder = match encoder {
        Some(encoder) if store.knows_space(encoder.id())? => Some(encoder),
        _ => None,
    };
    store.finish_memories()?;
    std::thread::scope(|scope| {
        // The encoder takes about as long to read the question as the tiers take to propose candidates.
        let is_new = question.encoded.get().is_none();
        let read = encoder.filter(|_| is_new);
        let reading =
            read.map(|encoder| scope.spawn(|| encoder.embed_question(beginning(&text, question.read))));
        let second = move || {
            let vector = question.encoded.get_or_init(|| reading?.join().ok().flatten()).clone();
            Some(Second { space: encoder?.id().to_owned(), vector: vector? })
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
            if admitted.is_empty() && named.is_empty() && judge.is_none() {
                return Ok(T::default());
            }
            let standings = fuse::standings(store, &candidates, &admitted, &named, judge, question)?;
            finish(&candidates, standings)
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
    beginning(text, HEAD)
}

const HEAD: usize = 4_096;

fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
