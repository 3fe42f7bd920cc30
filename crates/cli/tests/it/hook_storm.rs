//! Many hooks at once, and very long sessions: nothing is lost, every counter is exact.

use std::collections::BTreeSet;

use hark_testkit::hooks::reply;
use hark_testkit::{Home, sqlite};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn edited(home: &Home, session: &str, at: usize) -> Value {
    json!({
        "session_id": session, "cwd": home.work(), "hook_event_name": "PostToolUse", "tool_name": "Edit",
        "tool_input": { "file_path": home.work().join(format!("src/file{at}.rs")), "old_string": "a", "new_string": "b" },
        "tool_response": { "filePath": "x" }, "tool_use_id": format!("toolu_{at}")
    })
}

fn shown(home: &Home, session: &str) -> Value {
    home.hark(["sessions", "show", session, "--json"]).ok().json()
}

#[test]
fn a_hundred_hooks_at_once_leave_a_hundred_entries_in_one_session() {
    let home = home();
    let hooks: Vec<_> = (0..100)
        .map(|at| {
            home.hark(["hook", "claude-code", "PostToolUse"])
                .stdin(edited(&home, "storm", at).to_string())
                .spawn()
        })
        .collect();
    for hook in hooks {
        let output = hook.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
    let view = shown(&home, "storm");
    assert_eq!((view["tool_calls"].as_u64(), view["unreported"].as_u64()), (Some(100), Some(100)), "{view}");
    let paths: BTreeSet<&str> =
        view["touched"].as_array().unwrap().iter().map(|t| t["path"].as_str().unwrap()).collect();
    assert_eq!(paths.len(), 100);
    let sessions = home.hark(["sessions", "--all-projects", "--json"]).ok().json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_thousand_events_end_in_a_summary_within_its_cap() {
    let home = home();
    let base = |event: &str| json!({ "session_id": "long", "cwd": home.work(), "hook_event_name": event });
    let with = |event: &str, more: Value| {
        let mut payload = base(event);
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    };
    home.hook("claude-code", "SessionStart", &with("SessionStart", json!({ "source": "startup" })));
    for at in 0..6 {
        let prompt = format!(
            "Please rework part {at} of the billing importer so that it survives a restart. {}",
            "word ".repeat(400)
        );
        home.hook("claude-code", "UserPromptSubmit", &with("UserPromptSubmit", json!({ "prompt": prompt })));
    }
    for at in 0..30 {
        home.hook("claude-code", "PostToolUse", &edited(&home, "long", at));
    }
    // The rest of a long day, without starting a thousand processes.
    let conn = sqlite::open(&home.database());
    conn.execute_batch(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) \
         INSERT INTO event (session, at, kind, tool, target, ok, via, once, body, tokens) \
         SELECT 1, (SELECT max(at) FROM event) + i, CASE i % 5 WHEN 0 THEN 'prompt' WHEN 1 THEN 'reply' ELSE 'tool' END, \
         'Bash', 'cargo test --package shop number ' || i, i % 3, 'x', 'made ' || i, \
         'Made-up request number ' || i || ' about the importer. ' || hex(randomblob(300)), 100 FROM n; \
         UPDATE session SET tools = tools + 600;",
    )
    .unwrap();
    drop(conn);
    home.hook("claude-code", "SessionEnd", &with("SessionEnd", json!({ "reason": "other" })));
    let view = shown(&home, "long");
    let summary = view["summary"].as_str().unwrap();
    assert_eq!((view["status"].as_str(), view["tool_calls"].as_u64()), (Some("closed"), Some(630)));
    assert!(summary.contains("importer") && summary.contains("failed"), "{summary}");
    assert!(summary.len() < 2_000, "{} bytes", summary.len());
    let file = std::fs::read_to_string(view["path"].as_str().unwrap()).unwrap();
    assert!(file.contains("## Summary"), "{file}");
}

#[test]
fn one_event_told_twice_is_one_event() {
    let home = home();
    let first = edited(&home, "twice", 1);
    home.hook("claude-code", "PostToolUse", &first);
    home.hook("claude-code", "PostToolUse", &first);
    // Another client that reads Claude Code's configuration beside its own, without ids of calls.
    let camel = json!({ "sessionId": "c", "cwd": home.work(), "toolName": "bash", "toolArgs": { "command": "make" },
        "toolResult": { "resultType": "success", "textResultForLlm": "done" } });
    let snake = json!({ "session_id": "c", "cwd": home.work(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "tool_result": { "result_type": "success", "text_result_for_llm": "done" } });
    reply(
        &home
            .hark(["hook", "copilot-cli", "postToolUse"])
            .stdin(camel.to_string())
            .env("COPILOT_CLI", "1")
            .run(),
    );
    reply(&home.hark(["hook", "claude-code"]).stdin(snake.to_string()).env("COPILOT_CLI", "1").run());
    // The same command again by the same way is done again.
    reply(
        &home
            .hark(["hook", "copilot-cli", "postToolUse"])
            .stdin(camel.to_string())
            .env("COPILOT_CLI", "1")
            .run(),
    );
    assert_eq!(shown(&home, "twice")["tool_calls"], 1);
    let copilot = shown(&home, "c");
    assert_eq!((copilot["host"].as_str(), copilot["tool_calls"].as_u64()), (Some("copilot-cli"), Some(2)));
}

#[test]
fn hooks_alone_do_not_let_the_log_grow_without_end() {
    let home = home();
    let log = home.store().join("hark.db-wal");
    let length = || std::fs::metadata(&log).map_or(0, |meta| meta.len());
    let mut longest = 0;
    for at in 0..150 {
        home.hook("claude-code", "PostToolUse", &edited(&home, "alone", at));
        longest = longest.max(length());
    }
    assert!(longest > 512 * 1024, "as long as is left alone: {longest}");
    // What folds it is another process, which may be just at it.
    let patience = std::time::Instant::now();
    while length() > 1024 * 1024 {
        assert!(patience.elapsed().as_secs() < 30, "{} bytes", length());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(shown(&home, "alone")["tool_calls"], 150);
}
