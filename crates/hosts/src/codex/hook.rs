//! Hooks of Codex CLI, and its `notify` program. Codex discards a whole reply that has one unknown key.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, What, claude_shape};

pub(crate) const DIALECT: Dialect =
    Dialect { read, reply: claude_shape::reply, hears: claude_shape::hears, can_deny: true };

fn read(wire: &Wire, event: &mut HookEvent) {
    if matches!(event.what, What::Prompt(_)) {
        event.once = wire.id(&["turn_id", "turn-id"]);
    }
}
