//! Events and transcripts of real clients: each thing is told once, under the right session and title, and nothing
//! is recorded as said that the client does not pass on.

use std::fs;
use std::path::Path;

use hark_testkit::events;
use hark_testkit::hooks::{context, reply};
use hark_testkit::{Home, sqlite};
use serde_json::{Value, json};

const NOW: &str = "2026-11-16T12:00:00Z";

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at(NOW)
}

fn send(home: &Home, host: &str, event: &str, payload: &Value) -> Value {
    reply(&home.hark(["hook", host, event]).stdin(payload.to_string()).run())
}

fn ingest(home: &Home, path: &Path) -> Value {
    home.hark(["ingest", "--json"].map(std::ffi::OsStr::new).into_iter().chain([path.as_os_str()]))
        .ok()
        .json()
}

fn sessions(home: &Home) -> Vec<Value> {
    let listed = home.hark(["sessions", "--all-projects", "--limit", "50", "--json"]).ok().json();
    listed["sessions"].as_array().unwrap().clone()
}

fn shown(home: &Home, session: &str) -> Value {
    home.hark(["sessions", "show", session, "--json"]).ok().json()
}

fn count(home: &Home, what: &str) -> i64 {
    sqlite::number(&home.database(), &format!("SELECT count(*) FROM {what}"))
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn nothing_enters_the_ledger_that_the_client_does_not_pass_on() {
    let home = home();
    home.remember_with("Never push to main without a review.", &["--kind", "directive", "--global"]);
    home.remember_with("We deploy with `make ship` from the release branch.", &["--global"]);
    for made in events::all(&home.work().display().to_string()) {
        let before = count(&home, "ledger");
        let said = context(&send(&home, made.host, made.event, &made.payload));
        let recorded = count(&home, "ledger") - before;
        assert_eq!(recorded > 0, !said.is_empty(), "{} {}: {recorded} recorded", made.host, made.event);
    }
    assert!(count(&home, "ledger WHERE host = 'droid'") > 0);
    assert_eq!(count(&home, "ledger WHERE host IN ('windsurf', 'antigravity')"), 0);
}

#[test]
fn a_session_of_cline_has_its_own_id_ends_and_is_not_doubled_by_its_transcript() {
    let home = home();
    let id = "1794768842809_qtj01";
    let work = home.work();
    let base = json!({ "clineVersion": "", "taskId": "conv_1794768846105_jax7gxm", "agent_id": "a1",
        "parent_agent_id": null, "sessionContext": { "rootSessionId": id }, "workspaceRoots": [work] });
    let event = |name: &str, more: Value| {
        let mut payload = base.clone();
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        send(&home, "cline", name, &payload);
    };
    let call = json!({ "id": "call_d0aeeb80229f44798480", "name": "run_commands", "input": { "commands": ["make"] },
        "output": [{ "query": "make", "result": "ok\n", "success": true }] });
    event("TaskStart", json!({ "hookName": "agent_start" }));
    event("PostToolUse", json!({ "hookName": "tool_result", "tool_result": call }));
    event(
        "TaskComplete",
        json!({ "hookName": "agent_end", "turn": { "outputText": "All done.", "status": "completed" } }),
    );
    let listed = sessions(&home);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0]["status"], "closed", "{listed:?}");
    let folder = home.user().join(".cline/data/sessions").join(id);
    let at = 1_794_830_400_000_i64;
    let messages = json!([
        { "role": "user", "ts": at, "content": [{ "type": "text", "text": "<user_input mode=\"act\">Build the release</user_input>" }] },
        { "role": "assistant", "ts": at, "content": [{ "type": "tool_use", "id": "call_d0aeeb80229f44798480", "name": "run_commands", "input": { "commands": ["make"] } }] },
        { "role": "user", "ts": at, "content": [{ "type": "tool_result", "tool_use_id": "call_d0aeeb80229f44798480", "content": [{ "query": "make", "result": "ok\n", "success": true }] }] },
        { "role": "assistant", "ts": at, "content": [{ "type": "text", "text": "All done." }] },
    ]);
    let document =
        format!("{{\"version\":1,\"agent\":\"lead\",\"sessionId\":\"{id}\",\"messages\":{messages}}}");
    put(&folder.join(format!("{id}.messages.json")), &document);
    put(&folder.join(format!("{id}.json")), &json!({ "session_id": id, "cwd": work }).to_string());
    let report = ingest(&home, &folder);
    assert_eq!(report["files"]["unrecognised"], 0, "the description next to it is no transcript: {report}");
    let listed = sessions(&home);
    assert_eq!(listed.len(), 1, "not doubled: {listed:?}");
    assert_eq!(listed[0]["about"], "Build the release");
    assert_eq!(listed[0]["tool_calls"], 1);
}

