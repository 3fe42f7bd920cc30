//! Hooks of Antigravity. Whether its model reads what they say is not known, so they only watch.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, claude_shape};

pub(crate) const DIALECT: Dialect =
    Dialect { read, reply: claude_shape::reply, hears: |_| false, can_deny: false };

fn read(_wire: &Wire, _event: &mut HookEvent) {}
