//! What a failure must cost before it is a memory and before anybody is warned.

use hark_testkit::Home;
use serde_json::Value;

use super::clients::{Change, Session};

const FAILING: &str = "____ test_total ____\n\ntests/test_cart.py:5: \nE       AssertionError: total_price is wrong for an empty cart\n\nsrc/cart.py:2: AssertionError\nFAILED tests/test_cart.py::test_total - AssertionError: total_price is wrong for an empty cart\n1 failed in 0.03s";
const PASSING: &str = "1 passed in 0.01s";
const BROKEN: Change<'static> =
    Change { file: "src/cart.py", old: "total_price = sum(p)", new: "total_price = p[0]" };
const MENDED: Change<'static> =
    Change { file: "src/cart.py", old: "total_price = p[0]", new: "total_price = sum(p)" };

fn at(day: u32) -> String {
    format!("2026-03-{day:02}T10:00:00Z")
}

fn failures(home: &Home) -> Vec<Value> {
    let said = home.hark(["failures", "--json"]).within(home.root().join("shop")).ok().json();
    said["failures"].as_array().expect("failures").clone()
}

fn memories(home: &Home) -> Vec<Value> {
    let all = ["list", "--json", "--all-projects", "--status", "active", "--status", "resolved"];
    home.hark(all).ok().json()["memories"].as_array().expect("memories").clone()
}

fn session<'h>(home: &'h Home, id: &str) -> Session<'h> {
    Session::new(home, "claude-code", id, &home.root().join("shop"))
}

/// A session in which it took three runs and two attempts in vain.
fn costly(home: &Home, id: &str) {
    let mut session = session(home, id);
    session.edit(&BROKEN);
    session.run("pytest", false, FAILING);
    for new in ["total_price = p[1]", "total_price = p[-1]"] {
        session.edit(&Change { file: "src/cart.py", old: "total_price = p[0]", new });
        session.run("pytest", false, FAILING);
    }
    session.edit(&MENDED);
    session.run("pytest", true, PASSING);
}

#[test]
fn an_error_that_the_next_edit_removed_is_counted_and_not_remembered() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let mut session = session(&home, "one");
    let broken = Change { file: "src/main.rs", old: "", new: "let count: u32 = \"a\";" };
    session.edit(&broken);
    let output = "error[E0308]: mismatched types\n --> src/main.rs:1:18\n  |\nerror: could not compile `app` (bin \"app\") due to 1 previous error";
    session.run("cargo build", false, output);
    session.edit(&Change { file: "src/main.rs", old: "let count: u32 = \"a\";", new: "let count: u32 = 1;" });
    session.run("cargo build", true, "    Finished `dev` profile target(s) in 0.1s");
    let known = failures(&home);
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!((&known[0]["status"], &known[0]["id"]), (&"fixed".into(), &Value::Null));
    assert!(known[0]["fix"].as_str().is_some_and(|fix| fix.contains("src/main.rs")), "{known:?}");
    assert_eq!(memories(&home), Vec::<Value>::new());
}

#[test]
fn what_cost_several_runs_and_came_back_is_remembered_and_warned_about() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_hark")).at(&at(1));
    costly(&home, "one");
    let kept = memories(&home);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!((&kept[0]["kind"], &kept[0]["status"]), (&"failure".into(), &"resolved".into()));
    home.set_now(&at(3));
    let mut second = session(&home, "two");
    second.edit(&BROKEN);
    let said = second.run("pytest", false, FAILING);
    assert!(said.contains("total_price is wrong") && said.contains("fixed by: src/cart.py"), "{said}");
    home.set_now(&at(4));
    let mut third = session(&home, "three");
    let said = third.warned_editing(&Change { file: "src/cart.py", old: "total_price = p[0]", new: "x = 1" });
    assert!(said.contains("`pytest` failed here 1d ago") && said.contains("fixed by: src/cart.py"), "{said}");
    assert_eq!(third.warned_running("pytest", false, FAILING), "", "once in a session");
    let other = Change { file: "src/cart.py", old: "currency = 1", new: "currency = 2" };
    assert_eq!(session(&home, "four").warned_editing(&other), "", "another part of the file");
    assert_eq!(memories(&home).len(), 1);
}

#[test]
fn a_fix_that_held_for_two_weeks_is_over() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_hark")).at(&at(1));
    costly(&home, "one");
    costly(&home, "two");
    let near = Change { file: "src/cart.py", old: "total_price = sum(p)", new: "total_price = sum(p) + 1" };
    home.set_now(&at(8));
    let said = session(&home, "three").warned_editing(&near);
    assert!(said.contains("`pytest` failed here in 2 sessions"), "it returns: {said}");
    home.set_now(&at(16));
    assert_eq!(session(&home, "four").warned_editing(&near), "");
    assert_eq!(session(&home, "five").warned_editing(&BROKEN), "");
}

#[test]
fn an_edit_that_takes_back_a_fix_is_warned_about() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let mut first = session(&home, "one");
    first.edit(&BROKEN);
    first.run("pytest", false, FAILING);
    first.edit(&MENDED);
    first.run("pytest", true, PASSING);
    assert_eq!(memories(&home), Vec::<Value>::new(), "it cost nothing");
    let again = Change { file: "src/cart.py", old: "total_price = sum(p)", new: "total_price = sum(p, 0)" };
    assert_eq!(session(&home, "two").warned_editing(&again), "", "changed, not taken back");
    let said = session(&home, "three").warned_editing(&BROKEN);
    assert!(said.contains("takes back a fix in src/cart.py") && said.contains("failed"), "{said}");
    assert!(said.contains("Fixed by: src/cart.py: `total_price = p[0]` → `total_price = sum(p)`"), "{said}");
}

#[test]
fn what_earlier_versions_stored_without_need_is_archived_once_and_comes_back_on_request() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_hark")).at(&at(1));
    costly(&home, "one");
    let id = memories(&home)[0]["id"].as_str().expect("an id").to_owned();
    let file = home.file_of(&id);
    let text = std::fs::read_to_string(&file).expect("a file");
    // As version 13 wrote it: no counts, nothing tried.
    let record = text.lines().find(|line| line.starts_with("failure: ")).expect("a record");
    let mut old: Value = serde_json::from_str(&record["failure: ".len()..]).expect("JSON");
    for key in ["runs", "sessions", "vain", "took_ms", "since_ms", "tried", "fix_removed", "fix_added"] {
        old.as_object_mut().expect("an object").remove(key);
    }
    std::fs::write(&file, text.replace(record, &format!("failure: {old}"))).expect("a file");
    home.hark(["list"]).ok();
    let database = hark_testkit::sqlite::open(&home.database());
    database.execute_batch("PRAGMA user_version = 13; DROP TABLE turn; DROP INDEX memory_status; DROP TABLE trigger_key; DROP TABLE rule_case; \
             DROP TABLE evidence; DROP TABLE learned_from;").expect("an older version");
    drop(database);

    home.set_now(&at(2));
    home.hark(["work"]).ok();
    assert_eq!(home.show(&id)["status"], "archived");
    let known = failures(&home);
    assert_eq!((known.len(), &known[0]["id"]), (1, &Value::Null), "the row stays: {known:?}");
    home.hark(["undo", &id]).ok();
    home.hark(["work"]).ok();
    assert_eq!(home.show(&id)["status"], "resolved", "once");
    assert_eq!(failures(&home)[0]["id"], id.as_str());
}
