//! The doctor when something is broken.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::install::machine::{Machine, put};

fn health(machine: &Machine, host: &str) -> Value {
    let doctor = machine.hark(&["doctor", "--json"]).ok().json();
    let all = doctor["assistants"].as_array().unwrap();
    all.iter().find(|one| one["host"] == host).unwrap_or_else(|| panic!("{doctor}")).clone()
}

fn problems(machine: &Machine, host: &str) -> String {
    health(machine, host)["problems"].to_string()
}

/// As `/hooks` in Codex does it.
fn trust(machine: &Machine, events: &[&str]) {
    let config = machine.home.user().join(".codex/config.toml");
    let hooks = machine.home.user().join(".codex/hooks.json");
    let mut text = machine.read(&config);
    for event in events {
        text.push_str(&format!(
            "\n[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:00\"\n",
            hooks.display()
        ));
    }
    put(&config, text);
}

const EVENTS: &[&str] = &[
    "session_start",
    "user_prompt_submit",
    "pre_tool_use",
    "post_tool_use",
    "pre_compact",
    "subagent_stop",
    "stop",
    "session_end",
];

#[test]
fn hooks_that_codex_does_not_trust_are_reported() {
    let machine = Machine::new();
    put(&machine.home.user().join(".codex/config.toml"), "model = \"x\"\n");
    machine.install(&["codex"], "user");
    let words = machine.hark(&["doctor"]).ok().stdout();
    assert!(words.contains("Codex does not run its hooks") && words.contains("`/hooks`"), "{words}");
    assert!(!words.contains("everything is fine"), "{words}");
    trust(&machine, &EVENTS[..4]);
    let some = problems(&machine, "codex");
    assert!(some.contains("does not run 4 of its 8 hooks"), "{some}");
    trust(&machine, &EVENTS[4..]);
    assert_eq!(problems(&machine, "codex"), "[]");
    let words = machine.hark(&["doctor"]).ok().stdout();
    assert!(words.contains("connected: Codex CLI") && words.contains("everything is fine"), "{words}");
    let config = machine.home.user().join(".codex/config.toml");
    put(&config, machine.read(&config).replacen("trusted_hash", "enabled = false\ntrusted_hash", 1));
    assert!(
        problems(&machine, "codex").contains("1 of its 8 hooks are turned off"),
        "{}",
        problems(&machine, "codex")
    );
}

#[test]
fn a_hook_of_somebody_else_that_is_trusted_does_not_count() {
    let machine = Machine::new();
    let hooks = machine.home.user().join(".codex/hooks.json");
    put(&hooks, "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"echo\"}]}]}}\n");
    machine.install(&["codex"], "user");
    trust(&machine, EVENTS);
    // Ours is the second group there.
    assert!(
        problems(&machine, "codex").contains("does not run 1 of its 8 hooks"),
        "{}",
        problems(&machine, "codex")
    );
}

#[test]
fn a_project_that_codex_does_not_trust_is_reported() {
    let machine = Machine::new();
    put(&machine.home.user().join(".codex/config.toml"), "model = \"x\"\n");
    machine.install(&["codex"], "project");
    let said = machine.hark(&["doctor"]).ok().stdout();
    assert!(said.contains("until you trust it"), "{said}");
    let root = machine.home.work().canonicalize().unwrap();
    let trusted = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", root.display());
    put(&machine.home.user().join(".codex/config.toml"), trusted);
    assert!(!machine.hark(&["doctor"]).ok().stdout().contains("until you trust it"));
}

