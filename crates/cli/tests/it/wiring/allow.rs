//! Permissions: what an assistant asks at first, and what the user may allow in advance.

use serde_json::Value;

use crate::install::layouts::{LAYOUTS, content};
use crate::install::machine::{HOSTS, Machine, SCOPES, is_ours, put};

#[test]
fn nothing_is_allowed_unless_the_user_asks_for_it() {
    let machine = Machine::new();
    for scope in SCOPES {
        machine.install(HOSTS, scope);
    }
    for (path, entry) in machine.tree() {
        let text = format!("{entry:?}");
        for sign in ["autoApprove", "approval_mode", "\"allow\"", "mcp:hark:", "decision = "] {
            assert!(!text.contains(sign), "{sign} in {}", path.display());
        }
    }
}

#[test]
fn tools_that_only_read_can_be_allowed_and_are_taken_back() {
    let machine = Machine::new();
    let bare = machine.tree();
    let report = machine.hark(&[&["install", "--json", "--allow-reads"], HOSTS].concat()).ok().json();
    let read = |file: &str| machine.read(&machine.home.user().join(file));
    let json = |file: &str| serde_json::from_str::<Value>(&read(file)).unwrap();
    for file in [".claude/settings.json", ".qwen/settings.json"] {
        let allow = json(file)["permissions"]["allow"].to_string();
        assert!(allow.contains("\"mcp__hark__memory_recall\""), "{file}: {allow}");
        assert!(!allow.contains("memory_remember") && !allow.contains("memory_update"), "{file}: {allow}");
    }
    let zed = machine.read(&machine.home.root().join("xdg/config/zed/settings.json"));
    let zed: Value = serde_json::from_str(&zed).unwrap();
    assert_eq!(zed["agent"]["tool_permissions"]["tools"]["mcp:hark:memory_recall"]["default"], "allow");
    let cline = json(".cline/data/settings/cline_mcp_settings.json");
    assert!(cline["mcpServers"]["hark"]["autoApprove"].to_string().contains("memory_recall"));
    let policy = read(".gemini/policies/hark.toml");
    assert!(policy.contains("mcpName = \"hark\"") && policy.contains("\"memory_recall\""), "{policy}");
    let codex = read(".codex/config.toml");
    assert!(codex.contains("[mcp_servers.hark.tools.memory_recall]\napproval_mode = \"approve\""), "{codex}");
    let doctor = machine.hark(&["doctor", "--json"]).ok().json();
    let claude = &doctor["assistants"][0];
    assert_eq!((&claude["host"], &claude["wired"]), (&"claude-code".into(), &"yes".into()), "{claude}");
    // Without the flag they are taken back; with it, nothing changes a second time.
    let again = machine.hark(&[&["install", "--json", "--allow-reads"], HOSTS].concat()).ok().json();
    assert!(crate::install::machine::changed(&again).is_empty(), "{again}");
    assert!(report["assistants"][0]["asks"].as_str().unwrap().contains("run without a question"), "{report}");
    machine.install(HOSTS, "user");
    assert!(json(".claude/settings.json").get("permissions").is_none());
    machine.hark(&["uninstall"]).ok();
    assert_eq!(machine.tree(), bare);
}

#[test]
fn permissions_of_the_user_stay_byte_for_byte() {
    for layout in LAYOUTS {
        let machine = Machine::new();
        let args = [&["install", "--json", "--dry-run", "--allow-reads"], HOSTS].concat();
        let report = machine.hark(&args).ok().json();
        for shown in crate::install::machine::changed(&report) {
            let path = machine.path(&shown);
            if !is_ours(&path) {
                put(&path, content(&path, *layout));
            }
        }
        let before = machine.tree();
        machine.hark(&[&["install", "--allow-reads"], HOSTS].concat()).ok();
        assert_ne!(machine.tree(), before);
        machine.hark(&["uninstall"]).ok();
        assert_eq!(machine.tree(), before, "{layout:?}");
    }
    let machine = Machine::new();
    let settings = machine.home.user().join(".claude/settings.json");
    let own = "{\"permissions\":{\"allow\":[\"mcp__hark__memory_recall\",\"Bash(ls:*)\"],\"deny\":[]}}";
    put(&settings, own);
    machine.hark(&["install", "claude-code", "--allow-reads"]).ok();
    let text = machine.read(&settings).replace("Bash(ls:*)", "Bash(cat:*)");
    put(&settings, text);
    machine.hark(&["uninstall"]).ok();
    assert_eq!(
        machine.read(&settings),
        own.replace("Bash(ls:*)", "Bash(cat:*)"),
        "what the user allowed stays"
    );
}

#[test]
fn a_setting_of_another_form_does_not_stop_the_installation() {
    let machine = Machine::new();
    let opencode = machine.home.root().join("xdg/config/opencode/opencode.json");
    put(&opencode, "{\n  \"permission\": \"ask\"\n}\n");
    let report = machine.hark(&["install", "opencode", "--allow-reads", "--json"]).ok().json();
    let notes = report["assistants"][0]["notes"].as_array().unwrap();
    assert!(notes.len() == 1 && notes[0].to_string().contains("are not added"), "{report}");
    assert!(machine.read(&opencode).contains("\"hark\""));
    machine.hark(&["uninstall"]).ok();
    assert_eq!(machine.read(&opencode), "{\n  \"permission\": \"ask\"\n}\n");
}

#[test]
fn installing_says_what_the_assistant_will_ask() {
    let machine = Machine::new();
    let said = machine.hark(&["install", "claude-code", "copilot-cli", "aider"]).ok().stdout();
    assert!(said.contains("permission: it asks before the first call of each tool"), "{said}");
    assert!(said.contains("`hark install claude-code --allow-reads`"), "{said}");
    assert!(!said.contains("`hark install copilot-cli --allow-reads`"), "there is no setting for it: {said}");
    assert_eq!(said.matches("permission:").count(), 2, "aider has no tools: {said}");
    let failed = machine.hark(&["install", "claude-code", "--plugin", "--allow-reads"]).fails(1).stderr();
    assert!(failed.contains("--allow-reads"), "{failed}");
}
