//! One memory during ranking: what each tier measured, weighed and added up.

use hark_core::rank::bm25::Evidence;
use hark_core::rank::judge::Features;
use hark_core::text::Shape;
use hark_store::PassageId;
use hark_store::search::{Activation, Candidate, Candidates};

use super::fuse::Tier;
use super::gate::Signals;

/// The weight of each measure: a memory that contains the whole question in one place and means exactly that
/// scores about 1. `cargo xtask eval` shows what each is worth.
pub(super) mod weight {
    /// Words of the question in the best passage.
    pub(super) const WORDS: f32 = 0.30;
    /// Words in the memory as a whole.
    pub(super) const WHOLE: f32 = 0.12;
    /// Words next to each other as in the question.
    pub(super) const TOGETHER: f32 = 0.24;
    /// Similarity in meaning of the best passage.
    pub(super) const MEANING: f32 = 0.5;
    /// Similarity word by word.
    pub(super) const COUNTERPARTS: f32 = 0.3;
    /// Similarity within one sentence, for questions about the person who asks.
    pub(super) const SAID: f32 = 0.3;
    /// The same for other questions.
    pub(super) const SAID_ELSEWHERE: f32 = 0.12;
    /// A corrected word is a guess.
    pub(super) const REPAIRED: f32 = 0.9;
    /// Reached through a link, a shared entity, or by name.
    pub(in crate::recall) const LINKED: f32 = 0.05;
    /// From the time that the question mentions.
    pub(in crate::recall) const TIME: f32 = 0.45;
}

/// How far to trust each measure of a passage: the encoder, the static model, and words.
struct Trust {
    encoder: f32,
    meaning: f32,
    words: f32,
}

/// For passages without an encoder vector.
const UNREAD: Trust = Trust { encoder: 0.0, meaning: 1.0, words: 1.0 };
/// Prose uses the same words as the questions about it.
const PROSE: Trust = Trust { encoder: 0.2, meaning: 0.8, words: 1.0 };
/// Code consists of names and calls, and the words of a question occur in any other function too. Unless the
/// question asks by name: then it looks for names.
const CODE: Trust = Trust { encoder: 1.0, meaning: 0.35, words: 0.1 };

const LETTERS_OF_A_NAME: usize = 5;

/// The usual maximum similarity of two unrelated texts.
const UNRELATED: f32 = 0.25;
/// How much higher the encoder's similarity is than the static one it replaces, so that memories with and
/// without an encoder vector score alike.
const ENCODER_AHEAD: f32 = 0.18;
/// What one tier says about one memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) tier: Tier,
    /// The tier's own measure.
    pub(super) value: f32,
    pub(super) effect: f32,
}

/// One memory during ranking.
pub(super) struct Standing {
    pub(super) memory: i64,
    pub(super) passage: PassageId,
    pub(super) tie: u32,
    pub(super) admitted: bool,
    pub(super) shares: Vec<Share>,
    pub(super) total: f32,
    pub(super) signals: Signals,
    pub(super) held: u64,
    /// How much of the question is in one sentence, and what that adds.
    pub(super) sentence: Option<(f32, f32)>,
    /// How well it fits the time that the question mentions, and what that adds.
    pub(super) time: Option<(f32, f32)>,
    /// All evidence, once it has been judged, and what the judgement adds.
    pub(super) judged: Option<(Features, f32)>,
}

impl Standing {
    pub(super) fn add(&mut self, tier: Tier, value: f32, effect: f32) {
        if effect > 0.0 {
            self.shares.push(Share { tier, value, effect });
            self.total += effect;
        }
    }

    pub(super) fn of(candidate: &Candidate, admitted: bool, asked: &Candidates) -> Self {
        let Candidate { typed, repaired, whole, cosine, words, said, second, .. } = candidate;
        let mut standing = Standing {
            memory: candidate.memory,
            passage: candidate.passage,
            tie: candidate.tie,
            admitted,
            shares: Vec::with_capacity(4),
            total: 0.0,
            signals: Signals {
                coverage: repaired.coverage,
                whole_coverage: whole.coverage.max(repaired.coverage),
                share: repaired.share,
                whole_share: whole.share,
                together: repaired.together,
                cosine: *cosine,
                words: *words,
                said: *said,
                matched: repaired.matched,
                terms: asked.terms.terms.len() as u32,
                rarest: repaired.rarest,
                in_scope: asked.in_scope as u32,
                about_self: asked.about_self,
                named: false,
                is_long: candidate.is_long,
                ..Signals::default()
            },
            held: candidate.held,
            sentence: None,
            time: None,
            judged: None,
        };
        let trust = match second {
            None => UNREAD,
            Some(_) if candidate.is_code && !asks_by_name(asked) => {
                // Its other words must not earn a diversity bonus either.
                standing.held = 0;
                CODE
            }
            Some(_) => PROSE,
        };
        let by_words = |evidence: &Evidence| {
            trust.words
                * (weight::WORDS * evidence.share
                    + weight::WHOLE * whole.share
                    + weight::TOGETHER * evidence.together)
        };
        let lexical = if typed.matched > 0 { by_words(typed) } else { 0.0 };
        standing.add(Tier::Lexical, typed.score, lexical);
        let fuzzy = weight::REPAIRED * by_words(repaired) - lexical;
        if repaired.score > typed.score {
            standing.add(Tier::Fuzzy, repaired.score, fuzzy);
        }
        // Counterparts replace missing words. A long text always has some.
        let missing = if candidate.is_long { 0.0 } else { 1.0 - repaired.coverage.min(1.0) };
        let counterparts = weight::COUNTERPARTS * words * missing;
        if let Some(second) = second {
            standing.add(Tier::Encoder, *second, trust.encoder * (second - ENCODER_AHEAD));
        }
        if *cosine >= UNRELATED {
            standing.add(
                Tier::Vector,
                *cosine,
                trust.meaning * (weight::MEANING * cosine.max(0.0) + counterparts),
            );
            let weight = trust.words * if asked.about_self { weight::SAID } else { weight::SAID_ELSEWHERE };
            standing.sentence = Some((*said, weight * said)).filter(|_| *said > 0.0);
            standing.total += weight * said;
        }
        standing
    }

    /// A memory that no tier proposed, reached through a link or by name.
    pub(super) fn reached(activation: &Activation, is_named: bool) -> Self {
        Standing {
            memory: activation.memory,
            passage: PassageId::first_of(activation.memory),
            tie: activation.tie,
            admitted: true,
            shares: Vec::with_capacity(1),
            total: 0.0,
            signals: Signals { named: is_named, ..Signals::default() },
            held: 0,
            sentence: None,
            time: None,
            judged: None,
        }
    }
}

/// Whether a question names an identifier or a path. "python 3" and "a 2d array" are plain words.
pub(super) fn asks_by_name(asked: &Candidates) -> bool {
    let is_name = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS_OF_A_NAME;
    asked.terms.terms.iter().any(|term| term.shape == Shape::Whole && is_name(&term.word))
}
