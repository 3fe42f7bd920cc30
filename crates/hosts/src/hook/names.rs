//! Maps all the names that clients give to events.

use std::borrow::Cow;

use hark_core::Raw;

use super::What;
use super::tools;
use super::typed::{is_from_agent, typed};
use super::wire::{Wire, text_of};

/// The event's name: from the client, else from the command line, else guessed from the fields.
pub(super) fn of(wire: &Wire, argument: Option<&str>) -> String {
    let said = |names: &[&str]| wire.text(names).filter(|name| name.len() < 80);
    // Codex's `notify` runs one program for every event and names the event in `type`.
    let argument = argument.filter(|name| !name.eq_ignore_ascii_case("notify")).map(str::to_owned);
    said(&["hook_event_name", "hookEventName", "agent_action_name", "hookName"])
        .or(argument)
        .or_else(|| said(&["event", "type"]))
        .unwrap_or_else(|| by_looks(wire).to_owned())
}

fn by_looks(wire: &Wire) -> &'static str {
    let has = |names: &[&str]| wire.get(names).is_some();
    if has(&["tool_response", "tool_result", "toolResult", "tool_output"]) {
        "PostToolUse"
    } else if has(&["tool_name", "toolName", "tool_call"]) {
        "PreToolUse"
    } else if has(&["prompt"]) {
        "UserPromptSubmit"
    } else {
        "unknown"
    }
}

/// `SessionStart`, `sessionStart` and `session_start` are the same name.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether an event comes before or after a tool.
pub(crate) fn is_of_tool(name: &str) -> bool {
    matches!(
        folded(name).as_str(),
        "pretooluse" | "beforetool" | "posttooluse" | "aftertool" | "posttoolusefailure"
    )
}

/// The usual meaning of an event. A dialect corrects the exceptions.
pub(super) fn what(name: &str, wire: &Wire) -> What {
    match folded(name).as_str() {
        "sessionstart" | "taskstart" | "taskresume" | "agentstart" | "agentresume" | "sessioncreated" => {
            What::Start { source: wire.text(&["source", "trigger"]).unwrap_or_else(|| "startup".to_owned()) }
        }
        "userpromptsubmit"
        | "userpromptsubmitted"
        | "beforesubmitprompt"
        | "beforeagent"
        | "preuserprompt"
        | "promptsubmit"
        | "chatmessage" => prompt(wire),
        "pretooluse" | "beforetool" | "toolcall" | "toolexecutebefore" => {
            tools::used(wire).map_or(What::Other, What::BeforeTool)
        }
        "posttooluse" | "aftertool" | "toolresult" | "toolexecuteafter" => after(wire, None),
        "posttoolusefailure" => after(wire, Some(false)),
        "afteragentresponse" => reply(wire).map_or(What::Other, What::Reply),
        "stop"
        | "agentstop"
        | "afteragent"
        | "agentend"
        | "taskcomplete"
        | "agentturncomplete"
        | "postcascaderesponse"
        | "sessionidle" => What::Stop { reply: reply(wire) },
        "subagentstart" => What::Subagent,
        "precompact" | "precompress" | "sessioncompacting" => What::Compacting,
        "sessionend" | "sessionshutdown" | "sessiondeleted" | "taskcancel" | "agentabort" | "taskerror"
        | "agenterror" => What::End { reason: wire.text(&["reason", "final_status"]).unwrap_or_default() },
        _ => What::Other,
    }
}

/// A prompt without text is a continuation, not a prompt.
fn prompt(wire: &Wire) -> What {
    let text = wire.text(&["submitted_prompt", "prompt", "text", "message"]);
    match text.as_deref().and_then(typed) {
        Some(text) if is_from_agent(&text) => What::Task(Raw::new(text)),
        Some(text) => What::Prompt(Raw::new(text)),
        None => What::Other,
    }
}

/// Removes what hooks, including hark's, added to a prompt: nobody typed it.
pub(crate) fn without_injections(text: &str) -> String {
    let mut rest = text.to_owned();
    for (open, close) in [
        ("<hook_context", "</hook_context>"),
        ("<system_reminder>", "</system_reminder>"),
        ("<system-reminder>", "</system-reminder>"),
        ("<qwen:user-prompt-submit-context>", "</qwen:user-prompt-submit-context>"),
    ] {
        while let Some(from) = rest.find(open) {
            let Some(length) = rest[from..].find(close) else { break };
            rest.replace_range(from..from + length + close.len(), "");
        }
    }
    match without_frames(&rest) {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => rest,
    }
}

/// Removes quotes from hark's own memory, so that hark does not learn from its own echo. A truncated frame
/// extends to the end.
pub(crate) fn without_frames(text: &str) -> Cow<'_, str> {
    const OPEN: &str = "<hark-memory";
    const CLOSE: &str = "</hark-memory>";
    if !text.contains(OPEN) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(from) = rest.find(OPEN) {
        kept.push_str(&rest[..from]);
        rest = rest[from..].find(CLOSE).map_or("", |end| &rest[from + end + CLOSE.len()..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

fn after(wire: &Wire, ok: Option<bool>) -> What {
    let Some(mut tool) = tools::used(wire) else { return What::Other };
    let output = wire.get(&["tool_response", "tool_result", "toolResult", "tool_output", "output", "result"]);
    let error = wire.get(&["error"]);
    tool.learn_from(output);
    let ok = ok.or_else(|| tools::outcome(output, error));
    let text = error.or(output).map(text_of).unwrap_or_default();
    What::AfterTool { tool, output: Raw::new(without_frames(&text)), ok }
}

fn reply(wire: &Wire) -> Option<Raw> {
    let names = ["last_assistant_message", "last-assistant-message", "prompt_response", "response", "text"];
    wire.text(&names).filter(|text| !text.trim().is_empty()).map(|text| Raw::new(without_frames(&text)))
}
