//! Hooks of Cursor.

use serde_json::{Value, json};

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Say, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply,
    passes_on: claude_shape::PASSES_ON,
    can_deny: true,
    can_ask: true,
    transcript: None,
};

fn read(wire: &Wire, event: &mut HookEvent) {
    if matches!(event.what, What::Prompt(_)) {
        event.once = wire.id(&["generation_id"]);
    }
}

fn reply(_event: &HookEvent, say: &Say) -> Option<Value> {
    Some(match say {
        Say::Nothing => json!({}),
        Say::Context(text) => json!({ "additional_context": text }),
        Say::Ask(reason) => {
            json!({ "permission": "ask", "user_message": reason, "agent_message": reason })
        }
        Say::Deny(reason) => {
            json!({ "permission": "deny", "user_message": reason, "agent_message": reason })
        }
    })
}
