//! Past sessions: when they were, what they committed, and how to find them again.

use std::fs;

use hark_testkit::Home;
use hark_testkit::git::{git, repository};
use serde_json::json;

use super::{home, ids};

fn checkpoint(home: &Home, session: &str, goal: &str) -> String {
    let said = home.hark(["checkpoint", "--session", session, "--goal", goal, "--json"]).ok().json();
    said["session"].as_str().unwrap().to_owned()
}

fn search(home: &Home, query: &str) -> Vec<String> {
    ids(&home.hark(["sessions", "search", query, "--json"]).ok().json()["sessions"])
}

#[test]
fn a_session_shows_when_it_was_and_what_it_committed() {
    let mut home = home();
    let shop = repository(&home, "shop");
    let event = |home: &Home, name: &str, more: serde_json::Value| {
        let mut payload = json!({ "session_id": "one", "cwd": shop, "hook_event_name": name });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        home.hook("claude-code", name, &payload);
    };
    event(&home, "SessionStart", json!({ "source": "startup" }));
    event(&home, "UserPromptSubmit", json!({ "prompt": "Fix the cart" }));
    let running = home.hark(["sessions", "show", "one"]).ok().stdout();
    assert!(running.contains("started") && running.contains("last seen"), "{running}");
    fs::write(shop.join("cart.rs"), "").unwrap();
    git(&home, &shop, &["add", "."]);
    git(&home, &shop, &["commit", "-q", "-m", "cart"]);
    home.set_now("2026-06-10T13:30:00Z");
    event(&home, "SessionEnd", json!({ "reason": "exit" }));
    let shown = home.hark(["sessions", "show", "one"]).ok().stdout();
    let view = home.hark(["sessions", "show", "one", "--json"]).ok().json();
    let (from, to) = (view["head_start"].as_str().unwrap(), view["head_end"].as_str().unwrap());
    assert_ne!(from, to);
    assert!(shown.contains("2026-06-10T12:00:00") && shown.contains("2026-06-10T13:30:00"), "{shown}");
    assert!(shown.contains(&format!("{}..{} on main", &from[..10], &to[..10])), "{shown}");
}

#[test]
fn sessions_are_found_through_typos_and_by_time() {
    let mut home = home();
    home.set_now("2026-05-12T09:00:00Z");
    let may = checkpoint(&home, "first", "Kubernetes migration of the cart");
    home.set_now("2026-06-03T09:00:00Z");
    let week = checkpoint(&home, "second", "Kubernetes upgrade");
    home.set_now("2026-06-09T15:00:00Z");
    let yesterday = checkpoint(&home, "third", "Paint the invoices");
    home.set_now("2026-06-10T12:00:00Z");
    assert_eq!(search(&home, "kuberntes migraton"), [may.clone(), week.clone()]);
    assert_eq!(search(&home, "invioces"), [yesterday.as_str()]);
    assert_eq!(search(&home, "yesterday"), [yesterday.as_str()]);
    assert_eq!(search(&home, "kubernetes in May"), [may.as_str()]);
    assert_eq!(search(&home, "in May 2026"), [may]);
    assert_eq!(search(&home, "kubernetes last week"), [week]);
    assert!(search(&home, "kubernetes yesterday").is_empty());
    assert!(search(&home, "today").is_empty());
    assert!(search(&home, "zzzzqqq").is_empty());
}
