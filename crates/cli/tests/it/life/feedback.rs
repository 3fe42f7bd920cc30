//! What people say of memories moves confidence, and what is wrong is no longer offered unasked.

use std::path::Path;

use hark_testkit::Home;
use hark_testkit::git::repository;
use serde_json::{Value, json};

use super::home;

const TEXT: &str = "The billing exporter writes its CSV files to /srv/billing/out every night at two.";
const PROMPT: &str = "where does the billing exporter write its CSV files?";

fn told(home: &Home, session: &str, prompt: &str) -> String {
    let event = |name: &str| json!({ "session_id": session, "cwd": home.work(), "hook_event_name": name, "prompt": prompt });
    home.hook("claude-code", "UserPromptSubmit", &event("UserPromptSubmit")).to_string()
}

fn booted(home: &Home, session: &str) -> String {
    let event = json!({ "session_id": session, "cwd": home.work(), "hook_event_name": "SessionStart", "source": "startup" });
    home.hook("claude-code", "SessionStart", &event).to_string()
}

#[test]
fn what_is_wrong_is_not_injected_any_more_and_helpful_brings_it_back() {
    let home = home();
    let id = home.remember(TEXT);
    assert!(told(&home, "one", PROMPT).contains(&id));
    home.hark(["feedback", &id, "wrong"]).ok();
    assert!(!told(&home, "two", PROMPT).contains(&id));
    // It survives a lost index, and is still found on request.
    home.remove_index();
    assert_eq!(home.recall_ids(PROMPT, &[]), [id.as_str()]);
    assert!(!told(&home, "three", PROMPT).contains(&id));
    home.hark(["feedback", &id, "helpful"]).ok();
    assert!(told(&home, "four", PROMPT).contains(&id));
}

#[test]
fn nor_is_it_told_at_the_start_of_a_session() {
    let home = home();
    let id = home.remember_with("Never push to the release branch by hand", &["--kind", "constraint"]);
    assert!(booted(&home, "one").contains(&id));
    home.hark(["feedback", &id, "wrong"]).ok();
    assert!(!booted(&home, "two").contains(&id));
}

#[test]
fn confidence_moves_and_history_knows_why() {
    let home = home();
    let id = home.remember(TEXT);
    let confidence = |home: &Home| home.show(&id)["confidence"].as_f64().unwrap();
    let first = confidence(&home);
    home.hark(["feedback", &id, "helpful"]).ok();
    let helped = confidence(&home);
    assert!(helped > first);
    home.hark(["feedback", &id, "stale"]).ok();
    assert!(confidence(&home) < helped);
    assert_eq!(home.show(&id)["verdict"], "stale");
    let history = home.hark(["history", &id, "--json"]).ok().json();
    let changes: Vec<&str> =
        history["revisions"].as_array().unwrap().iter().map(|r| r["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["helpful", "stale"]);
}

#[test]
fn an_assistant_may_judge_its_own_but_not_what_the_user_said() {
    let home = home();
    let users = home.remember("Use tabs in Makefiles");
    let mut mcp = home.mcp();
    let said: Value = mcp.call("memory_remember", &json!({ "text": "the parser is recursive" }));
    let text = said.to_string();
    let at = text.find("m-").unwrap();
    let own = text[at..at + 10].to_owned();
    let judged = mcp.call("memory_update", &json!({ "ids": [own], "action": "wrong" }));
    assert!(judged.to_string().contains("wrong"), "{judged}");
    let refused = mcp.call("memory_update", &json!({ "ids": [users], "action": "wrong" }));
    assert!(refused.to_string().contains("only the user"), "{refused}");
    let helped = mcp.call("memory_update", &json!({ "ids": [users], "action": "helpful" }));
    assert!(!helped.to_string().contains("only the user"), "{helped}");
    drop(mcp);
    assert_eq!(home.show(&own)["verdict"], "wrong");
}

#[test]
fn nonsense_is_refused() {
    let home = home();
    let id = home.remember(TEXT);
    home.hark(["feedback", &id, "lovely"]).fails(2);
    home.hark(["feedback", "m-zzzzzzzz", "wrong"]).fails(1);
}

#[test]
fn a_project_that_was_told_wrong_things_wants_to_be_surer() {
    let home = home();
    let (shop, depot) = (repository(&home, "shop"), repository(&home, "depot"));
    let wanted = home.remember_with(TEXT, &["--global"]);
    let other =
        home.remember_with("The staging cluster is called magpie and lives in Frankfurt.", &["--global"]);
    let mut session = 0;
    let mut tells = |folder: &Path, prompt: &str, certainty: f32| {
        session += 1;
        std::fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
        std::fs::write(home.user_config(), format!("[inject]\ncertainty = {certainty:.4}\n")).unwrap();
        let event = json!({ "session_id": format!("s{session}"), "cwd": folder,
            "hook_event_name": "UserPromptSubmit", "prompt": prompt });
        home.hook("claude-code", "UserPromptSubmit", &event).to_string()
    };
    let prompt = "which folder holds the exported invoices of last night?";
    // As sure as one can want to be and still be told.
    let (mut least, mut most) = (0.1f32, 1.0f32);
    assert!(tells(&shop, prompt, least).contains(&wanted));
    for _ in 0..10 {
        let middle = f32::midpoint(least, most);
        let told = tells(&shop, prompt, middle).contains(&wanted);
        (least, most) = if told { (middle, most) } else { (least, middle) };
    }
    assert!(tells(&shop, "what is the staging cluster called?", 0.1).contains(&other));
    for _ in 0..3 {
        home.hark(["feedback", &other, "wrong"]).within(&shop).ok();
    }
    assert!(!tells(&shop, prompt, least).contains(&wanted), "surer in the shop");
    assert!(tells(&depot, prompt, least).contains(&wanted), "as before in the depot");
    for _ in 0..3 {
        home.hark(["feedback", &other, "helpful"]).within(&shop).ok();
    }
    assert!(tells(&shop, prompt, least).contains(&wanted), "and back again");
}
