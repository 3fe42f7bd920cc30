//! What `hark install` sets up for Zed.

use crate::host::{Allow, Asset, Install, config, for_project, for_user, project};

const SERVER: Asset = Asset::Server {
    path: &["context_servers", "hark"],
    entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}"}"#,
};

const READS: Asset = Asset::Allow(Allow::Named {
    path: &["agent", "tool_permissions", "tools"],
    name: "mcp:hark:{tool}",
    value: r#"{"default":"allow"}"#,
});

pub(crate) const INSTALL: Install = Install {
    programs: &["zed", "zeditor"],
    traces: &[config(&["zed"])],
    pieces: &[
        for_user(config(&["zed/settings.json"]), SERVER),
        for_user(config(&["zed/settings.json"]), READS),
        for_project(project(&[".zed/settings.json"]), SERVER),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
    ],
    next: &["the server `hark` appears in the Agent panel's settings"],
    asks: "it asks before each call of a tool",
    ..Install::NONE
};
