//! Hooks of Cursor.

use serde_json::{Value, json};

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Say, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect { read, reply, hears: claude_shape::hears, can_deny: true };

fn read(wire: &Wire, event: &mut HookEvent) {
    if matches!(event.what, What::Prompt(_)) {
        event.once = wire.id(&["generation_id"]);
    }
}

fn reply(_event: &HookEvent, say: &Say) -> Option<Value> {
    Some(match say {
        Say::Nothing => json!({}),
        Say::Context(text) => json!({ "additional_context": text }),
        Say::Deny(reason) => {
            json!({ "permission": "deny", "user_message": reason, "agent_message": reason })
        }
    })
}