#[test]
fn a_plugin_that_was_never_added_is_reported() {
    let machine = Machine::new();
    put(&machine.home.user().join(".claude/settings.json"), "{}");
    put(&machine.home.user().join(".gemini/settings.json"), "{}");
    machine.hark(&["install", "claude-code", "gemini-cli", "--plugin"]).ok();
    let claude = health(&machine, "claude-code");
    assert!(claude["problems"].to_string().contains("never added"), "{claude}");
    assert!(claude["mend"].as_str().unwrap().contains("claude plugin marketplace add"), "{claude}");
    let gemini = health(&machine, "gemini-cli");
    assert!(gemini["problems"].to_string().contains("never linked"), "{gemini}");
    let enabled = |on: bool| {
        let text = format!("{{\"enabledPlugins\":{{\"hark@hark\":{on}}}}}");
        put(&machine.home.user().join(".claude/settings.json"), text);
    };
    enabled(false);
    assert!(problems(&machine, "claude-code").contains("turned off"));
    enabled(true);
    fs::create_dir_all(machine.home.user().join(".gemini/extensions/hark")).unwrap();
    assert_eq!(problems(&machine, "claude-code"), "[]");
    assert_eq!(problems(&machine, "gemini-cli"), "[]");
    // Claude Code works with a copy, which an upgrade of hark does not change.
    let copy = machine.home.user().join(".claude/plugins/cache/hark/hark/0.0.1/hooks/hooks.json");
    put(&copy, "{}");
    assert!(problems(&machine, "claude-code").contains("older copy"));
    put(&copy, machine.read(&machine.home.store().join("plugins/claude-code/hark/hooks/hooks.json")));
    assert_eq!(problems(&machine, "claude-code"), "[]");
}

#[test]
fn settings_and_plugin_at_once_are_reported() {
    let machine = Machine::new();
    put(&machine.home.user().join(".claude/settings.json"), "{\"enabledPlugins\":{\"hark@hark\":true}}");
    machine.install(&["claude-code"], "user");
    assert!(problems(&machine, "claude-code").contains("connected twice"));
}

#[test]
fn an_assistant_that_is_used_but_silent_is_reported() {
    let machine = Machine::new();
    machine.install(&["claude-code"], "user");
    let used = |name: &str, later: Duration| {
        let path = machine.home.user().join(format!(".claude/projects/-shop/{name}.jsonl"));
        put(&path, "{}\n");
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::now() + later).unwrap();
    };
    let minutes = |n: u64| Duration::from_secs(60 * n);
    used("a", minutes(30));
    assert_eq!(problems(&machine, "claude-code"), "[]", "half an hour says nothing");
    used("a", minutes(60 * 26));
    assert!(problems(&machine, "claude-code").contains("no hook event has ever come"), "a day does");
    let words = machine.hark(&["doctor"]).ok().stdout();
    assert!(
        words.contains("connected, but: Claude Code") && words.contains("start a new session"),
        "{words}"
    );
    used("a", minutes(120));
    assert_eq!(problems(&machine, "claude-code"), "[]");
    used("b", minutes(120));
    used("c", minutes(120));
    assert!(problems(&machine, "claude-code").contains("in 3 sessions"), "so do three sessions");
    // What a transcript told is not what a hook told.
    machine.hark(&["ingest"]).ok();
    assert!(problems(&machine, "claude-code").contains("in 3 sessions"));
    let start = json!({ "session_id": "p", "cwd": machine.home.work(), "hook_event_name": "UserPromptSubmit",
        "prompt": "hello there" });
    machine.home.hook("claude-code", "UserPromptSubmit", &start);
    for name in ["a", "b", "c"] {
        used(name, minutes(1));
    }
    assert_eq!(problems(&machine, "claude-code"), "[]", "an event came");
}

#[test]
fn a_hook_that_was_deleted_is_named() {
    let machine = Machine::new();
    machine.install(&["claude-code"], "user");
    let path = machine.home.user().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_str(&machine.read(&path)).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("PreToolUse");
    put(&path, settings.to_string());
    let health = health(&machine, "claude-code");
    assert_eq!(health["wired"], "stale");
    assert!(health["problems"].to_string().contains("lacks hooks.PreToolUse"), "{health}");
    assert_eq!(health["mend"], "hark install claude-code");
}

