//! Hooks of Cline. Only tool events can add context, so the context for a new session waits for the first
//! one. Agents of one session share it, and its transcript has its id; each agent has a task id of its own.

use hark_core::Raw;
use serde_json::{Value, json};

use crate::hook::wire::{Wire, text_of};
use crate::hook::{Dialect, Environment, HookEvent, Moment, Say, What};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply,
    passes_on: &[Moment::BeforeTool, Moment::AfterTool],
    can_deny: true,
    can_ask: false,
    transcript: Some(transcript),
};

fn read(wire: &Wire, event: &mut HookEvent) {
    let root = wire.inside("sessionContext").and_then(|context| context.id(&["rootSessionId"]));
    event.session = root.or(event.session.take());
    let inside = |name: &str, keys: &[&str]| wire.inside(name).and_then(|inner| inner.id(keys));
    event.once = inside("tool_call", &["id"]).or_else(|| inside("tool_result", &["id"]));
    let of_subagent = wire.id(&["parent_agent_id"]).is_some();
    match &event.what {
        // The session goes on when one of its subagents starts or is done.
        What::Start { .. } | What::Stop { .. } | What::End { .. } if of_subagent => event.what = What::Other,
        What::Prompt(text) if of_subagent => event.what = What::Task(text.clone()),
        // No event reports the end of the session. If it goes on after all, the next event reopens it.
        What::Stop { .. } => {
            let turn = wire.inside("turn");
            let text = |name: &str| turn.as_ref().and_then(|turn| turn.text(&[name]));
            event.what = What::Finish {
                reply: text("outputText").map(Raw::new),
                reason: text("status").unwrap_or_else(|| "completed".to_owned()),
            };
        }
        _ => {}
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

/// The command line keeps one folder per session; the extension has no such id.
fn transcript(event: &HookEvent, environment: Environment<'_>) -> Option<String> {
    let session = event.session.as_deref()?;
    let home = ["HOME", "USERPROFILE"].iter().find_map(|name| environment(name).filter(|v| !v.is_empty()))?;
    let is_name = session.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let path = std::path::Path::new(&home).join(".cline/data/sessions").join(session);
    let path = path.join(format!("{session}.messages.json"));
    (is_name && path.is_absolute()).then(|| path.to_string_lossy().into_owned())
}

fn reply(_event: &HookEvent, say: &Say) -> Option<Value> {
    Some(match say {
        Say::Nothing | Say::Ask(_) => json!({}),
        Say::Context(text) => json!({ "context": text }),
        Say::Deny(reason) => json!({ "cancel": true, "errorMessage": reason }),
    })
}
