//! Hooks of Qwen Code: Claude's events. What is said before a tool does not reach the model.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect { read, reply: claude_shape::reply, hears, can_deny: true };

/// Prompt ids are not used: a tool's continuation repeats the id of its prompt.
fn read(_wire: &Wire, event: &mut HookEvent) {
    if matches!(event.what, What::Prompt(_)) {
        event.once = None;
    }
}

fn hears(event: &HookEvent) -> bool {
    claude_shape::hears(event) && !matches!(event.what, What::BeforeTool(_))
}
