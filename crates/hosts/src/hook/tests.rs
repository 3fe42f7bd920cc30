//! Replies in each client's format, and unusual events.

use serde_json::{Value, json};

use super::*;
use crate::HOSTS;

fn event(host: &str, name: &str, payload: &Value) -> HookEvent {
    read(crate::find(host).unwrap(), Some(name), payload.to_string().as_bytes(), &|_| None)
}

fn said(host: &str, name: &str, payload: &Value, say: &Say) -> Value {
    serde_json::from_str(&event(host, name, payload).answer(say)).unwrap_or(Value::Null)
}

#[test]
fn context_comes_in_the_field_that_each_client_reads() {
    let payload = json!({ "session_id": "s", "prompt": "hi" });
    let say = Say::Context("C".to_owned());
    let nested =
        |name: &str| json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "C"}});
    for host in ["claude-code", "codex", "qwen-code", "droid"] {
        assert_eq!(said(host, "UserPromptSubmit", &payload, &say), nested("UserPromptSubmit"), "{host}");
    }
    assert_eq!(said("gemini-cli", "BeforeAgent", &payload, &say), nested("BeforeAgent"));
    assert_eq!(said("copilot-cli", "userPromptSubmitted", &payload, &say), json!({"additionalContext": "C"}));
    assert_eq!(said("cursor", "beforeSubmitPrompt", &payload, &say), json!({"additional_context": "C"}));
    assert_eq!(said("opencode", "UserPromptSubmit", &payload, &say), json!({"context": "C"}));
    assert_eq!(said("vscode", "UserPromptSubmit", &payload, &say), json!({}), "it would not be read");
    assert_eq!(event("windsurf", "pre_user_prompt", &payload).answer(&say), "");
    let tool = json!({ "taskId": "s", "hookName": "tool_call", "tool_call": {"id": "1", "name": "editor"} });
    assert_eq!(said("cline", "PreToolUse", &tool, &say), json!({"context": "C"}));
}

#[test]
fn nothing_to_say_is_an_empty_reply_and_long_replies_are_cut() {
    for host in HOSTS {
        let event = event(host.id, "Stop", &json!({ "session_id": "s" }));
        let answer = event.answer(&Say::Context("x".to_owned()));
        assert!(answer.is_empty() || answer == "{}", "{}: {answer}", host.id);
    }
    let long = Say::Context("é".repeat(20_000));
    let answer = event("claude-code", "SessionStart", &json!({ "session_id": "s" })).answer(&long);
    assert!(answer.chars().count() < 9_000);
}

#[test]
fn tools_are_refused_in_each_clients_words() {
    let tool = json!({ "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"} });
    let say = Say::Deny("R".to_owned());
    assert_eq!(
        said("claude-code", "PreToolUse", &tool, &say)["hookSpecificOutput"]["permissionDecision"],
        "deny"
    );
    assert_eq!(said("gemini-cli", "BeforeTool", &tool, &say), json!({"decision": "deny", "reason": "R"}));
    assert_eq!(said("cursor", "preToolUse", &tool, &say)["permission"], "deny");
    assert_eq!(said("copilot-cli", "preToolUse", &tool, &say)["permissionDecision"], "deny");
    assert_eq!(said("claude-code", "PostToolUse", &tool, &say), json!({}), "too late to refuse");
}

#[test]
fn what_hooks_put_into_a_prompt_is_not_the_prompt() {
    let text = "<hook_context>CTX</hook_context>\n\nHow? <hark-memory x>\na\n</hark-memory>";
    assert_eq!(names::without_injections(text).trim(), "How?");
    let payload = json!({ "session_id": "s", "prompt": "<hook_context>only</hook_context>" });
    assert!(matches!(event("gemini-cli", "BeforeAgent", &payload).what, What::Other));
}

#[test]
fn arbitrary_input_is_answered() {
    let inputs =
        ["", "{", "[1]", "null", "{\"tool_name\":5}", "{\"tool_input\":[[[[]]]],\"tool_name\":\"edit\"}"];
    for host in HOSTS {
        for input in inputs {
            for name in [None, Some("PreToolUse"), Some("SessionStart"), Some("\u{0}")] {
                let event = read(host, name, input.as_bytes(), &|_| None);
                for say in [Say::Nothing, Say::Context("c".to_owned()), Say::Deny("d".to_owned())] {
                    let answer = event.answer(&say);
                    assert!(answer.is_empty() || serde_json::from_str::<Value>(&answer).is_ok());
                }
            }
        }
    }
}
