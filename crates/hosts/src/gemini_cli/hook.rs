//! Hooks of Gemini CLI. Its stdout must be JSON and nothing else.

use serde_json::{Value, json};

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Say, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect { read, reply, hears, can_deny: true };

fn read(wire: &Wire, event: &mut HookEvent) {
    // Headless, it asks before every call of the model whether to compress; almost never does it.
    if matches!(event.what, What::Compacting) && wire.text(&["trigger"]).as_deref() == Some("auto") {
        event.what = What::Other;
    }
}

fn hears(event: &HookEvent) -> bool {
    matches!(event.what, What::Start { .. } | What::Prompt(_) | What::AfterTool { .. })
}

fn reply(event: &HookEvent, say: &Say) -> Option<Value> {
    match say {
        Say::Deny(reason) => Some(json!({ "decision": "deny", "reason": reason })),
        other => claude_shape::reply(event, other),
    }
}
