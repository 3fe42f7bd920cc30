//! What the commands say, and what they leave alone.

use std::fs;

use serde_json::Value;

use super::machine::{HOSTS, Machine, changed, put};

#[test]
fn on_a_machine_without_assistants() {
    let machine = Machine::new();
    let bare = machine.tree();
    let said = machine.hark(&["install"]).ok().stdout();
    assert!(said.contains("no assistant was found") && said.contains("mcpServers"), "{said}");
    assert!(machine.home.memories().is_dir(), "the store is set up");
    assert_eq!(machine.tree(), bare);
    let report = machine.hark(&["install", "--json"]).ok().json();
    let command = report["snippet"]["mcpServers"]["hark"]["command"].as_str().unwrap();
    assert_eq!(command, machine.home.binary().to_str().unwrap());
    let generic = machine.hark(&["install", "generic"]).ok().stdout();
    assert!(generic.contains("mcpServers") && !generic.contains("no assistant"), "{generic}");
}

#[test]
fn on_a_machine_with_claude_code_and_codex() {
    let machine = Machine::new();
    put(&machine.home.user().join(".claude/settings.json"), "{}");
    put(&machine.home.user().join(".codex/config.toml"), "model = \"x\"\n");
    let said = machine.hark(&["install"]).ok().stdout();
    assert!(said.contains("Claude Code") && said.contains("Codex CLI"), "{said}");
    assert!(said.contains("/hooks") && said.contains("trusted"), "Codex wants the user's trust: {said}");
    assert!(!machine.read(&machine.home.user().join(".codex/config.toml")).contains("trusted_hash"));
    for other in ["Gemini", "Cursor", "Zed"] {
        assert!(!said.contains(other), "{said}");
    }
    let report = machine.hark(&["doctor", "--json"]).ok().json();
    let wired: Vec<&str> = report["assistants"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|assistant| assistant["wired"] == "yes")
        .map(|assistant| assistant["host"].as_str().unwrap())
        .collect();
    assert_eq!(wired, ["claude-code", "codex"]);
}

#[test]
fn a_program_on_the_path_is_found_with_its_version() {
    let machine = Machine::new();
    let package = machine.home.root().join("lib/node_modules/@openai/codex");
    put(&package.join("package.json"), "{\"version\": \"0.166.0\"}");
    put(&package.join("bin/codex.js"), "");
    let bin = machine.home.root().join("bin");
    fs::create_dir_all(&bin).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(package.join("bin/codex.js"), bin.join("codex")).unwrap();
    let doctor = machine.home.hark(["doctor", "--json"]).env("PATH", &bin).ok().json();
    let codex = &doctor["assistants"][0];
    assert_eq!((&codex["host"], &codex["wired"]), (&Value::from("codex"), &Value::from("no")), "{doctor}");
    assert_eq!((&codex["version"], &codex["mend"]), (&"0.166.0".into(), &"hark install codex".into()));
    let words = machine.home.hark(["doctor"]).env("PATH", &bin).ok().stdout();
    assert!(
        words.contains("not connected: Codex CLI 0.166.0") && words.contains("hark install codex"),
        "{words}"
    );
}

#[test]
fn the_doctor_sees_what_is_missing() {
    let machine = Machine::new();
    machine.install(&["gemini-cli"], "user");
    let settings = machine.home.user().join(".gemini/settings.json");
    let whole = machine.read(&settings);
    put(&settings, "{}\n");
    let health = || machine.hark(&["doctor", "--json"]).ok().json()["assistants"][0].clone();
    assert_eq!((&health()["wired"], &health()["mend"]), (&"stale".into(), &"hark install gemini-cli".into()));
    put(&settings, "{ broken");
    assert!(health()["problems"].to_string().contains("not valid JSON"), "{}", health());
    put(&settings, whole);
    assert_eq!(health()["wired"], "yes");
    for seam in ["last_event", "last_injection"] {
        assert!(health()[seam].is_null());
    }
}

#[test]
fn a_dry_run_shows_a_diff_and_changes_nothing() {
    let machine = Machine::new();
    put(&machine.home.user().join(".cursor/mcp.json"), "{\n  \"mcpServers\": {}\n}\n");
    let before = machine.tree();
    let said = machine.hark(&["install", "cursor", "--dry-run"]).ok().stdout();
    assert!(said.contains("-  \"mcpServers\": {}") && said.contains("+    \"hark\": {"), "{said}");
    assert!(said.contains("nothing was changed"), "{said}");
    assert_eq!(machine.tree(), before);
    assert!(!machine.home.store().exists(), "not even the store");
    machine.install(&["cursor"], "user");
    let installed = machine.tree();
    let said = machine.hark(&["uninstall", "--dry-run"]).ok().stdout();
    assert!(said.contains("-    \"hark\": {"), "{said}");
    assert_eq!(machine.tree(), installed);
}

