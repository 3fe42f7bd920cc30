//! What is kept of failures, where, and what people can do about it.

use hark_testkit::Home;
use serde_json::Value;

use super::clients::{Change, Session};

const FAILING: &str = "____ test_login ____\n\ntests/test_auth.py:5: \nE       KeyError: 'id'\n\nsrc/auth.py:2: KeyError\nFAILED tests/test_auth.py::test_login - KeyError: 'id'\n1 failed in 0.03s";
const BROKEN: Change<'static> = Change { file: "src/auth.py", old: "u.get('id')", new: "u['id']" };
const MENDED: Change<'static> = Change { file: "src/auth.py", old: "u['id']", new: "u.get('id')" };

fn failures(home: &Home, folder: &std::path::Path, target: &str) -> Vec<Value> {
    let said = home.hark(["failures", target, "--json"]).within(folder).ok().json();
    said["failures"].as_array().expect("failures").clone()
}

#[test]
fn a_failure_that_cost_something_and_its_fix_are_a_file() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let folder = home.root().join("shop");
    let mut session = Session::new(&home, "claude-code", "one", &folder);
    session.edit(&BROKEN);
    session.run("pytest -q", false, FAILING);
    let open = failures(&home, &folder, "src/auth.py");
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!((&open[0]["status"], &open[0]["seen"]), (&"open".into(), &1.into()));
    session.edit(&Change { file: "src/auth.py", old: "u['id']", new: "u['Id']" });
    session.run("pytest -q", false, FAILING);
    session.run("pytest -q", false, FAILING);
    session.edit(&MENDED);
    session.run("pytest", true, "1 passed in 0.01s");
    for target in ["src/auth.py", "pytest", "test_login"] {
        let fixed = failures(&home, &folder, target);
        assert_eq!(fixed[0]["status"], "fixed", "{target}");
        assert_eq!(fixed[0]["fix"], "src/auth.py: `u['id']` → `u.get('id')`");
        assert_eq!(fixed[0]["tried"][0], "src/auth.py: `u['id']` → `u['Id']`");
    }
    let id = failures(&home, &folder, "pytest")[0]["id"].as_str().expect("an id").to_owned();
    let memory = home.show(&id);
    assert_eq!(
        (&memory["kind"], &memory["status"], &memory["origin"]),
        (&"failure".into(), &"resolved".into(), &"tool".into())
    );
    assert!(memory["body"].as_str().is_some_and(|body| body.contains("Fixed by: src/auth.py")), "{memory}");
    let listed = home.hark(["list", "--json", "--all-projects"]).within(&folder).ok().json();
    assert!(!listed.to_string().contains("\"fix\""), "the fix is in the memory of its failure: {listed}");

    // The index is made again from the files alone.
    let before = failures(&home, &folder, "src/auth.py");
    home.remove_index();
    let after = failures(&home, &folder, "src/auth.py");
    assert_eq!(before[0]["fix"], after[0]["fix"]);
    assert_eq!(after[0]["status"], "fixed");

    // And what a person forgets is gone.
    home.hark(["forget", &id, "--yes"]).ok();
    assert!(failures(&home, &folder, "src/auth.py").is_empty());
}

#[test]
fn a_relapse_reopens_and_a_person_may_resolve() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let folder = home.root().join("shop");
    for round in 0..2 {
        let mut session = Session::new(&home, "claude-code", &format!("r{round}"), &folder);
        session.edit(&BROKEN);
        session.run("pytest", false, FAILING);
        if round == 0 {
            session.edit(&MENDED);
            session.run("pytest", true, "1 passed in 0.01s");
        }
    }
    let open = failures(&home, &folder, "src/auth.py");
    assert_eq!(
        (&open[0]["status"], &open[0]["relapses"], &open[0]["seen"]),
        (&"open".into(), &1.into(), &2.into())
    );
    assert!(open[0]["confidence"].as_f64().expect("a number") <= 0.5);
    let id = open[0]["id"].as_str().expect("an id");
    assert_eq!(home.show(id)["status"], "active");
    home.hark(["resolve", id]).ok();
    let mut later = Session::new(&home, "claude-code", "later", &folder);
    assert_eq!(later.warned_editing(&MENDED), "");
}

