//! Which session is told as the one to go on from.

use std::path::Path;

use hark_testkit::Home;
use hark_testkit::git::{git, repository};
use serde_json::json;

use super::{home, settings, start, tell};

fn work(home: &Home, folder: &Path, session: &str, goal: &str) {
    start(home, "codex", folder, session, "startup");
    home.hark(["checkpoint", "--session", session, "--goal", goal]).within(folder).ok();
    tell(home, "codex", folder, session, "SessionEnd", &json!({}));
}

fn talk(home: &Home, folder: &Path, session: &str, prompts: &[&str]) {
    start(home, "codex", folder, session, "startup");
    for (at, prompt) in prompts.iter().enumerate() {
        let turn = format!("{session}-{at}");
        tell(
            home,
            "codex",
            folder,
            session,
            "UserPromptSubmit",
            &json!({ "prompt": prompt, "turn_id": turn }),
        );
        let reply = json!({ "last_assistant_message": "A burrito." });
        tell(home, "codex", folder, session, "Stop", &reply);
    }
    tell(home, "codex", folder, session, "SessionEnd", &json!({}));
}

#[test]
fn the_session_of_the_current_branch_is_preferred() {
    let mut home = home();
    let repo = repository(&home, "shop");
    git(&home, &repo, &["switch", "-qc", "feature"]);
    work(&home, &repo, "f", "Build the feature");
    git(&home, &repo, &["switch", "-q", "main"]);
    home.set_now("2026-06-16T12:00:00Z");
    work(&home, &repo, "m", "Repair the release");
    home.set_now("2026-06-17T12:00:00Z");
    git(&home, &repo, &["switch", "-q", "feature"]);
    let said = start(&home, "claude-code", &repo, "a", "startup");
    assert!(said.contains("Build the feature") && !said.contains("Repair the release"), "{said}");
    let resumed = home.hark(["resume"]).within(&repo).ok().stdout();
    assert!(resumed.contains("Build the feature"), "{resumed}");
    // No session of this branch: the newest, with its branch.
    git(&home, &repo, &["switch", "-qc", "other"]);
    let said = start(&home, "claude-code", &repo, "b", "startup");
    assert!(said.contains("Repair the release") && said.contains("branch main, now on other"), "{said}");
}

#[test]
fn the_branch_is_the_one_that_a_session_ended_on() {
    let home = home();
    let repo = repository(&home, "shop");
    start(&home, "codex", &repo, "s", "startup");
    git(&home, &repo, &["switch", "-qc", "feature"]);
    home.hark(["checkpoint", "--session", "s", "--goal", "Build the feature"]).within(&repo).ok();
    tell(&home, "codex", &repo, "s", "SessionEnd", &json!({}));
    assert_eq!(home.hark(["sessions", "show", "s", "--json"]).within(&repo).ok().json()["branch"], "feature");
}

#[test]
fn a_command_or_a_question_is_not_where_you_left_off() {
    let mut home = home();
    let folder = home.work();
    home.hark(["checkpoint", "--goal", "Feed the walruses", "--status", "closed"]).ok();
    home.set_now("2026-06-18T12:00:00Z");
    talk(&home, &folder, "command", &["/model opus", "/compact"]);
    talk(&home, &folder, "question", &["What is a monad, in short?"]);
    let said = start(&home, "claude-code", &folder, "a", "startup");
    assert!(said.contains("Feed the walruses"), "{said}");
    assert!(!said.contains("monad") && !said.contains("/model"), "{said}");
    // A conversation is, and its request is told rather than the command or the question before it.
    home.set_now("2026-06-19T12:00:00Z");
    talk(&home, &folder, "short", &["Rename the parser, please"]);
    let said = start(&home, "claude-code", &folder, "s", "startup");
    assert!(said.contains("Feed the walruses") && !said.contains("Rename"), "{said}");
    let prompts = ["/init", "What does the parser do?", "Plan a cache for the parser", "Bound it, too"];
    talk(&home, &folder, "longer", &prompts);
    let said = first_prompt(&home, &folder, "b", "Where were we?");
    assert!(said.contains(": Plan a cache for the parser"), "{said}");
}