#[test]
fn unknown_assistants_are_named() {
    let machine = Machine::new();
    let said = machine.hark(&["install", "clod-code"]).fails(2).stderr();
    assert!(said.contains("clod-code") && said.contains("claude-code"), "{said}");
    let said = machine.hark(&["uninstall"]).ok().stdout();
    assert!(said.contains("nothing"), "{said}");
}

#[test]
fn a_project_gets_its_own_store() {
    let machine = Machine::new();
    put(&machine.home.user().join(".claude/settings.json"), "{}");
    let work = machine.home.work();
    let inside = work.join("src/deep");
    fs::create_dir_all(&inside).unwrap();
    let init = || machine.hark(&["init", "--json"]).without("HARK_HOME").within(&inside).ok().json();
    let report = init();
    assert!(work.join(".hark/memories").is_dir());
    let ignore = machine.read(&work.join(".hark/.gitignore"));
    assert!(ignore.ends_with("\n*\n"), "{ignore}");
    assert!(changed(&report).iter().all(|file| file.starts_with(work.to_str().unwrap())), "{report}");
    assert!(work.join(".mcp.json").exists() && work.join("CLAUDE.md").exists());
    let stored = machine.hark(&["remember", "Walruses drain the queue.", "--json"]);
    stored.without("HARK_HOME").within(&inside).ok();
    assert_eq!(fs::read_dir(work.join(".hark/memories")).unwrap().count(), 1);
    put(&work.join(".hark/.gitignore"), "hark.db*\n");
    assert_eq!(changed(&init()), Vec::<String>::new());
    assert_eq!(machine.read(&work.join(".hark/.gitignore")), "hark.db*\n", "the user's");
    machine.hark(&["uninstall"]).without("HARK_HOME").within(&inside).ok();
    assert!(!work.join(".mcp.json").exists() && work.join(".hark/memories").is_dir());
}

#[test]
fn the_home_folder_is_no_project() {
    let machine = Machine::new();
    for args in [&["init"][..], &["install", "codex", "--scope", "project"]] {
        let said = machine.hark(args).within(machine.home.user()).fails(1).stderr();
        assert!(said.contains("not a project"), "{said}");
    }
}

#[test]
fn what_is_said_is_plain_json_when_asked() {
    let machine = Machine::new();
    put(&machine.home.user().join(".codex/config.toml"), "= broken");
    let report = machine.hark(&["install", "codex", "--json"]).fails(1).json();
    assert_eq!(report["refused"][0]["line"], 1);
    assert_eq!(report["assistants"][0]["host"], "codex");
}

#[test]
fn servers_that_are_written_are_the_ones_each_assistant_reads() {
    let machine = Machine::new();
    machine.install(HOSTS, "user");
    machine.install(HOSTS, "project");
    let binary = machine.home.binary().to_str().unwrap().to_owned();
    let user = machine.home.user();
    let xdg = machine.home.root().join("xdg/config");
    let work = machine.home.work();
    for (file, pointer) in [
        (user.join(".claude.json"), "/mcpServers/hark/command"),
        (user.join(".gemini/settings.json"), "/mcpServers/hark/command"),
        (user.join(".qwen/settings.json"), "/mcpServers/hark/command"),
        (user.join(".cursor/mcp.json"), "/mcpServers/hark/command"),
        (user.join(".copilot/mcp-config.json"), "/mcpServers/hark/command"),
        (user.join(".cline/data/settings/cline_mcp_settings.json"), "/mcpServers/hark/command"),
        (user.join(".codeium/windsurf/mcp_config.json"), "/mcpServers/hark/command"),
        (user.join(".factory/mcp.json"), "/mcpServers/hark/command"),
        (user.join(".gemini/config/mcp_config.json"), "/mcpServers/hark/command"),
        (xdg.join("opencode/opencode.json"), "/mcp/hark/command/0"),
        (xdg.join("kilo/kilo.json"), "/mcp/hark/command/0"),
        (xdg.join("zed/settings.json"), "/context_servers/hark/command"),
        (xdg.join("Code/User/mcp.json"), "/servers/hark/command"),
        (xdg.join("Claude/claude_desktop_config.json"), "/mcpServers/hark/command"),
        (work.join(".mcp.json"), "/mcpServers/hark/command"),
        (work.join(".vscode/mcp.json"), "/servers/hark/command"),
        (work.join(".zed/settings.json"), "/context_servers/hark/command"),
    ] {
        let settings: Value = serde_json::from_str(&machine.read(&file)).unwrap();
        assert_eq!(settings.pointer(pointer), Some(&Value::from(binary.clone())), "{}", file.display());
    }
    for file in [user.join(".codex/config.toml"), user.join(".continue/config.yaml")] {
        assert!(machine.read(&file).contains(&binary), "{}", file.display());
    }
}
