//! Hooks of Qwen Code: Claude's events. What is said before a tool does not reach the model.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect { read, reply: claude_shape::reply, hears, can_deny: true };

/// Prompt ids are not used: a tool's continuation repeats the id of its prompt. Of the two ids of a
/// call the model's own is taken; the other is made up for hooks, and no transcript knows it.
fn read(wire: &Wire, event: &mut HookEvent) {
    match event.what {
        What::Prompt(_) => event.once = None,
        What::BeforeTool(_) | What::AfterTool { .. } => {
            event.once = wire.id(&["tool_call_id"]).or(event.once.take());
        }
        _ => {}
    }
}

fn hears(event: &HookEvent) -> bool {
    claude_shape::hears(event) && !matches!(event.what, What::BeforeTool(_))
}
