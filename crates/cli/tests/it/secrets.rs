//! Redaction is the only door to disk: whichever way a secret comes in, no byte of it is stored.

use std::path::PathBuf;

use hark_testkit::git::{git, repository};
use hark_testkit::{Home, disk, note};
use serde_json::json;

const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn nowhere(home: &Home) {
    assert_eq!(disk::holding(&home.store(), SECRET), Vec::<PathBuf>::new());
}

#[test]
fn every_field_of_a_memory_is_redacted() {
    let home = home();
    for flag in ["--title", "--why", "--learned", "--tag", "--file", "--entity", "--project"] {
        let said = home
            .hark(["remember", "--json", "The deploy needs a token.", flag, &format!("{SECRET} here")])
            .ok();
        assert!(!said.stdout().contains(SECRET), "{said}");
        assert_eq!(disk::holding(&home.store(), SECRET), Vec::<PathBuf>::new(), "{flag}");
    }
    let said = home.hark(["remember", "--json", "-"]).stdin(format!("token = {SECRET}\n")).ok();
    assert_eq!(said.json()["redacted"], 1);
    nowhere(&home);
}

#[test]
fn edits_and_replacements_are_redacted_as_well() {
    let home = home();
    let id = home.remember("The deploy needs a token.");
    for flag in ["--text", "--title", "--why", "--learned", "--tag", "--file"] {
        home.hark(["edit", &id, flag, &format!("It is {SECRET}.")]).ok();
    }
    home.remember_with(&format!("The token is {SECRET} now."), &["--supersedes", &id]);
    nowhere(&home);
}

#[test]
fn what_comes_over_mcp_is_redacted_with_the_name_of_the_client() {
    let home = home();
    let mut mcp = home.mcp();
    let said = mcp.data(
        "memory_remember",
        &json!({ "text": format!("The token is {SECRET}."), "tags": [SECRET], "why": SECRET }),
    );
    assert!(!said.to_string().contains(SECRET), "{said}");
    mcp.data("memory_recall", &json!({ "query": format!("what is {SECRET} for") }));
    drop(mcp);
    nowhere(&home);
}

#[test]
fn credentials_in_a_remotes_address_are_not_kept() {
    let home = home();
    let repo = repository(&home, "shop");
    git(
        &home,
        &repo,
        &["remote", "add", "origin", &format!("https://bot:{SECRET}@git.example.org/acme/shop.git")],
    );
    home.hark(["remember", "The queue is drained by walruses."]).within(&repo).ok();
    home.hark(["recall", "walruses"]).within(&repo).ok();
    nowhere(&home);
}

#[test]
fn a_broken_file_with_a_secret_does_not_leak_through_its_report() {
    let home = home();
    home.remember("The queue is drained by walruses.");
    let broken = [
        format!("---\nid: {SECRET}\n---\n\nbody\n"),
        format!("---\nid: [{SECRET}\n---\n\nbody\n"),
        format!("---\nid: {}\nkind: {SECRET}\n---\n\nbody\n", note::id(1)),
        format!("---\nid: {}\ncreated: {SECRET}\n---\n\nbody\n", note::id(2)),
        format!("---\nid: {}\nimportance: {SECRET}\n---\n\nbody\n", note::id(3)),
        format!("---\nid: {}\n? {SECRET} : :\n---\n\nbody\n", note::id(4)),
    ];
    for (number, text) in broken.iter().enumerate() {
        note::drop_in(&home.memories(), &format!("fact/broken-{number}.md"), text);
    }
    let findings = home.findings();
    assert!(findings.contains("broken-0.md"), "{findings}");
    assert!(!findings.contains(SECRET), "{findings}");
    let holding = disk::holding(&home.store(), SECRET);
    assert!(
        holding.iter().all(|path| path.extension().is_some_and(|e| e == "md")),
        "only where the person put it: {holding:?}"
    );
}

#[test]
fn two_secrets_stay_two_and_one_stays_one() {
    let home = home();
    let other = "ghp_99C7e42F292c6912E7710c838347Ae178B4b";
    let body = |secret: &str| {
        let id = home.remember(&format!("The deploy uses {secret} for pushing."));
        home.show(&id)["body"].as_str().unwrap().to_owned()
    };
    assert_eq!(body(SECRET), body(SECRET));
    assert_ne!(body(SECRET), body(other));
}
