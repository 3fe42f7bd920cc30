//! Hooks of Cline. Only tool events can add context, so the context for a new session waits for the first
//! one.

use hark_core::Raw;
use serde_json::{Value, json};

use crate::hook::wire::{Wire, text_of};
use crate::hook::{Dialect, HookEvent, Say, What};

pub(crate) const DIALECT: Dialect = Dialect { read, reply, hears, can_deny: true };

fn read(wire: &Wire, event: &mut HookEvent) {
    event.parent = wire.id(&["parent_agent_id"]);
    let inside = |name: &str, keys: &[&str]| wire.inside(name).and_then(|inner| inner.id(keys));
    event.once = inside("tool_call", &["id"]).or_else(|| inside("tool_result", &["id"]));
    if let What::Stop { reply } = &mut event.what
        && let Some(text) = wire.inside("turn").and_then(|turn| turn.text(&["outputText"]))
    {
        *reply = Some(Raw::new(text));
    }
    if let What::AfterTool { output, ok, .. } = &mut event.what
        && let Some(result) = wire.inside("tool_result")
    {
        let error = result.text(&["error"]);
        if let Some(said) = result.get(&["output"]) {
            let (text, went_well) = said_by_commands(said);
            (*output, *ok) = (Raw::new(text), ok.or(went_well));
        }
        if let Some(error) = error {
            (*output, *ok) = (Raw::new(error), Some(false));
        }
    }
}

/// The output of commands, each with its outcome; other tools have no common format.
fn said_by_commands(output: &Value) -> (String, Option<bool>) {
    let parts = output
        .as_array()
        .filter(|parts| parts.iter().all(|p| p.get("success").is_some_and(Value::is_boolean)));
    let Some(parts) = parts.filter(|parts| !parts.is_empty()) else { return (text_of(output), None) };
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("result")?.as_str()).collect();
    (texts.join("\n"), Some(parts.iter().all(|part| part["success"] == true)))
}

fn hears(event: &HookEvent) -> bool {
    matches!(event.what, What::BeforeTool(_) | What::AfterTool { .. })
}

fn reply(_event: &HookEvent, say: &Say) -> Option<Value> {
    Some(match say {
        Say::Nothing => json!({}),
        Say::Context(text) => json!({ "context": text }),
        Say::Deny(reason) => json!({ "cancel": true, "errorMessage": reason }),
    })
}