#[test]
fn two_runs_of_one_session_within_seconds_both_start_and_end() {
    let home = home();
    let work = home.work();
    let event = |name: &str, more: Value| {
        let mut payload = json!({ "session_id": "s1", "cwd": work, "hook_event_name": name });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        send(&home, "claude-code", name, &payload);
    };
    for run in ["p1", "p2"] {
        event("SessionStart", json!({ "source": "resume" }));
        event("SessionStart", json!({ "source": "resume" }));
        event("UserPromptSubmit", json!({ "prompt": "Build the release notes", "prompt_id": run }));
        event("SessionEnd", json!({ "reason": "other" }));
        event("SessionEnd", json!({ "reason": "other" }));
    }
    assert_eq!(count(&home, "event WHERE kind = 'start'"), 2, "one each, though told twice");
    assert_eq!(count(&home, "event WHERE kind = 'end'"), 2);
    assert_eq!(sessions(&home)[0]["status"], "closed");
}

#[test]
fn prompts_are_what_people_typed() {
    let home = home();
    let work = home.work();
    let report = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>\n\
                  Read the output file to retrieve the result: /tmp/b1.output";
    let claude = json!({ "session_id": "s1", "cwd": work, "prompt": report, "prompt_id": "p1" });
    send(
        &home,
        "claude-code",
        "SessionStart",
        &json!({ "session_id": "s1", "cwd": work, "source": "startup" }),
    );
    send(&home, "claude-code", "UserPromptSubmit", &claude);
    assert_eq!(count(&home, "event WHERE kind = 'prompt'"), 0);
    for host in ["opencode", "kilo"] {
        let typed =
            json!({ "session_id": "s2", "cwd": work, "prompt": "\"Rename \\\"a\\\" to b\nin all files\"" });
        send(&home, host, "chat.message", &typed);
    }
    let bodies = sqlite::rows(&home.database(), "SELECT DISTINCT body FROM event WHERE kind = 'prompt'");
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert!(bodies[0].contains("Rename \\\"a\\\" to b") && !bodies[0].contains("\\\"Rename"), "{bodies:?}");
}

#[test]
fn the_end_of_a_compaction_makes_the_checkpoint_that_no_hook_before_it_makes() {
    let home = home();
    let work = home.work();
    let base = |more: Value| {
        let mut payload = json!({ "session_id": "s1", "cwd": work });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    };
    send(&home, "claude-code", "UserPromptSubmit", &base(json!({ "prompt": "Build the release notes" })));
    send(&home, "claude-code", "SessionStart", &base(json!({ "source": "compact" })));
    let shown = shown(&home, "s1");
    assert!(shown.to_string().contains("\"compaction\""), "{shown}");
}

#[test]
fn titles_say_what_a_session_is_about() {
    let home = home();
    let file = |name: &str, prompts: &[&str]| {
        let mut text = hark_testkit::transcripts::Claude::new(name, "/nowhere/shop");
        for prompt in prompts {
            text.prompt(prompt).says("Fine.");
        }
        put(&home.user().join(format!(".claude/projects/-nowhere-shop/{name}.jsonl")), &text.text());
    };
    file(
        "a",
        &["Implement the following plan:\n\n# Plan: Add retries to the uploader\n\n## Context\nIt fails."],
    );
    file("b", &["hi", "/clear", "Why is the importer slow?"]);
    file("c", &["[[ ## user_query ## ]]\n\nWhich port does the server use?"]);
    file(
        "d",
        &[
            "This session is being continued from a previous conversation that ran out of context.",
            "Fix the login form",
        ],
    );
    file("e", &["2026-01-02T03:04:05Z ERROR worker died\n\nWhy does the worker die?"]);
    file("f", &["deploy"]);
    home.hark(["ingest"]).ok();
    let expected = [
        ("a", "Add retries to the uploader"),
        ("b", "Why is the importer slow?"),
        ("c", "Which port does the server use?"),
        ("d", "Fix the login form"),
        ("e", "Why does the worker die?"),
        ("f", "deploy"),
    ];
    for (session, title) in expected {
        assert_eq!(shown(&home, session)["about"], title, "{session}");
    }
}

