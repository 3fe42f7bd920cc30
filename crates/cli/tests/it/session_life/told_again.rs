//! What a conversation that forgot is told again, and what one that did not is not.

use hark_testkit::Home;
use serde_json::json;

use super::{home, start, tell};

const FACT: &str = "We deploy with kubectl rollout from the release branch, never from main.";
const QUESTION: &str = "How do we deploy a release with kubectl rollout?";

fn ask(home: &Home, host: &str, session: &str) -> String {
    let event = if host == "gemini-cli" { "BeforeAgent" } else { "UserPromptSubmit" };
    tell(home, host, &home.work(), session, event, &json!({ "prompt": QUESTION }))
}

#[test]
fn what_was_told_before_a_compaction_may_be_told_after_it() {
    let mut home = home();
    let work = home.work();
    home.remember(FACT);
    home.remember_with("Never delete invoices.", &["--kind", "directive"]);
    let said = start(&home, "claude-code", &work, "s", "startup");
    assert!(said.contains("Never delete invoices"), "{said}");
    assert!(ask(&home, "claude-code", "s").contains("release branch"));
    home.set_now("2026-06-15T12:10:00Z");
    assert_eq!(ask(&home, "claude-code", "s"), "", "it knows");
    tell(&home, "claude-code", &work, "s", "PreCompact", &json!({ "trigger": "auto" }));
    let said = start(&home, "claude-code", &work, "s", "compact");
    assert!(said.contains("Never delete invoices"), "{said}");
    home.set_now("2026-06-15T12:20:00Z");
    assert!(ask(&home, "claude-code", "s").contains("release branch"));
    home.set_now("2026-06-15T12:30:00Z");
    assert_eq!(ask(&home, "claude-code", "s"), "", "once");
}

/// Not every client reports the start that follows a compaction.
#[test]
fn the_first_prompt_after_a_compaction_brings_both_the_boot_context_and_its_memory() {
    let mut home = home();
    let work = home.work();
    home.remember(FACT);
    home.remember_with("Never delete invoices.", &["--kind", "directive"]);
    start(&home, "claude-code", &work, "s", "startup");
    home.set_now("2026-06-15T12:10:00Z");
    tell(&home, "claude-code", &work, "s", "PreCompact", &json!({ "trigger": "auto" }));
    home.set_now("2026-06-15T12:20:00Z");
    let said = ask(&home, "claude-code", "s");
    assert!(said.contains("Never delete invoices") && said.contains("release branch"), "{said}");
}

#[test]
fn what_a_session_stored_itself_is_offered_after_a_compaction() {
    let mut home = home();
    let work = home.work();
    start(&home, "claude-code", &work, "s", "startup");
    let mut mcp = home.mcp_within(&work, &[("CLAUDE_CODE_SESSION_ID", "s")]);
    mcp.remember(FACT);
    drop(mcp);
    assert_eq!(ask(&home, "claude-code", "s"), "", "it is in the conversation");
    home.set_now("2026-06-15T13:00:00Z");
    tell(&home, "claude-code", &work, "s", "PreCompact", &json!({ "trigger": "auto" }));
    start(&home, "claude-code", &work, "s", "compact");
    home.set_now("2026-06-15T13:10:00Z");
    assert!(ask(&home, "claude-code", "s").contains("release branch"));
}

#[test]
fn a_resumed_conversation_is_told_only_what_is_new() {
    let mut home = home();
    let work = home.work();
    home.hark(["checkpoint", "--goal", "Feed the walruses", "--status", "closed"]).ok();
    home.remember_with("Never delete invoices.", &["--kind", "directive"]);
    for (host, source) in [("claude-code", "resume"), ("codex", "resume"), ("opencode", "startup")] {
        home.set_now("2026-06-15T12:00:00Z");
        let said = start(&home, host, &work, host, "startup");
        assert!(said.contains("Never delete invoices") && said.contains("walruses"), "{host}: {said}");
        home.set_now("2026-06-16T12:00:00Z");
        assert_eq!(start(&home, host, &work, host, source), "", "{host}: it is all still there");
    }
    home.remember_with("Invoices are kept for ten years.", &["--kind", "directive"]);
    home.set_now("2026-06-17T12:00:00Z");
    home.hark(["checkpoint", "--session", "n", "--goal", "Groom the otters", "--status", "closed"]).ok();
    home.set_now("2026-06-18T12:00:00Z");
    let said = start(&home, "codex", &work, "codex", "resume");
    assert!(said.contains("ten years") && said.contains("Groom the otters"), "{said}");
    assert!(!said.contains("Never delete") && !said.contains("walruses"), "{said}");
    home.set_now("2026-06-19T12:00:00Z");
    assert_eq!(start(&home, "codex", &work, "codex", "resume"), "");
}

#[test]
fn a_conversation_that_lost_its_context_is_told_everything() {
    let mut home = home();
    let work = home.work();
    home.remember(FACT);
    home.remember_with("Never delete invoices.", &["--kind", "directive"]);
    for (host, source) in [("gemini-cli", "resume"), ("claude-code", "clear")] {
        home.set_now("2026-06-15T12:00:00Z");
        start(&home, host, &work, host, "startup");
        assert!(ask(&home, host, host).contains("release branch"), "{host}");
        home.set_now("2026-06-16T12:00:00Z");
        let said = start(&home, host, &work, host, source);
        assert!(said.contains("Never delete invoices"), "{host}: {said}");
        home.set_now("2026-06-16T12:10:00Z");
        assert!(
            ask(&home, host, host).contains("release branch"),
            "{host} was told by a conversation it no longer has"
        );
    }
}
