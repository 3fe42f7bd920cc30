//! Hooks of Qwen Code: Claude's events. Context added before a tool does not reach the model.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Moment, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply: claude_shape::reply,
    passes_on: &[Moment::Start, Moment::Prompt, Moment::AfterTool],
    can_deny: true,
    can_ask: false,
    transcript: None,
};

/// Does not use prompt ids, because a tool's continuation repeats the id of its prompt. Of the two ids of a
/// call it uses the model's own; the other exists only in hooks, not in transcripts.
fn read(wire: &Wire, event: &mut HookEvent) {
    match event.what {
        What::Prompt(_) => event.once = None,
        What::BeforeTool(_) | What::AfterTool { .. } => {
            event.once = wire.id(&["tool_call_id"]).or(event.once.take());
        }
        _ => {}
    }
}