/// What a new session is told with its first prompt.
fn first_prompt(home: &Home, folder: &Path, session: &str, prompt: &str) -> String {
    let said = start(home, "claude-code", folder, session, "startup");
    assert!(!said.contains("Where you left off"), "{said}");
    tell(home, "claude-code", folder, session, "UserPromptSubmit", &json!({ "prompt": prompt }))
}

#[test]
fn finished_work_is_told_only_with_a_prompt_that_continues_it() {
    let home = home();
    let repo = repository(&home, "shop");
    build(&home, &repo, "w", 4, "The cache of the parser keeps a hundred entries now.");
    let said = first_prompt(&home, &repo, "a", "Write a poem about walruses, please.");
    assert!(!said.contains("Where you left off"), "{said}");
    let said = first_prompt(&home, &repo, "b", "Let's continue, and do not forget the tests.");
    let line = said.lines().find(|line| line.starts_with("- Where you left off")).unwrap_or_default();
    assert!(line.contains("Bound the cache") && line.contains("keeps a hundred entries"), "{said}");
    assert!(line.contains("parser.rs"), "{said}");
    // Once is enough.
    let again = json!({ "prompt": "Continue with the next one." });
    let said = tell(&home, "claude-code", &repo, "b", "UserPromptSubmit", &again);
    assert!(!said.contains("Where you left off"), "{said}");
    // Asked, it is told always.
    let resumed = home.hark(["resume"]).within(&repo).ok().stdout();
    assert!(resumed.contains("keeps a hundred entries"), "{resumed}");
}

/// Edits and a failing check, and what the assistant said at the end.
fn build(home: &Home, folder: &Path, session: &str, edits: usize, closing: &str) {
    start(home, "claude-code", folder, session, "startup");
    let prompt = json!({ "prompt": "Bound the cache of the parser.\nIt grows without end." });
    tell(home, "claude-code", folder, session, "UserPromptSubmit", &prompt);
    let call = |name: &str, at: usize, input: serde_json::Value, answer: &str| json!({ "tool_name": name, "tool_input": input, "tool_response": answer, "tool_use_id": format!("{session}{at}") });
    for at in 0..edits {
        let input =
            json!({ "file_path": folder.join("parser.rs"), "old_string": "a", "new_string": at.to_string() });
        tell(home, "claude-code", folder, session, "PostToolUse", &call("Edit", at, input, "ok"));
    }
    let todos = json!({ "todos": [
        { "content": "Bound the cache", "status": "completed", "activeForm": "Bounding" },
        { "content": "Write down the limit in the manual", "status": "pending", "activeForm": "Writing" },
    ] });
    if edits > 5 {
        tell(home, "claude-code", folder, session, "PostToolUse", &call("TodoWrite", 90, todos, "ok"));
        let commit = json!({ "command": "git commit -am 'Bound the cache'" });
        let printed = "[main 1a2b3c4] Bound the cache\n 1 file changed";
        tell(home, "claude-code", folder, session, "PostToolUse", &call("Bash", 91, commit, printed));
        let mut failed = call("Bash", 92, json!({ "command": "cargo test" }), "");
        failed["error"] = json!("error: test failed\ntest parser::evicts ... FAILED\n1 failed");
        tell(home, "claude-code", folder, session, "PostToolUseFailure", &failed);
    }
    tell(home, "claude-code", folder, session, "Stop", &json!({ "last_assistant_message": closing }));
    tell(home, "claude-code", folder, session, "SessionEnd", &json!({ "reason": "other" }));
}

#[test]
fn it_is_told_in_the_words_of_those_who_were_there() {
    let mut home = home();
    let repo = repository(&home, "shop");
    let closing = format!(
        "Done.\n\n## Summary\nThe cache keeps a hundred entries and drops the oldest one. One test still fails.\n\n\
         ```rust\nlet x = 1;\n```\n{}\n\nShall I raise the limit?",
        "There is more to say about each of the changes that were made. ".repeat(20)
    );
    build(&home, &repo, "w", 6, &closing);
    home.set_now("2026-06-15T14:00:00Z");
    let said = start(&home, "claude-code", &repo, "a", "startup");
    for words in [
        "2h ago",
        "Bound the cache of the parser",
        "The cache keeps a hundred entries and drops the oldest one.",
        "Shall I raise the limit?",
        "pending: Write down the limit",
        "failed last: `cargo test`",
        "last commit: Bound the cache",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("let x") && !said.contains("tool calls"), "{said}");
    let tokens = home.hark(["ledger", "--session", "a", "--json"]).ok().json()["tokens"].as_u64().unwrap();
    assert!(tokens <= 140, "with its frame: {tokens} {said}");
}

