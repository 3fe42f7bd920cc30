//! Hooks of VS Code's agents: Claude's events and replies. A hook on a prompt cannot add context.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect { read, reply: claude_shape::reply, hears, can_deny: true };

fn read(_wire: &Wire, _event: &mut HookEvent) {}

fn hears(event: &HookEvent) -> bool {
    claude_shape::hears(event) && !matches!(event.what, What::Prompt(_))
}
