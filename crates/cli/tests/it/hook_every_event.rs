//! Every event of every assistant with hooks, also of those that nobody can run here, whole and
//! broken in five ways: exit code 0, and nothing printed that this client would not accept.

use std::collections::BTreeSet;

use hark_testkit::events::{self, Made};
use hark_testkit::hooks::reply;
use hark_testkit::{Home, Seeded};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn send(home: &Home, made: &Made, stdin: &[u8]) -> Value {
    let value = reply(&home.hark(["hook", made.host, made.event]).stdin(stdin).run());
    check_shape(made, &value);
    value
}

/// Nothing but the field that this client reads, and under the event's own name.
fn check_shape(made: &Made, value: &Value) {
    let Value::Object(object) = value else {
        assert_eq!(*value, Value::Null);
        let quiet = ["windsurf", "claude-code", "codex", "droid"];
        assert!(quiet.contains(&made.host), "{}: the others take `{{}}` for nothing", made.host);
        return;
    };
    let allowed: &[&str] = match made.host {
        "copilot-cli" => &["additionalContext"],
        "cursor" => &["additional_context"],
        "cline" | "opencode" | "kilo" | "generic" => &["context"],
        "windsurf" | "antigravity" => &[],
        _ => &["hookSpecificOutput"],
    };
    assert!(object.keys().all(|key| allowed.contains(&key.as_str())), "{made:?}: {value}");
    if let Some(inner) = value["hookSpecificOutput"].as_object() {
        assert_eq!(inner.keys().collect::<Vec<_>>(), ["hookEventName", "additionalContext"], "{made:?}");
        assert_eq!(inner["hookEventName"], made.event, "{made:?}: the client checks the name");
    }
}

#[test]
fn every_event_is_answered_in_its_clients_shape() {
    let home = home();
    home.remember_with("Never push to main without a review.", &["--kind", "directive", "--global"]);
    let events = events::all(&home.work().display().to_string());
    let mut told = BTreeSet::new();
    for made in &events {
        let value = send(&home, made, made.payload.to_string().as_bytes());
        if value.as_object().is_some_and(|object| !object.is_empty()) {
            told.insert(made.host);
        }
    }
    let all: BTreeSet<&str> = events.iter().map(|made| made.host).collect();
    let deaf: Vec<&str> = all.difference(&told).copied().collect();
    assert_eq!(deaf, ["antigravity", "windsurf"], "these have no field for it");
    let listed = home.hark(["sessions", "--limit", "50", "--json"]).ok().json();
    let heard: BTreeSet<&str> =
        listed["sessions"].as_array().unwrap().iter().map(|s| s["host"].as_str().unwrap()).collect();
    assert_eq!(heard, all, "each has its session");
    assert_eq!(home.findings(), "[]");
}

fn broken(made: &Made, way: usize, random: &mut Seeded) -> Vec<u8> {
    let mut bytes = made.payload.to_string().into_bytes();
    let mut value = made.payload.clone();
    let fields = value.as_object_mut().unwrap();
    match way {
        0 => {
            bytes.truncate(random.below(bytes.len()));
            return bytes;
        }
        1 => {
            let place = random.below(bytes.len());
            bytes.splice(place..place, b"\xff\xfe\x00\xc3\x28".iter().copied());
            return bytes;
        }
        // Every value becomes one of another sort.
        2 => {
            for (at, inner) in fields.values_mut().enumerate() {
                *inner = [json!(null), json!([[{ "a": [1] }]]), json!(-1.5e300), json!(true)][at % 4].clone();
            }
        }
        3 => {
            fields.insert("of_a_newer_release".to_owned(), json!({ "deep": [{ "er": null }] }));
            fields.insert("tool_calls".to_owned(), json!("not a list"));
        }
        _ => {
            let long = "лонг 🦭 ".repeat(60_000);
            for inner in fields.values_mut().filter(|inner| inner.is_string()) {
                *inner = json!(long);
            }
        }
    }
    value.to_string().into_bytes()
}

#[test]
fn broken_events_of_every_assistant_end_well() {
    let home = home();
    home.remember("Something.");
    let mut random = Seeded::new(7);
    let events = events::all(&home.work().display().to_string());
    for (at, made) in events.iter().enumerate() {
        // Two of the five ways for each, so that every assistant meets them all.
        for way in [at % 5, (at + 2) % 5] {
            let stdin = broken(made, way, &mut random);
            let outcome = home.hark(["hook", made.host, made.event]).stdin(&stdin).run();
            let value = reply(&outcome);
            // Of a broken event the name may be lost, and then it is answered by the one we were called with.
            if let Some(name) = value["hookSpecificOutput"]["hookEventName"].as_str() {
                assert!(name == made.event || name.len() < 80, "{made:?}: {value}");
            } else {
                check_shape(made, &value);
            }
        }
    }
    home.hark(["sessions", "--all-projects", "--json"]).ok();
    home.hark(["recall", "Something", "--json"]).ok();
}
