//! The relevance floor: whether a candidate has anything to do with the question.
//!
//! Ranking always finds a best hit; this decides whether the best is good enough. A nonsense question must
//! return nothing.

use std::collections::HashSet;

use hark_core::text::Shape;
use hark_store::search::{Activation, Candidate, Candidates};

/// Share of the question's information that must be found.
const COVERED: f32 = 0.40;
/// The same, if similarity supports it.
const PARTLY_COVERED: f32 = 0.20;
/// Corrected typos are guesses, so more of them must match.
const REPAIRED: f32 = 0.42;
/// No memory covers much of a long prompt; this many shared words suffice if similarity supports them.
const SHARED_WORDS: u32 = 3;

/// If less than this share of the question is understood, similarity means nothing.
const UNDERSTOOD: f32 = 0.5;
/// The share of the question's words with a counterpart of similar meaning that supports similarity.
const COUNTERPARTS: f32 = 0.18;

/// Similarity that suffices on its own. The best of many unrelated texts is closer than the best of few, so
/// the floor rises with the number of passages searched.
fn near(in_scope: usize) -> f32 {
    0.30 + 0.03 * (in_scope.max(10) as f32).log10()
}

/// Similarity that needs support.
fn nearish(in_scope: usize) -> f32 {
    near(in_scope) - 0.06
}

/// The same in the encoder's space, where unrelated texts are further apart.
fn near_to_encoder(in_scope: usize) -> f32 {
    0.36 + 0.04 * (in_scope.max(10) as f32).log10()
}

/// Memories that may be shown.
pub(super) fn admit(candidates: &Candidates, named: &[Activation]) -> HashSet<i64> {
    let named: HashSet<i64> = named.iter().map(|activation| activation.memory).collect();
    let floor = Floor::for_question(candidates);
    let relevant = |c: &&Candidate| named.contains(&c.memory) || floor.admits(c);
    candidates.found.iter().filter(relevant).map(|c| c.memory).collect()
}

struct Floor {
    near: f32,
    nearish: f32,
    second: f32,
    understood: bool,
    /// The question is written without spaces.
    pairs: bool,
}

impl Floor {
    fn for_question(candidates: &Candidates) -> Self {
        Floor {
            near: near(candidates.in_scope),
            nearish: nearish(candidates.in_scope),
            second: near_to_encoder(candidates.in_scope),
            understood: candidates.understood >= UNDERSTOOD,
            pairs: candidates.terms.terms.iter().all(|term| term.shape == Shape::Bigram),
        }
    }

    fn admits(&self, candidate: &Candidate) -> bool {
        let Candidate { typed, repaired, cosine, words, second, .. } = candidate;
        // Half of the pairs in ideographic text cross a word boundary and match nothing.
        let by_words = typed.coverage >= COVERED * if self.pairs { 0.6 } else { 1.0 };
        let by_encoder = second.is_some_and(|cosine| cosine >= self.second);
        let by_meaning = self.understood && (*cosine >= self.near || by_encoder);
        let backed =
            *words >= COUNTERPARTS || typed.coverage >= PARTLY_COVERED || typed.matched >= SHARED_WORDS;
        let by_both = self.understood && *cosine >= self.nearish && backed;
        let by_repair = repaired.coverage >= REPAIRED;
        by_words || by_meaning || by_both || by_repair
    }
}
