//! Sessions that are over are not told as active, although nobody said that they ended.

use std::fs;
use std::path::Path;

use hark_testkit::Home;
use hark_testkit::transcripts::Claude;
use serde_json::{Value, json};

use super::{home, show, start, tell};

/// Sends events from a process of their own, which is gone afterwards.
#[cfg(target_os = "linux")]
fn headless(home: &Home, host: &str, folder: &Path, session: &str) {
    let agent = home.root().join("agent");
    if !agent.exists() {
        fs::copy("/bin/sh", &agent).unwrap();
    }
    let mut script = String::new();
    for (name, more) in [
        ("SessionStart", json!({ "source": "startup" })),
        ("UserPromptSubmit", json!({ "prompt": "Add a cache to the parser" })),
        ("UserPromptSubmit", json!({ "prompt": "Bound it to a hundred entries" })),
        ("UserPromptSubmit", json!({ "prompt": "Empty it when the file changes" })),
        ("Stop", json!({ "last_assistant_message": "Added the cache." })),
    ] {
        let mut payload = json!({ "session_id": session, "cwd": folder, "hook_event_name": name });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        script.push_str(&format!("echo '{payload}' | '{}' hook {host} {name}\n", home.binary().display()));
    }
    let outcome = home.program(&agent).args(["-c", &script]).output().unwrap();
    assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_whose_process_is_gone_is_over() {
    let home = home();
    let work = home.work();
    for host in ["qwen-code", "droid", "opencode"] {
        headless(&home, host, &work, host);
    }
    // The process of this one is the test.
    tell(&home, "codex", &work, "here", "SessionStart", &json!({ "source": "startup" }));
    tell(&home, "codex", &work, "here", "UserPromptSubmit", &json!({ "prompt": "Paint the fence green" }));
    let said = start(&home, "claude-code", &work, "a", "startup");
    let (_, live) = said.split_once("Other active sessions").unwrap_or_else(|| panic!("{said}"));
    assert!(live.contains("Paint the fence"), "{said}");
    assert!(!live.contains("cache"), "{said}");
    let asked = json!({ "prompt": "Where were we?" });
    let said = tell(&home, "claude-code", &work, "a", "UserPromptSubmit", &asked);
    assert!(said.contains("Where you left off"), "their work is not lost: {said}");
    // A hook may have started a worker, which does the same.
    hark_testkit::eventually("a worker has ended them", || {
        home.hark(["work"]).ok();
        show(&home, "droid")["status"] == "closed" && show(&home, "opencode")["status"] == "closed"
    });
    for host in ["qwen-code", "droid", "opencode"] {
        let view = show(&home, host);
        assert_eq!(view["status"], "closed", "{host}");
        assert!(view["summary"].as_str().unwrap().contains("Added the cache"), "{view}");
    }
    assert_eq!(show(&home, "here")["status"], "open");
}

#[test]
fn subagents_belong_to_their_parent_and_end_with_it() {
    let home = home();
    let work = home.work();
    let child = |session: &str, name: &str, more: Value| {
        let mut more = more;
        more["parent_id"] = json!("parent");
        tell(&home, "opencode", &work, session, name, &more)
    };
    start(&home, "opencode", &work, "parent", "startup");
    tell(&home, "opencode", &work, "parent", "chat.message", &json!({ "prompt": "Paint the fence green" }));
    for session in ["c1", "c2"] {
        let said = child(session, "session.start", json!({}));
        assert!(!said.contains("Paint the fence"), "its own parent: {said}");
        child(session, "chat.message", json!({ "prompt": "Count the brushes in the shed" }));
    }
    let said = start(&home, "claude-code", &work, "a", "startup");
    assert!(said.contains("Paint the fence") && !said.contains("brushes"), "{said}");
    tell(&home, "opencode", &work, "parent", "session.end", &json!({}));
    for session in ["parent", "c1", "c2"] {
        assert_eq!(show(&home, session)["status"], "closed", "{session}");
    }
    // A session that another one left open is told nowhere.
    let said = start(&home, "claude-code", &work, "b", "startup");
    assert!(!said.contains("brushes"), "{said}");
}

#[test]
fn a_session_read_from_a_transcript_is_not_at_work_unless_hooks_report_it() {
    let home = home().at("2026-03-01T08:05:00Z");
    let work = home.work();
    let mut file = Claude::new("past", work.to_str().unwrap());
    file.prompt("Paint the fence green").says("Painting.");
    let path = home.user().join(".claude/projects/-x/past.jsonl");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, file.text()).unwrap();
    home.hark(["ingest"]).ok();
    assert_eq!(show(&home, "past")["status"], "open");
    let said = start(&home, "codex", &work, "a", "startup");
    assert!(!said.contains("Other active sessions"), "{said}");
    tell(&home, "claude-code", &work, "past", "UserPromptSubmit", &json!({ "prompt": "Now paint the gate" }));
    let said = start(&home, "codex", &work, "b", "startup");
    assert!(said.contains("Other active sessions") && said.contains("Paint the fence"), "{said}");
}
