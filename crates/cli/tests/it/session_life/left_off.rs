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
    talk(&home, &folder, "longer", &["/init", "What does the parser do?", "Plan a cache for the parser"]);
    let said = start(&home, "claude-code", &folder, "b", "startup");
    assert!(said.contains(": Plan a cache for the parser"), "{said}");
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
