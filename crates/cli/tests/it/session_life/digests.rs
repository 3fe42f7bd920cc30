//! Digests of long sessions and on demand, what looking twice is worth, and what a session learned.

use std::path::Path;

use hark_testkit::{Home, sqlite};
use serde_json::json;

use super::{home, settings, show, start, tell};

fn number(home: &Home, sql: &str) -> i64 {
    sqlite::number(&home.database(), sql)
}

/// Requests with a command and a long reply each.
fn turns(home: &Home, folder: &Path, session: &str, range: std::ops::Range<usize>) {
    for at in range {
        let prompt =
            json!({ "prompt": format!("Rework part {at} of the importer."), "turn_id": format!("t{at}") });
        tell(home, "codex", folder, session, "UserPromptSubmit", &prompt);
        let tool = json!({ "tool_name": "Bash", "tool_use_id": format!("call-{at}"),
            "tool_input": { "command": format!("cargo test part{at}") }, "tool_response": "3 passed" });
        tell(home, "codex", folder, session, "PostToolUse", &tool);
        let reply = format!("Part {at} is reworked. {}", "It holds together well. ".repeat(20));
        tell(home, "codex", folder, session, "Stop", &json!({ "last_assistant_message": reply }));
    }
}

#[test]
fn a_long_session_is_condensed_while_it_goes_on() {
    let home = home();
    let work = home.work();
    settings(&home, "[history]\ntokens = 1000\ntail = 6\n");
    start(&home, "codex", &work, "s", "startup");
    turns(&home, &work, "s", 0..4);
    home.hark(["work"]).ok();
    assert_eq!(number(&home, "SELECT count(*) FROM digest"), 0, "not long enough");
    turns(&home, &work, "s", 4..20);
    // A hook has started a worker by now; this one waits for it or does the same.
    hark_testkit::eventually("the session is condensed", || {
        home.hark(["work"]).ok();
        number(&home, "SELECT count(*) FROM digest") > 0
    });
    assert_eq!(show(&home, "s")["status"], "open");
    let newest =
        "SELECT count(*) FROM (SELECT digest FROM event ORDER BY seq DESC LIMIT 6) WHERE digest IS NULL";
    assert_eq!(number(&home, newest), 6, "the newest events stay as they are");
    let left = number(&home, "SELECT coalesce(sum(tokens), 0) FROM event WHERE digest IS NULL");
    assert!(left < 2_000, "{left}");
    let parts = home.hark(["expand", "s", "--json"]).ok().json();
    let kinds: Vec<&str> =
        parts["parts"].as_array().unwrap().iter().map(|p| p["kind"].as_str().unwrap()).collect();
    assert!(kinds.first() == Some(&"digest") && kinds.contains(&"reply"), "{kinds:?}");
}

#[test]
fn a_session_is_condensed_on_demand_in_whole_sentences() {
    let home = home();
    let work = home.work();
    start(&home, "codex", &work, "s", "startup");
    turns(&home, &work, "s", 0..3);
    let done = home.hark(["digest", "s", "--json"]).ok().json();
    assert!(done["condensed"].as_u64().unwrap() >= 9, "{done}");
    let text = done["digests"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("The user asked: \"Rework part 0 of the importer.\""), "{text}");
    assert!(text.contains("It ran \"cargo test part0\""), "{text}");
    assert!(text.lines().all(|line| line.ends_with('.')) && !text.contains('…'), "{text}");
    assert_eq!(home.hark(["digest", "s", "--json"]).ok().json()["condensed"], 0, "once");
    home.hark(["digest", "nowhere"]).fails(1);
    let mut mcp = home.mcp_within(&work, &[]);
    let said = mcp.data("memory_digest", &json!({ "session": "s" }));
    assert!(said.to_string().contains("Rework part 0"), "{said}");
}

#[test]
fn looking_at_the_same_thing_again_counts_for_nothing() {
    let mut home = home();
    let work = home.work();
    let mut call = 0;
    let mut look = |home: &Home, file: &str| {
        call += 1;
        let tool = json!({ "tool_name": "Read", "tool_use_id": format!("toolu_{call}"),
            "tool_input": { "file_path": work.join(file) }, "tool_response": "text" });
        tell(home, "claude-code", &work, "s", "PostToolUse", &tool);
    };
    look(&home, "a.rs");
    look(&home, "b.rs");
    home.set_now("2026-06-15T12:29:00Z");
    look(&home, "a.rs");
    home.set_now("2026-06-15T12:45:00Z");
    look(&home, "b.rs");
    let tiers = "SELECT count(*) FROM event WHERE kind = 'tool' AND tier = ";
    assert_eq!(number(&home, &format!("{tiers}'L'")), 3, "a.rs and b.rs, and b.rs after 45 minutes");
    assert_eq!(number(&home, &format!("{tiers}'N'")), 1, "a.rs within half an hour");
}

#[test]
fn a_session_lists_what_was_learned_in_it() {
    let home = home();
    let work = home.work();
    home.remember("Stored by nobody in particular.");
    start(&home, "claude-code", &work, "s", "startup");
    let mut mcp = home.mcp_within(&work, &[("CLAUDE_CODE_SESSION_ID", "s")]);
    let id = mcp.remember("The importer keeps a cursor in a file.");
    drop(mcp);
    let view = show(&home, "s");
    assert_eq!(view["learned"].as_array().unwrap().len(), 1, "{view}");
    assert_eq!(view["learned"][0]["id"], id.as_str());
    let text = home.hark(["sessions", "show", "s"]).ok().stdout();
    assert!(text.contains("Learned") && text.contains("keeps a cursor"), "{text}");
}
