//! What a user says and may be lasting: the assistant is asked to store it, and what nobody stored waits in the inbox.

use std::path::Path;

use hark_testkit::git::repository;
use hark_testkit::hooks::context;
use hark_testkit::{Home, Mcp};
use serde_json::{Value, json};

use super::home;

const SAID: &str = "The importer keeps the old ids, since the mobile app caches them.";
const AGAIN: &str = "the importer keeps the old ids, since the mobile app caches them";

fn tell(home: &Home, folder: &Path, session: &str, name: &str, more: &Value) -> String {
    let mut payload = json!({ "session_id": session, "cwd": folder, "hook_event_name": name });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    context(&home.hook("claude-code", name, &payload))
}

fn start(home: &Home, folder: &Path, session: &str) -> String {
    tell(home, folder, session, "SessionStart", &json!({ "source": "startup" }))
}

fn prompt(home: &Home, folder: &Path, session: &str, text: &str) -> String {
    tell(home, folder, session, "UserPromptSubmit", &json!({ "prompt": text }))
}

fn ends(home: &Home, folder: &Path, session: &str) {
    tell(home, folder, session, "SessionEnd", &json!({ "reason": "exit" }));
    for _ in 0..600 {
        if home.hark(["work", "--until-idle", "--json"]).ok().json()["busy"] == false {
            return;
        }
    }
    panic!("a worker never ended");
}

fn items(home: &Home) -> Vec<Value> {
    home.hark(["inbox", "--json"]).ok().json()["items"].as_array().unwrap().clone()
}

#[test]
fn the_assistant_is_asked_once_to_store_what_may_be_lasting() {
    let home = home();
    let folder = repository(&home, "shop");
    start(&home, &folder, "one");
    assert_eq!(prompt(&home, &folder, "one", "fix the failing test in the importer"), "");
    let told = prompt(&home, &folder, "one", AGAIN);
    assert!(told.starts_with("hark: ") && told.contains("memory_remember"), "{told}");
    assert!(told.contains(&format!("\"{}", &SAID[..40])), "{told}");
    assert!(told.len() < 200, "{told}");
    assert_eq!(prompt(&home, &folder, "one", &format!("ok, {AGAIN}")), "", "once for each statement");
    let ledger = home.hark(["ledger", "--json"]).ok().json().to_string();
    assert!(ledger.contains("\"ask\""), "{ledger}");
    // An unmistakable statement becomes a memory by itself.
    assert_eq!(prompt(&home, &folder, "one", "never commit files under src/generated"), "");
}

#[test]
fn what_nobody_stored_waits_for_the_user() {
    let home = home();
    let folder = repository(&home, "shop");
    prompt(&home, &folder, "one", &format!("ok, {AGAIN}"));
    assert!(items(&home).is_empty(), "not while the session goes on");
    ends(&home, &folder, "one");
    let waiting = items(&home);
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert_eq!(waiting[0]["text"], SAID);
    let evidence = waiting[0]["evidence"].as_str().unwrap();
    assert!(evidence.contains("you said it in session one"), "{evidence}");
    // It is told to nobody before the user decides.
    let listed = home.hark(["list", "--json", "--all-projects"]).ok().json();
    assert_eq!(listed["total"], 0, "{listed}");
    let recalled = home.hark(["recall", "importer old ids", "--json"]).within(&folder).ok().json();
    assert_eq!(recalled["hits"], json!([]), "{recalled}");
    let told = start(&home, &folder, "two");
    assert!(told.contains("1 proposal waits for the user in `hark inbox`"), "{told}");
    assert!(!told.contains(waiting[0]["id"].as_str().unwrap()), "{told}");
    let doctor = home.hark(["doctor", "--json"]).within(&folder).ok().json().to_string();
    assert!(doctor.contains("1 proposal waits for your decision"), "{doctor}");
    // The same after the index was made anew.
    home.hark(["reindex"]).ok();
    assert_eq!(items(&home).len(), 1);

    let id = waiting[0]["id"].as_str().unwrap();
    home.hark(["inbox", "accept", id]).ok();
    let shown = home.show(id);
    assert_eq!((&shown["origin"], &shown["status"]), (&json!("user"), &json!("active")));
    assert!(items(&home).is_empty());
}

#[test]
fn a_rejected_statement_is_not_proposed_again() {
    let home = home();
    let folder = repository(&home, "shop");
    prompt(&home, &folder, "one", AGAIN);
    ends(&home, &folder, "one");
    let id = items(&home)[0]["id"].as_str().unwrap().to_owned();
    home.hark(["inbox", "reject", &id]).ok();
    prompt(&home, &folder, "two", AGAIN);
    ends(&home, &folder, "two");
    assert_eq!(items(&home), [] as [Value; 0]);
}

#[test]
fn what_the_assistant_stored_is_not_proposed() {
    let home = home();
    let folder = repository(&home, "shop");
    prompt(&home, &folder, "one", AGAIN);
    let mut mcp: Mcp = home.mcp_within(&folder, &[("CLAUDE_CODE_SESSION_ID", "one"), ("CLAUDECODE", "1")]);
    let text = "Old ids must survive an import: the importer keeps them because the mobile app caches ids.";
    mcp.data("memory_remember", &json!({ "text": text, "kind": "decision" }));
    ends(&home, &folder, "one");
    assert_eq!(items(&home), [] as [Value; 0]);
}

#[test]
fn the_inbox_is_short_and_forgets() {
    let mut home = home().at("2026-03-01T10:00:00Z");
    let folder = repository(&home, "shop");
    home.hark(["config", "set", "distil.inbox", "1"]).ok();
    prompt(&home, &folder, "one", AGAIN);
    ends(&home, &folder, "one");
    home.set_now("2026-03-02T10:00:00Z");
    prompt(&home, &folder, "two", "we don't need retries there, the queue keeps failed jobs for a week");
    ends(&home, &folder, "two");
    let waiting = items(&home);
    assert_eq!(waiting.len(), 1, "the oldest leaves: {waiting:?}");
    assert!(waiting[0]["text"].as_str().unwrap().contains("the queue keeps"), "{waiting:?}");
    home.set_now("2026-04-20T10:00:00Z");
    prompt(&home, &folder, "three", "fix the test");
    ends(&home, &folder, "three");
    assert_eq!(items(&home), [] as [Value; 0], "undecided for too long");
    home.hark(["config", "set", "distil.ask", "false"]).ok();
    assert_eq!(
        prompt(&home, &folder, "four", "we already moved the ids, the old table is no longer used"),
        ""
    );
}
