//! What `hark install` sets up for Windsurf.

use crate::command_line::Shell;
use crate::host::{Asset, Event, HookTable, Install, for_project, for_user, home, project};

const SERVER: Asset = Asset::Server {
    path: &["mcpServers", "hark"],
    entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}"}"#,
};

/// Windsurf accepts no context and has no timeout setting; `hark hook` has its own limit.
const HOOKS: HookTable = HookTable {
    host: "windsurf",
    path: &["hooks"],
    element: r#"{"command":"{command}","show_output":false}"#,
    time_unit: 1,
    windows: Shell::Cmd,
    events: &[
        Event::minimal("pre_user_prompt", 5),
        Event::full("post_write_code", 5),
        Event::full("post_run_command", 5),
        Event::full("post_mcp_tool_use", 5),
        Event::minimal("post_cascade_response", 10),
    ],
};

const FRONT: &str = "---\ntrigger: always_on\n---\n";

pub(crate) const INSTALL: Install = Install {
    programs: &["windsurf"],
    traces: &[home(&[".codeium/windsurf"])],
    pieces: &[
        for_user(home(&[".codeium/windsurf/mcp_config.json"]), SERVER),
        for_user(home(&[".codeium/windsurf/hooks.json"]), Asset::Hooks(&HOOKS)),
        for_user(home(&[".codeium/windsurf/memories/global_rules.md"]), Asset::Rules),
        // Servers cannot be set up for a single project.
        for_project(project(&[".windsurf/hooks.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&[".windsurf/rules/hark.md"]), Asset::RulesFile { front: FRONT }),
    ],
    next: &["click Refresh in the MCP panel of Cascade"],
    ..Install::NONE
};