#[test]
fn files_that_are_no_transcripts_are_named() {
    let home = home();
    let folder = home.root().join("mixed");
    put(&folder.join("notes.md"), "# Notes\n\nnothing of interest\n");
    put(&folder.join("data.json"), "{\"a\": 1}");
    let report = home.hark(["ingest".as_ref(), "--json".as_ref(), folder.as_os_str()]).fails(1).json();
    assert_eq!(report["files"]["unrecognised"], 2, "{report}");
    let troubles = report["troubles"].to_string();
    assert!(troubles.contains("notes.md") && troubles.contains("data.json"), "{report}");
    assert!(troubles.contains("hark ingest --help"), "what to do next: {report}");
    let said = home.hark(["ingest".as_ref(), folder.as_os_str()]).run().stderr();
    assert!(said.contains("notes.md"), "{said}");
}

#[test]
fn exports_of_opencode_are_read_and_agree_with_its_events() {
    let home = home();
    let info = json!({ "id": "ses_346a4b1a3ffeNvGu9OwAC1AcmU", "slug": "x", "directory": "/nowhere/shop", "title": "t" });
    let user = json!({ "id": "msg_1", "sessionID": info["id"], "role": "user", "time": { "created": 1_772_636_294_845_i64 } });
    let agent = json!({ "id": "msg_2", "sessionID": info["id"], "role": "assistant", "modelID": "m",
        "time": { "created": 1_772_636_294_900_i64, "completed": 1_772_636_299_000_i64 } });
    let part = |id: &str, message: &str, more: Value| {
        let mut part = json!({ "id": format!("prt_cb95b4ebd002gBEVtBTZ{id}"), "messageID": message, "sessionID": info["id"] });
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        part
    };
    let asked = part("a", "msg_1", json!({ "type": "text", "text": "\"Why does the build fail?\"" }));
    let ran = part(
        "b",
        "msg_2",
        json!({ "type": "tool", "tool": "bash", "callID": "call_0123456789abcdef", "state": {
        "status": "completed", "input": { "command": "make" }, "output": "no rule", "metadata": { "exit": 2 },
        "time": { "start": 1_772_636_295_000_i64, "end": 1_772_636_296_000_i64 } } }),
    );
    let said = part(
        "c",
        "msg_2",
        json!({ "type": "text", "text": "A rule is missing.", "time": { "start": 1, "end": 1_772_636_298_000_i64 } }),
    );
    let export = json!({ "info": info, "messages": [
        { "info": user, "parts": [asked] }, { "info": agent, "parts": [ran, said] } ] });
    let file = home.root().join("export.json");
    put(&file, &serde_json::to_string_pretty(&export).unwrap());
    let report = ingest(&home, &file);
    assert_eq!(
        (&report["events"]["new"], &report["files"]["unrecognised"]),
        (&json!(3), &json!(0)),
        "{report}"
    );
    let listed = sessions(&home);
    assert_eq!(
        (&listed[0]["host"], &listed[0]["about"]),
        (&json!("opencode"), &json!("Why does the build fail?"))
    );
    let line = |kind: &str, properties: Value| {
        json!({ "timestamp": 1, "projectDirectory": "/nowhere/shop", "event": { "type": kind, "properties": properties } }).to_string()
    };
    let stream = [
        line("session.created", json!({ "info": info })),
        line("message.updated", json!({ "info": user })),
        line("message.part.updated", json!({ "part": asked })),
        line("message.updated", json!({ "info": agent })),
        line("message.part.updated", json!({ "part": ran })),
        line("message.part.updated", json!({ "part": said })),
    ];
    let file = home.root().join("events.jsonl");
    put(&file, &(stream.join("\n") + "\n"));
    let report = ingest(&home, &file);
    assert_eq!((&report["events"]["new"], &report["events"]["known"]), (&json!(0), &json!(3)), "{report}");
}

const SPECSTORY: &str = "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# 2026-07-13 13:40:49Z\n\n\
    <!-- Claude Code Session 5c7d5c23-0691-4467-b98e-0fb865b4a639 (2026-07-13 13:40:49Z) -->\n\n\
    _**User (2026-07-13 13:40:49Z)**_\n\nfix the flaky test in app.py\n\n---\n\n\
    _**Agent (claude-opus-4-8 2026-07-13 13:40:56Z)**_\n\n<think><details>hm</details></think>\n\nI look at the test first.\n\n\
    <tool-use data-tool-type=\"shell\" data-tool-name=\"Bash\"><details>\n<summary>Tool use: **Bash**</summary>\nRun the suite\n\n\
    `pytest tests/ -q`\n\n```text\n1 failed, 3 passed\nExit code: 1\n```\n</details></tool-use>\n\n\
    <tool-use data-tool-type=\"write\" data-tool-name=\"Edit\"><details>\n<summary>Tool use: **Edit**</summary>\n\n\
    ```text\nThe file /nowhere/shop/app.py has been updated successfully.\n```\n</details></tool-use>\n\n\
    Done; to repeat it:\n\n```bash\n_**User**_\n```\n\n---\n\n_**User (2026-07-13 13:46:28Z)**_\n\nthanks, also run it twice\n\n---\n";

