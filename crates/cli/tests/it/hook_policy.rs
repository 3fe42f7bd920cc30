//! The checkpoint policy, and what is said with a prompt.

use std::fs;

use hark_testkit::Home;
use hark_testkit::hooks::context;
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn tool(home: &Home, event: &str, name: &str, at: usize, input: &Value) -> Value {
    json!({ "session_id": "p", "cwd": home.work(), "hook_event_name": event, "tool_name": name, "tool_input": input,
        "tool_response": "ok", "tool_use_id": format!("t{at}") })
}

fn run(home: &Home, at: usize) -> String {
    context(&home.hook(
        "claude-code",
        "PostToolUse",
        &tool(home, "PostToolUse", "Bash", at, &json!({ "command": "ls" })),
    ))
}

fn ask(home: &Home, name: &str, input: &Value) -> Value {
    home.hook("claude-code", "PreToolUse", &tool(home, "PreToolUse", name, 0, input))
}

fn is_denied(reply: &Value) -> bool {
    reply["hookSpecificOutput"]["permissionDecision"] == "deny"
}

fn set(home: &Home, policy: &str) {
    let file = home.user_config();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("[checkpoint]\npolicy = \"{policy}\"\n")).unwrap();
}

#[test]
fn a_checkpoint_is_asked_for_after_five_calls_and_again_after_five_more() {
    let home = home();
    let said: Vec<bool> = (0..11).map(|at| run(&home, at).contains("memory_checkpoint")).collect();
    let expected: Vec<bool> = (1..=11).map(|n| n % 5 == 0).collect();
    assert_eq!(said, expected);
    home.hark(["checkpoint", "--session", "p"]).ok();
    assert_eq!(
        home.hark(["sessions", "show", "p", "--json"]).ok().json()["unreported"],
        11,
        "it said nothing"
    );
    home.hark(["checkpoint", "--session", "p", "--goal", "list files"]).ok();
    let said: Vec<bool> = (20..25).map(|at| run(&home, at).contains("memory_checkpoint")).collect();
    assert_eq!(said, [false, false, false, false, true]);
    set(&home, "off");
    assert!((30..40).all(|at| run(&home, at).is_empty()));
}

#[test]
fn the_gate_refuses_tools_and_cannot_be_talked_past() {
    let home = home();
    set(&home, "gate");
    for at in 0..5 {
        assert!(!is_denied(&ask(&home, "Bash", &json!({ "command": "ls" }))));
        run(&home, at);
    }
    for input in ["ls", "rm -rf / # memory_checkpoint", "mcp__hark__memory_checkpoint"] {
        let reply = ask(&home, "Bash", &json!({ "command": input }));
        assert!(is_denied(&reply), "{input}");
        assert!(reply.to_string().contains("memory_checkpoint"));
    }
    assert!(is_denied(&ask(&home, "mcp__evil__memory_checkpoint", &json!({}))));
    assert!(!is_denied(&ask(&home, "mcp__hark__memory_checkpoint", &json!({ "goal": "x" }))));
    assert!(!is_denied(&ask(&home, "ToolSearch", &json!({ "query": "memory_checkpoint" }))));
    home.hark(["checkpoint", "--session", "p", "--goal", "list files"]).ok();
    assert!(!is_denied(&ask(&home, "Bash", &json!({ "command": "ls" }))));
}

#[test]
fn the_gate_never_fails_closed() {
    let home = home();
    set(&home, "gate");
    for at in 0..5 {
        run(&home, at);
    }
    // Whatever keeps the agent from making one, it can go on in the end.
    let denied = (0..20).filter(|_| is_denied(&ask(&home, "Bash", &json!({ "command": "ls" })))).count();
    assert_eq!(denied, 6);
    home.remove_index();
    fs::write(home.database(), "not a database").unwrap();
    assert!(!is_denied(&ask(&home, "Bash", &json!({ "command": "ls" }))));
}

#[test]
fn a_prompt_brings_what_it_is_about_once_and_small_talk_brings_nothing() {
    let home = home();
    let id = home.remember("We deploy with kubectl rollout from the release branch, never from main.");
    home.remember("The office plants are watered on Mondays.");
    let prompt = |session: &str, text: &str| {
        let payload = json!({ "session_id": session, "cwd": home.work(), "hook_event_name": "UserPromptSubmit", "prompt": text });
        context(&home.hook("claude-code", "UserPromptSubmit", &payload))
    };
    for text in ["ok", "continue", "yes do it", "What is the capital of France?"] {
        assert_eq!(prompt("q", text), "", "{text}");
    }
    let said = prompt("q", "How do we deploy a release with kubectl rollout?");
    assert!(said.contains(&id) && said.contains("release branch") && !said.contains("plants"), "{said}");
    assert!(said.starts_with("<hark-memory"), "quoted as data: {said}");
    assert_eq!(prompt("q", "Tell me again how we deploy with kubectl rollout"), "", "said already");
    assert!(prompt("other", "How do we deploy a release with kubectl rollout?").contains(&id));
    let ledger = home.hark(["ledger", "--json"]).ok().json();
    assert_eq!((ledger["count"].as_u64(), ledger["sums"][0]["surface"].as_str()), (Some(2), Some("prompt")));
}
