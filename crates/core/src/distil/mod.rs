//! Finds what is worth remembering in a session, without a model: by sentence patterns.
//!
//! Precision over volume. A turn is first stripped of everything its author did not write ([`own_words`]) and
//! split into [`sentence`]s; each is then [`judge`]d by tables of [`rules`]. Requests, questions, guesses and
//! reports yield nothing. This module only proposes; the engine stores, merges and counts.
//!
//! The speaker decides what a text may become: constraints, conventions and decisions come only from a user's
//! own words, and nothing here makes a directive or a rule, or replaces a memory.

mod compose;
mod confirmed;
mod cues;
mod judge;
mod net;
mod own;
mod own_words;
mod pasted;
mod pattern;
mod recovery;
mod reply;
mod rules;
mod sentence;
mod spoken;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::kind::Kind;
use crate::origin::Origin;

pub use net::{Heard, heard};
pub(crate) use own::{as_sentence, own_sentences, points_back};
pub(crate) use pattern::Pattern;
pub use recovery::{Step, recoveries};
pub(crate) use rules::expand;
pub use spoken::spoken_in;

/// Something that may be worth a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub kind: Kind,
    pub origin: Origin,
    pub title: String,
    pub body: String,
    pub why: Option<String>,
    /// How often a sentence of this pattern was worth keeping; never close to certainty.
    pub confidence: f32,
    /// Its byte range in the turn.
    pub span: Range<usize>,
    /// The rule that matched, to explain why it was kept.
    pub rule: &'static str,
}

/// No turn contains more lasting things than this; one that seems to is a document.
const MOST_PER_TURN: usize = 6;

/// The candidates in a user's turn, given the assistant's message before it.
///
/// `text` may have any length and content; nothing in it can make this fail.
pub fn turn(text: &str, before: Option<&str>) -> Vec<Statement> {
    let masked = own_words::own_words(text);
    let sentences = sentence::sentences(text, &masked);
    let reply = before.map(reply::Reply::new);
    let mut found: Vec<Statement> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        // Copied from the assistant's message without marks.
        if reply.as_ref().is_some_and(|reply| reply.holds(&text[sentence.span.clone()])) {
            continue;
        }
        let Some(finding) = judge::judge(sentence, &text[sentence.span.clone()]) else { continue };
        let Some(composed) = compose::compose(text, &sentences, at, &finding) else { continue };
        let rule = finding.rule.rule;
        found.push(Statement {
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
