//! Hooks of OpenCode, through the plugin that we install: our own protocol. The plugin stops no tool,
//! and can add to what is kept when a conversation is compacted.

use crate::generic;
use crate::hook::{Dialect, HookEvent, What, claude_shape};

pub(crate) const DIALECT: Dialect =
    Dialect { read: generic::hook::read, reply: generic::hook::reply, hears, can_deny: false };

fn hears(event: &HookEvent) -> bool {
    matches!(event.what, What::Compacting)
        || (claude_shape::hears(event) && !matches!(event.what, What::BeforeTool(_)))
}
