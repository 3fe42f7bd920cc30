//! What `hark install` sets up for Antigravity.

use crate::command_line::Shell;
use crate::host::{Asset, Event, HookTable, Install, for_project, for_user, home, project};

const SERVER: Asset = Asset::Server {
    path: &["mcpServers", "hark"],
    entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}"}"#,
};

const HANDLER: &str = r#"{"type":"command","command":"{command}","timeout":"{timeout}"}"#;

/// Hooks are grouped by name. Any mistake makes Antigravity ignore the whole file, so this uses only what is
/// documented.
const HOOKS: HookTable = HookTable {
    host: "antigravity",
    path: &["hark"],
    element: r#"{"matcher":"{matcher}","hooks":[{"type":"command","command":"{command}","timeout":"{timeout}"}]}"#,
    time_unit: 1,
    windows: Shell::Cmd,
    events: &[
        Event::minimal("SessionStart", 10).written(HANDLER),
        Event::full("PostToolUse", 5).matching("*"),
        Event::minimal("Stop", 10).written(HANDLER),
    ],
};

pub(crate) const INSTALL: Install = Install {
    programs: &["agy", "antigravity"],
    traces: &[home(&[".gemini/config"]), home(&[".gemini/antigravity"]), home(&[".antigravity"])],
    pieces: &[
        for_user(home(&[".gemini/config/mcp_config.json"]), SERVER),
        for_user(home(&[".gemini/config/hooks.json"]), Asset::Hooks(&HOOKS)),
        // Shared with Gemini CLI.
        for_user(home(&[".gemini/GEMINI.md"]), Asset::Rules),
        for_project(project(&[".agents/mcp_config.json"]), SERVER),
        for_project(project(&[".agents/hooks.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
    ],
    next: &["refresh the servers under Manage MCP Servers"],
    ..Install::NONE
};
