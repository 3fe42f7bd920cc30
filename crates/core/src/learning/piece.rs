//! A piece of evidence as learning compares it.

use serde::{Deserialize, Serialize};

use crate::guidance::Sort;
use crate::time::Timestamp;

/// What the learner keeps of a piece of evidence besides its words, as JSON in the index. Only clean text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    /// What was wrong: "npm" in "use pnpm, not npm".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
    /// Entities that the words name, normalised.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// Files that the assistant changed right before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The wrong term as the beginning of a command that the session ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Telling words of the request that led to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// The user's own words.
    pub own: bool,
    /// A hook reported them; a transcript could be written by any program.
    pub typed: bool,
    /// It says what holds, and could stand for the whole group.
    pub lasting: bool,
    /// It says that it was said before.
    pub again: bool,
}

/// A piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Where it happened; pieces without a session are each their own.
    pub session: String,
    /// The key of its project.
    pub project: Option<String>,
    pub at: Timestamp,
    pub sort: Sort,
    pub text: String,
    pub detail: Detail,
}

impl Piece {
    /// The user's own words, said to the assistant against what it did.
    pub fn is_explicit(&self) -> bool {
        self.sort.is_explicit() && self.detail.own
    }
}