#[test]
fn specstory_is_read_unless_the_assistant_told_it_itself() {
    let home = home();
    let file = home.root().join("shop/.specstory/history/2026-07-13_13-40-49Z-fix.md");
    put(&file, SPECSTORY);
    let report = ingest(&home, &file);
    assert_eq!(
        (&report["events"]["new"], &report["files"]["unrecognised"]),
        (&json!(6), &json!(0)),
        "{report}"
    );
    let listed = sessions(&home);
    assert_eq!(listed[0]["host"], "claude-code");
    assert_eq!(shown(&home, "5c7d5c23-0691-4467-b98e-0fb865b4a639")["host"], "claude-code");
    assert_eq!(listed[0]["about"], "fix the flaky test in app.py");
    assert_eq!(count(&home, "event WHERE kind = 'prompt'"), 2);
    assert_eq!(count(&home, "event WHERE target = 'pytest tests/ -q' AND ok = 0"), 1);
    assert_eq!(count(&home, "session_file WHERE path LIKE '%app.py'"), 1);
    put(&file, &format!("{SPECSTORY}\n_**Agent (m 2026-07-13 13:47:00Z)**_\n\nTwice it is.\n\n---\n"));
    assert_eq!(ingest(&home, &file)["events"]["new"], 1, "only what is new");

    let other = Home::new(env!("CARGO_BIN_EXE_hark")).at(NOW);
    let id = "5c7d5c23-0691-4467-b98e-0fb865b4a639";
    let own = json!({ "session_id": id, "cwd": other.work(), "prompt": "fix the flaky test in app.py", "prompt_id": "p" });
    send(&other, "claude-code", "UserPromptSubmit", &own);
    put(&other.root().join("x.md"), SPECSTORY);
    let report = ingest(&other, &other.root().join("x.md"));
    assert_eq!((&report["events"]["new"], &report["skipped"]["copied"]), (&json!(0), &json!(6)), "{report}");
}

#[test]
fn a_script_in_codexs_code_mode_and_its_tools_are_counted_once() {
    let home = home();
    let line = |kind: &str, payload: Value| {
        json!({ "timestamp": "2026-11-15T19:49:47.178Z", "type": kind, "payload": payload }).to_string()
    };
    let script = |id: &str| {
        line(
            "response_item",
            json!({ "type": "custom_tool_call", "call_id": id, "name": "exec", "namespace": "functions", "input": "await tools.exec_command({cmd: 'make'})" }),
        )
    };
    let result = |id: &str| {
        line(
            "response_item",
            json!({ "type": "custom_tool_call_output", "call_id": id, "output": [{ "type": "input_text", "text": "Script completed" }] }),
        )
    };
    let ran = |id: &str| {
        line(
            "event_msg",
            json!({ "type": "item_completed", "item": { "type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", "make"], "aggregated_output": "ok", "exit_code": 0 } }),
        )
    };
    let lines = [
        line("session_meta", json!({ "id": "01a1e0c2-36d1-7d42-a948-25a8608d4371", "cwd": "/nowhere/shop" })),
        line(
            "response_item",
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Build it twice, please" }] }),
        ),
        script("call_3a0340a013bf428f8003"),
        ran("exec-34c764a3-a7ea-43ae-ace9-98810667619b"),
        ran("exec-b9db0f80-887e-4644-8287-ffe2ee2c284c"),
        result("call_3a0340a013bf428f8003"),
        // A script that calls nothing is told itself.
        script("call_32f20f2542eb458ea4d6"),
        result("call_32f20f2542eb458ea4d6"),
    ];
    let file = home.root().join("rollout-2026-11-15T19-49-46-01a1e0c2-36d1-7d42-a948-25a8608d4371.jsonl");
    put(&file, &(lines.join("\n") + "\n"));
    ingest(&home, &file);
    let tools =
        sqlite::rows(&home.database(), "SELECT tool, count(*) FROM event WHERE kind = 'tool' GROUP BY tool");
    assert_eq!(tools.len(), 2, "{tools:?}");
    assert_eq!(count(&home, "event WHERE kind = 'tool'"), 3, "{tools:?}");
}
