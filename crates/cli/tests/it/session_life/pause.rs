//! Pauses, and `HARK_ENABLED=0`.

use std::fs;

use hark_testkit::Home;
use hark_testkit::git::repository;
use hark_testkit::hooks::context;
use hark_testkit::transcripts::Claude;
use serde_json::json;

use super::{home, start, tell};

fn sessions(home: &Home) -> usize {
    let found = home.hark(["sessions", "--all-projects", "--json"]).ok().json();
    found["sessions"].as_array().unwrap().len()
}

#[test]
fn paused_hooks_record_and_add_nothing_and_say_so_once() {
    let mut home = home();
    let work = home.work();
    home.remember_with("Never delete invoices.", &["--kind", "directive"]);
    let said = home.hark(["pause", "--for", "2h"]).ok().stderr();
    assert!(said.contains("until 2026-06-15T14:00:00.000Z"), "{said}");
    let said = start(&home, "claude-code", &work, "s", "startup");
    assert!(said.starts_with("hark: paused everywhere until 2026-06-15T14:00:00.000Z"), "{said}");
    assert!(!said.contains("invoices"), "{said}");
    let prompt = json!({ "prompt": "May I delete invoices?" });
    assert_eq!(tell(&home, "claude-code", &work, "s", "UserPromptSubmit", &prompt), "");
    tell(&home, "claude-code", &work, "s", "SessionEnd", &json!({}));
    assert_eq!(sessions(&home), 0);
    assert!(home.findings().contains("hooks are paused everywhere until"), "{}", home.findings());
    // What is asked for explicitly works.
    assert_eq!(home.recall_ids("delete invoices", &[]).len(), 1);
    home.remember("Pauses end by themselves.");
    // It ends by itself, or when told to.
    home.set_now("2026-06-15T14:00:00Z");
    assert!(start(&home, "claude-code", &work, "t", "startup").contains("Never delete invoices"));
    home.hark(["pause"]).ok();
    assert!(start(&home, "claude-code", &work, "u", "startup").contains("until `hark unpause`"));
    home.hark(["unpause"]).ok();
    assert!(start(&home, "claude-code", &work, "v", "startup").contains("Never delete invoices"));
    assert!(!home.findings().contains("paused"), "{}", home.findings());
    let said = home.hark(["pause", "--end"]).ok().stderr();
    assert!(said.contains("not paused"), "{said}");
    home.hark(["pause", "--for", "soon"]).fails(1);
}

#[test]
fn one_project_can_be_paused() {
    let home = home();
    let (paused, other) = (repository(&home, "paused"), repository(&home, "other"));
    home.remember_with("Never delete invoices.", &["--kind", "directive", "--global"]);
    home.hark(["pause", "--project"]).within(&paused).ok();
    fs::create_dir_all(paused.join("src")).unwrap();
    let said = start(&home, "codex", &paused.join("src"), "a", "startup");
    assert!(said.starts_with("hark: paused in this project"), "{said}");
    assert!(start(&home, "codex", &other, "b", "startup").contains("Never delete invoices"));
    assert_eq!(sessions(&home), 1);
    home.hark(["unpause", "--project"]).within(&other).ok();
    assert!(start(&home, "codex", &paused, "c", "startup").contains("paused"));
    home.hark(["unpause", "--project"]).within(&paused).ok();
    assert!(start(&home, "codex", &paused, "d", "startup").contains("Never delete invoices"));
}

#[test]
fn an_assistant_cannot_pause() {
    let home = home();
    let refused = home.hark(["pause"]).env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "s").fails(1);
    assert!(refused.stderr().contains("for the user to run"), "{refused}");
}

#[test]
fn a_transcript_of_a_pause_is_not_read_later() {
    let mut home = home().at("2026-03-01T08:00:00Z");
    let work = home.work();
    home.hark(["pause", "--for", "1m"]).ok();
    let mut file = Claude::new("past", work.to_str().unwrap());
    for at in 0..70 {
        file.prompt(&format!("Request number {at}, please."));
    }
    let path = home.user().join(".claude/projects/-x/past.jsonl");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, file.text()).unwrap();
    home.set_now("2026-03-01T09:00:00Z");
    let read = home.hark(["ingest", "--json"]).ok().json();
    assert_eq!(read["events"]["new"], 11, "{read}");
    let found = home.hark(["grep", "Request number", "--json"]).ok().json();
    assert!(!found.to_string().contains("number 5,"), "{found}");
}

#[test]
fn hark_can_be_switched_off_for_one_session() {
    let home = home().at("2026-03-01T08:00:00Z");
    let work = home.work();
    home.remember_with("Never delete invoices.", &["--kind", "directive"]);
    for (at, value) in ["0", "false", "off"].iter().enumerate() {
        let session = format!("off{at}");
        for name in ["SessionStart", "UserPromptSubmit"] {
            let payload = json!({ "session_id": session, "cwd": work, "hook_event_name": name,
                "prompt": "May I delete invoices?" });
            let outcome = home.hark(["hook", "claude-code", name]).env("HARK_ENABLED", value);
            let outcome = outcome.stdin(payload.to_string()).ok();
            assert_eq!(context(&hark_testkit::hooks::reply(&outcome)), "", "{value}");
        }
        // Its transcript is not read either.
        let mut file = Claude::new(&session, work.to_str().unwrap());
        file.prompt("May I delete invoices?");
        let path = home.user().join(format!(".claude/projects/-x/{session}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, file.text()).unwrap();
    }
    let read = home.hark(["ingest", "--json"]).ok().json();
    assert_eq!(read["events"]["new"], 0, "{read}");
    assert_eq!(sessions(&home), 0);
    assert!(start(&home, "claude-code", &work, "on", "startup").contains("Never delete invoices"));
}

#[test]
fn a_server_that_is_switched_off_offers_no_tools() {
    let home = home();
    let work = home.work();
    let tools =
        |mut mcp: hark_testkit::Mcp| mcp.ask("tools/list", &json!({})).unwrap()["result"]["tools"].clone();
    assert_eq!(tools(home.mcp_within(&work, &[("HARK_ENABLED", "0")])), json!([]));
    assert!(!tools(home.mcp_within(&work, &[])).as_array().unwrap().is_empty());
}
