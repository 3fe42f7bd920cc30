//! The reply format of Claude Code that others adopted: everything under `hookSpecificOutput`, with the
//! event's name. Nothing else, because some clients reject replies with unknown keys.

use serde_json::{Value, json};

use super::{HookEvent, Say, What};

pub(crate) fn reply(event: &HookEvent, say: &Say) -> Option<Value> {
    Some(match say {
        Say::Nothing => json!({}),
        Say::Context(text) => json!({
            "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": text }
        }),
        Say::Deny(reason) => json!({
            "hookSpecificOutput": {
                "hookEventName": event.name, "permissionDecision": "deny", "permissionDecisionReason": reason
            }
        }),
    })
}

/// Events for which such clients pass context on to the model.
pub(crate) fn hears(event: &HookEvent) -> bool {
    matches!(event.what, What::Start { .. } | What::Prompt(_) | What::BeforeTool(_) | What::AfterTool { .. })
}
