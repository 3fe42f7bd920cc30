//! Determines the origin of a new memory, and whether it counts at once.
//!
//! An assistant speaks for itself. It may pass on what the user said, but only if the user really said it:
//! the text must occur in a prompt that a hook reported for the current session. Anything else that would
//! steer assistants, or claims to be the user's, becomes a proposal that the user accepts or rejects.

use hark_core::distil::spoken_in;
use hark_core::{Clean, Kind, Origin, Status};
use hark_store::StoredSession;

use crate::engine::{Caller, Engine};
use crate::error::EngineError;

/// The hint for an assistant when only the user may decide. It names no command, because an assistant has a
/// shell.
pub(crate) const ASK_USER: &str =
    "leave it unchanged and tell the user, who can decide in their own terminal";

/// The maximum number of prompts of a session to check.
const MOST_PROMPTS: usize = 300;

pub(crate) struct Voice {
    pub(crate) origin: Origin,
    pub(crate) status: Status,
    /// The prompt in which the user said it to an assistant.
    pub(crate) prompt: Option<Clean>,
    /// The speaker, which decides what the memory may replace.
    pub(crate) speaker: Origin,
}

impl Voice {
    /// Anyone who does not speak as the user may quote, pass on or propose.
    pub(crate) fn of(
        engine: &mut Engine,
        caller: &Caller,
        claimed: Option<Origin>,
        kind: Kind,
        text: &Clean,
    ) -> Result<Voice, EngineError> {
        let speaker = caller.origin.unwrap_or(Origin::Assistant);
        let active = |origin| Voice { origin, status: Status::Active, prompt: None, speaker: origin };
        let origin = claimed.unwrap_or(speaker);
        if speaker == Origin::User || !matches!(origin, Origin::User | Origin::Teammate | Origin::Assistant) {
            check_origin(origin, kind)?;
            return Ok(active(origin));
        }
        if origin == Origin::Teammate && speaker != Origin::Teammate {
            return Err(EngineError::invalid(
                "only a teammate can store text with the origin `teammate`",
                "omit the origin for your own words; use tool, file, web or import for quotes",
            ));
        }
        if !kind.steers() && origin != Origin::User {
            return Ok(active(origin));
        }
        Ok(match heard(engine, caller, text)? {
            Some(prompt) => {
                Voice { origin: Origin::User, status: Status::Active, prompt: Some(prompt), speaker }
            }
            None => Voice { origin: speaker, status: Status::Proposed, prompt: None, speaker },
        })
    }

    /// Whether an assistant may add this text to the user's words: only if the user said it as well.
    pub(crate) fn allows(&self, text: &str) -> bool {
        self.prompt.as_ref().is_none_or(|prompt| spoken_in(text, prompt))
    }
}

/// The prompt of the caller's session in which the user said this.
fn heard(engine: &mut Engine, caller: &Caller, text: &Clean) -> Result<Option<Clean>, EngineError> {
    let session = match crate::sessions::of_caller(engine, caller)? {
        Some(stored) => Some(stored),
        None if caller.session.is_some() => None,
        None => crate::sessions::at_work(engine, caller, None)?,
    };
    // An assistant starts a subagent, so the prompts of a subagent are not the user's words.
    let is_own = |stored: &StoredSession| stored.session.parent.is_none();
    let Some(stored) = session.filter(is_own) else { return Ok(None) };
    let prompts = engine.store.typed_prompts(stored.num, MOST_PROMPTS)?;
    Ok(prompts.into_iter().find(|prompt| spoken_in(text, prompt)))
}

/// Quoted text may be stored, but not as an instruction.
pub(crate) fn check_origin(origin: Origin, kind: Kind) -> Result<(), EngineError> {
    if origin.may_become(kind) {
        return Ok(());
    }
    Err(EngineError::invalid(
        format!("text of origin `{origin}` cannot become a {kind}"),
        "store it as a fact; only the user's own words can become a directive or rule",
    ))
}