#[test]
fn nothing_is_told_after_a_change_in_passing() {
    let home = home();
    let repo = repository(&home, "shop");
    build(&home, &repo, "w", 1, "Changed it.");
    assert_eq!(start(&home, "claude-code", &repo, "a", "startup"), "");
}

#[test]
fn an_old_session_that_was_read_now_is_not_where_you_left_off() {
    let home = home().at("2026-03-03T12:00:00Z");
    let repo = repository(&home, "shop");
    work(&home, &repo, "new", "Repair the release");
    let mut old = hark_testkit::transcripts::Claude::new("old", repo.to_str().unwrap());
    old.prompt("Rework the importer in small steps.");
    for at in 0..6 {
        old.edits(&format!("toolu_edit_{at:010}"), repo.join("importer.rs").to_str().unwrap());
    }
    old.says("The importer is reworked and reads one record at a time.");
    let file = home.user().join(".claude/projects/-shop/old.jsonl");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, old.text()).unwrap();
    assert!(home.hark(["ingest", "--json"]).ok().json()["events"]["new"].as_u64().unwrap() > 5);
    let said = start(&home, "claude-code", &repo, "a", "startup");
    assert!(said.contains("Repair the release") && !said.contains("importer"), "{said}");
}

#[test]
fn no_session_is_told_twice() {
    let mut home = home();
    let folder = home.work();
    // Without a process, as from a client whose hooks cannot tell: open, and active a minute ago.
    home.hark(["checkpoint", "--session", "x", "--goal", "Feed the walruses"]).ok();
    home.set_now("2026-06-15T12:01:00Z");
    let said = start(&home, "claude-code", &folder, "a", "startup");
    assert_eq!(said.matches("Feed the walruses").count(), 1, "{said}");
}

#[test]
fn parts_can_be_switched() {
    let home = home();
    let repo = repository(&home, "shop");
    for (kind, text) in [
        ("directive", "Never delete invoices."),
        ("blocker", "The queue has no dead-letter exchange."),
        ("constraint", "Messages stay under 256 kB."),
        ("decision", "Orders are delivered at least once."),
    ] {
        home.hark(["remember", "--kind", kind, text]).within(&repo).ok();
    }
    work(&home, &repo, "w", "Move billing to queues");
    let parts = [
        ("identity", "Project: "),
        ("directives", "Never delete"),
        ("left_off", "Where you left off"),
        ("blockers", "dead-letter"),
        ("constraints", "256 kB"),
        ("decisions", "at least once"),
    ];
    for on in [true, false] {
        for (at, (part, words)) in parts.iter().enumerate() {
            let all = parts.iter().map(|(name, _)| format!("{name} = {}\n", (name == part) == on));
            settings(&home, &format!("[boot]\n{}", all.collect::<String>()));
            let said = start(&home, "claude-code", &repo, &format!("{on}{at}"), "startup");
            for (other, others) in parts {
                assert_eq!(
                    said.contains(others),
                    (other == *part) == on,
                    "{part} {on}: {other} {words}: {said}"
                );
            }
        }
    }
}

#[test]
fn hot_memories_and_other_sessions_are_parts_too() {
    let home = home();
    let folder = home.work();
    let id = home.remember("The staging database runs on port 6543.");
    home.show(&id);
    home.hark(["checkpoint", "--session", "x", "--goal", "Feed the walruses"]).ok();
    settings(&home, "[boot]\nhot = true\nleft_off = false\n");
    let said = start(&home, "claude-code", &folder, "a", "startup");
    assert!(said.contains("Used most lately:") && said.contains("6543"), "{said}");
    assert!(said.contains("Other active sessions") && said.contains("walruses"), "{said}");
    settings(&home, "[boot]\nleft_off = false\nsessions = false\n");
    let said = start(&home, "claude-code", &folder, "b", "startup");
    assert!(!said.contains("Used most lately") && !said.contains("walruses"), "{said}");
}
