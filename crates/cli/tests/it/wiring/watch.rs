//! `hark sessions watch`.

use serde_json::{Value, json};

use crate::install::machine::Machine;

#[test]
fn a_session_and_what_it_was_told_can_be_followed() {
    let machine = Machine::new();
    let home = &machine.home;
    home.remember("We deploy with kubectl rollout from the release branch, never from main.");
    let send = |event: &str, more: Value| {
        let mut payload = json!({ "session_id": "p", "cwd": home.work(), "hook_event_name": event });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        home.hook("claude-code", event, &payload);
    };
    send("UserPromptSubmit", json!({ "prompt": "How do we deploy a release with kubectl rollout?" }));
    let bash = json!({ "tool_name": "Bash", "tool_input": { "command": "make deploy" }, "tool_response": "ok",
        "tool_use_id": "t1" });
    send("PostToolUse", bash);
    let said = machine.hark(&["sessions", "watch", "p", "--for", "0s"]).ok().stdout();
    let lines: Vec<&str> = said.lines().collect();
    let at = |word: &str| {
        lines.iter().position(|line| line.contains(word)).unwrap_or_else(|| panic!("{word}: {said}"))
    };
    assert!(at("How do we deploy") < at("make deploy"), "{said}");
    assert!(lines[at("injected")].contains("tokens"), "{said}");
    let newest = machine.hark(&["sessions", "watch", "--for", "0s", "--json", "-n", "1"]).ok().stdout();
    let line: Value = serde_json::from_str(newest.trim()).unwrap_or_else(|e| panic!("{e}: {newest}"));
    assert!(line["text"].as_str().unwrap().contains("make deploy"), "{line}");
    machine.hark(&["sessions", "watch", "nothing", "--for", "0s"]).fails(1);
    machine.hark(&["sessions", "watch", "p", "--for", "soon"]).fails(1);
}
