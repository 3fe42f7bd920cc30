//! Hooks of Factory's Droid: Claude's events and replies, but without tool call ids.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, claude_shape};

pub(crate) const DIALECT: Dialect =
    Dialect { read, reply: claude_shape::reply, hears: claude_shape::hears, can_deny: true };

fn read(_wire: &Wire, _event: &mut HookEvent) {}
