//! Whether anything is worth saying unasked. Recall answers who asks; this speaks only when the
//! best hit is probably what the prompt is about.

use serde::Serialize;

use super::fuse::Ranked;

/// What the tiers measured of a hit, for judging and not for ordering.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Signals {
    /// Share of the prompt's information in the best passage, and in the memory as a whole.
    pub coverage: f32,
    pub whole_coverage: f32,
    /// BM25 of both as a share of the most possible.
    pub share: f32,
    pub whole_share: f32,
    /// Share of the prompt's information that stands side by side as in the prompt.
    pub together: f32,
    pub cosine: f32,
    /// Share of the prompt's words with a counterpart of like meaning.
    pub words: f32,
    /// Distinct words of the prompt found, and in the prompt.
    pub matched: u32,
    pub terms: u32,
    /// Rarest word found, as its information.
    pub rarest: f32,
    /// Passages looked at.
    pub in_scope: u32,
    /// Named outright in the prompt: a file, an issue, a person.
    pub named: bool,
    /// The fused score.
    pub score: f32,
}

/// Least probability for an injection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold(f32);

impl Threshold {
    pub fn new(probability: f32) -> Self {
        Threshold(probability.clamp(0.0, 1.0))
    }
}

impl Default for Threshold {
    fn default() -> Self {
        Threshold(0.5)
    }
}

/// Whether to speak, and how many of the hits to bring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    pub inject: bool,
    pub probability: f32,
    pub count: usize,
}

pub fn decide<'h>(hits: impl Iterator<Item = &'h Ranked>, threshold: Threshold) -> Decision {
    let probabilities: Vec<f32> = hits.map(|hit| probability(&hit.signals)).collect();
    let probability = probabilities.iter().copied().fold(0.0, f32::max);
    let inject = probability >= threshold.0 && probability > 0.0;
    let count = if inject { probabilities.iter().filter(|p| **p >= threshold.0).count() } else { 0 };
    Decision { inject, probability, count }
}

/// How likely it is that a hit is what the prompt is about.
pub fn probability(signals: &Signals) -> f32 {
    let z = -6.0 + 4.0 * signals.coverage + 6.0 * signals.cosine + 2.0 * signals.words;
    1.0 / (1.0 + (-z).exp())
}

/// Prompts that carry no question of their own: "ok", "continue", "yes do it".
pub fn is_trivial(prompt: &str) -> bool {
    const EMPTY: [&str; 62] = [
        "again", "agree", "agreed", "ahead", "alright", "and", "approve", "approved", "back", "carry",
        "continue", "cool", "correct", "course", "do", "done", "exactly", "fine", "finish", "first", "for",
        "go", "good", "great", "hello", "hey", "hi", "it", "just", "keep", "k", "lets", "lgtm", "looks",
        "me", "more", "never", "next", "nice", "no", "nope", "now", "of", "ok", "okay", "on", "perfect",
        "please", "proceed", "right", "second", "step", "stop", "sure", "thank", "thanks", "that", "this",
        "try", "wait", "yes", "you",
    ];
    let words: Vec<String> = prompt
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('\'', ""))
        .collect();
    let empty = |word: &String| {
        EMPTY.contains(&word.as_str())
            || matches!(
                word.as_str(),
                "yeah"
                    | "yep"
                    | "y"
                    | "n"
                    | "the"
                    | "a"
                    | "with"
                    | "1"
                    | "2"
                    | "3"
                    | "option"
                    | "so"
                    | "much"
                    | "run"
                    | "all"
                    | "is"
                    | "works"
                    | "work"
                    | "commit"
                    | "push"
                    | "test"
                    | "tests"
            )
    };
    words.len() <= 8 && words.iter().all(empty)
}
