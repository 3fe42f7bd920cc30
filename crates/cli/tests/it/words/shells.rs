//! A command in a shell that an assistant opened speaks for the assistant.

use hark_testkit::{Hark, Home};
use serde_json::{Value, json};

use super::home;

/// A variable by which each assistant's shells are known.
const SHELLS: &[(&str, &str)] = &[
    ("CLAUDECODE", "claude-code"),
    ("CODEX_THREAD_ID", "codex"),
    ("OPENCODE", "opencode"),
    ("GEMINI_CLI", "gemini-cli"),
    ("CURSOR_AGENT", "cursor"),
    ("COPILOT_CLI", "copilot-cli"),
    ("CLINE_ACTIVE", "cline"),
    ("QWEN_CODE", "qwen-code"),
    ("KILO", "kilo"),
    ("AI_AGENT", "generic"),
];

fn as_claude(home: &Home, args: &[&str]) -> Hark {
    home.hark(args).env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "chat-1")
}

#[test]
fn what_an_assistant_remembers_by_a_command_is_its_own() {
    let home = home();
    for (name, host) in SHELLS {
        let text = format!("The {host} build takes ten minutes.");
        let said = home.hark(["remember", "--json", &text]).env(name, "1").ok().json();
        let shown = home.show(said["id"].as_str().unwrap());
        assert_eq!((&shown["origin"], &shown["author"]), (&json!("assistant"), &json!(host)), "{name}");
    }
    for (name, value) in
        [("CI", "true"), ("TERM_PROGRAM", "vscode"), ("CURSOR_TRACE_ID", "1"), ("TERM", "dumb")]
    {
        let text = format!("A person with {name} takes notes here.");
        let said = home.hark(["remember", "--json", &text]).env(name, value).ok().json();
        assert_eq!(home.show(said["id"].as_str().unwrap())["origin"], "user", "{name}");
    }
}

#[test]
fn an_assistants_shell_may_not_change_what_the_user_said() {
    let home = home();
    let order = home.remember_with("Never deploy on Fridays.", &["--kind", "directive"]);
    let decided = home.remember_with("We deploy on Mondays.", &["--kind", "decision"]);
    let own = as_claude(&home, &["remember", "--json", "We deploy on Sundays."]).ok().json();
    let own = own["id"].as_str().unwrap();
    for args in [
        vec!["edit", &order, "--text", "Deploy whenever you like."],
        vec!["archive", &order],
        vec!["feedback", &decided, "wrong"],
        vec!["forget", &decided, "--yes"],
        vec!["relate", own, &decided, "--as", "supersedes"],
        vec!["remember", "We deploy on Fridays.", "--supersedes", &decided],
    ] {
        let said = as_claude(&home, &args).fails(1).stderr();
        assert!(!said.contains("hark "), "names no way around: {said}");
    }
    for id in [&order, &decided] {
        assert_eq!(home.show(id)["revision"], 1);
    }
    // The user at a terminal may, and an assistant may correct itself.
    as_claude(&home, &["edit", own, "--text", "We deploy on Saturdays."]).ok();
    home.hark(["edit", &order, "--text", "Never deploy on Fridays or Sundays."]).ok();
}

#[test]
fn what_only_the_user_decides_is_refused_and_says_where_to_run_it() {
    let home = home();
    as_claude(&home, &["remember", "Always ask twice before deleting.", "--kind", "directive"]).ok();
    let waiting = home.hark(["inbox", "--json"]).ok().json();
    let id = waiting["items"][0]["id"].as_str().unwrap().to_owned();
    for args in [
        vec!["config", "set", "inject.boot", "100"],
        vec!["inbox", "accept", &id],
        vec!["inbox", "reject", &id],
        vec!["inbox", "edit", &id, "--text", "Never ask before deleting."],
    ] {
        let said = as_claude(&home, &args).fails(1).stderr();
        assert!(said.contains("Claude Code") && said.contains("your own terminal"), "{said}");
    }
    assert_eq!(home.hark(["inbox", "list", "--json"]).ok().json(), waiting);
    assert!(!home.user_config().exists(), "nothing was set");
    home.hark(["config", "set", "inject.boot", "100"]).ok();
    assert_eq!(as_claude(&home, &["config", "get", "inject.boot"]).ok().stdout(), "100\n", "looking is free");
}

#[test]
fn an_export_is_not_taken_in_as_the_users_words_by_an_assistant() {
    let (from, to) = (home(), home());
    from.remember_with("Never push to main.", &["--kind", "directive", "--global"]);
    let file = from.root().join("all.jsonl").display().to_string();
    from.hark(["export", "--output", &file]).run();
    if !std::path::Path::new(&file).exists() {
        std::fs::write(&file, from.hark(["export"]).ok().stdout()).unwrap();
    }
    as_claude(&to, &["import", &file]).fails(1);
    as_claude(&to, &["import", &file, "--from-others"]).ok();
    let listed: Value = to.hark(["list", "--json"]).ok().json();
    assert_eq!(listed["memories"][0]["origin"], "teammate", "{listed}");
}
