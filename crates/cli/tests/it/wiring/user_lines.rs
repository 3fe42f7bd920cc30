//! What users wrote inside the things that hark installed.

use std::fs;

use crate::install::layouts::{Layout, content};
use crate::install::machine::{HOSTS, Machine, SCOPES, is_ours, put};

const MINE: &str = "Never push on a Friday.";

#[test]
fn lines_inside_a_block_survive_an_uninstall() {
    for layout in [Layout::Pretty, Layout::Windows, Layout::Blank] {
        let machine = Machine::new();
        for scope in SCOPES {
            for path in machine.would_change(HOSTS, scope).iter().filter(|path| !is_ours(path)) {
                put(path, content(path, layout));
            }
            machine.install(HOSTS, scope);
        }
        let mut blocks = Vec::new();
        for path in machine.tree().keys().map(|path| machine.home.root().join(path)) {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            if path.is_file() && text.contains("<!-- BEGIN hark") {
                let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
                let edited = text.replace("<!-- END hark", &format!("{MINE}{end}<!-- END hark"));
                assert_ne!(edited, text);
                put(&path, edited);
                blocks.push(path);
            }
        }
        assert!(blocks.len() >= 8, "{} blocks", blocks.len());
        let said = machine.hark(&["uninstall"]).ok().stdout();
        assert!(said.contains("the lines that you wrote between the hark markers stay"), "{said}");
        for path in blocks {
            let text = machine.read(&path);
            assert!(text.contains(MINE), "{layout:?} {}: {text}", path.display());
            assert!(!text.contains("hark"), "{layout:?} {}: {text}", path.display());
            let before = String::from_utf8_lossy(&content(&path, layout)).into_owned();
            assert!(text.starts_with(before.trim_end()), "{layout:?} {}: {text}", path.display());
        }
    }
}

#[test]
fn a_file_that_hark_made_stays_if_the_user_wrote_in_it() {
    let machine = Machine::new();
    machine.install(&["claude-code"], "user");
    let path = machine.home.user().join(".claude/CLAUDE.md");
    let text = machine.read(&path).replace("## Memory (hark)\n", &format!("## Memory (hark)\n{MINE}\n"));
    put(&path, text);
    // An install between keeps them too.
    machine.hark(&["install", "claude-code", "--hooks", "minimal"]).ok();
    machine.uninstall(&[], "user");
    assert_eq!(machine.read(&path), format!("{MINE}\n"));
}

#[test]
fn changes_inside_an_entry_are_named_before_they_go() {
    let machine = Machine::new();
    let codex = machine.home.user().join(".codex/config.toml");
    let claude = machine.home.user().join(".claude.json");
    put(&codex, "model = \"x\"\n");
    put(&claude, "{}\n");
    machine.install(&["codex", "claude-code"], "user");
    let text = machine.read(&codex);
    let with = "[mcp_servers.hark]\n# slow on this machine\nstartup_timeout_sec = 20\n";
    put(&codex, text.replace("[mcp_servers.hark]\n", with));
    let text = machine.read(&claude);
    put(&claude, text.replace("\"type\": \"stdio\",", "\"type\": \"stdio\", \"timeout\": 60000,"));
    let dry = machine.hark(&["uninstall", "--dry-run"]).ok().stdout();
    for said in [
        "mcp_servers.hark are removed with it: startup_timeout_sec",
        "mcpServers.hark are removed with it: timeout",
    ] {
        assert!(dry.contains(said), "{said} in {dry}");
    }
    machine.uninstall(&[], "user");
    assert_eq!(machine.read(&codex), "model = \"x\"\n# slow on this machine\n");
    assert_eq!(machine.read(&claude), "{}\n");
}
