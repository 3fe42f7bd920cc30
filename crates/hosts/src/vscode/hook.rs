//! Hooks of VS Code's agents: Claude's events and replies. A hook on a prompt cannot add context.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Moment, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply: claude_shape::reply,
    passes_on: &[Moment::Start, Moment::BeforeTool, Moment::AfterTool, Moment::Subagent],
    can_deny: true,
    can_ask: true,
    transcript: None,
};

fn read(_wire: &Wire, _event: &mut HookEvent) {}
