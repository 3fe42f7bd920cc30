//! What was forgotten stays forgotten: nothing but the user's own word brings it back.

use std::fs;

use serde_json::json;

use super::home;

#[test]
fn a_deleted_memory_does_not_return_by_an_assistant_or_a_copied_file() {
    let home = home();
    let id = home.remember("The staging password rotates on mondays");
    let file = home.file_of(&id);
    let copy = fs::read(&file).unwrap();
    home.hark(["forget", &id, "--yes"]).ok();

    let mut mcp = home.mcp();
    let said = mcp.call("memory_remember", &json!({ "text": "the staging password rotates on Mondays." }));
    assert!(said.to_string().contains("asked to forget this"), "{said}");
    drop(mcp);

    // A sync or a checkout puts the file back.
    fs::write(&file, &copy).unwrap();
    assert!(home.recall_ids("staging password", &[]).is_empty());
    home.hark(["reindex"]).ok();
    assert!(home.recall_ids("staging password", &[]).is_empty());
    assert!(home.findings().contains("was forgotten here"), "{}", home.findings());

    // The file of tombstones is the truth, the table an index over it.
    home.remove_index();
    assert!(home.recall_ids("staging password", &[]).is_empty());
}

#[test]
fn the_user_can_say_it_again() {
    let home = home();
    let id = home.remember("Releases are cut from the main branch");
    home.hark(["forget", &id, "--yes"]).ok();
    let again = home.remember("Releases are cut from the main branch");
    assert_ne!(id, again);
    assert_eq!(home.recall_ids("where are releases cut", &[]), [again.as_str()]);
    // From then on it is ordinary knowledge again.
    home.hark(["edit", &again, "--text", "Releases are cut from tags"]).ok();
    let mut mcp = home.mcp();
    let said = mcp.call("memory_remember", &json!({ "text": "Releases are cut from the main branch" }));
    assert!(said.to_string().contains("m-"), "{said}");
}

#[test]
fn tombstones_hold_no_text() {
    let home = home();
    let id = home.remember("Walrusgate is the code name of the migration");
    home.hark(["edit", &id, "--text", "Penguingate is the code name of the migration"]).ok();
    home.hark(["forget", &id, "--yes"]).ok();
    let text = fs::read_to_string(home.store().join("tombstones.jsonl")).unwrap().to_lowercase();
    assert_eq!(text.lines().count(), 1);
    for word in ["walrus", "penguin", "migration", "code"] {
        assert!(!text.contains(word), "{text}");
    }
    // Neither what it said last nor what it said before comes back.
    let mut mcp = home.mcp();
    for said in
        ["Walrusgate is the code name of the migration", "Penguingate is the code name of the migration"]
    {
        let answer = mcp.call("memory_remember", &json!({ "text": said }));
        assert!(answer.to_string().contains("asked to forget this"), "{answer}");
    }
}

#[test]
fn nor_does_an_import_bring_it_back_and_a_resolved_blocker_stays_resolved() {
    let home = home();
    let gone = home.remember("The walrus password is on the fridge");
    let blocker = home.remember_with("Waiting for the vendor's key", &["--kind", "blocker"]);
    home.hark(["resolve", &blocker]).ok();
    let file = home.root().join("all.json");
    home.hark(["export", file.to_str().unwrap()]).ok();
    home.hark(["forget", &gone, "--yes"]).ok();
    let tally = home.hark(["import", file.to_str().unwrap(), "--json"]).ok().json();
    assert_eq!(tally["refused"], 1, "{tally}");
    home.hark(["show", &gone]).fails(1);
    assert_eq!(home.show(&blocker)["status"], "resolved");

    let other = super::home();
    other.hark(["import", file.to_str().unwrap()]).ok();
    assert_eq!(other.show(&blocker)["status"], "resolved");
}
