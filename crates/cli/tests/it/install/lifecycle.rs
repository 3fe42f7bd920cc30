//! Over time: upgrades, other hooks, other homes, a binary that is gone.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::layouts::{Layout, content};
use super::machine::{HOSTS, Machine, changed, is_ours, put};

fn settings(machine: &Machine) -> Value {
    serde_json::from_str(&machine.read(&machine.home.user().join(".claude/settings.json"))).unwrap()
}

#[test]
fn a_hark_at_another_place_takes_over() {
    let machine = Machine::new();
    for path in machine.would_change(HOSTS, "user").iter().filter(|path| !is_ours(path)) {
        put(path, content(path, Layout::Commented));
    }
    let before = machine.tree();
    machine.install(HOSTS, "user");
    let elsewhere = machine.home.root().join("tmp").join("a b").join("hark");
    fs::create_dir_all(elsewhere.parent().unwrap()).unwrap();
    fs::copy(machine.home.binary(), &elsewhere).unwrap();
    let mut other = machine.home.program(&elsewhere);
    other.env("PATH", "").args(["install"]).args(HOSTS);
    assert!(other.output().unwrap().status.success());
    let old = machine.home.binary().to_str().unwrap().to_owned();
    for (path, entry) in machine.tree() {
        assert!(!format!("{entry:?}").contains(&old), "{}: still calls the old one", path.display());
    }
    let doctor = machine.hark(&["doctor", "--json"]).ok().json();
    let codex = doctor["assistants"].as_array().unwrap().iter().find(|a| a["host"] == "codex").unwrap();
    assert_eq!(codex["wired"], "stale", "this hark is not the one that is wired: {codex}");
    assert_eq!(codex["mend"], "hark install codex");
    machine.uninstall(&[], "user");
    assert_eq!(machine.tree(), before);
}

#[test]
fn hooks_can_be_fewer_and_more() {
    let machine = Machine::new();
    let bare = machine.tree();
    let hooks = |level: &str| {
        machine.hark(&["install", "claude-code", "--hooks", level]).ok();
        let path = machine.home.user().join(".claude/settings.json");
        let events = path.exists().then(|| settings(&machine)["hooks"].as_object().unwrap().len());
        (events, machine.tree())
    };
    let (full, tree) = hooks("full");
    let (minimal, _) = hooks("minimal");
    let (none, _) = hooks("none");
    assert_eq!((full, minimal, none), (Some(9), Some(3), None));
    assert_eq!(hooks("full").1, tree);
    machine.uninstall(&[], "user");
    assert_eq!(machine.tree(), bare);
}

