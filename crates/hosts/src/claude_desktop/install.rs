//! What `hark install` sets up for Claude Desktop.

use crate::host::{Asset, Install, app, for_user};

pub(crate) const INSTALL: Install = Install {
    programs: &["claude-desktop"],
    traces: &[app(&["Claude"])],
    pieces: &[for_user(
        app(&["Claude/claude_desktop_config.json"]),
        Asset::Server {
            path: &["mcpServers", "hark"],
            entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}"}"#,
        },
    )],
    next: &["quit Claude Desktop and start it again"],
    ..Install::NONE
};
