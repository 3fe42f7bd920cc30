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

fn edit(home: &Home, at: usize) -> String {
    let input = json!({ "file_path": home.work().join("a.rs"), "old_string": "a", "new_string": "b" });
    context(&home.hook("claude-code", "PostToolUse", &tool(home, "PostToolUse", "Edit", at, &input)))
}

const NEVER: [usize; 0] = [];

/// At which of these calls a checkpoint was asked for.
fn reminded(calls: std::ops::Range<usize>, mut call: impl FnMut(usize) -> String) -> Vec<usize> {
    calls.filter(|at| call(*at).contains("memory_checkpoint")).collect()
}

#[test]
fn looking_around_is_no_reason_for_a_checkpoint() {
    let home = home();
    assert_eq!(reminded(0..60, |at| run(&home, at)), NEVER, "commands");
}

#[test]
fn many_edits_are_worth_a_checkpoint_at_most_twice() {
    let mut home = home().at("2026-06-15T12:00:00Z");
    assert_eq!(reminded(1..30, |at| edit(&home, at)), [25]);
    home.set_now("2026-06-15T12:10:00Z");
    assert_eq!(reminded(30..80, |at| edit(&home, at)), [79], "after twice as much work");
    home.set_now("2026-06-15T12:20:00Z");
    assert_eq!(reminded(80..180, |at| edit(&home, at)), NEVER, "ignored twice");
}

#[test]
fn a_checkpoint_makes_the_edits_before_it_count_for_nothing() {
    let mut home = home().at("2026-06-15T12:00:00Z");
    assert_eq!(reminded(1..21, |at| edit(&home, at)), NEVER);
    home.set_now("2026-06-15T12:10:00Z");
    home.hark(["checkpoint", "--session", "p", "--goal", "rework a.rs"]).ok();
    home.set_now("2026-06-15T12:20:00Z");
    assert_eq!(reminded(21..41, |at| edit(&home, at)), NEVER);
    assert_eq!(reminded(41..50, |at| edit(&home, at)), [45]);
}

#[test]
fn unfinished_work_at_the_end_of_a_turn_is_worth_one_sooner() {
    let mut home = home().at("2026-06-15T12:00:00Z");
    assert_eq!(reminded(1..10, |at| edit(&home, at)), NEVER);
    let mut failed = tool(&home, "PostToolUseFailure", "Bash", 90, &json!({ "command": "cargo test" }));
    failed["error"] = json!("error: test failed");
    home.hook("claude-code", "PostToolUseFailure", &failed);
    home.set_now("2026-06-15T12:01:00Z");
    let stop = json!({ "session_id": "p", "cwd": home.work(), "hook_event_name": "Stop",
        "last_assistant_message": "It still fails." });
    home.hook("claude-code", "Stop", &stop);
    home.set_now("2026-06-15T12:02:00Z");
    assert_eq!(reminded(10..15, |at| edit(&home, at)), [10]);
}

#[test]
fn a_number_of_calls_that_the_user_sets_is_kept_to() {
    let home = home();
    fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    fs::write(home.user_config(), "[checkpoint]\nevery = 5\n").unwrap();
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
