//! The checkpoint policy `gate`: it has the hooks that it needs, or the doctor says that it cannot work.

use std::fs;

use serde_json::{Value, json};

use crate::install::machine::{Machine, put};

fn policy(machine: &Machine, policy: &str) {
    put(&machine.home.user_config(), format!("[checkpoint]\npolicy = \"{policy}\"\n"));
}

fn events(machine: &Machine) -> Vec<String> {
    let text = fs::read_to_string(machine.home.user().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    settings["hooks"].as_object().unwrap().keys().cloned().collect()
}

fn health(machine: &Machine, host: &str) -> Value {
    let doctor = machine.hark(&["doctor", "--json"]).ok().json();
    let all = doctor["assistants"].as_array().unwrap();
    all.iter().find(|one| one["host"] == host).unwrap_or_else(|| panic!("{doctor}")).clone()
}

#[test]
fn few_hooks_include_those_that_the_gate_needs() {
    let machine = Machine::new();
    policy(&machine, "gate");
    let said = machine.hark(&["install", "claude-code", "--hooks", "minimal"]).ok().stdout();
    assert!(said.contains("needs the hooks around tools"), "{said}");
    let installed = events(&machine);
    for event in ["PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionStart"] {
        assert!(installed.iter().any(|name| name == event), "{event} in {installed:?}");
    }
    assert!(!installed.contains(&"PreCompact".to_owned()), "still few: {installed:?}");
    assert_eq!(health(&machine, "claude-code")["problems"], json!([]));
}

#[test]
fn the_doctor_notices_a_gate_that_came_later() {
    let machine = Machine::new();
    machine.hark(&["install", "claude-code", "--hooks", "minimal"]).ok();
    assert_eq!(events(&machine).len(), 3);
    assert_eq!(health(&machine, "claude-code")["problems"], json!([]));
    policy(&machine, "gate");
    let stale = health(&machine, "claude-code");
    assert!(stale["problems"].to_string().contains("PreToolUse"), "{stale}");
    assert_eq!(stale["mend"], "hark install claude-code --hooks minimal");
    machine.hark(&["install", "claude-code", "--hooks", "minimal"]).ok();
    assert_eq!(health(&machine, "claude-code")["problems"], json!([]));
}

#[test]
fn the_doctor_says_where_a_gate_cannot_work() {
    let machine = Machine::new();
    policy(&machine, "gate");
    machine.hark(&["install", "claude-code", "--hooks", "none"]).ok();
    machine.install(&["windsurf", "zed"], "user");
    let none = health(&machine, "claude-code");
    assert!(none["problems"].to_string().contains("no effect without hooks"), "{none}");
    assert_eq!(none["mend"], "hark install claude-code --hooks minimal");
    for host in ["windsurf", "zed"] {
        let health = health(&machine, host);
        assert!(health["problems"].to_string().contains("`gate` has no effect"), "{health}");
    }
    let words = machine.hark(&["doctor"]).ok().stdout();
    assert!(!words.contains("everything is fine"), "{words}");
}

#[test]
fn a_checkpoint_in_the_shell_passes_the_gate_and_opens_it() {
    let machine = Machine::new();
    let home = &machine.home;
    policy(&machine, "gate");
    let payload = |event: &str, at: usize, command: &str| {
        json!({ "session_id": "p", "cwd": home.work(), "hook_event_name": event, "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_response": "ok", "tool_use_id": format!("t{at}") })
    };
    for at in 0..5 {
        home.hook("claude-code", "PostToolUse", &payload("PostToolUse", at, "ls"));
    }
    let denied = |command: &str| {
        let reply = home.hook("claude-code", "PreToolUse", &payload("PreToolUse", 9, command));
        let denied = reply["hookSpecificOutput"]["permissionDecision"] == "deny";
        assert!(!denied || reply.to_string().contains("hark checkpoint --session"), "{reply}");
        denied
    };
    let full = format!("'{}' checkpoint --goal x", home.binary().display());
    for command in ["hark checkpoint --goal 'list; files'", "cd src && hark checkpoint --goal x 2>&1", &full]
    {
        assert!(!denied(command), "{command}");
    }
    for command in ["hark checkpoint; rm -rf x", "/tmp/evil/hark checkpoint", "hark checkpoint && rm -rf x"] {
        assert!(denied(command), "{command}");
    }
    home.hark(["checkpoint", "--session", "p", "--goal", "list files"]).ok();
    assert!(!denied("ls"));
}
