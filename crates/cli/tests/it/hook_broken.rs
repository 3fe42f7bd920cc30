//! Hooks in an environment where nothing works: they end well, say nothing wrong, and leave a trace.

use std::fs;
use std::process::Stdio;

use hark_testkit::hooks::{context, reply};
use hark_testkit::{Home, disk, sqlite};
use serde_json::{Value, json};

const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn start(home: &Home, session: &str) -> Value {
    json!({ "session_id": session, "cwd": home.work(), "hook_event_name": "SessionStart", "source": "startup" })
}

fn ran(home: &Home, session: &str, id: &str, output: &str) -> Value {
    json!({ "session_id": session, "cwd": home.work(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "tool_response": { "stdout": output, "stderr": "" }, "tool_use_id": id })
}

#[test]
fn no_input_garbage_and_fifty_megabytes_end_well_and_the_doctor_knows() {
    let home = home();
    home.remember("Something.");
    for host in ["claude-code", "codex", "gemini-cli", "cursor", "cline", "windsurf", "no-such-host"] {
        reply(&home.hark(["hook", host]).run());
        reply(&home.hark(["hook", host, "PostToolUse"]).stdin("not json at all").run());
    }
    let huge = ran(&home, "huge", "t1", &"line of output\n".repeat(3_600_000));
    assert!(huge.to_string().len() > 50_000_000);
    reply(&home.hark(["hook", "claude-code"]).stdin(huge.to_string()).run());
    assert!(home.findings().contains("failed in the last week"), "{}", home.findings());
    let huge = home.hark(["sessions", "show", "huge", "--json"]).ok().json();
    assert_eq!(huge["tool_calls"], 1, "its beginning said whose it was");
}

#[test]
fn a_stdin_that_never_ends_is_not_waited_for() {
    let home = home();
    let mut command = home.program(home.binary());
    let mut child = command
        .args(["hook", "claude-code", "Stop"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]));
    assert!(home.findings().contains("timed out"));
}

#[test]
fn an_index_that_is_behind_is_not_migrated_and_nothing_is_lost() {
    let home = home();
    home.remember("Something.");
    let conn = sqlite::open(&home.database());
    conn.execute_batch("PRAGMA user_version = 1").unwrap();
    // While somebody else holds the write lock, the worker that a hook starts cannot get ahead of us.
    conn.execute_batch("BEGIN IMMEDIATE").unwrap();
    for at in 0..3 {
        home.hook("claude-code", "PostToolUse", &ran(&home, "old", &format!("t{at}"), SECRET));
    }
    let waiting = disk::files(&home.store().join("spool"));
    assert_eq!(waiting.len(), 3, "{:?}", waiting.keys());
    assert_eq!(disk::holding(&home.store(), SECRET), Vec::<std::path::PathBuf>::new());
    let version: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 1, "hooks never migrate");
    conn.execute_batch("COMMIT").unwrap();
    drop(conn);
    hark_testkit::eventually("the events are stored", || {
        let shown = home.hark(["sessions", "show", "old", "--json"]).run();
        shown.code == Some(0) && shown.json()["tool_calls"] == 3
    });
    assert!(disk::files(&home.store().join("spool")).is_empty());
}

#[test]
fn a_damaged_index_is_mended_later_and_the_next_start_says_so() {
    let home = home();
    let id = home.remember("Never lost.");
    home.hark(["reindex"]).ok();
    for name in ["hark.db-wal", "hark.db-shm"] {
        let _ = fs::remove_file(home.store().join(name));
    }
    fs::write(home.database(), b"SQLite format 3\0 and then nonsense ".repeat(400)).unwrap();
    home.hook("claude-code", "PostToolUse", &ran(&home, "d", "t1", "out"));
    // By the worker that the hook started, or by this.
    assert_eq!(home.show(&id)["id"], id.as_str());
    hark_testkit::eventually("the event is stored", || {
        let shown = home.hark(["sessions", "show", "d", "--json"]).run();
        shown.code == Some(0) && shown.json()["tool_calls"] == 1
    });
    let said = context(&home.hook("claude-code", "SessionStart", &start(&home, "next")));
    assert!(said.contains("could not be handled") && said.contains("hark doctor"), "{said}");
    let again = context(&home.hook("claude-code", "SessionStart", &start(&home, "after")));
    assert!(!again.contains("could not be handled"), "said once: {again}");
}

