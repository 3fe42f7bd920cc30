//! How sure an answer is: how far a hit stands out from everything else in scope, not how near it is.

use hark_core::Origin;
use hark_core::rank::judge::{CERTAINTY, Judge};
use serde::Serialize;

use super::fuse::{FOLLOWS, Ranked, Tier};

/// How far a hit is to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Nothing else came near enough.
    Perhaps,
    /// It is about what was asked.
    Likely,
    /// It is what was asked for.
    Sure,
}

/// The probabilities from which a hit is sure, and from which one makes an answer of the list.
const SURE: f32 = 0.7;
const ANSWERED: f32 = 0.25;
/// If no hit is more probable than this, nothing in scope is near.
const NEAR: f32 = 0.115;
/// Or both models find the same hit nearest: similarity by the encoder, its lead, similarity by the static model. In a
/// small scope, nothing can stand far above the mean.
const CLEAR: (f32, f32, f32) = (0.18, 0.05, 0.25);
/// A hit with this share of the question's information leaves nothing to guess.
const COVERED: f32 = 0.6;
/// A hit that fits the time that is asked about this well follows the others.
const IN_TIME: f32 = 0.5;
/// At most so many hits that are not certain.
const MOST_PERHAPS: usize = 3;
/// Marks the hits, best first, and removes those that are too uncertain.
pub(super) fn mark(judge: &Judge, hits: &mut Vec<Ranked>) {
    if judge.certainty.weights.is_empty() {
        return;
    }
    let likely: Vec<f32> = (0..hits.len()).map(|at| judge.certainty.probability(&values(hits, at))).collect();
    let best = likely.iter().copied().fold(0.0, f32::max);
    let is_clear = hits.first().and_then(|hit| hit.features).is_some_and(|features| {
        let by_encoder = features.encoder >= CLEAR.0 && features.encoder_lead >= CLEAR.1;
        by_encoder && features.cosine >= CLEAR.2 && features.cosine_lag <= 0.0
    });
    if best < NEAR {
        // What shares its words with the question, or is alone in being near, may still be meant.
        let mut place = 0;
        hits.retain(|hit| {
            place += 1;
            hit.admitted || is_clear && place == 1
        });
        hits.truncate(MOST_PERHAPS);
        hits.iter_mut().for_each(|hit| hit.certainty = Certainty::Perhaps);
        return;
    }
    let highest = hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
    let any_admitted = hits.iter().any(|hit| hit.admitted);
    for (hit, probability) in hits.iter_mut().zip(&likely) {
        let in_time = hit.features.is_some_and(|features| features.time >= IN_TIME);
        let follows = hit.score >= FOLLOWS * highest || in_time;
        hit.certainty = if *probability >= SURE {
            Certainty::Sure
        } else if hit.admitted || (any_admitted || best >= ANSWERED) && follows {
            Certainty::Likely
        } else {
            Certainty::Perhaps
        };
    }
    settle(hits);
    // With an answer at hand, guesses are noise.
    let is_found = |hit: &Ranked| {
        let covers = hit.features.is_some_and(|features| features.coverage >= COVERED);
        hit.certainty == Certainty::Sure || hit.admitted && covers
    };
    if hits.first().is_some_and(is_found) {
        hits.retain(|hit| hit.certainty > Certainty::Perhaps);
    }
}

/// Makes certainty follow the order, and keeps at most three that are not certain.
pub fn settle(hits: &mut Vec<Ranked>) {
    // The order is the judgement's: what stands above a likely hit is no less likely. What a link brought along was not
    // judged.
    let mut least = Certainty::Perhaps;
    for hit in hits.iter_mut().rev().filter(|hit| hit.tiers != [Tier::Graph]) {
        least = least.max(hit.certainty.min(Certainty::Likely));
        hit.certainty = hit.certainty.max(least);
    }
    let mut perhaps = 0;
    hits.retain(|hit| {
        perhaps += usize::from(hit.certainty == Certainty::Perhaps);
        hit.certainty > Certainty::Perhaps || perhaps <= MOST_PERHAPS
    });
    hits.sort_by_key(|hit| hit.certainty == Certainty::Perhaps);
}

/// What certainty is judged by, in the order of [`CERTAINTY`].
pub(super) fn values(hits: &[Ranked], at: usize) -> [f32; CERTAINTY.len()] {
    let hit = &hits[at];
    let features = hit.features.unwrap_or_default();
    let others = hits.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other.score);
    let rival = others.fold(0.0, f32::max);
    // Otherwise a repository or a teammate could make any memory the answer to every question.
    let trusted = !matches!(hit.stored.memory.origin, Origin::Repository | Origin::Teammate);
    let (phrase, phrase_coverage) =
        if trusted { (features.phrase_encoder, features.phrase_coverage) } else { (0.0, 0.0) };
    let coverage = features.coverage.max(phrase_coverage);
    let nearest = features.encoder.max(phrase);
    [
        hit.score,
        hit.score - rival,
        coverage,
        features.question_known,
        nearest,
        features.standing_out / 4.0,
        features.encoder,
        phrase,
        features.words,
        features.crowd,
        if features.question_words <= 2.0 { 1.0 } else { 0.0 },
        features.understood,
        features.together,
        nearest * nearest,
        coverage * features.understood,
        features.question_known * nearest,
        coverage.min(0.5),
    ]
}
