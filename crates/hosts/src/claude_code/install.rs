//! What `hark install` sets up for Claude Code.

use crate::command_line::Shell;
use crate::host::{
    Allow, Asset, CommandFormat, Event, HookTable, Install, Root, below, for_project, for_user, plugin,
    project,
};
use crate::inspect::{Check, Off};

const CLAUDE: Root = Root::Var("CLAUDE_CONFIG_DIR", ".claude");
/// `~/.claude.json` moves with the folder.
const ACCOUNT: Root = Root::Var("CLAUDE_CONFIG_DIR", "");

const SERVER: &str = r#"{"type":"stdio","command":"{hark}","args":["mcp"],"env":"{env}"}"#;

/// Nothing around a compaction: Claude Code would show the command each time, and the start event that follows
/// says the same.
const HOOKS: HookTable = HookTable {
    host: "claude-code",
    path: &["hooks"],
    element: r#"{"matcher":"{matcher}","hooks":[{"type":"command","command":"{command}","timeout":"{timeout}"}]}"#,
    time_unit: 1,
    windows: Shell::Posix,
    events: &[
        Event::minimal("SessionStart", 10).saying(r#"{"systemMessage":"{gone}"}"#),
        Event::minimal("UserPromptSubmit", 5),
        Event::full("PreToolUse", 5),
        Event::full("PostToolUse", 5),
        Event::full("PostToolUseFailure", 5),
        Event::full("SubagentStart", 5),
        Event::full("SubagentStop", 5),
        Event::full("Stop", 10),
        Event::minimal("SessionEnd", 10),
    ],
};

const READS: Asset =
    Asset::Allow(Allow::Listed { path: &["permissions", "allow"], element: "mcp__hark__{tool}" });

pub(crate) const INSTALL: Install = Install {
    programs: &["claude"],
    traces: &[below(CLAUDE, &["settings.json"]), below(ACCOUNT, &[".claude.json"]), below(CLAUDE, &[""])],
    // Settings rather than the plugin: they work without a marketplace, and slash commands keep their short
    // names.
    pieces: &[
        for_user(
            below(ACCOUNT, &[".claude.json"]),
            Asset::Server { path: &["mcpServers", "hark"], entry: SERVER },
        ),
        for_user(below(CLAUDE, &["settings.json"]), Asset::Hooks(&HOOKS)),
        for_user(below(CLAUDE, &["settings.json"]), READS),
        for_user(below(CLAUDE, &["CLAUDE.md"]), Asset::Rules),
        for_user(below(CLAUDE, &["commands"]), Asset::Commands(CommandFormat::Markdown)),
        for_user(below(CLAUDE, &["skills"]), Asset::Skills),
        for_project(project(&[".mcp.json"]), Asset::Server { path: &["mcpServers", "hark"], entry: SERVER }),
        for_project(project(&[".claude/settings.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&[".claude/settings.json"]), READS),
        for_project(project(&["CLAUDE.md"]), Asset::Rules),
        for_project(project(&[".claude/commands"]), Asset::Commands(CommandFormat::Markdown)),
        for_project(project(&[".claude/skills"]), Asset::Skills),
    ],
    plugin: &[
        for_user(
            plugin(&[".claude-plugin/marketplace.json"]),
            Asset::File { text: include_str!("assets/marketplace.json") },
        ),
        for_user(
            plugin(&["hark/.claude-plugin/plugin.json"]),
            Asset::File { text: include_str!("assets/plugin.json") },
        ),
        for_user(plugin(&["hark/.mcp.json"]), Asset::Server { path: &["mcpServers", "hark"], entry: SERVER }),
        for_user(plugin(&["hark/hooks/hooks.json"]), Asset::Hooks(&HOOKS)),
        for_user(plugin(&["hark/commands"]), Asset::Commands(CommandFormat::Markdown)),
        for_user(plugin(&["hark/skills"]), Asset::Skills),
    ],
    next: &["start a new session; sessions that are already running do not see it"],
    asks: "it asks before the first call of each tool; choose \"don't ask again\" for those that you trust",
    checks: &[
        Check::hooks(below(CLAUDE, &["settings.json"]), &["disableAllHooks"], Off::True),
        Check::hooks(project(&[".claude/settings.json"]), &["disableAllHooks"], Off::True),
        Check::hooks(project(&[".claude/settings.local.json"]), &["disableAllHooks"], Off::True),
        Check::server(
            below(ACCOUNT, &[".claude.json"]),
            &["projects", "{project}", "disabledMcpServers"],
            Off::With("hark"),
        ),
        Check::server(
            below(CLAUDE, &["settings.json"]),
            &["permissions", "deny"],
            Off::Beginning("mcp__hark"),
        ),
        Check::server(
            project(&[".claude/settings.local.json"]),
            &["disabledMcpjsonServers"],
            Off::With("hark"),
        ),
    ],
    plugin_next: &[
        "run `claude plugin marketplace add {plugin}`, then `claude plugin install hark@hark`",
        "before `hark uninstall`, run `claude plugin uninstall hark@hark` and `claude plugin marketplace remove hark`",
    ],
};
