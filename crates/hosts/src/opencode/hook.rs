//! Hooks of OpenCode, through hark's own plugin and protocol. The plugin never blocks a tool, but it can add
//! to what survives a compaction.

use crate::generic;
use crate::hook::{Dialect, HookEvent, What, claude_shape};

pub(crate) const DIALECT: Dialect =
    Dialect { read: generic::hook::read, reply: generic::hook::reply, hears, can_deny: false };

fn hears(event: &HookEvent) -> bool {
    matches!(event.what, What::Compacting)
        || (claude_shape::hears(event) && !matches!(event.what, What::BeforeTool(_)))
}
