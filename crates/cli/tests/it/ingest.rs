//! `hark ingest` from outside: transcripts on disk in, sessions and events out, once for ever.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use hark_testkit::transcripts::{Claude, codex};
use hark_testkit::{Home, eventually, hooks, sqlite};
use serde_json::{Value, json};

const NOW: &str = "2026-06-01T12:00:00Z";
const PROJECT: &str = "/nowhere/shop";

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at(NOW)
}

fn ingest(home: &Home, arguments: &[&str]) -> Value {
    home.hark([&["ingest", "--json"], arguments].concat()).ok().json()
}

/// Everything that reading transcripts leaves: events with their sessions, and the sessions' files.
fn left(home: &Home) -> Vec<String> {
    let mut all = sqlite::rows(
        &home.database(),
        "SELECT s.host, s.host_session, s.status, s.tools, e.at, e.kind, e.tool, e.target, e.ok, e.once, e.tier, \
         e.body FROM event e JOIN session s ON s.num = e.session",
    );
    for entry in fs::read_dir(home.store().join("sessions")).into_iter().flatten().flatten() {
        all.push(format!("{:?}\n{}", entry.file_name(), fs::read_to_string(entry.path()).unwrap()));
    }
    all.sort();
    all
}

fn count(home: &Home, table: &str) -> i64 {
    sqlite::number(&home.database(), &format!("SELECT count(*) FROM {table}"))
}

