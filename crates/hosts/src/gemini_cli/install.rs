//! What `hark install` sets up for Gemini CLI.

use crate::command_line::Shell;
use crate::host::{
    Allow, Asset, CommandFormat, Event, HookTable, Install, for_project, for_user, home, plugin, project,
};
use crate::inspect::{Check, Off};

const SERVER: Asset = Asset::Server {
    path: &["mcpServers", "hark"],
    entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}"}"#,
};

/// Times are in milliseconds. Gemini shows each hook while it runs, so there are only those that matter:
/// `BeforeTool`, whose context it ignores, only while a rule refuses or asks, and not the question before every model call whether to compress.
const HOOKS: HookTable = HookTable {
    host: "gemini-cli",
    path: &["hooks"],
    element: r#"{"matcher":"{matcher}","hooks":[{"type":"command","name":"hark","command":"{command}","timeout":"{timeout}"}]}"#,
    time_unit: 1_000,
    windows: Shell::PowerShell,
    events: &[
        Event::minimal("SessionStart", 10).saying(r#"{"systemMessage":"{gone}"}"#),
        Event::minimal("BeforeAgent", 5),
        Event::binding("BeforeTool", 5).matching("run_shell_command|write_file|replace"),
        Event::full("AfterTool", 5),
        Event::full("PreCompress", 10).matching("manual"),
        Event::full("AfterAgent", 10),
        Event::minimal("SessionEnd", 10),
    ],
};

/// Rules of Gemini CLI's policy engine.
const READS: Asset = Asset::Allow(Allow::File { text: include_str!("assets/policy.toml") });

pub(crate) const INSTALL: Install = Install {
    programs: &["gemini"],
    traces: &[home(&[".gemini/settings.json"])],
    pieces: &[
        for_user(home(&[".gemini/settings.json"]), SERVER),
        for_user(home(&[".gemini/settings.json"]), Asset::Hooks(&HOOKS)),
        for_user(home(&[".gemini/policies/hark.toml"]), READS),
        for_user(home(&[".gemini/GEMINI.md"]), Asset::Rules),
        for_user(home(&[".gemini/commands"]), Asset::Commands(CommandFormat::Toml)),
        for_project(project(&[".gemini/settings.json"]), SERVER),
        for_project(project(&[".gemini/settings.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&["GEMINI.md"]), Asset::Rules),
        for_project(project(&[".gemini/commands"]), Asset::Commands(CommandFormat::Toml)),
    ],
    plugin: &[
        for_user(
            plugin(&["gemini-extension.json"]),
            Asset::File { text: include_str!("assets/gemini-extension.json") },
        ),
        for_user(plugin(&["hooks/hooks.json"]), Asset::Hooks(&HOOKS)),
        for_user(plugin(&["GEMINI.md"]), Asset::RulesFile { front: "" }),
        for_user(plugin(&["commands"]), Asset::Commands(CommandFormat::Toml)),
    ],
    plugin_next: &[
        "run `gemini extensions link {plugin}`",
        "before `hark uninstall`, run `gemini extensions uninstall hark`",
    ],
    next: &["start a new session"],
    asks: "it asks before the first call of each tool; choose \"always allow\" for those that you trust",
    checks: &[
        Check::hooks(home(&[".gemini/settings.json"]), &["hooksConfig", "enabled"], Off::False),
        Check::hooks(home(&[".gemini/settings.json"]), &["hooksConfig", "disabled"], Off::With("hark")),
        Check::hooks(project(&[".gemini/settings.json"]), &["hooksConfig", "enabled"], Off::False),
        Check::hooks(project(&[".gemini/settings.json"]), &["hooksConfig", "disabled"], Off::With("hark")),
        Check::server(home(&[".gemini/settings.json"]), &["mcp", "excluded"], Off::With("hark")),
        Check::server(home(&[".gemini/settings.json"]), &["mcp", "allowed"], Off::Without("hark")),
        Check::server(home(&[".gemini/mcp-server-enablement.json"]), &["hark", "enabled"], Off::False),
    ],
};
