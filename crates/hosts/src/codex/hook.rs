//! Hooks of Codex CLI, and its `notify` program. Codex discards a whole reply that has one unknown key.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply: claude_shape::quiet,
    passes_on: claude_shape::PASSES_ON,
    can_deny: true,
    can_ask: false,
    transcript: None,
};

/// A subagent is a thread of its own, and its id is that of its rollout.
fn read(wire: &Wire, event: &mut HookEvent) {
    claude_shape::end_subagent(wire, event, |_, agent| agent.to_owned());
    if matches!(event.what, What::Prompt(_)) {
        event.once = wire.id(&["turn_id", "turn-id"]);
    }
}
