//! What `hark install` sets up for OpenCode.

use crate::host::{CommandFormat, Install, What, config, for_project, for_user, project};

const SERVER: What = What::Server {
    path: &["mcp", "hark"],
    entry: r#"{"type":"local","command":["{hark}","mcp"],"enabled":true,"environment":"{env}"}"#,
};

pub(crate) const INSTALL: Install = Install {
    programs: &["opencode"],
    traces: &[config(&["opencode"])],
    pieces: &[
        for_user(config(&["opencode/opencode.jsonc", "opencode/opencode.json"]), SERVER),
        for_user(
            config(&["opencode/plugin/hark.js"]),
            What::HookFile { text: include_str!("assets/plugin.js") },
        ),
        for_user(config(&["opencode/AGENTS.md"]), What::Rules),
        for_user(config(&["opencode/command"]), What::Commands(CommandFormat::Markdown)),
        for_project(project(&["opencode.jsonc", "opencode.json"]), SERVER),
        for_project(
            project(&[".opencode/plugin/hark.js"]),
            What::HookFile { text: include_str!("assets/plugin.js") },
        ),
        for_project(project(&["AGENTS.md"]), What::Rules),
        for_project(project(&[".opencode/command"]), What::Commands(CommandFormat::Markdown)),
    ],
    next: &["start a new session"],
    ..Install::NONE
};
