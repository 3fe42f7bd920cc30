//! Decides whether to inject anything unasked. Recall answers a question; the gate speaks only if the best
//! hit is probably what the prompt is about.

use hark_core::rank::calibration::{CHATS, COMPANION, CROWD, FEW, MANY, NAMED, NOTES, THRESHOLD, VAGUE};
use serde::Serialize;

use super::certainty::Certainty;
use super::fuse::Ranked;

/// The measurements of the tiers for a hit, used for judging and not for ordering.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Signals {
    /// Share of the prompt's information in the best passage, and in the memory as a whole.
    pub coverage: f32,
    pub whole_coverage: f32,
    /// BM25 of both as a share of the maximum.
    pub share: f32,
    pub whole_share: f32,
    /// Share of the prompt's information that is adjacent as in the prompt.
    pub together: f32,
    pub cosine: f32,
    /// Share of the prompt's words with a counterpart of similar meaning.
    pub words: f32,
    /// The same in one sentence.
    pub said: f32,
    /// Distinct words of the prompt found, and in the prompt.
    pub matched: u32,
    pub terms: u32,
    /// Rarest word found, as its information.
    pub rarest: f32,
    /// Passages searched.
    pub in_scope: u32,
    /// The prompt is about the person who asks.
    pub about_self: bool,
    /// Named in the prompt: a file, an issue, a person.
    pub named: bool,
    /// The fused score, judged.
    pub score: f32,
    /// Similarity by the encoder, and how many deviations it is above the mean of everything in scope.
    pub encoder: f32,
    pub standing_out: f32,
    /// It has several passages, as conversations have.
    pub is_long: bool,
}

/// Minimum probability for an injection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold(f32);

impl Threshold {
    /// At most 5 % of prompts that are unrelated to anything stored get an injection; `cargo xtask eval`
    /// measures it.
    pub const DEFAULT: f32 = THRESHOLD;

    pub fn new(probability: f32) -> Self {
        Threshold(probability.clamp(0.0, 1.0))
    }

    /// Adapts to feedback: `wrong` and `stale` ratings in a project raise the threshold, `helpful` ones lower
    /// it a little; each rating changes the odds by a fifth.
    #[must_use]
    pub fn leaning(self, words: i64) -> Self {
        if words == 0 || self.0 <= 0.0 || self.0 >= 1.0 {
            return self;
        }
        let odds = self.0 / (1.0 - self.0) * 1.2f32.powi(words.clamp(-20, 20) as i32);
        Threshold(odds / (1.0 + odds))
    }
}

impl Default for Threshold {
    fn default() -> Self {
        Threshold(Self::DEFAULT)
    }
}

/// Whether to inject, and which hits.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub inject: bool,
    pub probability: f32,
    pub chosen: Vec<usize>,
}

/// How many hits are judged.
pub const CONSIDERED: usize = 8;
/// The maximum number of memories per prompt.
pub const MOST: usize = 3;

/// Judges the hits of a prompt, best first. Usually one is enough; others come along if they are about as probable.
pub fn decide<'h>(hits: impl Iterator<Item = &'h Ranked>, threshold: Threshold) -> Decision {
    let likely: Vec<f32> = hits.take(CONSIDERED).map(likelihood).collect();
    let probability = likely.iter().copied().fold(0.0, f32::max);
    let inject = probability >= threshold.0 && probability > 0.0;
    let odds = |p: f32| p / (1.0 - p).max(f32::EPSILON);
    let comes_along = |at: &usize| {
        inject && likely[*at] >= threshold.0 && odds(likely[*at]) >= COMPANION * odds(probability)
    };
    let mut chosen: Vec<usize> = (0..likely.len()).filter(comes_along).collect();
    chosen.sort_by(|a, b| likely[*b].total_cmp(&likely[*a]).then(a.cmp(b)));
    Decision { inject, probability, chosen }
}

/// In a small store nothing stands out, but a note that is surely the answer is told all the same.
fn likelihood(hit: &Ranked) -> f32 {
    let is_answer = hit.certainty == Certainty::Sure && hit.score >= ANSWERS && !hit.signals.is_long;
    let likely = probability(&hit.signals);
    if is_answer { likely.max(CERTAINTY_OF_ANSWERS) } else { likely }
}

const ANSWERS: f32 = 0.5;
const CERTAINTY_OF_ANSWERS: f32 = 0.7;

