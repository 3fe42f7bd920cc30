//! Phrases: the writer says how a memory will be asked for, and use teaches more. They help to find it and are never
//! shown.

use std::fs;

use hark_testkit::{Home, disk};
use serde_json::json;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn learned(home: &Home) -> String {
    fs::read_to_string(home.store().join("phrases.jsonl")).unwrap_or_default()
}

const FACT: &str = "Releases go out on Tuesdays at noon.";
const PHRASES: &[&str] = &["--asked-as", "when do we ship", "--asked-as", "which day is launch"];

#[test]
fn phrases_are_in_the_file_and_in_no_answer() {
    let home = home();
    let id = home.remember_with(FACT, PHRASES);
    let text = fs::read_to_string(home.file_of(&id)).unwrap();
    assert!(text.contains("\nasked_as: [when do we ship, which day is launch]\n"), "{text}");
    assert_eq!(home.show(&id)["asked_as"], json!(["when do we ship", "which day is launch"]));
    for args in [&["show", &id][..], &["recall", "releases on Tuesdays"], &["list"]] {
        let said = home.hark(args).ok().stdout();
        assert!(!said.contains("launch"), "{args:?}: {said}");
    }
    let mut mcp = home.mcp();
    let got = mcp.data("memory_get", &json!({ "ids": [id] })).to_string();
    assert!(got.contains("Tuesdays") && !got.contains("launch"), "{got}");
}

#[test]
fn the_words_of_a_phrase_find_its_memory() {
    let home = home();
    let id = home.remember_with(FACT, PHRASES);
    home.remember("The port is 8080.");
    assert_eq!(home.recall_ids("which day is launch", &[]), [id.as_str()]);
    home.hark(["reindex"]).ok();
    assert_eq!(home.recall_ids("which day is launch", &[]), [id.as_str()]);
}

#[test]
fn assistants_and_people_add_phrases_later() {
    let home = home();
    let id = home.remember(FACT);
    let mut mcp = home.mcp();
    let asked = mcp.call("memory_get", &json!({ "ids": [id] })).to_string();
    assert!(asked.contains("asked_as"), "{asked}");
    let again = mcp.call("memory_get", &json!({ "ids": [id] })).to_string();
    assert!(!again.contains("asked_as"), "only once: {again}");
    mcp.data("memory_update", &json!({ "ids": [id], "action": "edit", "asked_as": ["when do we ship"] }));
    home.hark(["edit", &id, "--asked-as", "launch day", "--asked-as", "When do we ship?"]).ok();
    assert_eq!(home.show(&id)["asked_as"], json!(["when do we ship", "launch day"]));
    home.hark(["edit", &id, "--asked-as", ""]).ok();
    assert!(home.show(&id).get("asked_as").is_none());
}

#[test]
fn too_many_and_too_long_phrases_are_refused() {
    let home = home();
    let many: Vec<String> = (0..9).flat_map(|n| ["--asked-as".to_owned(), format!("phrase {n}")]).collect();
    let many: Vec<&str> = ["remember", FACT].into_iter().chain(many.iter().map(String::as_str)).collect();
    let said = home.hark(many).fails(1).stderr();
    assert!(
        said.contains("9 phrases are too many; the limit is 8") && said.contains("keep the two or three"),
        "{said}"
    );
    let long = "long ".repeat(40);
    let said = home.hark(["remember", FACT, "--asked-as", &long]).fails(1).stderr();
    assert!(said.contains("the limit is 120") && said.contains("shorten it"), "{said}");
    assert!(home.hark(["list", "--json"]).ok().json()["memories"].as_array().unwrap().is_empty());
}

#[test]
fn a_secret_in_a_phrase_is_nowhere_on_disk() {
    let home = home();
    let secret = ["gh", "p_", "aZ3bY4cX5dW6eV7fU8gT9hS0jR1kQ2lP3mN4"].concat();
    let id = home.remember_with(FACT, &["--asked-as", &format!("is {secret} still valid")]);
    home.recall(&format!("releases on Tuesdays {secret}"), &[]);
    home.show(&id);
    assert!(learned(&home).contains("REDACTED"), "{}", learned(&home));
    assert_eq!(disk::holding(&home.store(), &secret), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_question_after_which_a_memory_was_opened_becomes_a_phrase() {
    let home = home();
    let (id, other) = (home.remember(FACT), home.remember("The port is 8080."));
    let before = fs::read_to_string(home.file_of(&id)).unwrap();
    assert_eq!(home.recall_ids("Tuesdays releases launch", &[]), [id.as_str()]);
    home.show(&other);
    assert_eq!(learned(&home), "", "it was not among the hits");
    home.show(&id);
    assert!(learned(&home).contains("Tuesdays releases launch"), "{}", learned(&home));
    home.show(&id);
    assert_eq!(learned(&home).lines().count(), 1);
    assert_eq!(fs::read_to_string(home.file_of(&id)).unwrap(), before, "its file is the same");
    assert!(home.show(&id).get("asked_as").is_none());
    let export = home.root().join("all.json");
    home.hark(["export", &export.to_string_lossy()]).ok();
    let export = fs::read_to_string(export).unwrap();
    assert!(export.contains("Tuesdays") && !export.contains("launch"), "{export}");
    assert!(!home.findings().contains("wrong count"), "{}", home.findings());
}

#[test]
fn a_good_rating_and_a_repetition_teach_as_well() {
    let home = home();
    let id = home.remember(FACT);
    home.recall("Tuesdays releases launch", &[]);
    home.hark(["feedback", &id, "helpful"]).ok();
    assert!(learned(&home).contains("Tuesdays releases launch"));
    home.recall("noon releases rollout", &[]);
    home.remember(FACT);
    assert!(learned(&home).contains("noon releases rollout"), "{}", learned(&home));
    assert_eq!(learned(&home).lines().count(), 2);
}

#[test]
fn nothing_is_learned_when_switched_off_late_or_from_one_word() {
    let home = home();
    let id = home.remember(FACT);
    home.hark(["recall", "Tuesdays releases launch"]).now("2026-06-01T12:00:00Z").ok();
    home.hark(["show", &id]).now("2026-06-01T13:00:00Z").ok();
    home.recall("releases", &[]);
    home.show(&id);
    home.hark(["config", "set", "recall.learn_phrases", "false"]).ok();
    home.recall("Tuesdays releases launch", &[]);
    home.show(&id);
    assert_eq!(learned(&home), "");
}

#[test]
fn forgetting_a_memory_erases_what_was_learned() {
    let home = home();
    let (id, other) = (home.remember(FACT), home.remember("The port is 8080."));
    for (query, id) in [("Tuesdays releases launchpad", &id), ("which port number", &other)] {
        home.recall(query, &[]);
        home.show(id);
    }
    assert_eq!(learned(&home).lines().count(), 2, "{}", learned(&home));
    home.hark(["forget", &id, "--yes"]).ok();
    assert!(!learned(&home).contains("launchpad") && learned(&home).contains("which port number"));
    assert_eq!(disk::holding(&home.store(), "launchpad"), Vec::<std::path::PathBuf>::new());
    home.remove_index();
    home.recall("port", &[]);
    assert_eq!(learned(&home).lines().count(), 1);
}
