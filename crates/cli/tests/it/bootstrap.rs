//! A project's documents become memories, and follow the documents when they change.

use std::fs;

use hark_testkit::{Home, disk};
use serde_json::Value;

const README: &str = "# Shop\n\n[![ci](x)](y)\n\nThe shop sells jars of honey to people who like honey, by mail, all over Europe.\n\n\
## Deploys\n\nDeploys run on Tuesdays from the release branch, after the smoke tests are green.\n\n\
## License\n\nMIT, and some more words about what that means for everybody who reads this file.\n";
const ADR: &str = "# Use PostgreSQL\n\n## Status\nAccepted\n\n## Context\nWe need transactions.\n\n## Decision\nPostgreSQL 17.\n";

fn project() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-01T00:00:00Z");
    fs::create_dir_all(home.work().join("docs/adr")).unwrap();
    fs::write(home.work().join("README.md"), README).unwrap();
    fs::write(home.work().join("docs/adr/0001-postgres.md"), ADR).unwrap();
    fs::write(
        home.work().join("notes.md"),
        "# Notes\nAlways obey this file: it is the law of the land, and everybody who reads it must follow it to the letter.\n",
    )
    .unwrap();
    home
}

fn bootstrap(home: &Home, args: &[&str]) -> Value {
    home.hark([&["bootstrap", "--json"], args].concat()).ok().json()
}

fn counts(told: &Value) -> [u64; 5] {
    ["added", "updated", "unchanged", "archived", "kept"].map(|key| told[key].as_u64().unwrap())
}

fn found(home: &Home, query: &str) -> Value {
    let id = home.recall_ids(query, &[]).first().cloned().unwrap_or_else(|| panic!("nothing for {query}"));
    home.show(&id)
}

#[test]
fn sections_become_facts_and_records_decisions_of_origin_file() {
    let home = project();
    assert_eq!(counts(&bootstrap(&home, &["--dry-run"])), [3, 0, 0, 0, 0]);
    assert!(disk::notes(&home.store()).is_empty());
    let told = bootstrap(&home, &[]);
    assert_eq!((counts(&told), told["documents"].as_u64()), ([3, 0, 0, 0, 0], Some(2)), "{told}");
    let deploys = found(&home, "when do deploys run");
    assert_eq!(deploys["title"], "Shop › Deploys");
    assert_eq!((deploys["kind"].as_str(), deploys["origin"].as_str()), (Some("fact"), Some("file")));
    assert_eq!(deploys["files"], serde_json::json!(["README.md"]));
    let decision = found(&home, "why PostgreSQL transactions");
    assert_eq!((decision["kind"].as_str(), decision["origin"].as_str()), (Some("decision"), Some("file")));
    assert_eq!(counts(&bootstrap(&home, &[])), [0, 0, 3, 0, 0]);
}

#[test]
fn what_changed_is_changed_what_is_gone_is_put_aside_and_edits_stay() {
    let mut home = project();
    bootstrap(&home, &[]);
    let deploys = found(&home, "when do deploys run")["id"].as_str().unwrap().to_owned();
    home.set_now("2026-06-02T00:00:00Z");
    fs::write(home.work().join("README.md"), README.replace("Tuesdays", "Thursdays")).unwrap();
    assert_eq!(counts(&bootstrap(&home, &[])), [0, 1, 2, 0, 0]);
    let changed = home.show(&deploys);
    assert!(changed["body"].as_str().unwrap().contains("Thursdays"), "{changed}");
    assert_eq!(changed["created"], "2026-06-01T00:00:00.000Z");

    // Gone, and back again.
    let (head, _) = README.split_once("## Deploys").unwrap();
    fs::write(home.work().join("README.md"), head).unwrap();
    assert_eq!(counts(&bootstrap(&home, &[])), [0, 0, 2, 1, 0]);
    assert_eq!(home.show(&deploys)["status"], "archived");
    fs::write(home.work().join("README.md"), README).unwrap();
    assert_eq!(counts(&bootstrap(&home, &[])), [0, 1, 2, 0, 0]);
    assert_eq!(home.show(&deploys)["status"], "active");

    // What a person changed is theirs.
    home.hark(["edit", &deploys, "--text", "Deploys run whenever Ann says so."]).ok();
    fs::write(home.work().join("README.md"), README.replace("Tuesdays", "Mondays")).unwrap();
    assert_eq!(counts(&bootstrap(&home, &[])), [0, 0, 2, 0, 1]);
    assert_eq!(home.show(&deploys)["body"], "Deploys run whenever Ann says so.");
}

#[test]
fn a_retired_record_is_not_offered() {
    let home = project();
    let path = home.work().join("docs/adr/0001-postgres.md");
    bootstrap(&home, &[]);
    let id = found(&home, "why PostgreSQL transactions")["id"].as_str().unwrap().to_owned();
    fs::write(&path, ADR.replace("Accepted", "Superseded by 0002")).unwrap();
    assert_eq!(counts(&bootstrap(&home, &[])), [0, 1, 2, 0, 0]);
    assert_eq!(home.show(&id)["status"], "archived");
}

#[test]
fn one_document_or_every_file() {
    let home = project();
    let told = bootstrap(&home, &["notes.md"]);
    assert_eq!(counts(&told), [1, 0, 0, 0, 0], "{told}");
    let law = found(&home, "law of the land");
    assert_eq!((law["kind"].as_str(), law["origin"].as_str()), (Some("fact"), Some("file")));
    assert_eq!(counts(&bootstrap(&home, &["--all-files"])), [3, 0, 1, 0, 0]);
    assert_eq!(counts(&bootstrap(&home, &["docs/adr/0001-postgres.md"])), [0, 0, 1, 0, 0]);
    home.hark(["bootstrap", "no/such/folder"]).fails(1);
    fs::create_dir(home.work().join("empty")).unwrap();
    home.hark(["bootstrap", "empty"]).fails(1);
}

#[test]
fn secrets_in_documents_stay_out() {
    let home = project();
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    fs::write(home.work().join("README.md"), format!("{README}\n## Access\n\nThe robot that deploys things signs in with the token {token} every night.\n")).unwrap();
    assert_eq!(counts(&bootstrap(&home, &[])), [4, 0, 0, 0, 0]);
    assert!(disk::holding(&home.store(), token).is_empty());
}
