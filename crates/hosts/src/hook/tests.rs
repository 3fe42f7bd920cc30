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
    for host in ["claude-code", "codex", "droid"] {
        assert_eq!(event(host, "Stop", &payload).answer(&Say::Nothing), "", "{host} shows any output");
    }
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
    assert_eq!(said("claude-code", "PostToolUse", &tool, &say), Value::Null, "too late to refuse");
}

/// By what real clients were seen to pass on, and else by their code or documentation.
#[test]
fn every_host_declares_what_it_passes_on() {
    use Moment::{AfterTool, BeforeTool, Compacting, Prompt, Start, Subagent};
    let expected: &[(&str, &[Moment])] = &[
        ("claude-code", &[Start, Prompt, BeforeTool, AfterTool, Subagent]),
        ("codex", &[Start, Prompt, BeforeTool, AfterTool]),
        ("opencode", &[Start, Prompt, AfterTool, Compacting]),
        ("gemini-cli", &[Start, Prompt, AfterTool]),
        ("cursor", &[Start, Prompt, BeforeTool, AfterTool]),
        ("copilot-cli", &[Start, Prompt, BeforeTool, AfterTool]),
        ("vscode", &[Start, BeforeTool, AfterTool, Subagent]),
        ("cline", &[BeforeTool, AfterTool]),
        ("continue", &[]),
        ("windsurf", &[]),
        ("zed", &[]),
        ("qwen-code", &[Start, Prompt, AfterTool]),
        ("kilo", &[Start, Prompt, AfterTool, Compacting]),
        ("droid", &[Start, Prompt, AfterTool]),
        ("antigravity", &[]),
        ("aider", &[]),
        ("claude-desktop", &[]),
        ("generic", &[Start, Prompt, BeforeTool, AfterTool]),
    ];
    let said: Vec<(&str, &[Moment])> = HOSTS.iter().map(|host| (host.id, host.hooks.passes_on)).collect();
    assert_eq!(said, expected);
}

#[test]
fn replies_are_empty_wherever_the_client_would_not_pass_them_on() {
    let events = [
        ("SessionStart", json!({ "source": "startup" })),
        ("UserPromptSubmit", json!({ "prompt": "hi" })),
        ("PreToolUse", json!({ "tool_name": "Bash", "tool_input": {"command": "ls"} })),
        (
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "x" }),
        ),
        ("SubagentStart", json!({ "agent_id": "a" })),
        ("PreCompact", json!({ "trigger": "manual" })),
        ("Stop", json!({})),
        ("SessionEnd", json!({})),
    ];
    for host in HOSTS {
        for (name, payload) in &events {
            let mut payload = payload.clone();
            payload["session_id"] = json!("s");
            let event = event(host.id, name, &payload);
            let answer = event.answer(&Say::Context("C".to_owned()));
            assert_eq!(answer.contains('C'), event.hears(), "{} {name}: {answer}", host.id);
        }
    }
}

#[test]
fn clines_agents_share_the_session_that_its_transcript_has() {
    let base = json!({ "clineVersion": "3", "taskId": "conv_1", "agent_id": "a1", "parent_agent_id": null,
        "sessionContext": { "rootSessionId": "179_abc" } });
    let read_as = |name: &str, more: Value| {
        let mut payload = base.clone();
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let home = |name: &str| (name == "HOME").then(|| "/users/dev".to_owned());
        read(crate::find("cline").unwrap(), Some(name), payload.to_string().as_bytes(), &home)
    };
    let start = read_as("TaskStart", json!({ "hookName": "agent_start" }));
    assert_eq!(start.session.as_deref(), Some("179_abc"));
    assert_eq!(
        start.transcript.as_deref(),
        Some("/users/dev/.cline/data/sessions/179_abc/179_abc.messages.json")
    );
    let done = json!({ "hookName": "agent_end", "turn": { "outputText": "Done.", "status": "completed" } });
    let end = read_as("TaskComplete", done.clone());
    assert!(matches!(&end.what, What::Finish { reply: Some(_), reason } if reason == "completed"), "{end:?}");
    let mut of_subagent = done;
    of_subagent["parent_agent_id"] = json!("a1");
    assert!(matches!(read_as("TaskComplete", of_subagent).what, What::Other), "the session goes on");
    assert!(matches!(read_as("TaskCancel", json!({ "hookName": "agent_abort" })).what, What::End { .. }));
}

#[test]
fn subagents_name_the_session_that_started_them() {
    let stop = json!({ "session_id": "s", "agent_id": "a7", "agent_transcript_path": "/t/a7.jsonl" });
    let ended = event("claude-code", "SubagentStop", &stop);
    assert_eq!((ended.session.as_deref(), ended.parent.as_deref()), (Some("s/agent-a7"), Some("s")));
    assert!(matches!(ended.what, What::End { .. }));
    let ended = event("codex", "SubagentStop", &stop);
    assert_eq!((ended.session.as_deref(), ended.parent.as_deref()), (Some("a7"), Some("s")));
    let asked = json!({ "session_id": "child", "parent_id": "s", "prompt": "look at the parser" });
    let asked = event("opencode", "chat.message", &asked);
    assert_eq!(asked.parent.as_deref(), Some("s"));
    assert!(matches!(asked.what, What::Task(_)), "no person asked: {asked:?}");
    let without = event("claude-code", "SubagentStop", &json!({ "session_id": "s" }));
    assert_eq!(without.session.as_deref(), Some("s"));
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
