//! From what was said in a session to what is worth remembering, without a model: by the shapes of
//! sentences.
//!
//! Precision before volume. A turn is first stripped of everything its author did not write
//! ([`own_words`]), cut into [`sentence`]s, and each of them is [`judge`]d by tables of [`rules`].
//! Requests, questions, guesses and reports yield nothing. This module proposes; storing, merging and
//! counting are the engine's.
//!
//! Whose words these are decides what they may become: constraints, conventions and decisions come from
//! a user's own words only, and nothing here makes a directive or a rule, or replaces a memory.

mod compose;
mod confirmed;
mod judge;
mod own_words;
mod pasted;
mod recovery;
mod rules;
mod sentence;
mod spoken;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::kind::Kind;
use crate::origin::Origin;

pub use recovery::{Step, recoveries};
pub use spoken::spoken_in;

/// Something that may be worth a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub kind: Kind,
    pub origin: Origin,
    pub title: String,
    pub body: String,
    pub why: Option<String>,
    /// How often a sentence of this shape was worth keeping; never near certainty.
    pub confidence: f32,
    /// Where it stands in the turn, in bytes.
    pub span: Range<usize>,
    /// The shape it has, for people who wonder why it was kept.
    pub rule: &'static str,
}

/// No turn holds more lasting things than this; what seems to is a document.
const MOST_PER_TURN: usize = 6;

/// What a user's turn holds, given what the assistant had said before it.
///
/// `text` may be of any length and hold anything; nothing in it can make this fail.
pub fn turn(text: &str, before: Option<&str>) -> Vec<Candidate> {
    let masked = own_words::own_words(text);
    let sentences = sentence::sentences(text, &masked);
    let mut found: Vec<Candidate> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let Some(finding) = judge::judge(sentence, &text[sentence.span.clone()]) else { continue };
        let Some(composed) = compose::compose(text, &sentences, at, &finding) else { continue };
        let rule = finding.rule.rule;
        found.push(Candidate {
            kind: rule.kind,
            origin: Origin::User,
            title: composed.title,
            body: composed.body,
            why: composed.why,
            confidence: finding.confidence,
            span: composed.span,
            rule: rule.name,
        });
    }
    if let Some(agreed) = before.and_then(|reply| confirmed::confirmed(reply, &sentences)) {
        found.push(agreed);
    }
    if found.len() > MOST_PER_TURN {
        found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        found.truncate(MOST_PER_TURN);
        found.sort_by_key(|one| one.span.start);
    }
    found
}
