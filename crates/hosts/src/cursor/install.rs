//! What `hark install` sets up for Cursor.

use crate::command_line::Shell;
use crate::host::{Asset, CommandFormat, Event, HookTable, Install, for_project, for_user, home, project};

const SERVER: Asset = Asset::Server {
    path: &["mcpServers", "hark"],
    entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}"}"#,
};

/// Cursor ignores a file without it.
const VERSION: Asset = Asset::HookSetting { path: &["version"], value: "1" };

const HOOKS: HookTable = HookTable {
    host: "cursor",
    path: &["hooks"],
    element: r#"{"command":"{command}","timeout":"{timeout}"}"#,
    time_unit: 1,
    windows: Shell::PowerShell,
    events: &[
        Event::minimal("sessionStart", 10).saying(r#"{"additional_context":"{gone}"}"#),
        Event::minimal("beforeSubmitPrompt", 5),
        Event::full("preToolUse", 5),
        Event::full("postToolUse", 5),
        Event::full("postToolUseFailure", 5),
        Event::full("afterAgentResponse", 5),
        Event::full("preCompact", 10),
        Event::full("stop", 10),
        Event::minimal("sessionEnd", 10),
    ],
};

pub(crate) const INSTALL: Install = Install {
    programs: &["cursor", "cursor-agent"],
    traces: &[home(&[".cursor"])],
    pieces: &[
        for_user(home(&[".cursor/mcp.json"]), SERVER),
        for_user(home(&[".cursor/hooks.json"]), VERSION),
        for_user(home(&[".cursor/hooks.json"]), Asset::Hooks(&HOOKS)),
        for_user(home(&[".cursor/commands"]), Asset::Commands(CommandFormat::Markdown)),
        for_project(project(&[".cursor/mcp.json"]), SERVER),
        for_project(project(&[".cursor/hooks.json"]), VERSION),
        for_project(project(&[".cursor/hooks.json"]), Asset::Hooks(&HOOKS)),
        for_project(
            project(&[".cursor/rules/hark.mdc"]),
            Asset::RulesFile { front: include_str!("assets/front.mdc") },
        ),
        for_project(project(&[".cursor/commands"]), Asset::Commands(CommandFormat::Markdown)),
    ],
    // Cursor keeps rules for all projects in its own settings, not in files.
    next: &["if Cursor asks, turn on the server `hark` under Settings > MCP"],
    asks: "depending on its run mode, it asks before a tool is called; allow `hark:*` under Settings > Agents",
    ..Install::NONE
};
