//! Sessions and checkpoints as users and assistants see them: lists grow, what is pending is
//! replaced, files are the truth, and one assistant goes on where another left off.

use std::fs;

use hark_testkit::git::{git, repository};
use hark_testkit::hooks::context;
use hark_testkit::{Home, disk};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn event(folder: &std::path::Path, session: &str, name: &str, more: &Value) -> Value {
    let mut payload = json!({ "session_id": session, "cwd": folder, "hook_event_name": name });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

fn show(home: &Home, id: &str) -> Value {
    home.hark(["sessions", "show", id, "--json"]).ok().json()
}

#[test]
fn checkpoints_append_and_replace() {
    let home = home();
    let said = home
        .hark([
            "checkpoint",
            "--json",
            "--goal",
            "Fix the login",
            "--done",
            "found it",
            "--pending",
            "a test",
            "--pending",
            "ship",
        ])
        .ok()
        .json();
    let id = said["session"].as_str().unwrap();
    home.hark([
        "checkpoint",
        "--session",
        id,
        "--done",
        "wrote a test",
        "--pending",
        "ship",
        "--decision",
        "keep cookies",
    ])
    .ok();
    let nested = json!({ "session_id": id, "checkpoint": { "work_completed": ["shipped"], "work_summary": "It works.",
        "plan_files": [{ "path": "PLAN.md", "header": "the plan" }], "references": [{ "url": "https://a.dev/?x=1", "title": "Docs" }] } });
    home.hark(["checkpoint", "--from-stdin"]).stdin(nested.to_string()).ok();
    let view = show(&home, id);
    assert_eq!(view["done"], json!(["found it", "wrote a test", "shipped"]));
    assert_eq!(view["pending"], json!(["ship"]));
    assert_eq!((&view["decisions"], &view["work"]), (&json!(["keep cookies"]), &json!(["It works."])));
    assert_eq!(view["plans"], json!(["PLAN.md (the plan)"]));
    assert_eq!(view["references"], json!(["https://a.dev/?x=1 (Docs)"]));
    home.hark(["checkpoint", "--session", id, "--status", "bogus"]).fails(1);
    home.hark(["checkpoint", "--session", id, "--nothing-pending", "--status", "done"]).ok();
    let view = show(&home, id);
    assert_eq!((view["status"].as_str(), view["pending"].as_array().unwrap().len()), (Some("closed"), 0));
    assert!(view["path"].as_str().unwrap().contains("_fix-the-login_"), "{}", view["path"]);
}

#[test]
fn a_lost_index_loses_no_session_and_edits_by_hand_count() {
    let home = home();
    for at in 0..5 {
        let goal = format!("Goal number {at} about zebras");
        home.hark(["checkpoint", "--session", &format!("own-{at}"), "--goal", &goal, "--pending", "x"]).ok();
    }
    let before = home.hark(["sessions", "--json"]).ok().json();
    assert_eq!(before["sessions"].as_array().unwrap().len(), 5, "five ids, five sessions, five files");
    assert_eq!(disk::notes(&home.store().join("sessions")).len(), 5);
    home.remove_index();
    assert_eq!(home.hark(["sessions", "--json"]).ok().json(), before);
    home.hark(["reindex"]).ok();
    assert_eq!(home.hark(["sessions", "--json"]).ok().json(), before);

    let path = home.hark(["sessions", "path", "own-3"]).ok().stdout();
    let path = std::path::Path::new(path.trim());
    let text = fs::read_to_string(path).unwrap();
    let edited =
        text.replace("- x\n", "- x\n- by hand\n").replace("tool_calls: 0\n", "tool_calls: 0\nmine: 1\n");
    fs::write(path, format!("{edited}\n## My notes\n\nkeep me\n")).unwrap();
    home.hark(["checkpoint", "--session", "own-3", "--done", "more"]).ok();
    let text = fs::read_to_string(path).unwrap();
    for kept in ["- by hand", "mine: 1", "## My notes\n\nkeep me", "- more"] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert_eq!(show(&home, "own-3")["pending"], json!(["x", "by hand"]));

    fs::write(path, "---\nid: broken").unwrap();
    home.hark(["checkpoint", "--session", "own-3", "--done", "again"]).fails(3);
    assert_eq!(fs::read_to_string(path).unwrap(), "---\nid: broken", "never overwritten");
    assert!(home.findings().contains("never closed"), "{}", home.findings());
    fs::remove_file(path).unwrap();
    let left = home.hark(["sessions", "--json"]).ok().json();
    assert_eq!(left["sessions"].as_array().unwrap().len(), 4, "a file removed is a session forgotten");
}

#[test]
fn sessions_are_found_by_any_of_their_words() {
    let home = home();
    home.hark([
        "checkpoint",
        "--session",
        "a",
        "--goal",
        "Fix auth login",
        "--done",
        "v2.1 released, what's next?",
    ])
    .ok();
    home.hark(["checkpoint", "--session", "b", "--goal", "Write the docs of the importer"]).ok();
    for query in
        ["auth login kubernetes", "what's the auth fix", "Fix auth?", "v2.1 auth", "\"auth\" OR (login*"]
    {
        let found = home.hark(["sessions", "search", query, "--json"]).ok().json();
        let first = &found["sessions"][0];
        assert!(first["about"].as_str().is_some_and(|a| a.contains("auth")), "{query}: {found}");
    }
    let none = home.hark(["sessions", "search", "zzz qqq", "--json"]).ok().json();
    assert_eq!(none["sessions"], json!([]));
}

#[test]
fn a_stop_does_not_close_a_session_and_its_end_does() {
    let home = home();
    let work = home.work();
    home.hook("codex", "SessionStart", &event(&work, "s", "SessionStart", &json!({ "source": "startup" })));
    home.hook(
        "codex",
        "UserPromptSubmit",
        &event(
            &work,
            "s",
            "UserPromptSubmit",
            &json!({ "prompt": "Add a cache to the parser", "turn_id": "1" }),
        ),
    );
    home.hook(
        "codex",
        "Stop",
        &event(&work, "s", "Stop", &json!({ "last_assistant_message": "Added the cache." })),
    );
    assert_eq!(show(&home, "s")["status"], "open");
    home.hook("codex", "SessionEnd", &event(&work, "s", "SessionEnd", &json!({ "reason": "other" })));
    let view = show(&home, "s");
    assert_eq!(view["status"], "closed");
    assert!(view["summary"].as_str().unwrap().contains("Added the cache"), "{view}");
    // Resumed: it goes on. What the agent wrote is not written over at the next end.
    home.hook(
        "codex",
        "UserPromptSubmit",
        &event(&work, "s", "UserPromptSubmit", &json!({ "prompt": "And test it", "turn_id": "2" })),
    );
    assert_eq!(show(&home, "s")["status"], "open");
    let path = show(&home, "s")["path"].as_str().unwrap().to_owned();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("Added the cache.", "I wrote this myself.")).unwrap();
    home.hook("codex", "SessionEnd", &event(&work, "s", "SessionEnd", &json!({})));
    assert!(show(&home, "s")["summary"].as_str().unwrap().contains("I wrote this myself"));
    // A session that never began has no end.
    home.hook(
        "claude-code",
        "SessionEnd",
        &event(&work, "ghost", "SessionEnd", &json!({ "reason": "other" })),
    );
    home.hark(["sessions", "show", "ghost"]).fails(1);
}

