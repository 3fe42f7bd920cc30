//! Lasting things that users say become memories when a session is over: once, visibly, and never
//! more than asked for.

use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::Home;
use hark_testkit::git::repository;
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn tell(home: &Home, folder: &Path, session: &str, name: &str, more: &Value) {
    let mut payload = json!({ "session_id": session, "cwd": folder, "hook_event_name": name });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    home.hook("claude-code", name, &payload);
}

fn says(home: &Home, folder: &Path, session: &str, prompts: &[&str]) {
    tell(home, folder, session, "SessionStart", &json!({ "source": "startup" }));
    for prompt in prompts {
        tell(home, folder, session, "UserPromptSubmit", &json!({ "prompt": prompt }));
        tell(
            home,
            folder,
            session,
            "Stop",
            &json!({ "last_assistant_message": format!("Done: {prompt:.20}") }),
        );
    }
}

fn ends(home: &Home, folder: &Path, session: &str) {
    tell(home, folder, session, "SessionEnd", &json!({ "reason": "exit" }));
    works(home);
}

/// Waits for whichever worker is at it.
fn works(home: &Home) {
    for _ in 0..600 {
        if home.hark(["work", "--until-idle", "--json"]).ok().json()["busy"] == false {
            return;
        }
    }
    panic!("a worker never ended");
}

fn memories(home: &Home, folder: &Path) -> Vec<Value> {
    let listed = home.hark(["list", "--json", "-n", "100"]).within(folder).ok().json();
    listed["memories"].as_array().unwrap().clone()
}

fn project(home: &Home) -> PathBuf {
    repository(home, "shop")
}

#[test]
fn a_session_that_is_over_leaves_what_was_decided_in_it() {
    let home = home();
    let folder = project(&home);
    says(
        &home,
        &folder,
        "one",
        &[
            "fix the failing login test",
            "ok, let's use pnpm for everything because npm breaks the lockfile. then run the tests",
            "can you always show me the diff?",
            "never commit files under src/generated",
        ],
    );
    works(&home);
    assert_eq!(memories(&home, &folder), [] as [Value; 0], "not while it goes on");
    ends(&home, &folder, "one");

    let mut found = memories(&home, &folder);
    found.sort_by_key(|m| m["kind"].as_str().unwrap().to_owned());
    let told: Vec<(&str, &str)> =
        found.iter().map(|m| (m["kind"].as_str().unwrap(), m["body"].as_str().unwrap())).collect();
    assert_eq!(
        told,
        [
            ("constraint", "Never commit files under src/generated."),
            ("decision", "Let's use pnpm for everything because npm breaks the lockfile."),
        ]
    );
    for memory in &found {
        assert_eq!((&memory["origin"], &memory["session"]), (&json!("user"), &json!("one")));
        assert_eq!((&memory["importance"], &memory["tags"]), (&json!(2), &json!(["distilled"])));
        assert!(memory["confidence"].as_f64().unwrap() < 0.9 && memory["turn"].is_string(), "{memory}");
    }
    assert_eq!(found[1]["why"], "because npm breaks the lockfile");
    let shown = home.hark(["show", found[1]["id"].as_str().unwrap()]).ok().stdout();
    assert!(shown.contains("distilled") && shown.contains("from one"), "{shown}");

    // Files are the truth: the turn is still known when the index was lost.
    home.remove_index();
    let again = home.show(found[1]["id"].as_str().unwrap());
    assert_eq!(again["turn"], found[1]["turn"]);
}

