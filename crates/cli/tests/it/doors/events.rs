//! What assistants tell: events of hooks, and transcripts.

use std::fs;
use std::path::Path;

use hark_testkit::transcripts::{Claude, codex};
use hark_testkit::{Home, events, sqlite};
use serde_json::{Value, json};

use super::secrets::{Planted, add, home, strings};

/// The last part of a place.
fn key(place: &str) -> &str {
    place.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or_default()
}

/// By these a client says what an event is. With another value it is an event that nobody knows.
fn is_structure(place: &str) -> bool {
    ["hook_event_name", "hookEventName", "type", "role", "kind", "name", "tool_name", "toolName", "tool"]
        .contains(&key(place))
}

fn is_identity(place: &str) -> bool {
    let key = key(place).to_ascii_lowercase();
    key.ends_with("id") || key == "cwd" || key.contains("path") || key.contains("root") || key == "timestamp"
}

fn settle(home: &Home) {
    for command in [&["work", "--until-idle"][..], &["distil"], &["sessions"], &["resume"], &["backup"]] {
        let _ = home.hark(command).run();
    }
}

#[test]
fn no_string_of_an_event_leaves_a_secret_on_disk() {
    let home = home();
    let mut planted = Planted::new();
    let folder = home.work().display().to_string();
    for (at, made) in events::all(&folder).iter().enumerate() {
        for way in ["texts", "everything"] {
            let mut payload = made.payload.clone();
            for place in strings(&made.payload) {
                // Once as a client sends it, once with names and ids that nobody knows.
                if way == "everything" || !(is_structure(&place) || is_identity(&place)) {
                    let what = format!("{} {} {place} ({way})", made.host, made.event);
                    add(&mut payload, &place, &planted.words(what));
                }
            }
            let _ = home.hark(["hook", made.host, made.event]).stdin(payload.to_string()).run();
        }
        if at % 10 == 0 {
            // The name of the event is on the command line.
            let event = planted.secret(format!("{} as an event", made.host));
            let _ = home.hark(["hook", made.host, &event]).stdin(made.payload.to_string()).run();
        }
    }
    assert!(planted.count() > 700, "{}", planted.count());
    planted.assert_absent(&home.store(), |_| true);
    settle(&home);
    planted.assert_absent(&home.store(), |_| true);
    // Errors of hooks are kept outside where the store cannot be written.
    planted.assert_absent(&home.root().join("xdg"), |_| true);
}

/// A hook that cannot write leaves its event in the spool.
#[test]
fn nor_one_that_waits_for_the_index() {
    let home = home();
    let mut planted = Planted::new();
    home.remember("something, so that there is a store");
    let folder = home.work().display().to_string();
    // Somebody else writes all the while.
    let other = sqlite::open(&home.database());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let telling = ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"];
    let ours = |made: &&events::Made| made.host == "claude-code" && telling.contains(&made.event);
    for made in events::all(&folder).iter().filter(ours) {
        let mut payload = made.payload.clone();
        for place in strings(&made.payload).iter().filter(|place| !is_structure(place)) {
            add(&mut payload, place, &planted.words(format!("{} {place}", made.event)));
        }
        let _ = home.hark(["hook", made.host, made.event]).stdin(payload.to_string()).run();
    }
    assert!(fs::read_dir(home.store().join("spool")).unwrap().count() >= 3);
    planted.assert_absent(&home.store(), |_| true);
    drop(other);
    settle(&home);
    planted.assert_absent(&home.store(), |_| true);
}

/// Every transcript once for each key in it, with a secret behind each value of that key.
fn plant_in_copies(text: &str, name: &str, folder: &Path, planted: &mut Planted) {
    let is_document = serde_json::from_str::<Value>(text).is_ok();
    let values: Vec<Value> = if is_document {
        vec![serde_json::from_str(text).unwrap()]
    } else {
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let mut keys: Vec<String> = values.iter().flat_map(strings).map(|place| key(&place).to_owned()).collect();
    keys.sort();
    keys.dedup();
    for (number, wanted) in keys.iter().enumerate() {
        let mut copy = String::new();
        for value in &values {
            let mut changed = value.clone();
            for place in strings(value) {
                // A run of its own: else it would be passed over as known.
                if is_identity(&place) && key(&place).to_ascii_lowercase().ends_with("id") {
                    let own = value.pointer(&place).and_then(Value::as_str).unwrap_or_default();
                    *changed.pointer_mut(&place).unwrap() = json!(format!("{own}-{name}-{number}"));
                }
                if key(&place) == wanted {
                    let behind = planted.words(format!("{name} {wanted}"));
                    add(&mut changed, &place, &behind);
                }
            }
            copy.push_str(&changed.to_string());
            copy.push('\n');
        }
        // Each in a folder of its own, under the name by which it is known.
        let place = folder.join(format!("{number}"));
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join(name), copy).unwrap();
    }
}

#[test]
fn no_string_of_a_transcript_leaves_a_secret_on_disk() {
    let home = home();
    let mut planted = Planted::new();
    let folder = home.root().join("transcripts");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hosts/tests/fixtures");
    let mut all: Vec<(String, String)> = [
        "gemini.jsonl",
        "qwen.jsonl",
        "copilot.jsonl",
        "cursor.jsonl",
        "droid.jsonl",
        "cline.messages.json",
        "continue.json",
    ]
    .iter()
    .map(|name| ((*name).to_owned(), fs::read_to_string(fixtures.join(name)).unwrap()))
    .collect();
    let mut claude = Claude::new("told", "/srv/shop");
    claude.prompt("We decided to keep the ledger in Postgres because the importer needs it.");
    claude.says("I moved it.").runs("t1", "make check", "error: no rule", false).edits("t2", "src/main.rs");
    all.push(("told.jsonl".to_owned(), claude.text()));
    all.push(("rollout-one.jsonl".to_owned(), codex("one", "/srv/shop", "make", 2)));
    for (name, text) in &all {
        plant_in_copies(text, name, &folder.join(name), &mut planted);
    }
    let aider = fs::read_to_string(fixtures.join("aider.md")).unwrap();
    let lines: String = aider
        .lines()
        .enumerate()
        .map(|(at, line)| match line.is_empty() {
            true => "\n".to_owned(),
            false => format!("{line} {}\n", planted.secret(format!("aider line {at}"))),
        })
        .collect();
    fs::create_dir_all(folder.join("aider")).unwrap();
    fs::write(folder.join("aider/.aider.chat.history.md"), lines).unwrap();
    let told = home.hark(["ingest", "--json", folder.to_str().unwrap()]).ok().json();
    assert!(told["events"]["new"].as_u64().unwrap() > 250, "{told}");
    planted.assert_absent(&home.store(), |_| true);
    settle(&home);
    planted.assert_absent(&home.store(), |_| true);
}