#[test]
fn silent_sessions_expire() {
    let mut home = home().at("2026-03-01T10:00:00Z");
    let work = home.work();
    home.hook(
        "codex",
        "UserPromptSubmit",
        &event(&work, "old", "UserPromptSubmit", &json!({ "prompt": "Add a cache to the parser" })),
    );
    home.set_now("2026-03-01T20:00:00Z");
    home.hark(["work", "--until-idle"]).ok();
    assert_eq!(show(&home, "old")["status"], "open");
    home.set_now("2026-03-03T10:00:00Z");
    assert_eq!(home.hark(["work", "--until-idle", "--json"]).ok().json()["expired"], 1);
    assert_eq!(show(&home, "old")["status"], "expired");
}

#[test]
fn git_tells_what_no_hook_told() {
    let home = home();
    let repo = repository(&home, "shop");
    for name in ["keep.txt", "gone.txt", "moved.txt", "dirty.txt"] {
        fs::write(repo.join(name), format!("{name} has some text of its own\n").repeat(5)).unwrap();
    }
    git(&home, &repo, &["add", "."]);
    git(&home, &repo, &["commit", "-qm", "files"]);
    fs::write(repo.join("dirty.txt"), "changed before the session\n").unwrap();
    home.hook("codex", "SessionStart", &event(&repo, "g", "SessionStart", &json!({ "source": "startup" })));
    fs::write(repo.join("keep.txt"), "changed\n").unwrap();
    fs::remove_file(repo.join("gone.txt")).unwrap();
    git(&home, &repo, &["mv", "moved.txt", "new name.txt"]);
    fs::write(repo.join("untracked é.txt"), "x\n").unwrap();
    fs::write(repo.join("committed.txt"), "x\n").unwrap();
    git(&home, &repo, &["add", "committed.txt"]);
    git(&home, &repo, &["commit", "-qm", "more", "--", "committed.txt"]);
    home.hook("codex", "SessionEnd", &event(&repo, "g", "SessionEnd", &json!({})));
    let view = home.hark(["sessions", "show", "g", "--json"]).within(&repo).ok().json();
    let mut touched: Vec<(String, String, Option<String>)> = view["touched"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| {
            let text = |name: &str| t[name].as_str().map(str::to_owned);
            (text("path").unwrap(), text("op").unwrap(), text("from"))
        })
        .collect();
    touched.sort();
    let expected = [
        ("committed.txt", "created", None),
        ("gone.txt", "deleted", None),
        ("keep.txt", "modified", None),
        ("new name.txt", "renamed", Some("moved.txt")),
        ("untracked é.txt", "created", None),
    ];
    assert_eq!(touched, expected.map(|(p, o, f)| (p.to_owned(), o.to_owned(), f.map(str::to_owned))));
    assert_eq!(view["branch"], "main");
    assert_ne!(view["head_start"], view["head_end"]);
}

