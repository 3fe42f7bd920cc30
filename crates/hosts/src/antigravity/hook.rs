//! Hooks of Antigravity. It is unknown whether its model reads their output, so they only observe.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply: claude_shape::reply,
    passes_on: &[],
    can_deny: false,
    can_ask: false,
    transcript: None,
};

fn read(_wire: &Wire, _event: &mut HookEvent) {}
