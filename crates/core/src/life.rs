//! What happened to a memory since it was created: confirmations and feedback.
//!
//! Stored in the file, so that it survives a lost index. Injection, ranking and retention decide for
//! themselves what follows from it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Life {
    /// How often it was repeated.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub confirmations: u32,
    /// When it was last repeated or rated helpful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Timestamp>,
    /// How often it was rated helpful.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub helpful: u32,
    /// Negative feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Life {
    pub fn is_new(&self) -> bool {
        *self == Life::default()
    }

    pub fn is_wrong(&self) -> bool {
        self.verdict == Some(Verdict::Wrong)
    }
}

/// Negative feedback on a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Not true: hark never offers it by itself.
    Wrong,
    /// No longer quite true.
    Stale,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Wrong => "wrong",
            Verdict::Stale => "stale",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Verdict {
    type Err = FeedbackError;

    fn from_str(word: &str) -> Result<Self, FeedbackError> {
        match word.trim().to_ascii_lowercase().as_str() {
            "wrong" => Ok(Verdict::Wrong),
            "stale" => Ok(Verdict::Stale),
            _ => Err(FeedbackError(word.chars().take(40).collect())),
        }
    }
}

/// Feedback on a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    Helpful,
    Wrong,
    Stale,
}

impl Feedback {
    pub const fn name(self) -> &'static str {
        match self {
            Feedback::Helpful => "helpful",
            Feedback::Wrong => "wrong",
            Feedback::Stale => "stale",
        }
    }

    /// The confidence and life of a memory after this feedback.
    pub fn apply(self, confidence: f32, life: Life, now: Timestamp) -> (f32, Life) {
        match self {
            // Closing half of the gap to certainty would give one rating too much weight; a quarter is
            // enough.
            Feedback::Helpful => (
                confidence + (1.0 - confidence) * 0.25,
                Life { helpful: life.helpful + 1, confirmed: Some(now), verdict: None, ..life },
            ),
            Feedback::Wrong => (confidence.min(0.1), Life { verdict: Some(Verdict::Wrong), ..life }),
            // A memory that is wrong does not become merely stale.
            Feedback::Stale => {
                (confidence * 0.6, Life { verdict: Some(life.verdict.unwrap_or(Verdict::Stale)), ..life })
            }
        }
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not feedback (helpful, wrong, stale)")]
pub struct FeedbackError(pub String);

impl FromStr for Feedback {
    type Err = FeedbackError;

    fn from_str(word: &str) -> Result<Self, FeedbackError> {
        match word.trim().to_ascii_lowercase().as_str() {
            "helpful" => Ok(Feedback::Helpful),
            "wrong" => Ok(Feedback::Wrong),
            "stale" => Ok(Feedback::Stale),
            _ => Err(FeedbackError(word.chars().take(40).collect())),
        }
    }
}

impl<'de> Deserialize<'de> for Feedback {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    #[test]
    fn feedback_moves_confidence_within_its_bounds() {
        let (mut up, mut down) = (0.7, 0.7);
        let mut life = Life::default();
        for _ in 0..40 {
            let (more, after) = Feedback::Helpful.apply(up, life, NOW);
            assert!(more >= up && more <= 1.0);
            (up, life) = (more, after);
            down = Feedback::Stale.apply(down, Life::default(), NOW).0;
            assert!(down >= 0.0);
        }
        assert_eq!((life.helpful, life.verdict), (40, None));
        assert!(Feedback::Wrong.apply(1.0, life, NOW).0 <= 0.1);
    }

    #[test]
    fn wrong_stays_wrong_until_rated_helpful() {
        let (_, life) = Feedback::Wrong.apply(0.9, Life::default(), NOW);
        let (_, life) = Feedback::Stale.apply(0.1, life, NOW);
        assert!(life.is_wrong());
        let (_, life) = Feedback::Helpful.apply(0.1, life, NOW);
        assert_eq!(life.verdict, None);
    }
}