#[test]
fn what_one_assistant_leaves_another_is_offered() {
    let home = home();
    let repo = repository(&home, "shop");
    home.hook(
        "claude-code",
        "SessionStart",
        &event(&repo, "c1", "SessionStart", &json!({ "source": "startup" })),
    );
    let mut mcp = home.mcp_within(&repo, &[("CLAUDE_CODE_SESSION_ID", "c1")]);
    let said = mcp.data(
        "memory_checkpoint",
        &json!({ "goal": "Move billing to queues", "done": ["wrote the consumer"], "pending": ["retry policy"],
            "decisions": ["at least once, because orders are idempotent"] }),
    );
    drop(mcp);
    assert_eq!(said["counted"], true);
    assert_eq!(show(&home, "c1")["goal"], "Move billing to queues", "found by the assistant's own id");
    home.hook("claude-code", "SessionEnd", &event(&repo, "c1", "SessionEnd", &json!({})));
    fs::write(repo.join("half-done.rs"), "x").unwrap();
    home.remember_with("Never delete invoices.", &["--kind", "directive", "--global"]);
    home.hark(["remember", "--kind", "blocker", "The queue has no dead-letter exchange."]).within(&repo).ok();
    home.hark(["remember", "--kind", "constraint", "Messages stay under 256 kB."]).within(&repo).ok();
    home.remember_with("A blocker of another project.", &["--kind", "blocker", "--project", "other"]);

    let said = context(&home.hook(
        "codex",
        "SessionStart",
        &event(&repo, "x1", "SessionStart", &json!({ "source": "startup" })),
    ));
    for part in [
        "Move billing to queues",
        "retry policy",
        "claude-code",
        "Never delete invoices",
        "dead-letter",
        "256 kB",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.starts_with("<hark-memory") && said.ends_with("</hark-memory>"), "{said}");
    assert!(!said.contains("another project"));
    assert!(!said.contains("half-done.rs"), "git says what is uncommitted: {said}");
    let ledger = home.hark(["ledger", "--json"]).ok().json();
    assert_eq!(ledger["bytes"].as_u64(), Some(said.len() as u64), "every byte is in the ledger");
    fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    fs::write(home.user_config(), "[boot]\nuncommitted = true\n").unwrap();
    let asked = event(&repo, "x3", "SessionStart", &json!({ "source": "startup" }));
    let said = context(&home.hook("codex", "SessionStart", &asked));
    assert!(said.contains("half-done.rs"), "{said}");
    fs::remove_file(home.user_config()).unwrap();

    let resumed = home.hark(["resume", "--for", "codex", "--json"]).within(&repo).ok().json();
    let text = resumed["text"].as_str().unwrap();
    assert!(text.contains("Hand-over to codex") && text.contains("at least once"), "{text}");
    let mut mcp = home.mcp_within(&repo, &[]);
    assert!(mcp.data("memory_resume", &json!({})).to_string().contains("retry policy"));
    // Somewhere else there is nothing to say, so nothing is said.
    let elsewhere = repository(&home, "elsewhere");
    home.hark(["forget", "--yes", &home.recall_ids("never delete invoices", &[])[0]]).ok();
    let silent = home.hook(
        "gemini-cli",
        "SessionStart",
        &event(&elsewhere, "g1", "SessionStart", &json!({ "source": "startup" })),
    );
    assert_eq!(silent, json!({}));
}

