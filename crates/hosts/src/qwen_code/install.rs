//! What `hark install` sets up for Qwen Code.

use crate::command_line::Shell;
use crate::host::{
    Allow, Asset, CommandFormat, Event, HookTable, Install, for_project, for_user, home, project,
};
use crate::inspect::{Check, Off};

const SERVER: Asset = Asset::Server {
    path: &["mcpServers", "hark"],
    entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}"}"#,
};

/// Times are in milliseconds.
const HOOKS: HookTable = HookTable {
    host: "qwen-code",
    path: &["hooks"],
    element: r#"{"hooks":[{"type":"command","name":"hark","command":"{command}","timeout":"{timeout}"}]}"#,
    time_unit: 1_000,
    windows: Shell::PowerShell,
    events: &[
        Event::minimal("SessionStart", 10).saying(r#"{"systemMessage":"{gone}"}"#),
        Event::minimal("UserPromptSubmit", 5),
        Event::full("PreToolUse", 5),
        Event::full("PostToolUse", 5),
        Event::full("PostToolUseFailure", 5),
        Event::full("PreCompact", 10),
        Event::full("Stop", 10),
        Event::minimal("SessionEnd", 10),
    ],
};

const READS: Asset =
    Asset::Allow(Allow::Listed { path: &["permissions", "allow"], element: "mcp__hark__{tool}" });

pub(crate) const INSTALL: Install = Install {
    programs: &["qwen"],
    traces: &[home(&[".qwen/settings.json"])],
    pieces: &[
        for_user(home(&[".qwen/settings.json"]), SERVER),
        for_user(home(&[".qwen/settings.json"]), Asset::Hooks(&HOOKS)),
        for_user(home(&[".qwen/settings.json"]), READS),
        for_user(home(&[".qwen/QWEN.md"]), Asset::Rules),
        for_user(home(&[".qwen/commands"]), Asset::Commands(CommandFormat::Markdown)),
        for_project(project(&[".qwen/settings.json"]), SERVER),
        for_project(project(&[".qwen/settings.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&["QWEN.md"]), Asset::Rules),
        for_project(project(&[".qwen/commands"]), Asset::Commands(CommandFormat::Markdown)),
    ],
    next: &["start a new session"],
    asks: "it asks before the first call of each tool; choose \"always allow\" for those that you trust",
    checks: &[
        Check::hooks(home(&[".qwen/settings.json"]), &["disableAllHooks"], Off::True),
        Check::hooks(project(&[".qwen/settings.json"]), &["disableAllHooks"], Off::True),
        Check::hooks(home(&[".qwen/settings.json"]), &["hooksConfig", "enabled"], Off::False),
        Check::hooks(home(&[".qwen/settings.json"]), &["hooksConfig", "disabled"], Off::With("hark")),
        Check::server(home(&[".qwen/settings.json"]), &["mcp", "excluded"], Off::With("hark")),
        Check::server(home(&[".qwen/settings.json"]), &["mcp", "allowed"], Off::Without("hark")),
        Check::server(home(&[".qwen/settings.json"]), &["permissions", "deny"], Off::Beginning("mcp__hark")),
    ],
    ..Install::NONE
};