#[test]
fn failures_written_down_by_hand_warn_too() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let folder = home.root().join("shop");
    std::fs::create_dir_all(&folder).expect("a folder");
    home.hark(["remember", "--kind", "failure", "--file", "src/pay.py", "Rounding in pay.py lost a cent"])
        .within(&folder)
        .ok();
    let mut session = Session::new(&home, "claude-code", "one", &folder);
    let said = session.warned_editing(&Change { file: "src/pay.py", old: "a", new: "b" });
    assert!(said.contains("Rounding in pay.py lost a cent"), "{said}");
    let mut other = Session::new(&home, "claude-code", "two", &home.root().join("other"));
    assert_eq!(other.warned_editing(&Change { file: "src/pay.py", old: "a", new: "b" }), "");
}

#[test]
fn looking_around_and_refusals_are_no_failures() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let folder = home.root().join("shop");
    let mut session = Session::new(&home, "claude-code", "one", &folder);
    session.edit(&BROKEN);
    for (command, output) in [
        ("grep -rn KeyError src", ""),
        ("test -f missing", ""),
        ("diff a b", "1c1\n< error: x"),
        ("pytest", "The user doesn't want to proceed with this tool use."),
        ("ls nowhere", "ls: cannot access 'nowhere': No such file or directory"),
    ] {
        session.run(command, false, output);
    }
    let all = home.hark(["failures", "--json"]).within(&folder).ok().json();
    assert_eq!(all["failures"].as_array().map(Vec::len), Some(0), "{all}");
}

#[test]
fn after_a_compaction_the_commands_that_worked_are_told() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let folder = home.root().join("shop");
    let mut session = Session::new(&home, "claude-code", "one", &folder);
    session.prompt("Make the login work without an id in the user record");
    session.edit(&MENDED);
    session.run("pytest tests/test_auth.py", true, "1 passed in 0.01s");
    session.run("grep -n id src/auth.py", true, "1: id");
    session.send_raw("PreCompact", serde_json::json!({ "trigger": "auto" }));
    let said = session.send_raw("SessionStart", serde_json::json!({ "source": "compact" }));
    assert!(said.contains("`pytest tests/test_auth.py`") && !said.contains("grep"), "{said}");
    assert!(said.contains("Make the login work"), "{said}");
    assert!(
        !session.prompt("Where does the login read the id of a user from?").contains("pytest"),
        "told once"
    );

    // A client that has no start after a compaction hears it with its next prompt.
    let mut other = Session::new(&home, "cursor", "two", &folder);
    other.run("cargo test -p core", true, "test result: ok. 1 passed; 0 failed");
    other.send_raw("preCompact", serde_json::json!({ "trigger": "auto" }));
    let said = other.prompt("go on with it");
    assert!(said.contains("`cargo test -p core`"), "{said}");
}

const ASKED: &str = "Which port does the staging database listen on, and why not the default?";
const ANSWER: &str = "The staging database listens on port 6543 because 5432 is taken by the proxy.";

#[test]
fn a_subagent_is_served_by_its_own_prompt() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let folder = home.root().join("shop");
    let mut session = Session::new(&home, "claude-code", "one", &folder);
    home.hark(["remember", ANSWER]).within(&folder).ok();
    let call = |prompt: &str| {
        serde_json::json!({ "tool_name": "Task", "tool_use_id": format!("t{}", prompt.len()),
            "tool_input": { "description": "look", "subagent_type": "general", "prompt": prompt } })
    };
    session.start("startup");
    assert_eq!(session.send_raw("PreToolUse", call(ASKED)), "");
    let begins = serde_json::json!({ "agent_id": "a1", "agent_type": "general" });
    let said = session.send_raw("SubagentStart", begins.clone());
    assert!(said.contains("6543"), "{said}");
    assert!(session.prompt(ASKED).contains("6543"), "the session itself was not told");
    session.send_raw("PreToolUse", call("Count the files"));
    assert_eq!(session.send_raw("SubagentStart", begins), "");
}

#[test]
fn nothing_is_said_about_files_that_are_gone() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let folder = home.root().join("shop");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("staging.toml"), "port = 6543").expect("a file");
    home.hark(["remember", ANSWER, "--file", "staging.toml", "--kind", "constraint"]).within(&folder).ok();
    let mut there = Session::new(&home, "claude-code", "one", &folder);
    assert!(there.prompt(ASKED).contains("6543"));
    assert!(Session::new(&home, "claude-code", "two", &folder).start("startup").contains("6543"));
    std::fs::remove_file(folder.join("staging.toml")).expect("a file");
    let mut gone = Session::new(&home, "claude-code", "three", &folder);
    assert_eq!(gone.prompt(ASKED), "");
    assert!(!Session::new(&home, "claude-code", "four", &folder).start("startup").contains("6543"));
}