#[test]
fn a_question_in_between_does_not_hide_the_work_before_it() {
    let mut home = home().at("2026-06-15T12:00:00Z");
    let work = home.work();
    let talk = |home: &Home, id: &str| {
        let tell = |name: &str, more: &Value| home.hook("codex", name, &event(&work, id, name, more));
        tell("SessionStart", &json!({ "source": "startup" }));
        tell("UserPromptSubmit", &json!({ "prompt": "What is a monad, in short?", "turn_id": "1" }));
        tell("Stop", &json!({ "last_assistant_message": "A burrito." }));
        tell("SessionEnd", &json!({ "reason": "other" }));
    };
    let start = |home: &Home, id: &str| {
        let payload = event(&work, id, "SessionStart", &json!({ "source": "startup" }));
        context(&home.hook("claude-code", "SessionStart", &payload))
    };
    home.hark(["checkpoint", "--goal", "Feed the walruses", "--pending", "buy fish", "--status", "closed"])
        .ok();
    home.set_now("2026-06-15T13:00:00Z");
    talk(&home, "soon");
    let said = start(&home, "a");
    assert!(said.contains("Feed the walruses") && said.contains("buy fish"), "{said}");
    // A question that was answered is nothing to go on from, days later either.
    home.set_now("2026-06-18T12:00:00Z");
    talk(&home, "late");
    let said = start(&home, "b");
    assert!(said.contains("walruses") && !said.contains("monad"), "{said}");
}

#[test]
fn a_task_whose_time_draws_near_is_a_reminder() {
    let mut home = home().at("2026-06-15T12:00:00Z");
    let work = home.work();
    home.remember_with("Water the plants.", &["--kind", "task", "--importance", "5"]);
    home.remember_with("Renew the certificate.", &["--kind", "task", "--expires", "2026-06-20T12:00:00Z"]);
    let start = |home: &Home, id: &str| {
        let payload = event(&work, id, "SessionStart", &json!({ "source": "startup" }));
        context(&home.hook("claude-code", "SessionStart", &payload))
    };
    let said = start(&home, "early");
    assert!(said.contains("Renew the certificate.") && !said.contains("due in"), "{said}");
    home.set_now("2026-06-20T07:00:00Z");
    let said = start(&home, "near");
    assert!(said.contains("Renew the certificate. (due in 5h)"), "{said}");
    assert!(said.find("certificate") < said.find("plants"), "first: {said}");
    home.set_now("2026-06-21T07:00:00Z");
    let said = start(&home, "past");
    assert!(!said.contains("certificate") && said.contains("plants"), "{said}");
}

/// Without hooks, nobody reminds: what the server says about itself is all that a client knows.
#[test]
fn a_client_without_hooks_knows_when_to_save_and_to_resume() {
    let home = home();
    let repo = repository(&home, "shop");
    let mut mcp = home.mcp_within(&repo, &[]);
    let said = mcp.welcome.to_string();
    for words in ["memory_resume", "memory_checkpoint", "task end", "before a commit", "nearly full"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    mcp.data("memory_checkpoint", &json!({ "goal": "Bound the cache", "pending": ["Write the manual"] }));
    drop(mcp);
    let mut next = home.mcp_within(&repo, &[]);
    let resumed = next.data("memory_resume", &json!({})).to_string();
    assert!(resumed.contains("Bound the cache") && resumed.contains("Write the manual"), "{resumed}");
}
