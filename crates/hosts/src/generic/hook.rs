//! The hook protocol for hark's own plugins and for unknown clients: Claude's fields in, plain keys out
//! (`context`, or `deny` with the reason).

use serde_json::{Value, json};

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Say, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply,
    passes_on: claude_shape::PASSES_ON,
    can_deny: true,
    can_ask: false,
    transcript: None,
};

pub(crate) fn read(wire: &Wire, event: &mut HookEvent) {
    event.parent = wire.id(&["parent_id", "parent_session_id", "parentID"]);
    if event.once.is_none() {
        event.once = wire.id(&["message_id", "messageID"]);
    }
    // A session that another one started is asked by an agent, not by a person.
    if event.parent.is_some()
        && let What::Prompt(text) = &event.what
    {
        event.what = What::Task(text.clone());
    }
}

pub(crate) fn reply(_event: &HookEvent, say: &Say) -> Option<Value> {
    Some(match say {
        Say::Nothing | Say::Ask(_) => json!({}),
        Say::Context(text) => json!({ "context": text }),
        Say::Deny(reason) => json!({ "deny": reason }),
    })
}