/// Runs hooks in a mount namespace of their own, where the store is on a read-only disk. `None` where
/// this is not allowed.
#[cfg(target_os = "linux")]
fn on_a_read_only_disk(home: &Home, payload: &Value) -> Option<std::process::Output> {
    use std::io::Write;
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" || exit 99; \
                  touch \"$1/probe\" 2>/dev/null && exit 98; exec \"$2\" hook claude-code";
    let run = |how: &[&str]| {
        let mut command = home.program("unshare");
        command.args(how).args(["sh", "-c", script, "sh"]).arg(home.store()).arg(home.binary());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
        // It may be gone before it read anything.
        let _ = child.stdin.take()?.write_all(payload.to_string().as_bytes());
        child.wait_with_output().ok().filter(|output| output.status.code() == Some(0))
    };
    // As root, and as somebody who may be root in a namespace of their own.
    run(&["--mount"]).or_else(|| run(&["--mount", "--map-root-user"]))
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_on_a_read_only_disk_is_said_at_once_and_the_doctor_knows() {
    let home = home();
    let id = home.remember("Something.");
    let Some(begun) = on_a_read_only_disk(&home, &start(&home, "ro")) else {
        hark_testkit::skip("no read-only mount may be made here");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&begun.stderr), "");
    let said: Value = serde_json::from_slice(&begun.stdout).expect("one JSON object");
    let said = context(&said);
    assert!(said.contains("nothing in this session is being remembered"), "{said}");
    assert!(said.contains("hark doctor"), "{said}");
    let ran = on_a_read_only_disk(&home, &ran(&home, "ro", "t1", "out")).expect("as before");
    assert_eq!((ran.stdout.as_slice(), ran.stderr.as_slice()), (&b""[..], &b""[..]));
    assert!(home.findings().contains("2 hook events failed"), "{}", home.findings());
    assert_eq!(home.show(&id)["id"], id.as_str(), "what was there is there");
}

#[test]
fn a_home_that_is_a_file_or_missing_is_no_reason_to_fail() {
    let home = home();
    fs::write(home.store(), "in the way").unwrap();
    let said = context(&home.hook("claude-code", "SessionStart", &start(&home, "s")));
    assert!(said.contains("hark doctor"), "{said}");
    fs::remove_file(home.store()).unwrap();
    home.hook("claude-code", "PostToolUse", &ran(&home, "s", "t1", "out"));
    assert_eq!(home.hark(["sessions", "show", "s", "--json"]).ok().json()["tool_calls"], 1);
}

#[test]
fn secrets_in_events_never_reach_the_disk() {
    let home = home();
    let with = |event: &str, more: Value| {
        let mut payload = json!({ "session_id": "sec", "cwd": home.work(), "hook_event_name": event,
            "transcript_path": format!("/tmp/{SECRET}.jsonl") });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    };
    let events = [
        with("SessionStart", json!({ "source": SECRET })),
        with("UserPromptSubmit", json!({ "prompt": format!("Use the token {SECRET} for the deploy") })),
        with(
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_input": { "command": format!("curl -H 'Authorization: Bearer {SECRET}'") },
            "tool_response": { "stdout": format!("{}{SECRET}", "x ".repeat(20_000)), "stderr": SECRET }, "tool_use_id": SECRET }),
        ),
        with(
            "PostToolUse",
            json!({ "tool_name": "Write", "tool_input": { "file_path": format!("/tmp/{SECRET}/a"),
            "content": SECRET }, "tool_use_id": "2" }),
        ),
        with(
            "PostToolUseFailure",
            json!({ "tool_name": SECRET, "tool_input": {}, "error": SECRET, "tool_use_id": "3" }),
        ),
        with("Stop", json!({ "last_assistant_message": format!("Set it to {SECRET}.") })),
        with("SessionEnd", json!({ "reason": SECRET })),
    ];
    for event in &events {
        home.hook("claude-code", event["hook_event_name"].as_str().unwrap(), event);
    }
    home.hark(["checkpoint", "--session", "sec", "--goal", &format!("rotate {SECRET}"), "--plan", SECRET])
        .ok();
    home.hark(["work", "--until-idle"]).ok();
    assert_eq!(disk::holding(home.root(), SECRET), Vec::<std::path::PathBuf>::new());
    let view = home.hark(["sessions", "show", "sec", "--json"]).ok().json();
    assert_eq!(view["tool_calls"], 3, "and all of it was stored");
}
