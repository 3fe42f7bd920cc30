//! Repeats confirm, newer states stand beside the older until somebody says so. The cases are those
//! in which other tools threw the newer truth away.

use hark_testkit::Home;
use serde_json::{Value, json};

use super::home;

fn say(home: &Home, text: &str, flags: &[&str]) -> Value {
    home.hark([&["remember", "--json"], flags, &["--", text]].concat()).ok().json()
}

fn possibly(said: &Value) -> Vec<String> {
    let list = said["possibly_supersedes"].as_array().cloned().unwrap_or_default();
    list.iter().map(|c| c["id"].as_str().unwrap().to_owned()).collect()
}

fn id(said: &Value) -> String {
    said["id"].as_str().unwrap().to_owned()
}

#[test]
fn always_run_the_linter_and_never_run_the_linter_are_both_kept() {
    let home = home();
    let always = say(&home, "Always run the linter before pushing", &[]);
    let never = say(&home, "Never run the linter before pushing", &[]);
    assert_ne!(always["id"], never["id"]);
    assert_eq!(never["confirmed"], Value::Null);
    assert_eq!(possibly(&never), [id(&always)]);
    assert_eq!(home.show(&id(&always))["status"], "active");
    assert_eq!(home.show(&id(&never))["body"], "Never run the linter before pushing");
}

#[test]
fn db_stg_1_and_db_stg_2_are_two_machines() {
    let home = home();
    let one = say(&home, "The staging database runs on db-stg-1", &[]);
    let two = say(&home, "The staging database runs on db-stg-2", &[]);
    assert_ne!(one["id"], two["id"]);
    assert_eq!(possibly(&two), [id(&one)]);
    assert_eq!(two["possibly_supersedes"][0]["differences"][0]["after"], "db-stg-2");
    assert_eq!(home.show(&id(&one))["status"], "active");
}

#[test]
fn merge_request_12_has_nothing_to_do_with_1250_licences() {
    let home = home();
    let one = say(&home, "See !12 for the new deploy script", &[]);
    let two = say(&home, "We own 1250 licences of the editor", &[]);
    assert_ne!(one["id"], two["id"]);
    assert!(possibly(&two).is_empty(), "{two}");
    assert_eq!(home.recall_ids("!12", &["--limit", "1"]), [id(&one)]);
}

#[test]
fn two_facts_with_shared_tags_do_not_replace_each_other() {
    let home = home();
    let flags = ["--tag", "billing", "--tag", "backend", "--tag", "api"];
    let one = say(&home, "Invoices are numbered per country and year", &flags);
    let two = say(&home, "The refund endpoint needs an idempotency key", &flags);
    assert_ne!(one["id"], two["id"]);
    assert!(possibly(&two).is_empty(), "{two}");
    for said in [&one, &two] {
        assert_eq!(home.show(&id(said))["status"], "active");
    }
}

#[test]
fn a_repeat_confirms_and_survives_a_lost_index() {
    let home = home().at("2026-03-01T12:00:00Z");
    let first = say(&home, "Deploys are frozen on Fridays.", &["--tag", "ops"]);
    let again = say(&home, "On Fridays, deploys are frozen", &["--tag", "release", "--importance", "4"]);
    assert_eq!(first["id"], again["id"]);
    assert_eq!(again["confirmed"], 1);
    home.remove_index();
    let shown = home.show(&id(&first));
    assert_eq!((&shown["confirmations"], &shown["importance"]), (&json!(1), &json!(4)));
    assert_eq!(shown["tags"], json!(["ops", "release"]));
    assert_eq!(shown["confirmed"], "2026-03-01T12:00:00.000Z");
    assert_eq!(home.hark(["list", "--json"]).ok().json()["total"], 1);
    assert_eq!(say(&home, "deploys are FROZEN on fridays", &[])["confirmed"], 2);
}

#[test]
fn what_a_repeat_adds_is_kept_and_the_former_text_is_history() {
    let home = home();
    let short = say(&home, "Redis keeps the user sessions", &[]);
    let long = say(&home, "Redis keeps the user sessions and shopping carts", &["--why", "audit"]);
    assert_eq!(short["id"], long["id"]);
    let shown = home.show(&id(&short));
    assert!(shown["body"].as_str().unwrap().contains("shopping carts"), "{shown}");
    assert_eq!(shown["why"], "audit");
    // Saying less takes nothing away.
    say(&home, "Redis keeps user sessions", &[]);
    assert!(home.show(&id(&short))["body"].as_str().unwrap().contains("shopping carts"));
    home.hark(["undo", &id(&short), "--to", "1"]).ok();
    assert_eq!(home.show(&id(&short))["body"], "Redis keeps the user sessions");
}

