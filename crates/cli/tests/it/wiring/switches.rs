//! Settings of an assistant's own that make it ignore hark.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::install::machine::{Machine, put};

fn problems(machine: &Machine, host: &str) -> Vec<String> {
    let doctor = machine.hark(&["doctor", "--json"]).ok().json();
    let all = doctor["assistants"].as_array().unwrap();
    let health = all.iter().find(|one| one["host"] == host).unwrap_or_else(|| panic!("{doctor}"));
    let said: Vec<String> =
        health["problems"].as_array().unwrap().iter().map(|p| p.as_str().unwrap().to_owned()).collect();
    assert_eq!(said.is_empty(), health["mend"].is_null(), "{health}");
    said
}

/// Sets a value in a JSON file, next to what is there.
fn set(path: &PathBuf, keys: &[&str], value: Value) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|_| "{}".to_owned());
    let mut root: Value = serde_json::from_str(&text).unwrap();
    let mut here = &mut root;
    for key in keys {
        here = here.as_object_mut().unwrap().entry(*key).or_insert_with(|| json!({}));
    }
    *here = value;
    put(path, serde_json::to_string_pretty(&root).unwrap());
}

#[test]
fn a_client_that_ignores_hooks_or_the_server_is_reported() {
    let cases: &[(&str, &str, &[&str], Value, &str)] = &[
        ("claude-code", "~/.claude/settings.json", &["disableAllHooks"], json!(true), "hooks do not run"),
        (
            "claude-code",
            "./.claude/settings.local.json",
            &["disableAllHooks"],
            json!(true),
            "hooks do not run",
        ),
        (
            "claude-code",
            "~/.claude/settings.json",
            &["permissions", "deny"],
            json!(["mcp__hark__*"]),
            "tools are not",
        ),
        (
            "gemini-cli",
            "~/.gemini/settings.json",
            &["hooksConfig", "enabled"],
            json!(false),
            "hooks do not run",
        ),
        (
            "gemini-cli",
            "~/.gemini/settings.json",
            &["hooksConfig", "disabled"],
            json!(["hark"]),
            "hooks do not run",
        ),
        ("gemini-cli", "~/.gemini/settings.json", &["mcp", "excluded"], json!(["hark"]), "tools are not"),
        ("gemini-cli", "~/.gemini/settings.json", &["mcp", "allowed"], json!(["other"]), "tools are not"),
        (
            "gemini-cli",
            "~/.gemini/mcp-server-enablement.json",
            &["hark", "enabled"],
            json!(false),
            "tools are not",
        ),
        ("qwen-code", "~/.qwen/settings.json", &["disableAllHooks"], json!(true), "hooks do not run"),
        ("qwen-code", "~/.qwen/settings.json", &["mcp", "excluded"], json!(["hark"]), "tools are not"),
        ("droid", "~/.factory/mcp.json", &["mcpServers", "hark", "disabled"], json!(true), "turned off"),
        (
            "cline",
            "~/.cline/data/settings/cline_mcp_settings.json",
            &["mcpServers", "hark", "disabled"],
            json!(true),
            "turned off",
        ),
        (
            "opencode",
            "~/../xdg/config/opencode/opencode.json",
            &["mcp", "hark", "enabled"],
            json!(false),
            "turned off",
        ),
    ];
    for (host, file, keys, value, said) in cases {
        let machine = Machine::new();
        machine.install(&[host], "user");
        assert_eq!(problems(&machine, host), Vec::<String>::new(), "{host} at first");
        let path = match file.strip_prefix("./") {
            Some(below) => machine.home.work().join(below),
            None => machine.home.user().join(file.trim_start_matches("~/")),
        };
        set(&path, keys, value.clone());
        let found = problems(&machine, host);
        assert!(found.iter().any(|problem| problem.contains(said)), "{host} {keys:?}: {found:?}");
        let words = machine.hark(&["doctor"]).ok().stdout();
        assert!(words.contains("fix: ") && !words.contains("everything is fine"), "{host} {keys:?}: {words}");
        // The opposite is no problem.
        if value.is_boolean() {
            set(&path, keys, json!(value == &json!(false)));
            assert_eq!(problems(&machine, host), Vec::<String>::new(), "{host} {keys:?}");
        }
    }
}

#[test]
fn a_server_that_is_off_in_one_project_is_reported_there() {
    let machine = Machine::new();
    machine.install(&["claude-code"], "user");
    let work = machine.home.work().canonicalize().unwrap();
    let account = machine.home.user().join(".claude.json");
    set(&account, &["projects", work.to_str().unwrap(), "disabledMcpServers"], json!(["hark"]));
    let found = problems(&machine, "claude-code");
    assert!(found.iter().any(|problem| problem.contains("disabledMcpServers")), "{found:?}");
}

#[test]
fn codex_without_hooks_or_with_the_server_off_is_reported() {
    let machine = Machine::new();
    let config = machine.home.user().join(".codex/config.toml");
    put(&config, "[features]\nhooks = false\n");
    machine.install(&["codex"], "user");
    let found = problems(&machine, "codex");
    assert!(found.iter().any(|problem| problem.contains("`features.hooks` is false")), "{found:?}");
    let text = machine.read(&config).replace("[mcp_servers.hark]\n", "[mcp_servers.hark]\nenabled = false\n");
    put(&config, text);
    let found = problems(&machine, "codex");
    assert!(found.iter().any(|problem| problem.contains("mcp_servers.hark is turned off")), "{found:?}");
}

#[test]
fn hooks_that_were_not_installed_cannot_be_turned_off() {
    let machine = Machine::new();
    machine.hark(&["install", "claude-code", "--hooks", "none"]).ok();
    set(&machine.home.user().join(".claude/settings.json"), &["disableAllHooks"], json!(true));
    assert_eq!(problems(&machine, "claude-code"), Vec::<String>::new());
}