/// The probability that a hit is what the prompt is about: a logistic model, fitted on prompts with their own
/// history and with an unrelated one (`docs/benchmarks.md`). Notes and conversations differ too much for one.
pub fn probability(signals: &Signals) -> f32 {
    let gate = if signals.is_long { CHATS } else { NOTES };
    let crowd = (signals.in_scope.max(10) as f32).log10();
    let crowd = if signals.is_long { crowd } else { crowd.min(CROWD) };
    let matched = signals.matched.min(MANY) as f32 / MANY as f32;
    let mut z = gate.constant + gate.whole_share * signals.whole_share + gate.together * signals.together;
    z += gate.cosine * signals.cosine
        + gate.matched * matched
        + gate.crowd * crowd
        + gate.score * signals.score;
    z += gate.encoder * signals.encoder + gate.standing_out * signals.standing_out / 4.0;
    if signals.about_self {
        // Either the person said it about themselves in one sentence, or it is about someone else.
        z += gate.said_of_self * signals.said + gate.about_self;
    }
    if signals.named {
        z += NAMED;
    } else if signals.terms < FEW && !signals.about_self {
        z += VAGUE;
    }
    1.0 / (1.0 + (-z).exp())
}

/// Words of prompts that ask nothing.
const SMALL_TALK: [&str; 98] = [
    "1", "2", "3", "a", "again", "agree", "agreed", "ahead", "all", "alright", "also", "and", "approve",
    "approved", "both", "carry", "commit", "continue", "cool", "correct", "course", "diff", "do", "done",
    "exactly", "fine", "finish", "first", "fix", "for", "go", "going", "good", "great", "hello", "hey", "hi",
    "hm", "hmm", "how", "is", "it", "just", "k", "keep", "lets", "lgtm", "looks", "me", "more", "much", "n",
    "never", "next", "nice", "no", "nope", "now", "of", "ok", "okay", "on", "one", "option", "other",
    "perfect", "please", "proceed", "push", "retry", "right", "run", "same", "second", "show", "so", "step",
    "stop", "sure", "test", "tests", "thank", "thanks", "that", "the", "then", "this", "too", "try", "undo",
    "wait", "what", "why", "with", "work", "works", "yes", "you",
];
const MOST_SMALL_TALK: usize = 8;

/// Prompts that ask nothing: "ok", "continue", "yes do it".
pub fn is_trivial(prompt: &str) -> bool {
    let words = prompt.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let mut count = 0;
    for word in words {
        let word = word.to_lowercase().replace('\'', "");
        let is_empty = SMALL_TALK.contains(&word.as_str()) || matches!(word.as_str(), "yeah" | "yep" | "y");
        count += 1;
        if !is_empty || count > MOST_SMALL_TALK {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_talk_is_distinguished_from_questions() {
        for prompt in [
            "ok",
            "Continue.",
            "yes, do it!",
            "go on",
            "",
            "LGTM, thanks",
            "let's go",
            "Go ahead, please!",
            "👍",
            "please fix",
            "show me the diff",
            "do the same for the other one",
        ] {
            assert!(is_trivial(prompt), "{prompt}");
        }
        for prompt in [
            "why does the build fail",
            "ok now add retries to the uploader",
            "fix auth",
            "ok, but use postgres",
            "缓存",
        ] {
            assert!(!is_trivial(prompt), "{prompt}");
        }
    }

    #[test]
    fn more_evidence_is_never_less_likely() {
        let weak = Signals {
            cosine: 0.4,
            matched: 1,
            in_scope: 1000,
            score: 0.25,
            is_long: true,
            ..Signals::default()
        };
        let strong = Signals {
            cosine: 0.7,
            whole_share: 0.5,
            together: 0.2,
            matched: 4,
            terms: 5,
            score: 0.65,
            ..weak
        };
        assert!(probability(&weak) < 0.1 && probability(&strong) > 0.6);
        assert!(probability(&strong) >= Threshold::DEFAULT && probability(&weak) < Threshold::DEFAULT);
        let vague = Signals { terms: 2, matched: 2, ..strong };
        assert!(probability(&vague) < probability(&strong));
        let told = Signals { about_self: true, said: 0.9, ..strong };
        assert!(probability(&told) > probability(&Signals { said: 0.2, ..told }));
    }

    #[test]
    fn feedback_moves_the_threshold_within_its_bounds() {
        let usual = Threshold::default();
        assert_eq!(usual.leaning(0), usual);
        assert!(usual.leaning(3).0 > usual.0 && usual.leaning(8).0 < 0.9, "{:?}", usual.leaning(8));
        assert!(usual.leaning(-3).0 < usual.0 && usual.leaning(-3).0 > 0.35, "{:?}", usual.leaning(-3));
        // The extremes, nothing and everything, stay as they are.
        assert_eq!(Threshold::new(1.0).leaning(-3), Threshold::new(1.0));
        assert_eq!(Threshold::new(0.0).leaning(8), Threshold::new(0.0));
    }
}
