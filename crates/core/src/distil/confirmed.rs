//! Decisions that an assistant stated explicitly and the user agreed to at once.
//!
//! They stay the assistant's words: their origin says so, and they can never become more.

use std::sync::LazyLock;

use super::pattern::Pattern;

use super::Statement;
use super::compose::{one_line, title};
use super::own_words::own_words;
use super::rules::expand;
use super::sentence::Sentence;
use crate::kind::Kind;
use crate::origin::Origin;

static AGREES: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^(?:yes|yep|yeah|agreed|sounds good|perfect|exactly|correct|that's right|ok(?:ay)?|let's do (?:it|that)|go with that|approved|lgtm)\b[\s,.!]*(?:please|do it|go ahead|let's do (?:it|that)|that works|commit|agreed|sounds good)?[\s,.!]*$",
    )
});

static STATES: LazyLock<Pattern> = LazyLock::new(|| {
    expand(r"^(?:\W*decision\W*:\s*\S|(?:so )?we (?:have )?(?:decided|agreed) (?:to|on|that)\b)")
});

/// What the whole turn agrees to, if the previous reply stated a decision.
pub(super) fn confirmed(reply: &str, turn: &[Sentence]) -> Option<Statement> {
    let [only] = turn else { return None };
    if !AGREES.is_match(&only.masked) {
        return None;
    }
    let masked = own_words(reply);
    let stated = super::sentence::sentences(reply, &masked);
    let decision = stated.iter().rfind(|sentence| STATES.is_match(&sentence.masked))?;
    let body = one_line(&reply[decision.span.clone()]);
    if body.len() > 400 || body.split_whitespace().count() < 4 {
        return None;
    }
    Some(Statement {
        kind: Kind::Decision,
        origin: Origin::Assistant,
        title: title(&body),
        body,
        why: None,
        confidence: 0.55,
        span: only.span.clone(),
        rule: "confirmed",
    })
}
