//! What `hark install` sets up for OpenCode.

use crate::host::{Allow, Asset, CommandFormat, Install, config, for_project, for_user, project};

const SERVER: Asset = Asset::Server {
    path: &["mcp", "hark"],
    entry: r#"{"type":"local","command":["{hark}","mcp"],"enabled":true,"environment":"{env}"}"#,
};

/// It asks only if the user's settings say so.
const READS: Asset =
    Asset::Allow(Allow::Named { path: &["permission"], name: "hark_{tool}", value: "\"allow\"" });

pub(crate) const INSTALL: Install = Install {
    programs: &["opencode"],
    traces: &[config(&["opencode"])],
    pieces: &[
        for_user(config(&["opencode/opencode.jsonc", "opencode/opencode.json"]), SERVER),
        for_user(config(&["opencode/opencode.jsonc", "opencode/opencode.json"]), READS),
        for_user(
            config(&["opencode/plugin/hark.js"]),
            Asset::HookFile { text: include_str!("assets/plugin.js") },
        ),
        for_user(config(&["opencode/AGENTS.md"]), Asset::Rules),
        for_user(config(&["opencode/command"]), Asset::Commands(CommandFormat::Markdown)),
        for_project(project(&["opencode.jsonc", "opencode.json"]), SERVER),
        for_project(
            project(&[".opencode/plugin/hark.js"]),
            Asset::HookFile { text: include_str!("assets/plugin.js") },
        ),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
        for_project(project(&[".opencode/command"]), Asset::Commands(CommandFormat::Markdown)),
    ],
    next: &["start a new session"],
    ..Install::NONE
};
