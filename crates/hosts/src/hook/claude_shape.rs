//! The reply format of Claude Code that others adopted: everything under `hookSpecificOutput`, with the
//! event's name. Nothing else, because some clients reject replies with unknown keys.

use serde_json::{Value, json};

use super::wire::Wire;
use super::{HookEvent, Moment, Say, What};

/// For clients that expect an object even if there is nothing to say.
pub(crate) fn reply(event: &HookEvent, say: &Say) -> Option<Value> {
    Some(quiet(event, say).unwrap_or_else(|| json!({})))
}

/// For clients that take no output for nothing to say. Some of them show any output to the user, or add it to
/// the instructions for a compaction.
pub(crate) fn quiet(event: &HookEvent, say: &Say) -> Option<Value> {
    match say {
        Say::Nothing => None,
        Say::Context(text) => Some(json!({
            "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": text }
        })),
        Say::Deny(reason) => Some(decision(event, "deny", reason)),
        Say::Ask(reason) => Some(decision(event, "ask", reason)),
    }
}

fn decision(event: &HookEvent, decision: &str, reason: &str) -> Value {
    json!({
        "hookSpecificOutput": {
            "hookEventName": event.name, "permissionDecision": decision, "permissionDecisionReason": reason
        }
    })
}

/// The moments at which clients that follow Claude Code pass context on, unless stated otherwise.
pub(crate) const PASSES_ON: &[Moment] =
    &[Moment::Start, Moment::Prompt, Moment::BeforeTool, Moment::AfterTool];

/// The end of a subagent ends its own session, if there is one; the events in between belong to the session
/// that started it. `own` names the subagent's session, as in transcripts.
pub(crate) fn end_subagent(wire: &Wire, event: &mut HookEvent, own: fn(&str, &str) -> String) {
    if super::names::folded(&event.name) != "subagentstop" {
        return;
    }
    let (Some(session), Some(agent)) = (&event.session, wire.id(&["agent_id"])) else { return };
    let own = own(session, &agent);
    event.parent = event.session.replace(own);
    event.transcript = wire.text(&["agent_transcript_path"]).or(event.transcript.take());
    event.what = What::End { reason: "subagent finished".to_owned() };
}
