//! Old and doubtful memories: found last, marked, and archived only on purpose.

use serde_json::json;

use super::{home, ids};

#[test]
fn a_memory_rated_wrong_comes_last_and_says_so() {
    let home = home();
    let wrong = home.remember("The staging database password rotates every monday at noon.");
    let right = home.remember("The staging database is rebuilt from a dump at night.");
    home.hark(["feedback", &wrong, "wrong"]).ok();
    let told = home.recall("when does the staging database password rotate", &[]);
    let found = ids(&told["hits"]);
    assert_eq!(found.last(), Some(&wrong), "{told}");
    assert!(found.contains(&right), "{told}");
    assert_eq!(told["hits"][found.len() - 1]["verdict"], "wrong");
    let said = home.hark(["recall", "when does the staging database password rotate"]).ok().stdout();
    assert!(said.contains("rated wrong"), "{said}");
    let mut mcp = home.mcp();
    let answer =
        mcp.call("memory_recall", &json!({ "query": "when does the staging database password rotate" }));
    assert!(answer.to_string().contains("rated wrong"), "{answer}");
}

#[test]
fn archived_matches_come_last_with_their_status_and_only_when_asked() {
    let mut home = home();
    let old = home.remember("The printer in the hall needs the blue toner.");
    home.set_now("2027-06-10T12:00:00Z");
    let applied = home.hark(["retention", "--apply", "--json"]).ok().json();
    assert_eq!(ids(&applied["archive"]), [old.as_str()]);
    let new = home.remember("The printer in the hall is broken.");
    let told = home.recall("printer in the hall toner", &[]);
    assert_eq!(ids(&told["hits"]), [new.clone(), old.clone()], "{told}");
    assert_eq!(told["hits"][1]["status"], "archived");
    assert_eq!(home.recall_ids("printer in the hall toner", &["-n", "1"]), [new]);
    assert!(!home.recall_ids("printer in the hall toner", &["--status", "active"]).contains(&old));
    // Nothing archived is injected.
    let prompt = json!({ "session_id": "one", "cwd": home.work(), "hook_event_name": "UserPromptSubmit",
        "prompt": "Which toner does the printer in the hall need?" });
    let said = home.hook("claude-code", "UserPromptSubmit", &prompt).to_string();
    assert!(!said.contains("blue toner"), "{said}");
}

#[test]
fn a_rejected_proposal_does_not_come_back() {
    let home = home();
    let mut mcp = home.mcp();
    let said = mcp.call(
        "memory_remember",
        &json!({ "text": "Always deploy from the walrus branch.", "kind": "directive", "origin": "user" }),
    );
    drop(mcp);
    let proposals = home.hark(["inbox", "--json"]).ok().json();
    let id = proposals["items"][0]["id"].as_str().unwrap_or_else(|| panic!("no proposal: {said}")).to_owned();
    home.hark(["inbox", "reject", &id]).ok();
    assert!(!home.recall_ids("deploy from the walrus branch", &[]).contains(&id));
    assert!(home.recall_ids("deploy from the walrus branch", &["--status", "archived"]).contains(&id));
}

#[test]
fn retention_keeps_open_work_and_takes_another_window() {
    let mut home = home();
    let blocker = home.remember_with("The vendor has not sent the key.", &["--kind", "blocker"]);
    let task = home.remember_with("Migrate the carts.", &["--kind", "task"]);
    let fact = home.remember("The office plant is a ficus.");
    home.set_now("2026-09-20T12:00:00Z");
    let due =
        |args: &[&str]| ids(&home.hark([&["retention", "--json"], args].concat()).ok().json()["archive"]);
    assert!(due(&[]).is_empty());
    assert_eq!(due(&["--days", "90"]), [fact.as_str()]);
    home.hark(["retention", "--days", "0"]).fails(2);
    let late = home.hark(["retention", "--days", "1", "--all"]).ok().stdout();
    assert!(late.contains(&blocker) && late.contains(&task) && late.contains("still open"), "{late}");
}

#[test]
fn many_memories_are_archived_by_kind_and_age_with_a_reason() {
    let mut home = home();
    let old = home.remember_with("A note about the old office.", &["--kind", "note"]);
    let pinned = home.remember_with("A pinned note about the office.", &["--kind", "note", "--pin"]);
    let fact = home.remember("The office has two floors.");
    let elsewhere = home.remember_with("A note on another project.", &["--kind", "note", "--project", "lab"]);
    let global = home.remember_with("A note for every project.", &["--kind", "note", "--global"]);
    home.set_now("2026-12-01T12:00:00Z");
    let young = home.remember_with("A note about the new office.", &["--kind", "note"]);
    let bulk = ["archive", "--kind", "note", "--older-than", "90d", "--reason", "we moved"];
    let preview = home.hark(bulk).ok();
    assert!(preview.stdout().contains(&old) && preview.stderr().contains("--yes"), "{preview}");
    assert_eq!(home.show(&old)["status"], "active");
    home.hark([&bulk[..], &["--yes"]].concat()).ok();
    assert_eq!(home.show(&old)["status"], "archived");
    for kept in [&pinned, &fact, &elsewhere, &global, &young] {
        assert_eq!(home.show(kept)["status"], "active", "{kept}");
    }
    let history = home.hark(["history", &old, "--json"]).ok().json();
    assert_eq!(history["revisions"][0]["reason"], "we moved");
    home.hark(["archive"]).fails(2);
    home.hark(["archive", &fact, "--kind", "note"]).fails(2);
    home.hark(["archive", "--older-than", "soon"]).fails(1);
    // An assistant may not do it.
    home.hark(["archive", "--kind", "fact", "--yes"]).env("CLAUDECODE", "1").fails(1);
    assert_eq!(home.show(&fact)["status"], "active");
    home.hark(["archive", &fact, "--reason", "one"]).ok();
    assert_eq!(home.show(&fact)["status"], "archived");
}
