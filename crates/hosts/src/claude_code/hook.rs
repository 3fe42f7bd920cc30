//! Hooks of Claude Code. It prints the output of hooks around a compaction, and adds it to the instructions for
//! the summary, so nothing to say is no output at all.

use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Moment, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply: claude_shape::quiet,
    passes_on: &[Moment::Start, Moment::Prompt, Moment::BeforeTool, Moment::AfterTool, Moment::Subagent],
    can_deny: true,
    can_ask: true,
    transcript: None,
};

fn read(wire: &Wire, event: &mut HookEvent) {
    claude_shape::end_subagent(wire, event, |session, agent| format!("{session}/agent-{agent}"));
    match &event.what {
        What::Prompt(_) => event.once = wire.id(&["prompt_id"]),
        // `claude mcp list` ends a session that never started and has no transcript. Ending an unknown
        // session does nothing, so no filter is needed.
        What::End { .. } => event.once = None,
        _ => {}
    }
    // Failures have their own event, so a tool that arrives here and finished was successful.
    if let What::AfterTool { ok: ok @ None, .. } = &mut event.what {
        let response = wire.inside("tool_response");
        let is = |name: &str| response.as_ref().is_some_and(|r| r.has(name));
        let stopped = response.as_ref().and_then(|r| r.get(&["interrupted"])).is_some_and(|v| v == true);
        if !stopped && !is("backgroundTaskId") {
            *ok = Some(true);
        }
    }
}