#[test]
fn a_file_that_was_deleted_is_named() {
    let machine = Machine::new();
    machine.install(&["cline"], "user");
    fs::remove_file(machine.home.user().join(".cline/hooks/PreToolUse.sh")).unwrap();
    assert!(problems(&machine, "cline").contains("PreToolUse.sh is missing"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        machine.install(&["cline"], "user");
        let script = machine.home.user().join(".cline/hooks/PostToolUse.sh");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(problems(&machine, "cline").contains("not executable"));
    }
}

#[test]
fn a_binary_that_is_gone_or_another_one_is_named() {
    let machine = Machine::new();
    let elsewhere = machine.home.root().join("tmp/old/hark");
    fs::create_dir_all(elsewhere.parent().unwrap()).unwrap();
    fs::copy(machine.home.binary(), &elsewhere).unwrap();
    let mut other = machine.home.program(&elsewhere);
    other.env("PATH", "").args(["install", "claude-code", "codex", "opencode"]);
    assert!(other.output().unwrap().status.success());
    for host in ["claude-code", "codex", "opencode"] {
        let said = problems(&machine, host);
        assert!(said.contains("names another hark") && said.contains("tmp/old/hark"), "{host}: {said}");
    }
    fs::remove_file(&elsewhere).unwrap();
    for host in ["claude-code", "codex", "opencode"] {
        let health = health(&machine, host);
        assert!(health["problems"].to_string().contains("does not exist"), "{health}");
        assert_eq!(health["mend"], format!("hark install {host}"));
    }
    let hooks = problems(&machine, "claude-code");
    assert!(hooks.contains("its hook names"), "{hooks}");
    machine.install(&["claude-code", "opencode"], "user");
    assert_eq!(problems(&machine, "claude-code"), "[]");
}

#[test]
fn a_server_under_two_names_is_reported() {
    let machine = Machine::new();
    let cursor = machine.home.user().join(".cursor/mcp.json");
    put(&cursor, "{\"mcpServers\":{\"memory\":{\"command\":\"/opt/hark\",\"args\":[\"mcp\"]}}}");
    machine.install(&["cursor"], "user");
    let said = problems(&machine, "cursor");
    assert!(said.contains("there twice") && said.contains("`memory`"), "{said}");
}

#[cfg(unix)]
#[test]
fn two_programs_on_the_path_are_reported() {
    let machine = Machine::new();
    let path: Vec<_> = ["a", "b", "c"].map(|name| machine.home.root().join("tmp").join(name)).to_vec();
    for folder in &path[..2] {
        fs::create_dir_all(folder).unwrap();
        fs::copy(machine.home.binary(), folder.join("hark")).unwrap();
    }
    // A link to one of them is not another one.
    fs::create_dir_all(&path[2]).unwrap();
    std::os::unix::fs::symlink(path[0].join("hark"), path[2].join("hark")).unwrap();
    let doctor = |path: &[std::path::PathBuf]| {
        let path = std::env::join_paths(path).unwrap();
        machine.home.hark(["doctor"]).env("PATH", path).ok().stdout()
    };
    assert!(doctor(&path).contains("2 programs named hark"), "{}", doctor(&path));
    assert!(!doctor(&[path[0].clone(), path[2].clone()]).contains("programs named hark"));
}

#[test]
fn a_store_that_cannot_be_opened_is_an_error_with_a_way_out() {
    let machine = Machine::new();
    machine.install(&["claude-code"], "user");
    let store = machine.home.store();
    let away = machine.home.root().join("tmp/away");
    fs::rename(&store, &away).unwrap();
    put(&store, "a file where the store should be");
    let failed = machine.hark(&["doctor"]).fails(3);
    let said = failed.stderr();
    assert!(said.contains("store: the store is a file") && said.contains("HARK_HOME"), "{said}");
    assert!(!failed.stdout().contains("fine"));
}

#[test]
fn a_damaged_record_of_installations_does_not_hide_the_rest() {
    let machine = Machine::new();
    machine.install(&["claude-code"], "user");
    machine.home.remember("We deploy with kubectl.");
    put(&machine.home.store().join("install/manifest.json"), "{");
    let failed = machine.hark(&["doctor"]).fails(3);
    let said = failed.stdout();
    assert!(
        said.contains("1 memory in") && said.contains("manifest.json") && said.contains("fix: "),
        "{said}"
    );
}

#[test]
fn nothing_connected_is_not_everything_fine() {
    let machine = Machine::new();
    put(&machine.home.user().join(".claude/settings.json"), "{}");
    let said = machine.hark(&["doctor"]).ok().stdout();
    assert!(said.contains("not connected: Claude Code"), "{said}");
    assert!(said.contains("the store is fine") && !said.contains("everything is fine"), "{said}");
}
