//! The relevance floor: whether a candidate has anything to do with the question at all.
//!
//! Ranking always finds a best hit; this decides whether the best is good enough. A nonsense
//! question must come back empty.

use std::collections::{HashMap, HashSet};

use hark_store::search::{Activation, Candidate, Candidates};

/// Similarity that speaks for itself.
const NEAR: f32 = 0.44;
/// Similarity that needs a shared word beside it.
const NEARISH: f32 = 0.30;
/// Share of the question's information that must be found.
const COVERED: f32 = 0.40;
/// The same, with similarity beside it.
const PARTLY_COVERED: f32 = 0.18;
/// Words typed wrong are guesses: more of them must fit.
const REPAIRED: f32 = 0.42;
/// In a long prompt no memory covers much; this many shared words with this much weight will do.
const SHARED_WORDS: u32 = 3;

/// Candidates that may be shown, by memory.
pub(super) fn admit<'c>(candidates: &'c Candidates, named: &[Activation]) -> HashMap<i64, &'c Candidate> {
    let named: HashSet<i64> = named.iter().map(|activation| activation.memory).collect();
    let found = candidates.found.iter();
    found.filter(|c| named.contains(&c.memory) || is_relevant(c)).map(|c| (c.memory, c)).collect()
}

fn is_relevant(candidate: &Candidate) -> bool {
    let Candidate { typed, repaired, cosine, .. } = candidate;
    let by_words = typed.coverage >= COVERED;
    let by_meaning = *cosine >= NEAR;
    let by_both = *cosine >= NEARISH && (typed.coverage >= PARTLY_COVERED || typed.matched >= SHARED_WORDS);
    let by_repair = repaired.coverage >= REPAIRED;
    by_words || by_meaning || by_both || by_repair
}
