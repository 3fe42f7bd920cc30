//! What `hark install` sets up for Droid.

use crate::command_line::Shell;
use crate::host::{Asset, CommandFormat, Event, HookTable, Install, for_project, for_user, home, project};

const SERVER: Asset = Asset::Server {
    path: &["mcpServers", "hark"],
    entry: r#"{"type":"stdio","command":"{hark}","args":["mcp"],"env":"{env}","disabled":false}"#,
};

const HOOKS: HookTable = HookTable {
    host: "droid",
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
        Event::full("Stop", 10),
        Event::minimal("SessionEnd", 10),
    ],
};

pub(crate) const INSTALL: Install = Install {
    programs: &["droid"],
    traces: &[home(&[".factory"])],
    pieces: &[
        for_user(home(&[".factory/mcp.json"]), SERVER),
        for_user(home(&[".factory/settings.json"]), Asset::Hooks(&HOOKS)),
        for_user(home(&[".factory/AGENTS.md"]), Asset::Rules),
        for_user(home(&[".factory/commands"]), Asset::Commands(CommandFormat::Markdown)),
        for_project(project(&[".factory/mcp.json"]), SERVER),
        for_project(project(&[".factory/settings.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
        for_project(project(&[".factory/commands"]), Asset::Commands(CommandFormat::Markdown)),
    ],
    next: &["start a new session"],
    asks: "depending on its autonomy level, it asks before a tool is called",
    ..Install::NONE
};
