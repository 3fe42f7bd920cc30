//! Gathers all evidence for each candidate, for the judgement: what the tiers measured, how far it stands out from the
//! others, and what precedes it.

use std::collections::HashMap;

use hark_core::rank::judge::Features;
use hark_core::text::is_symptom;
use hark_store::search::{Candidate, Candidates};
use hark_store::{Store, StoreError};

use super::Question;
use super::fuse::Tier;
use super::standing::{Standing, asks_by_name};

/// How many of the best are looked at for what precedes them in their session.
const PRECEDED: usize = 60;
/// More words than this add nothing.
const MANY_WORDS: usize = 40;

/// What all candidates of a question have in common, or are compared with.
struct Field {
    base: f32,
    cosine: f32,
    /// The two best by the encoder.
    encoder: [f32; 2],
    coverage: f32,
    phrase: f32,
    words: usize,
    known: f32,
    asks_by_name: bool,
    is_symptom: bool,
}

impl Field {
    fn of(standings: &[Standing], asked: &Candidates, question: &Question<'_>) -> Self {
        let most = |measure: fn(&Candidate) -> f32| asked.found.iter().map(measure).fold(0.0, f32::max);
        let mut encoder: Vec<f32> = asked.found.iter().filter_map(|c| c.second).collect();
        encoder.sort_unstable_by(|a, b| b.total_cmp(a));
        Field {
            base: standings.first().map_or(0.0, |s| s.total),
            cosine: most(|c| c.cosine),
            encoder: [0, 1].map(|at| encoder.get(at).copied().unwrap_or(0.0)),
            coverage: most(|c| c.repaired.coverage),
            phrase: asked.found.iter().filter_map(|c| c.phrase?.second).fold(0.0, f32::max),
            words: question.text.split_whitespace().take(MANY_WORDS).count(),
            known: asked.terms.known_share(),
            asks_by_name: asks_by_name(asked),
            is_symptom: is_symptom(question.text),
        }
    }
}

/// Puts the evidence into each standing. They arrive in the order of their sums.
pub(super) fn gather(
    store: &Store,
    standings: &mut [Standing],
    asked: &Candidates,
    question: &Question<'_>,
) -> Result<(), StoreError> {
    let field = Field::of(standings, asked, question);
    let candidates: HashMap<i64, &Candidate> = asked.found.iter().map(|c| (c.memory, c)).collect();
    let places = encoder_places(asked);
    let totals: HashMap<i64, f32> = standings.iter().map(|s| (s.memory, s.total)).collect();
    let leading: Vec<i64> = standings.iter().take(PRECEDED).map(|s| s.memory).collect();
    let before = store.preceding(&leading)?;
    for (place, standing) in standings.iter_mut().enumerate() {
        let mut features = features(standing, candidates.get(&standing.memory).copied(), asked, &field);
        features.base_place = 1.0 / (place + 1) as f32;
        features.encoder_place = places.get(&standing.memory).map_or(0.0, |place| 1.0 / (place + 1) as f32);
        if let Some(before) = before.get(&standing.memory) {
            features.follows = 1.0;
            features.before = totals.get(&before.memory).copied().unwrap_or(0.0);
            features.before_asks = if before.asks { features.before } else { 0.0 };
        }
        standing.judged = Some((features, 0.0));
    }
    Ok(())
}

/// Places by the encoder: of the text or of a phrase, whichever is nearer.
fn encoder_places(asked: &Candidates) -> HashMap<i64, usize> {
    let nearest =
        |c: &Candidate| c.second.into_iter().chain(c.phrase.and_then(|p| p.second)).reduce(f32::max);
    let mut near: Vec<(f32, u32, i64)> =
        asked.found.iter().filter_map(|c| Some((nearest(c)?, c.tie, c.memory))).collect();
    near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    near.into_iter().enumerate().map(|(place, (.., memory))| (memory, place)).collect()
}

fn features(
    standing: &Standing,
    candidate: Option<&Candidate>,
    asked: &Candidates,
    field: &Field,
) -> Features {
    let flag = |holds: bool| if holds { 1.0 } else { 0.0 };
    let linked =
        standing.shares.iter().find(|share| share.tier == Tier::Graph).map_or(0.0, |share| share.value);
    let question = Features {
        base: standing.total,
        base_lag: field.base - standing.total,
        linked,
        named: flag(standing.signals.named),
        time: standing.time.map_or(0.0, |(fit, _)| fit),
        question_words: field.words as f32,
        understood: asked.understood,
        question_known: field.known,
        best_coverage: field.coverage,
        best_encoder: field.encoder[0],
        crowd: (asked.in_scope.max(1) as f32).log10(),
        asks_by_name: flag(field.asks_by_name),
        is_symptom: flag(field.is_symptom),
        about_self: flag(asked.about_self),
        ..Features::default()
    };
    let Some(candidate) = candidate else { return question };
    let Candidate { typed, repaired, whole, cosine, words, said, second, .. } = candidate;
    let phrase = candidate.phrase;
    let encoder = second.unwrap_or(0.0);
    let is_nearest = second.is_some_and(|cosine| cosine >= field.encoder[0]);
    let spread = asked.spread.unwrap_or_default();
    Features {
        share: typed.share,
        repaired: repaired.share - typed.share,
        coverage: repaired.coverage,
        whole_share: whole.share,
        whole_coverage: whole.coverage.max(repaired.coverage),
        together: repaired.together,
        matched: repaired.matched as f32,
        rarest: repaired.rarest,
        cosine: *cosine,
        cosine_lag: field.cosine - cosine,
        words: *words,
        said: *said,
        encoder,
        encoder_lag: second.map_or(1.0, |cosine| field.encoder[0] - cosine),
        encoder_lead: if is_nearest { field.encoder[0] - field.encoder[1] } else { 0.0 },
        standing_out: second.map_or(0.0, |cosine| (cosine - spread.mean) / spread.deviation.max(0.02)),
        phrase_encoder: phrase.and_then(|phrase| phrase.second).unwrap_or(0.0),
        phrase_lag: phrase.and_then(|phrase| phrase.second).map_or(1.0, |cosine| field.phrase - cosine),
        phrase_coverage: phrase.map_or(0.0, |phrase| phrase.repaired.coverage),
        phrase_cosine: phrase.map_or(0.0, |phrase| phrase.cosine),
        has_phrases: flag(phrase.is_some()),
        is_code: flag(candidate.is_code),
        is_long: flag(candidate.is_long),
        repairs: flag(candidate.kind.repairs()),
        has_encoder: flag(second.is_some()),
        ..question
    }
}
