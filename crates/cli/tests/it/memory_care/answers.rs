//! Answers say what is true: what did not fit, whose totals these are, what was wrong with a request.

use std::fs;

use serde_json::json;

use super::{home, ids};

#[test]
fn an_edited_text_takes_its_automatic_title_along() {
    let home = home();
    let id = home.remember("The database runs on host alpha.");
    home.hark(["edit", &id, "--text", "The database runs on host beta."]).ok();
    assert_eq!(home.show(&id)["title"], "The database runs on host beta");
    // A title that a person chose stays.
    home.hark(["edit", &id, "--title", "Database host"]).ok();
    home.hark(["edit", &id, "--text", "The database runs on host gamma."]).ok();
    assert_eq!(home.show(&id)["title"], "Database host");
    home.hark(["edit", &id, "--text", "It runs on host delta.", "--title", "Where it runs"]).ok();
    assert_eq!(home.show(&id)["title"], "Where it runs");
    // The same through the tool.
    let mut mcp = home.mcp();
    let own = mcp.data("memory_remember", &json!({ "text": "The cache runs on host alpha." }));
    let id = own["id"].as_str().unwrap();
    mcp.data(
        "memory_update",
        &json!({ "ids": [id], "action": "edit", "text": "The cache runs on host beta." }),
    );
    drop(mcp);
    assert_eq!(home.show(id)["title"], "The cache runs on host beta");
}

#[test]
fn a_budget_that_is_too_small_is_named_with_one_that_fits() {
    let home = home();
    let id = home.remember("Deploys go out on Tuesdays, after the smoke tests are green.");
    let told = home.recall("when do deploys go out", &["--budget", "10"]);
    assert_eq!((told["hits"].as_array().unwrap().len(), told["omitted"].as_u64()), (0, Some(1)), "{told}");
    let enough = told["budget_for_all"].as_u64().unwrap().to_string();
    assert_eq!(home.recall_ids("when do deploys go out", &["--budget", &enough]), [id]);
    let said = home.hark(["recall", "when do deploys go out", "--budget", "10"]).ok();
    assert!(
        said.stderr().contains("1 memory matches") && said.stderr().contains(&format!("--budget {enough}")),
        "{said}"
    );
    let nothing = home.hark(["recall", "submarine zebra", "--budget", "10"]).ok();
    assert!(nothing.stderr().contains("nothing relevant"), "{nothing}");
    let mut mcp = home.mcp();
    let answer =
        mcp.call("memory_recall", &json!({ "query": "when do deploys go out", "budget": 10 })).to_string();
    assert!(answer.contains("does not fit") && !answer.contains("Nothing relevant"), "{answer}");
}

#[test]
fn a_ledger_of_one_session_has_its_totals() {
    let home = home();
    home.remember_with("Deploys go out on Tuesdays after the smoke tests.", &["--importance", "5"]);
    for session in ["one", "two", "three"] {
        let start = json!({ "session_id": session, "cwd": home.work(), "hook_event_name": "SessionStart", "source": "startup" });
        home.hook("claude-code", "SessionStart", &start);
    }
    let all = home.hark(["ledger", "--json"]).ok().json();
    let one = home.hark(["ledger", "--session", "three", "--json"]).ok().json();
    assert_eq!(all["count"], 2, "the first session has nothing to pick up: {all}");
    assert_eq!((one["count"].as_u64(), one["entries"].as_array().unwrap().len()), (Some(1), 1), "{one}");
    assert_eq!(one["tokens"], one["entries"][0]["tokens"]);
}

#[test]
fn what_is_not_there_is_a_failure() {
    let home = home();
    let said = home.hark(["ingest", "nosuch"]).fails(1);
    assert!(said.stderr().contains("nosuch: no such file or folder"), "{said}");
    fs::write(home.work().join("notes.txt"), "not a transcript").unwrap();
    let said = home.hark(["ingest", "notes.txt"]).fails(1);
    assert!(said.stderr().contains("no transcripts were found there"), "{said}");
    home.hark(["ingest"]).ok();
    let session = home.hark(["checkpoint", "--goal", "Jars", "--json"]).ok().json();
    let session = session["session"].as_str().unwrap();
    let memory = home.remember("Jars are glass.");
    for (id, hint) in [(session, "hark sessions show"), (memory.as_str(), "hark show")] {
        let said = home.hark(["export", id]).fails(1);
        assert!(said.stderr().contains(hint), "{said}");
        assert!(!home.work().join(id).exists());
    }
    home.hark(["export", &format!("./{memory}")]).ok();
    assert!(home.work().join(&memory).exists());
}

