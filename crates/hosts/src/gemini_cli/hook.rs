//! Hooks of Gemini CLI. Its stdout must be JSON and nothing else; if it is empty, Gemini reads stderr instead.

use serde_json::{Value, json};

use crate::hook::tools::ToolClass;
use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Moment, Say, What, claude_shape};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply,
    passes_on: &[Moment::Start, Moment::Prompt, Moment::AfterTool],
    can_deny: true,
    can_ask: false,
    transcript: None,
};

fn read(wire: &Wire, event: &mut HookEvent) {
    // When headless, it asks before every model call whether to compress, and almost never does.
    if matches!(event.what, What::Compacting) && wire.text(&["trigger"]).as_deref() == Some("auto") {
        event.what = What::Other;
    }
    // A successful command reports no exit code.
    if let What::AfterTool { tool, ok: ok @ None, .. } = &mut event.what
        && tool.class == ToolClass::Shell
        && let Some(text) = wire.inside("tool_response").and_then(|r| r.text(&["llmContent"]))
    {
        let has_line = |mark: &str| text.lines().any(|line| line.starts_with(mark));
        if has_line("Output: ") && !["Exit Code: ", "Signal: ", "Error: "].iter().any(|mark| has_line(mark)) {
            *ok = Some(true);
        }
    }
}

fn reply(event: &HookEvent, say: &Say) -> Option<Value> {
    match say {
        Say::Deny(reason) => Some(json!({ "decision": "deny", "reason": reason })),
        other => claude_shape::reply(event, other),
    }
}