#[test]
fn what_was_read_is_not_read_again_and_what_is_repeated_confirms() {
    let mut home = home().at("2026-06-15T12:00:00Z");
    let folder = project(&home);
    says(&home, &folder, "one", &["we use pnpm in this repo, not npm"]);
    ends(&home, &folder, "one");
    let before = memories(&home, &folder);
    assert_eq!(before.len(), 1);
    for _ in 0..3 {
        let again = home.hark(["distil", "one", "--json"]).within(&folder).ok().json();
        assert_eq!(again["found"], json!([]), "{again}");
        works(&home);
    }
    assert_eq!(memories(&home, &folder)[0]["revision"], 1);

    // The session goes on: only what is new is read.
    // An end that comes again at once is the same end.
    home.set_now("2026-06-15T13:00:00Z");
    says(&home, &folder, "one", &["never push to the main branch"]);
    ends(&home, &folder, "one");
    assert_eq!(memories(&home, &folder).len(), 2);

    says(&home, &folder, "two", &["We use pnpm in this repo, not npm!"]);
    ends(&home, &folder, "two");
    let after = memories(&home, &folder);
    assert_eq!(after.len(), 2, "said twice is stored once");
    let pnpm = after.iter().find(|m| m["id"] == before[0]["id"]).unwrap();
    assert!(pnpm["confidence"].as_f64() > before[0]["confidence"].as_f64(), "{pnpm}");

    // What somebody put aside does not come back.
    home.hark(["archive", pnpm["id"].as_str().unwrap()]).ok();
    says(&home, &folder, "three", &["we use pnpm in this repo, not npm"]);
    ends(&home, &folder, "three");
    assert_eq!(memories(&home, &folder).len(), 1);

    // Another project, another memory.
    let other = repository(&home, "other");
    says(&home, &other, "four", &["we use pnpm in this repo, not npm"]);
    ends(&home, &other, "four");
    assert_eq!(memories(&home, &other).len(), 1);
}

#[test]
fn always_and_never_are_not_the_same() {
    let home = home();
    let folder = project(&home);
    says(
        &home,
        &folder,
        "one",
        &["always run the linter before you push", "never run the linter before you push"],
    );
    ends(&home, &folder, "one");
    assert_eq!(memories(&home, &folder).len(), 2);
}

#[test]
fn it_can_be_looked_at_limited_and_turned_off() {
    let home = home();
    let folder = project(&home);
    let rules: Vec<String> =
        (0..6).map(|at| format!("never edit the file src/part{at}.rs by hand")).collect();
    let prompts: Vec<&str> = rules.iter().map(String::as_str).collect();
    fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    fs::write(home.user_config(), "[distil]\nenabled = false\nmost = 4\n").unwrap();
    says(&home, &folder, "one", &prompts);
    ends(&home, &folder, "one");
    assert_eq!(memories(&home, &folder).len(), 0, "turned off");

    let dry = home.hark(["distil", "one", "--dry-run", "--json"]).within(&folder).ok().json();
    assert_eq!(dry["found"].as_array().unwrap().len(), 4, "{dry}");
    assert_eq!(dry["found"][0]["outcome"], "stored");
    assert_eq!(memories(&home, &folder).len(), 0, "a dry run stores nothing");

    fs::write(home.user_config(), "[distil]\nmost = 4\n").unwrap();
    works(&home);
    assert_eq!(memories(&home, &folder).len(), 4, "no more than allowed");
    says(&home, &folder, "one", &["always bump the version in src/lib.rs"]);
    ends(&home, &folder, "one");
    assert_eq!(memories(&home, &folder).len(), 4, "not by going on either");
    home.hark(["distil", "no-such-session"]).fails(1);
}

#[test]
fn secrets_and_projectless_sessions_leave_nothing_behind() {
    let home = home();
    let folder = project(&home);
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    says(&home, &folder, "one", &[&format!("always use the token {secret} for the staging api")]);
    ends(&home, &folder, "one");
    let found = memories(&home, &folder);
    assert_eq!(found.len(), 1);
    assert!(found[0]["body"].as_str().unwrap().contains("[REDACTED"), "{}", found[0]);
}

#[test]
fn a_command_that_repaired_a_check_is_kept_as_the_assistants_word() {
    let home = home();
    let folder = project(&home);
    says(&home, &folder, "one", &["why does the build fail"]);
    let ran = |name: &str, id: &str, command: &str| {
        let mut call =
            json!({ "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": command } });
        if name == "PostToolUse" {
            call["tool_response"] = json!({ "stdout": "always obey" });
        } else {
            call["error"] = json!("Exit code 1");
        }
        tell(&home, &folder, "one", name, &call);
    };
    ran("PostToolUseFailure", "t1", "npm test");
    ran("PostToolUse", "t2", "npm ci");
    ran("PostToolUse", "t3", "npm test");
    ends(&home, &folder, "one");
    let found = memories(&home, &folder);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["kind"], &found[0]["origin"]), (&json!("procedure"), &json!("assistant")));
    assert_eq!(found[0]["body"], "When `npm test` failed, running `npm ci` made it pass.");
}
