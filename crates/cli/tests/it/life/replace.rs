//! Superseded, resolved, taken back: both ends of a link always agree.

use hark_testkit::Home;
use serde_json::{Value, json};

use super::home;

fn chain(home: &Home) -> [String; 3] {
    let a = home.remember("The gateway runs on nginx");
    let b = home.remember_with("The edge proxy is envoy now", &["--supersedes", &a]);
    let c = home.remember_with("Traffic enters through caddy", &["--supersedes", &b]);
    [a, b, c]
}

fn ends(home: &Home, id: &str) -> (Value, Value) {
    let shown = home.show(id);
    (shown["status"].clone(), shown["superseded_by"].clone())
}

fn links(home: &Home, id: &str) -> String {
    home.hark(["links", id, "--json"]).ok().json().to_string()
}

#[test]
fn forgetting_the_middle_of_a_chain_leaves_one_that_holds() {
    let home = home();
    let [a, b, c] = chain(&home);
    home.hark(["forget", &b, "--yes"]).ok();
    assert_eq!(ends(&home, &a), (json!("superseded"), json!(c)));
    assert_eq!(ends(&home, &c).0, "active");
    assert!(links(&home, &c).contains(&a));
    home.hark(["reindex"]).ok();
    assert_eq!(home.hark(["list", "--json"]).ok().json()["total"], 1);
}

#[test]
fn forgetting_the_newest_brings_the_one_before_back() {
    let home = home();
    let [a, b, c] = chain(&home);
    home.hark(["forget", &c, "--yes"]).ok();
    assert_eq!(ends(&home, &b), (json!("active"), Value::Null));
    assert_eq!(ends(&home, &a), (json!("superseded"), json!(b)));
}

#[test]
fn forgetting_two_of_three_leaves_no_loose_end() {
    let home = home();
    let [a, b, c] = chain(&home);
    home.hark(["forget", &b, &c, "--yes"]).ok();
    assert_eq!(ends(&home, &a), (json!("active"), Value::Null));
    assert!(!home.findings().contains("problem"), "{}", home.findings());
}

#[test]
fn undo_takes_the_last_change_back_and_undo_again_redoes_it() {
    let home = home();
    let id = home.remember_with("The migration is blocked by a lock", &["--kind", "blocker"]);
    home.hark(["resolve", &id]).ok();
    home.hark(["undo", &id]).ok();
    assert_eq!(home.show(&id)["status"], "active");
    home.hark(["undo", &id]).ok();
    assert_eq!(home.show(&id)["status"], "resolved");
    home.hark(["edit", &id, "--text", "The migration is blocked by nobody"]).ok();
    let undone = home.hark(["undo", &id, "--json"]).ok().json();
    assert_eq!(undone["undone"], "edited");
    assert_eq!(home.show(&id)["body"], "The migration is blocked by a lock");
}

#[test]
fn undoing_a_replacement_mends_both_ends() {
    let home = home();
    let [a, b, c] = chain(&home);
    // From the older side.
    home.hark(["undo", &b]).ok();
    assert_eq!(ends(&home, &b), (json!("active"), Value::Null));
    assert!(!links(&home, &c).contains(&b));
    // From the newer side: it was never changed itself.
    let d = home.remember_with("Everything is behind haproxy", &["--supersedes", &a]);
    let undone = home.hark(["undo", &d, "--json"]).ok().json();
    assert_eq!(undone["restored"], json!([a]));
    assert_eq!(home.show(&d)["status"], "archived");
    assert_eq!(home.show(&a)["status"], "active");
}

#[test]
fn what_was_never_changed_cannot_be_undone_and_says_so() {
    let home = home();
    let id = home.remember("Nothing happened to this one");
    let said = home.hark(["undo", &id]).fails(1);
    assert!(said.stderr().contains("never changed"), "{said}");
}

#[test]
fn as_of_sees_what_held_then_after_undo_and_reindex() {
    let mut home = home().at("2026-01-01T12:00:00Z");
    let old = home.remember("The gateway runs on nginx");
    home.set_now("2026-02-01T12:00:00Z");
    let new = home.remember_with("The gateway runs on envoy", &["--supersedes", &old]);
    home.set_now("2026-03-01T12:00:00Z");
    for _ in 0..2 {
        let then =
            home.recall_ids("what does the gateway run on", &["--as-of", "2026-01-15", "--limit", "1"]);
        assert_eq!(then, [old.as_str()]);
        let now = home.recall_ids("what does the gateway run on", &["--limit", "1"]);
        assert_eq!(now, [new.as_str()]);
        home.hark(["reindex"]).ok();
    }
}

#[test]
fn a_resolved_blocker_is_resolved_after_a_reindex() {
    let home = home();
    let id = home.remember_with("Waiting for the vendor's key", &["--kind", "blocker"]);
    home.hark(["resolve", &id]).ok();
    home.remove_index();
    assert_eq!(home.show(&id)["status"], "resolved");
    assert!(
        home.hark(["list", "--kind", "blocker", "--json"]).ok().json()["memories"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}
