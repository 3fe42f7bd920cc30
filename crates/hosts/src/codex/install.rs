//! What `hark install` sets up for Codex CLI.

use crate::command_line::Shell;
use crate::host::{Asset, Event, HookTable, Install, Place, Root, below, for_project, for_user, project};
use crate::inspect::{Check, Off};

const CODEX: Root = Root::Var("CODEX_HOME", ".codex");
/// It also records here which hooks the user trusts.
pub(crate) const SETTINGS: Place = below(CODEX, &["config.toml"]);

const SERVER: Asset = Asset::TomlServer {
    path: &["mcp_servers", "hark"],
    entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}","tools":"{reads_approved}"}"#,
};

const HOOKS: HookTable = HookTable {
    host: "codex",
    path: &["hooks"],
    element: r#"{"hooks":[{"type":"command","command":"{command}","timeout":"{timeout}"}]}"#,
    time_unit: 1,
    windows: Shell::Cmd,
    events: &[
        Event::minimal("SessionStart", 10).saying(r#"{"systemMessage":"{gone}"}"#),
        Event::minimal("UserPromptSubmit", 5),
        Event::full("PreToolUse", 5),
        Event::full("PostToolUse", 5),
        Event::full("PreCompact", 10),
        Event::full("SubagentStop", 5),
        Event::full("Stop", 10),
        // Codex allows no more time at the end of a session.
        Event::minimal("SessionEnd", 3),
    ],
};

pub(crate) const INSTALL: Install = Install {
    programs: &["codex"],
    traces: &[below(CODEX, &["config.toml"]), below(CODEX, &[""])],
    pieces: &[
        for_user(SETTINGS, SERVER),
        for_user(below(CODEX, &["hooks.json"]), Asset::Hooks(&HOOKS)),
        for_user(below(CODEX, &["AGENTS.md"]), Asset::Rules),
        for_user(below(CODEX, &["skills"]), Asset::Skills),
        for_project(project(&[".codex/config.toml"]), SERVER),
        for_project(project(&[".codex/hooks.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
    ],
    next: &["start `codex` and type `/hooks`: Codex runs hooks only after you have trusted them there"],
    asks: "depending on its approval policy, it asks before a tool is called",
    checks: &[
        Check::hooks(SETTINGS, &["features", "hooks"], Off::False),
        Check::hooks(project(&[".codex/config.toml"]), &["features", "hooks"], Off::False),
        // The name in earlier versions.
        Check::hooks(SETTINGS, &["features", "codex_hooks"], Off::False),
    ],
    ..Install::NONE
};
