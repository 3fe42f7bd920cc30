//! Hooks of Copilot CLI: both spellings of its events, one reply with everything at the top level. A failing
//! hook before a tool blocks the tool, so this one must not fail.

use serde_json::{Value, json};

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Say, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply,
    passes_on: claude_shape::PASSES_ON,
    can_deny: true,
    can_ask: false,
    transcript: None,
};

fn read(_wire: &Wire, _event: &mut HookEvent) {}

fn reply(_event: &HookEvent, say: &Say) -> Option<Value> {
    Some(match say {
        Say::Nothing | Say::Ask(_) => json!({}),
        Say::Context(text) => json!({ "additionalContext": text }),
        Say::Deny(reason) => json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }),
    })
}