#[test]
fn an_assistant_does_not_rewrite_what_the_user_said() {
    let home = home();
    let users = say(&home, "Redis keeps the user sessions", &[]);
    let mut mcp = home.mcp();
    let said =
        mcp.call("memory_remember", &json!({ "text": "Redis keeps the user sessions and shopping carts" }));
    assert!(!said.to_string().contains(&id(&users)) || said.to_string().contains("Remembered"), "{said}");
    let same = mcp.call("memory_remember", &json!({ "text": "redis keeps the user sessions." }));
    assert!(same.to_string().contains(&id(&users)), "{same}");
    drop(mcp);
    let shown = home.show(&id(&users));
    assert_eq!((&shown["body"], &shown["origin"]), (&json!("Redis keeps the user sessions"), &json!("user")));
    assert_eq!(shown["confirmations"], 1);
}

#[test]
fn a_topic_is_upserted_and_the_older_state_is_linked() {
    let home = home();
    let old = say(&home, "The retry limit is 3", &["--topic", "retry limit"]);
    let new = say(&home, "The gateway gives up after 5 attempts", &["--topic", "Retry Limit"]);
    assert_eq!(new["superseded"], old["id"]);
    let shown = home.show(&id(&old));
    assert_eq!((&shown["status"], &shown["superseded_by"]), (&json!("superseded"), &new["id"]));
    // The index is made from files: the topic is still known.
    home.hark(["reindex"]).ok();
    let newest = say(&home, "Seven tries, then an alert", &["--topic", "retry limit"]);
    assert_eq!(newest["superseded"], new["id"]);
}

#[test]
fn other_projects_and_kinds_are_left_alone() {
    let home = home();
    let fact = say(&home, "The parser is recursive", &[]);
    let decision = say(&home, "The parser is recursive", &["--kind", "decision"]);
    let elsewhere = say(&home, "The parser is recursive", &["--project", "other/app"]);
    let event = say(&home, "The deploy failed", &["--kind", "event"]);
    let again = say(&home, "The deploy failed", &["--kind", "event"]);
    let all: std::collections::HashSet<String> =
        [&fact, &decision, &elsewhere, &event, &again].map(id).into();
    assert_eq!(all.len(), 5);
}

#[test]
fn consolidate_proposes_merges_and_can_be_taken_back() {
    let home = home();
    let first = say(&home, "The search index is rebuilt every night", &[]);
    let id_one = id(&first);
    // Made to look as if it came before repeats were noticed: another id, the same words.
    let file = home.file_of(&id_one);
    let text = std::fs::read_to_string(&file).unwrap();
    let uuid = home.show(&id_one)["uuid"].as_str().unwrap().to_owned();
    let mut other = uuid.clone();
    let last = if other.pop() == Some('0') { '1' } else { '0' };
    other.push(last);
    let twin = file.with_file_name("twin.md");
    std::fs::write(
        &twin,
        text.replace(&uuid, &other).replace("\n---\n\nThe search", "\ntags: [nightly]\n---\n\nThe search"),
    )
    .unwrap();
    let update = id(&say(&home, "The search index is rebuilt every morning", &[]));

    let dry = home.hark(["consolidate", "--json"]).ok().json();
    assert_eq!(dry["repeats"].as_array().unwrap().len(), 1, "{dry}");
    assert!(dry["possible_updates"].to_string().contains(&update), "{dry}");
    assert_eq!(home.hark(["list", "--json"]).ok().json()["total"], 3);

    let done = home.hark(["consolidate", "--apply", "--json"]).ok().json();
    let gone = done["repeats"][0]["other"]["id"].as_str().unwrap().to_owned();
    let kept = done["repeats"][0]["keep"]["id"].as_str().unwrap().to_owned();
    assert_eq!(home.show(&gone)["superseded_by"], kept.as_str());
    assert!(home.show(&kept)["tags"].to_string().contains("nightly"));
    assert_eq!(home.show(&update)["status"], "active");
    assert!(home.hark(["consolidate", "--json"]).ok().json()["repeats"].as_array().unwrap().is_empty());

    home.hark(["undo", &gone]).ok();
    assert_eq!(home.show(&gone)["status"], "active");
    assert!(!home.hark(["links", &kept, "--json"]).ok().stdout().contains("supersedes"));
}
