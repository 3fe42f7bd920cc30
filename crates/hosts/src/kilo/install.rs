//! What `hark install` sets up for Kilo.

use crate::host::{Asset, CommandFormat, Install, config, for_project, for_user, project};

const SERVER: Asset = Asset::Server {
    path: &["mcp", "hark"],
    entry: r#"{"type":"local","command":["{hark}","mcp"],"enabled":true,"environment":"{env}"}"#,
};

/// A fork of OpenCode: the same plugin serves both.
pub(crate) const INSTALL: Install = Install {
    programs: &["kilo"],
    traces: &[config(&["kilo"])],
    pieces: &[
        for_user(config(&["kilo/kilo.jsonc", "kilo/kilo.json"]), SERVER),
        for_user(
            config(&["kilo/plugin/hark.js"]),
            Asset::HookFile { text: include_str!("../opencode/assets/plugin.js") },
        ),
        for_user(config(&["kilo/AGENTS.md"]), Asset::Rules),
        for_user(config(&["kilo/command"]), Asset::Commands(CommandFormat::Markdown)),
        for_project(project(&["kilo.jsonc", "kilo.json"]), SERVER),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
    ],
    next: &["start a new session"],
    ..Install::NONE
};