fn shown(home: &Home, session: &str) -> Value {
    home.hark(["sessions", "show", session, "--json"]).ok().json()
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn claude_file(home: &Home, session: &str) -> PathBuf {
    home.user().join(format!(".claude/projects/-nowhere-shop/{session}.jsonl"))
}

/// A session with a prompt, a reply, an edit, a command that fails and one that works.
fn session(name: &str) -> Claude {
    let mut file = Claude::new(name, PROJECT);
    let id = |at: usize| format!("toolu_{name}_{at:08}");
    file.prompt("Please make the billing importer restartable.")
        .says("I will look at the importer first.")
        .calls(&id(1), "Read", &json!({ "file_path": "/nowhere/shop/src/import.rs" }))
        .gets(&id(1), "fn import() { secret_contents_of_a_file() }", false)
        .edits(&id(2), "/nowhere/shop/src/import.rs")
        .runs(
            &id(3),
            "cargo test -p billing",
            "Exit code 101\nerror[E0425]: cannot find value `cursor`",
            false,
        )
        .runs(&id(4), "cargo test -p billing", "test result: ok. 3 passed", true)
        .says("The importer keeps a cursor now, so that it goes on where it stopped.");
    file
}

#[test]
fn what_assistants_left_is_read_once_and_for_ever() {
    let home = home();
    put(&claude_file(&home, "first"), &session("first").text());
    let rollout = home.user().join(".codex/sessions/2026/03/02/rollout-2026-03-02T10-00-00-thread-1.jsonl");
    put(&rollout, &codex("thread-1", "/nowhere/other", "make check", 2));
    let report = ingest(&home, &[]);
    assert_eq!((&report["files"]["read"], &report["sessions"]["new"]), (&json!(2), &json!(2)), "{report}");
    assert_eq!(report["events"]["new"], 7 + 3, "{report}");

    let view = shown(&home, "first");
    assert_eq!(view["about"], "Please make the billing importer restartable");
    assert_eq!((&view["tool_calls"], &view["branch"]), (&json!(4), &json!("main")), "{view}");
    assert_eq!((&view["status"], &view["unreported"]), (&json!("expired"), &json!(0)), "{view}");
    assert_eq!(view["touched"][0]["path"], "src/import.rs", "{view}");
    assert!(view["summary"].as_str().unwrap().contains("goes on where it stopped"), "{view}");
    assert_eq!(view["started"], "2026-03-01T08:00:01.000Z");
    let file = fs::read_to_string(view["path"].as_str().unwrap()).unwrap();
    assert!(file.contains("billing importer"), "{file}");
    let thread = shown(&home, "thread-1");
    assert_eq!((&thread["branch"], &thread["host"]), (&json!("trunk"), &json!("codex")));
    assert_eq!(thread["head_start"], "5169716df4e01f098083897ba3723d4cb983e293");
    assert_ne!(view["project"], thread["project"], "two folders are two projects");

    let all = left(&home);
    assert!(all.iter().any(|row| row.contains("make check") && row.contains("Integer(0)")), "{all:#?}");
    assert!(!all.iter().any(|row| row.contains("secret_contents")), "what a file holds is in the file");
    let again = ingest(&home, &[]);
    assert_eq!((&again["events"]["new"], &again["files"]["unchanged"]), (&json!(0), &json!(2)), "{again}");
    assert_eq!(left(&home), all);
    // Even if the cursors are lost.
    sqlite::open(&home.database()).execute_batch("DELETE FROM cursor").unwrap();
    let again = ingest(&home, &[]);
    assert_eq!((&again["events"]["new"], &again["events"]["known"]), (&json!(0), &json!(10)), "{again}");
    assert_eq!(left(&home), all);
}

#[test]
fn a_line_written_in_two_halves_is_stored_once_and_whole() {
    let home = home();
    let path = claude_file(&home, "torn");
    let text = session("torn").text();
    let whole = text.trim_end().len();
    for cut in [whole - 1, whole - 40, 700, 40] {
        put(&path, &text[..cut]);
        ingest(&home, &[]);
    }
    for to in [40, 900, 901, whole - 7, text.len()] {
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        let have = usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
        file.write_all(&text.as_bytes()[have.min(to)..to]).unwrap();
        drop(file);
        ingest(&home, &[]);
    }
    let clean = self::home();
    put(&claude_file(&clean, "torn"), &text);
    ingest(&clean, &[]);
    let events = |home: &Home| -> Vec<String> {
        left(home).into_iter().filter(|row| !row.contains("host_session:")).collect()
    };
    assert_eq!(events(&home), events(&clean));
    assert_eq!(count(&home, "event"), 7);
}

#[test]
fn files_that_grow_shrink_move_and_vanish_are_fine() {
    let home = home();
    let path = claude_file(&home, "moving");
    let mut file = session("moving");
    put(&path, &file.text());
    ingest(&home, &[]);
    // It grows; a call and its result come in two readings.
    file.prompt("Now the exporter as well, please.").calls(
        "toolu_later_0001",
        "Bash",
        &json!({ "command": "make" }),
    );
    put(&path, &file.text());
    assert_eq!(ingest(&home, &[])["events"]["new"], 1, "the prompt");
    file.gets("toolu_later_0001", "made", false);
    put(&path, &file.text());
    assert_eq!(ingest(&home, &[])["events"]["new"], 1, "the command");
    let before = count(&home, "event");
    // Rotated: another session under the old name.
    put(&path, &session("another").text());
    let report = ingest(&home, &[]);
    assert_eq!((&report["files"]["replaced"], &report["events"]["new"]), (&json!(1), &json!(7)), "{report}");
    // Truncated, then whole again.
    put(&path, &session("another").lines()[0]);
    ingest(&home, &[]);
    put(&path, &session("another").text());
    assert_eq!(ingest(&home, &[])["events"]["new"], 0);
    assert_eq!(count(&home, "event"), before + 7);
    // Moved elsewhere, and gone.
    let elsewhere = home.root().join("kept/moved.jsonl");
    fs::create_dir_all(elsewhere.parent().unwrap()).unwrap();
    fs::rename(&path, &elsewhere).unwrap();
    assert_eq!(ingest(&home, &[])["files"]["read"], 0);
    let report = ingest(&home, &[elsewhere.to_str().unwrap()]);
    assert_eq!((&report["files"]["read"], &report["events"]["new"]), (&json!(1), &json!(0)), "{report}");
    assert_eq!(count(&home, "event"), before + 7);
    let gone = home.hark(["ingest", "/nowhere/at/all.jsonl"]).fails(1);
    assert!(gone.stderr().contains("/nowhere/at/all.jsonl: no such file or folder"), "{gone}");
}

#[test]
fn what_is_not_known_is_counted_and_no_reason_to_stop() {
    let home = home();
    let mut file = Claude::new("odd", PROJECT);
    file.prompt("Use tabs in this project.")
        .raw("{\"type\":\"hologram\",\"sessionId\":\"odd\",\"beam\":[1,2,3]}")
        .raw("not json at all")
        .raw("{\"type\":\"user\",\"message\":42}")
        .raw("[1,2,3]")
        .raw("")
        .raw("{\"type\":\"progress\",\"data\":{}}")
        .gets("toolu_nobody_called", "?", false)
        .raw(&format!("{{\"type\":\"user\",\"pad\":\"{}\"}}", "x".repeat(9_000_000)))
        .says("Tabs it is.");
    put(&claude_file(&home, "odd"), &file.text());
    let report = ingest(&home, &[]);
    let skipped = &report["skipped"];
    assert_eq!(
        skipped,
        &json!({ "broken": 3, "noise": 1, "orphan": 1, "too_long": 1, "unknown": 1 }),
        "{report}"
    );
    assert_eq!(report["events"]["new"], 2, "{report}");
    let text = home.hark(["ingest"]).ok().stdout();
    assert!(text.contains("0 new events") && text.contains("1 unchanged"), "{text}");
}

#[test]
fn ten_readers_at_once_equal_one() {
    let shelf = home();
    let folder = shelf.work();
    for at in 0..12 {
        put(&folder.join(format!("s{at}.jsonl")), &session(&format!("session-{at}")).text());
    }
    let path = folder.to_str().unwrap();
    let (one, ten) = (home(), home());
    ingest(&one, &[path]);
    let readers: Vec<_> = (0..10).map(|_| ten.hark(["ingest", "--json", path]).spawn()).collect();
    let mut new = 0;
    for reader in readers {
        let output = reader.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        new += report["events"]["new"].as_u64().unwrap();
    }
    assert_eq!(new, 12 * 7);
    assert_eq!(left(&ten), left(&one));
}

#[test]
fn killed_in_the_middle_and_run_again_equals_one_clean_run() {
    let shelf = home();
    let folder = shelf.work();
    for at in 0..6 {
        let mut file = session(&format!("long-{at}"));
        for call in 0..600 {
            file.runs(
                &format!("toolu_long_{at}_{call:06}"),
                &format!("make part-{call}"),
                "done",
                call % 7 != 0,
            );
        }
        put(&folder.join(format!("s{at}.jsonl")), &file.text());
    }
    let path = folder.to_str().unwrap();
    let (clean, killed) = (home(), home());
    ingest(&clean, &[path]);
    let all = count(&clean, "event");
    killed.hark(["stats"]).ok();
    for share in [8, 3, 2] {
        let mut child = killed.hark(["ingest", path]).spawn();
        eventually("some of it is read", || {
            count(&killed, "event") > all / share || child.try_wait().unwrap().is_some()
        });
        let _ = child.kill();
        child.wait().unwrap();
    }
    ingest(&killed, &[path]);
    assert_eq!(count(&killed, "event"), all);
    assert_eq!(count(&killed, "unsettled"), 0);
    assert_eq!(left(&killed), left(&clean));
    assert_eq!(sqlite::integrity(&killed.database()), "ok");
}

#[test]
fn hooks_and_transcripts_together_tell_each_thing_once() {
    let home = home();
    let base = |event: &str, more: Value| {
        let mut payload = json!({ "session_id": "both", "cwd": home.work(), "hook_event_name": event });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    };
    let at = |second: u32| format!("2026-03-01T08:00:{second:02}.500Z");
    let send = |event: &str, second: u32, more: Value| {
        let outcome = home
            .hark(["hook", "claude-code", event])
            .stdin(base(event, more).to_string())
            .now(&at(second))
            .ok();
        hooks::reply(&outcome);
    };
    let mut file = Claude::new("both", home.work().to_str().unwrap());
    file.prompt("Fix the flaky login test.")
        .runs("toolu_1", "make test", "all passed", true)
        .says("Fixed it.");
    // What hooks saw, before and after the transcript was read.
    send("SessionStart", 0, json!({ "source": "startup" }));
    send(
        "UserPromptSubmit",
        1,
        json!({ "prompt": "Fix the flaky login test.", "prompt_id": "both-prompt-000000" }),
    );
    put(&claude_file(&home, "both"), &file.text());
    let report = ingest(&home, &[]);
    assert_eq!((&report["events"]["known"], &report["events"]["new"]), (&json!(1), &json!(2)), "{report}");
    let tool = json!({ "tool_name": "Bash", "tool_input": { "command": "make test" },
        "tool_response": { "stdout": "all passed", "stderr": "" }, "tool_use_id": "toolu_1" });
    send("PostToolUse", 3, tool);
    let view = shown(&home, "both");
    assert_eq!((&view["tool_calls"], &view["unreported"]), (&json!(1), &json!(0)), "{view}");
    assert_eq!(count(&home, "session"), 1);
    // One command more by a hook, then by the transcript.
    file.runs("toolu_2", "make lint", "clean", true);
    let tool = json!({ "tool_name": "Bash", "tool_input": { "command": "make lint" },
        "tool_response": { "stdout": "clean", "stderr": "" }, "tool_use_id": "toolu_2" });
    send("PostToolUse", 6, tool);
    put(&claude_file(&home, "both"), &file.text());
    ingest(&home, &[]);
    assert_eq!(shown(&home, "both")["tool_calls"], 2);
}

#[test]
fn forks_and_subagents_know_where_they_come_from() {
    let home = home();
    let parent = session("aaaaaaaa-origin");
    put(&claude_file(&home, "aaaaaaaa-origin"), &parent.text());
    // A fork as older versions write it: copies under a new name, with the old ids.
    let mut copied =
        parent.text().replace("\"sessionId\":\"aaaaaaaa-origin\"", "\"sessionId\":\"bbbbbbbb-fork\"");
    let mut own = Claude::new("bbbbbbbb-fork", PROJECT);
    own.prompt("And now try it with a queue instead.");
    copied.push_str(&own.text());
    put(&claude_file(&home, "bbbbbbbb-fork"), &copied);
    // And as newer ones do.
    let mut newer = Claude::new("cccccccc-fork", PROJECT);
    let origin = json!({ "forkedFrom": { "sessionId": "aaaaaaaa-origin", "messageUuid": "m" } });
    newer.prompt_with("Please make the billing importer restartable.", &origin).prompt("Try a file instead.");
    put(&claude_file(&home, "cccccccc-fork"), &newer.text());
    let agent = home.user().join(".claude/projects/-nowhere-shop/aaaaaaaa-origin/subagents/agent-x1.jsonl");
    let mut side = Claude::new("aaaaaaaa-origin", PROJECT);
    side.prompt_with("Find every importer.", &json!({ "isSidechain": true, "agentId": "x1" }));
    put(&agent, &side.text());
    let report = ingest(&home, &[]);
    assert_eq!((&report["sessions"]["new"], &report["events"]["copied"]), (&json!(4), &json!(7)), "{report}");
    for fork in ["bbbbbbbb-fork", "cccccccc-fork", "aaaaaaaa-origin/agent-x1"] {
        assert_eq!(shown(&home, fork)["parent"], "aaaaaaaa-origin", "{fork}");
    }
    let kinds = left(&home);
    let asked =
        kinds.iter().find(|row| row.contains("Find every importer") && row.contains("|Text(\"task\")|"));
    assert!(asked.is_some(), "what an agent asks is nobody's prompt: {kinds:#?}");
}

#[test]
fn what_we_said_ourselves_is_not_learned_again() {
    let home = home();
    let memory = "The staging database password rotates every Tuesday at noon.";
    home.remember_with(memory, &["--global", "--kind", "fact"]);
    let mut stored = None;
    for round in 0..4 {
        let name = format!("round-{round}");
        let payload = json!({ "session_id": name, "cwd": home.work(), "hook_event_name": "UserPromptSubmit",
            "prompt": "When does the staging database password rotate?", "prompt_id": format!("{name}-prompt-000000") });
        let said = hooks::context(&home.hook("claude-code", "UserPromptSubmit", &payload));
        assert!(said.contains("Tuesday"), "{said}");
        let mut file = Claude::new(&name, home.work().to_str().unwrap());
        let reminder = format!(
            "<system-reminder>\nUserPromptSubmit hook additional context: {said}\n</system-reminder>"
        );
        file.prompt(&format!("When does the staging database password rotate?\n{reminder}"))
            .raw(&json!({ "type": "attachment", "sessionId": name, "attachment": { "type": "hook_additional_context", "content": [said] } }).to_string())
            .calls(&format!("toolu_recall_{round}_000"), "mcp__hark__memory_recall", &json!({ "query": "password" }))
            .gets(&format!("toolu_recall_{round}_000"), memory, false)
            .runs(&format!("toolu_shell_{round}_0000"), "hark recall password --json", memory, true)
            .says(&format!("It says: {said}"))
            .prompt_with(&format!("This session is being continued. {said}"), &json!({ "isCompactSummary": true }));
        put(&claude_file(&home, &name), &file.text());
        ingest(&home, &[]);
        let memories = home.hark(["list", "--json", "--all-projects"]).ok().json()["total"].clone();
        assert_eq!(memories, 1, "round {round}");
        let echoed: Vec<String> = left(&home).into_iter().filter(|row| row.contains("Tuesday")).collect();
        assert_eq!(echoed, Vec::<String>::new(), "round {round}");
        let rows = count(&home, "event");
        ingest(&home, &[]);
        assert_eq!(count(&home, "event"), rows);
        let each = rows / (round + 1);
        assert_eq!(*stored.get_or_insert(each), each, "each round leaves as much as the first");
    }
}

#[test]
fn hosts_and_times_narrow_what_is_read() {
    let home = home();
    put(&claude_file(&home, "c"), &session("c").text());
    let rollout = home.user().join(".codex/sessions/2026/03/02/rollout-2026-03-02T10-00-00-thread-1.jsonl");
    put(&rollout, &codex("thread-1", PROJECT, "make check", 0));
    let report = ingest(&home, &["--host", "codex"]);
    assert_eq!((&report["files"]["read"], &report["sessions"]["new"]), (&json!(1), &json!(1)), "{report}");
    let report = ingest(&home, &["--since", "2100-01-01"]);
    assert_eq!((&report["files"]["older"], &report["files"]["read"]), (&json!(2), &json!(0)), "{report}");
    let refused = home.hark(["ingest", "--host", "notepad"]).fails(1).stderr();
    assert!(refused.contains("claude-code"), "{refused}");
    assert_eq!(ingest(&home, &["--since", "2000-01-01"])["files"]["read"], 1, "the other one");
}
