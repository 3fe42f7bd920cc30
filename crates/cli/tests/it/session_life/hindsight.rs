//! What followed the texts that hark said, in the ledger and in the report.

use hark_testkit::Home;
use serde_json::{Value, json};

use super::{home, start, tell};

const FACT: &str = "We deploy with kubectl rollout from the release branch, never from main.";

fn edit(home: &Home, session: &str, file: &str) {
    let call = json!({ "tool_name": "Edit", "tool_use_id": format!("{session}-{file}"), "tool_response": "ok",
        "tool_input": { "file_path": home.work().join(file), "old_string": "a", "new_string": "b" } });
    tell(home, "claude-code", &home.work(), session, "PostToolUse", &call);
}

fn entries(home: &Home, session: &str) -> Vec<Value> {
    let ledger = home.hark(["ledger", "--session", session, "--json"]).ok().json();
    ledger["entries"].as_array().unwrap().clone()
}

#[test]
fn the_ledger_says_what_followed() {
    let mut home = home();
    let work = home.work();
    std::fs::write(work.join("deploy.md"), "").unwrap();
    let id = home.remember_with(FACT, &["--file", "deploy.md"]);
    let prompt = json!({ "prompt": "How do we deploy a release with kubectl rollout?" });
    for session in ["used", "unused"] {
        start(&home, "claude-code", &work, session, "startup");
        let said = tell(&home, "claude-code", &work, session, "UserPromptSubmit", &prompt);
        assert!(said.contains(&id), "{said}");
    }
    home.set_now("2026-06-15T12:05:00Z");
    edit(&home, "used", "deploy.md");
    edit(&home, "unused", "other.md");
    assert_eq!(entries(&home, "used")[0]["followed"], json!(["touched"]));
    assert_eq!(entries(&home, "unused")[0]["followed"], json!([]));
    let told = home.hark(["ledger", "--session", "used"]).ok().stdout();
    assert!(told.contains("→ touched the file"), "{told}");
    home.hark(["feedback", &id, "wrong"]).ok();
    let entry = &entries(&home, "used")[0];
    assert_eq!((&entry["followed"], &entry["of_use"]), (&json!(["touched", "wrong"]), &json!(false)));
}

#[test]
fn the_report_is_the_share_that_was_of_use() {
    let mut home = home();
    let work = home.work();
    assert!(home.hark(["report"]).ok().stderr().contains("nothing was injected"));
    home.hark(["checkpoint", "--goal", "Feed the walruses", "--file", "walrus.rs", "--status", "closed"])
        .run();
    super::settings(&home, "[checkpoint]\nevery = 2\n");
    start(&home, "claude-code", &work, "s", "startup");
    edit(&home, "s", "a.rs");
    edit(&home, "s", "b.rs");
    start(&home, "claude-code", &work, "t", "startup");
    edit(&home, "t", "c.rs");
    edit(&home, "t", "d.rs");
    home.set_now("2026-06-15T12:05:00Z");
    home.hark(["checkpoint", "--session", "s", "--goal", "Rename it"]).ok();
    let report = home.hark(["report", "--json"]).ok().json();
    let surfaces = report["surfaces"].as_array().unwrap();
    let remind = surfaces.iter().find(|surface| surface["surface"] == "remind").unwrap();
    assert_eq!((&remind["texts"], &remind["of_use"]), (&json!(2), &json!(1)), "{report}");
    assert_eq!((&remind["share"], &remind["followed"]["saved"]), (&json!(0.5), &json!(1)), "{report}");
    let text = home.hark(["report"]).ok().stdout();
    assert!(text.contains("1 of 2 of use (50 %)") && text.contains("saved a checkpoint 1"), "{text}");
    home.set_now("2026-07-15T12:05:00Z");
    assert_eq!(home.hark(["report", "--json"]).ok().json()["texts"], 0, "only the last week");
    assert!(home.hark(["report", "--since", "60d", "--json"]).ok().json()["texts"].as_u64().unwrap() >= 2);
}
