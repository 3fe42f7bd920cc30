//! Hooks of Factory's Droid: Claude's events and replies, but without tool call ids. Context added before a tool
//! does not reach the model.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Moment, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply: claude_shape::quiet,
    passes_on: &[Moment::Start, Moment::Prompt, Moment::AfterTool],
    can_deny: true,
    can_ask: false,
    transcript: None,
};

fn read(_wire: &Wire, _event: &mut HookEvent) {}
