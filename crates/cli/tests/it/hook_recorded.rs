//! Every hook event that real clients were seen to send, and broken forms of them: exit code 0, and a
//! reply that this client accepts.

use hark_testkit::hooks::{Recorded, recorded, reply};
use hark_testkit::{Home, Outcome, Seeded};
use serde_json::Value;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn send(home: &Home, event: &Recorded, stdin: &[u8]) -> Outcome {
    let mut words = vec!["hook", event.host];
    words.extend(event.arguments.iter().map(String::as_str));
    let mut command = home.hark(words).stdin(stdin);
    for (name, value) in &event.environment {
        command = command.env(name, value);
    }
    command.run()
}

/// Nothing but what the client's own code was seen to read.
fn check_shape(host: &str, event: &Recorded, value: &Value) {
    let Value::Object(object) = value else { return };
    let keys: Vec<&str> = object.keys().map(String::as_str).collect();
    let allowed: &[&str] = match host {
        "copilot-cli" => &["additionalContext"],
        "cline" => &["context"],
        _ => &["hookSpecificOutput"],
    };
    assert!(keys.iter().all(|key| allowed.contains(key)), "{host}: {value}");
    if let Some(inner) = value["hookSpecificOutput"].as_object() {
        let keys: Vec<&str> = inner.keys().map(String::as_str).collect();
        assert_eq!(keys, ["hookEventName", "additionalContext"], "{host}");
        let sent: Value = serde_json::from_str(&event.stdin).unwrap_or_default();
        assert_eq!(inner["hookEventName"], sent["hook_event_name"], "{host}: the client checks the name");
    }
}

#[test]
fn every_recorded_event_is_answered_in_its_clients_shape() {
    let Some(events) = recorded() else { return };
    let home = home();
    home.remember_with("Never push to main without a review.", &["--kind", "directive", "--global"]);
    let mut spoken = std::collections::BTreeSet::new();
    for event in &events {
        let value = reply(&send(&home, event, event.stdin.as_bytes()));
        check_shape(event.host, event, &value);
        if value.as_object().is_some_and(|object| !object.is_empty()) {
            spoken.insert(event.host);
        }
    }
    assert_eq!(spoken.len(), 7, "each client was told something: {spoken:?}");
    // One session each, whichever way its events came, and each tool call once.
    let listed = home.hark(["sessions", "--all-projects", "--json"]).ok().json();
    let mut calls: Vec<(String, u64, u64)> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| {
            let number = |name: &str| s[name].as_u64().unwrap();
            (s["host"].as_str().unwrap().to_owned(), number("tool_calls"), number("files"))
        })
        .collect();
    calls.sort();
    let expected = [
        ("claude-code", 7),
        ("cline", 5),
        ("codex", 4),
        ("copilot-cli", 6),
        ("droid", 5),
        ("gemini-cli", 5),
        ("qwen-code", 7),
    ];
    assert_eq!(calls, expected.map(|(host, tools)| (host.to_owned(), tools, 1)));
    let doctor = home.doctor();
    assert_eq!(doctor["heard"].as_array().unwrap().len(), 7);
    assert!(doctor["heard"][0]["last_injection"].is_string(), "{doctor}");
    assert_eq!(doctor["findings"].as_array().unwrap().len(), 0, "{doctor}");
}

#[test]
fn broken_forms_of_recorded_events_end_well() {
    let Some(events) = recorded() else { return };
    let home = home();
    let mut random = Seeded::new(4);
    for (at, event) in events.iter().enumerate().step_by(3) {
        let bytes = event.stdin.as_bytes();
        let mut broken = bytes.to_vec();
        match at % 4 {
            0 => broken.truncate(random.below(bytes.len().max(1))),
            1 => {
                for _ in 0..8 {
                    let place = random.below(broken.len());
                    if let Some(byte) = broken.get_mut(place) {
                        *byte = random.below(256) as u8;
                    }
                }
            }
            2 => {
                // Every value becomes one of another sort.
                let mut value: Value = serde_json::from_slice(bytes).unwrap_or_default();
                for (at, inner) in value.as_object_mut().into_iter().flat_map(|o| o.values_mut()).enumerate()
                {
                    *inner = match at % 4 {
                        0 => Value::Null,
                        1 => serde_json::json!([[{ "a": inner.clone() }]]),
                        2 => serde_json::json!(-1.5e300),
                        _ => inner.clone(),
                    };
                }
                broken = value.to_string().into_bytes();
            }
            _ => {
                let place = random.below(broken.len().max(1));
                broken.splice(place..place, b"\xff\x00\xc3\x28{{{\"".iter().copied());
            }
        }
        reply(&send(&home, event, &broken));
    }
    home.hark(["sessions", "--all-projects", "--json"]).ok();
}