#[test]
fn hooks_say_how_long_they_may_take_and_name_their_event() {
    let machine = Machine::new();
    machine.install(HOSTS, "user");
    let hooks = settings(&machine)["hooks"].clone();
    for (event, groups) in hooks.as_object().unwrap() {
        let handler = &groups[0]["hooks"][0];
        assert!(handler["timeout"].as_u64().is_some_and(|t| (1..=10).contains(&t)), "{handler}");
        let command = handler["command"].as_str().unwrap();
        assert!(command.contains(&format!("hook claude-code {event} ||")), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn hooks_of_a_binary_that_is_gone_or_broken_harm_nobody() {
    let machine = Machine::new();
    let own = machine.home.root().join("tmp").join("it's mine").join("hark");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::copy(machine.home.binary(), &own).unwrap();
    let mut install = machine.home.program(&own);
    assert!(
        install.env("PATH", "").args(["install", "claude-code", "cline"]).output().unwrap().status.success()
    );
    let hooks = settings(&machine)["hooks"].clone();
    let run = |command: &str| {
        let mut shell = machine.home.program("sh");
        shell.args(["-c", command]).output().unwrap()
    };
    let check = || {
        for (event, groups) in hooks.as_object().unwrap() {
            let done = run(groups[0]["hooks"][0]["command"].as_str().unwrap());
            assert_eq!(done.status.code(), Some(0), "{event}");
            let said = String::from_utf8(done.stdout).unwrap();
            if event == "SessionStart" {
                let said: Value = serde_json::from_str(&said).unwrap();
                assert!(said["systemMessage"].as_str().unwrap().contains("no memory in this session"));
            } else {
                assert_eq!(said, "", "{event}: said once");
            }
        }
        let program = machine.home.user().join(".cline/hooks/PreToolUse.sh");
        assert!(Command::new(program).output().unwrap().status.success());
    };
    fs::write(&own, "#!/bin/sh\nexit 2\n").unwrap();
    check();
    fs::remove_file(&own).unwrap();
    check();
}

/// Every text in a JSON value.
#[cfg(unix)]
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        _ => {}
    }
}

#[cfg(unix)]
#[test]
fn the_lines_of_every_assistant_end_well_without_the_binary() {
    let machine = Machine::new();
    let own = machine.home.root().join("tmp").join("hark");
    fs::copy(machine.home.binary(), &own).unwrap();
    let mut install = machine.home.program(&own);
    let installed = install.env("PATH", "").args(["install", "--json"]).args(HOSTS).output().unwrap();
    assert!(installed.status.success());
    fs::remove_file(&own).unwrap();
    let report: Value = serde_json::from_slice(&installed.stdout).unwrap();
    let mut lines = Vec::new();
    for file in changed(&report).iter().map(|shown| machine.path(shown)) {
        let text = machine.read(&file);
        if file.extension().is_some_and(|e| e == "sh") {
            lines.push(text);
        } else if let Ok(value) = serde_json::from_str(&text) {
            texts(&value, &mut lines);
        }
    }
    lines.retain(|line| line.contains(" hook "));
    assert!(lines.len() > 60, "{} lines", lines.len());
    for line in &lines {
        let done = machine.home.program("sh").args(["-c", line]).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{line}");
        if !done.stdout.is_empty() {
            serde_json::from_slice::<Value>(&done.stdout).unwrap_or_else(|e| panic!("{e}: {line}"));
        }
    }
}

#[test]
fn assistants_find_the_store_that_was_set() {
    let machine = Machine::new();
    machine.install(&["codex", "claude-code"], "user");
    let store = machine.home.store();
    let config = machine.read(&machine.home.user().join(".codex/config.toml"));
    assert!(config.contains(&format!("HARK_HOME = \"{}\"", store.display())), "{config}");
    let command = settings(&machine)["hooks"]["Stop"][0]["hooks"][0]["command"].to_string();
    assert!(command.contains(&format!("HARK_HOME={}", store.display())), "{command}");
    machine.install(&["codex"], "project");
    let shared = machine.read(&machine.home.work().join(".codex/config.toml"));
    assert!(!shared.contains("HARK_HOME"), "a project's files are shared: {shared}");
}

#[test]
fn a_plugin_folder_instead_of_settings() {
    let machine = Machine::new();
    let bare = machine.tree();
    machine.install(&["claude-code", "gemini-cli"], "user");
    let report = machine.hark(&["install", "claude-code", "gemini-cli", "--plugin", "--json"]).ok().json();
    assert_eq!(machine.tree(), bare, "settings are as before");
    let folder = machine.home.store().join("plugins");
    for file in [
        "claude-code/.claude-plugin/marketplace.json",
        "claude-code/hark/.claude-plugin/plugin.json",
        "claude-code/hark/hooks/hooks.json",
        "claude-code/hark/.mcp.json",
        "gemini-cli/gemini-extension.json",
        "gemini-cli/hooks/hooks.json",
    ] {
        let text = machine.read(&folder.join(file));
        serde_json::from_str::<Value>(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(!text.contains("{version}") && !text.contains("{hark}"), "{text}");
    }
    let next = report["assistants"][0]["next"].to_string();
    assert!(next.contains(folder.join("claude-code").to_str().unwrap()), "{next}");
    machine.hark(&["install", "--plugin"]).fails(1);
    machine.hark(&["install", "codex", "--plugin"]).fails(1);
    machine.uninstall(&[], "user");
    assert!(!folder.exists());
}

#[test]
fn the_manifest_is_private_and_keeps_nothing_longer_than_it_must() {
    let machine = Machine::new();
    let path = machine.home.user().join(".claude.json");
    put(&path, "{\"oauth\": \"secret\"}\n");
    machine.install(&["claude-code"], "user");
    let originals = machine.home.store().join("install/originals");
    assert_eq!(fs::read_dir(&originals).unwrap().count(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for entry in fs::read_dir(&originals).unwrap().flatten() {
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    machine.uninstall(&[], "user");
    assert_eq!(fs::read_dir(&originals).unwrap().count(), 0);
}

#[test]
fn installs_at_the_same_time_take_turns() {
    let machine = Machine::new();
    let bare = machine.tree();
    let children: Vec<_> =
        HOSTS.iter().map(|host| machine.hark(&["install", host, "--scope", "project"]).spawn()).collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(changed(&machine.install(HOSTS, "project")), Vec::<String>::new());
    machine.uninstall(&[], "project");
    assert_eq!(machine.tree(), bare);
}