#[test]
fn settings_outside_their_range_are_refused() {
    let home = home();
    for (name, value, range) in [
        ("inject.certainty", "2", "from 0 to 1"),
        ("recall.limit", "0", "from 1 to"),
        ("checkpoint.every", "20000", "from 0 to"),
        ("sessions.stale", "soon", "a duration"),
    ] {
        let said = home.hark(["config", "set", name, value]).fails(1);
        assert!(said.stderr().contains(name) && said.stderr().contains(range), "{said}");
    }
    assert!(!home.user_config().exists(), "nothing was written");
    home.hark(["config", "set", "inject.certainty", "0.9"]).ok();
}

#[test]
fn a_wrong_passphrase_is_called_that() {
    let home = home();
    home.remember("Jars are glass.");
    home.hark(["export", "--encrypt", "all.hark"]).env("HARK_PASSPHRASE", "right").ok();
    let said = home.hark(["import", "all.hark"]).env("HARK_PASSPHRASE", "wrong").fails(1);
    assert!(said.stderr().contains("the passphrase is wrong"), "{said}");
    assert!(!said.stderr().contains("incomplete"), "{said}");
    // A file that was cut is still called so.
    let bytes = fs::read(home.work().join("all.hark")).unwrap();
    fs::write(home.work().join("cut.hark"), &bytes[..30]).unwrap();
    let said = home.hark(["import", "cut.hark"]).env("HARK_PASSPHRASE", "right").fails(1);
    assert!(said.stderr().contains("incomplete"), "{said}");
}

#[test]
fn links_can_be_listed_by_relation() {
    let home = home();
    let bug = home.remember_with("The cart loses items on Safari.", &["--kind", "failure"]);
    let fix = home.remember_with("Cookies need SameSite for the cart.", &["--kind", "fix"]);
    let note = home.remember("The cart is tested on three browsers.");
    home.hark(["relate", &fix, &bug, "--as", "fixes"]).ok();
    home.hark(["relate", &note, &bug]).ok();
    let links =
        |args: &[&str]| ids(&home.hark([&["links", "--json", &bug], args].concat()).ok().json()["links"]);
    assert_eq!(links(&[]).len(), 2);
    assert_eq!(links(&["--as", "fixes"]), [fix.as_str()]);
    assert_eq!(links(&["--as", "fixed_by"]), [fix.as_str()]);
    assert_eq!(links(&["--as", "fixes", "--as", "related"]).len(), 2);
    let outgoing = home.hark(["links", &fix, "--as", "fixed_by", "--json"]).ok().json();
    assert!(ids(&outgoing["links"]).is_empty(), "nothing fixes the fix: {outgoing}");
    home.hark(["links", &bug, "--as", "hates"]).fails(1);
}

#[test]
fn stats_count_sessions_events_and_tokens_of_one_project_or_all() {
    let home = home();
    let prompt = |session: &str, folder: &std::path::Path| {
        let event = json!({ "session_id": session, "cwd": folder, "hook_event_name": "UserPromptSubmit",
            "prompt": "Why does the cart lose items on Safari?" });
        home.hook("claude-code", "UserPromptSubmit", &event);
    };
    let (shop, lab) = (super::clone_of(&home, "acme/shop"), super::clone_of(&home, "acme/lab"));
    prompt("one", &shop);
    prompt("two", &lab);
    super::remember_in(&home, &shop, &["Jars are glass."]);
    let all = home.hark(["stats", "--json"]).ok().json();
    let one = home.hark(["stats", "--project", "shop", "--json"]).ok().json();
    assert_eq!((all["sessions"].as_i64(), one["sessions"].as_i64()), (Some(2), Some(1)), "{one}");
    assert_eq!(all["events"].as_i64().unwrap(), 2 * one["events"].as_i64().unwrap());
    assert!(one["event_tokens"].as_i64().unwrap() > 0 && one["memories"] == 1, "{one}");
    let printed = home.hark(["stats", "--project", "shop"]).ok().stdout();
    assert!(printed.contains("1 session, ") && printed.contains("tokens"), "{printed}");
    home.hark(["stats", "--project", "nosuch"]).fails(1);
}

#[test]
fn ping_tells_whether_the_store_works() {
    let home = home();
    home.remember("Jars are glass.");
    let told = home.hark(["ping", "--json"]).ok().json();
    assert_eq!(
        (told["memories"].as_i64(), told["version"].as_str()),
        (Some(1), Some(env!("CARGO_PKG_VERSION")))
    );
    assert!(told["ms"].as_f64().unwrap() > 0.0 && told["store"].as_str().unwrap().ends_with("store"));
    assert!(home.hark(["ping"]).ok().stdout().starts_with("ok hark "));
    fs::write(home.root().join("file"), "").unwrap();
    let broken = home.hark(["ping"]).env("HARK_HOME", home.root().join("file")).run();
    assert_ne!(broken.code, Some(0), "{broken}");
}
