//! What `hark install` sets up for Cline.

use crate::host::{Asset, Event, Install, for_project, for_user, home, project};

const SERVER: Asset = Asset::Server {
    path: &["mcpServers", "hark"],
    entry: r#"{"command":"{hark}","args":["mcp"],"env":"{env}","disabled":false,"autoApprove":"{reads}"}"#,
};

/// Scripts named after events. Only tool events accept context; the others just record.
const HOOKS: Asset = Asset::HookPrograms {
    suffix: ".sh",
    events: &[
        Event::minimal("TaskStart", 10),
        Event::minimal("TaskResume", 10),
        Event::minimal("UserPromptSubmit", 5),
        Event::full("PreToolUse", 5),
        Event::full("PostToolUse", 5),
        Event::full("PreCompact", 10),
        Event::full("TaskCancel", 10),
        Event::minimal("TaskComplete", 10),
        Event::minimal("SessionShutdown", 10),
    ],
};

pub(crate) const INSTALL: Install = Install {
    programs: &["cline"],
    traces: &[home(&[".cline"])],
    pieces: &[
        for_user(home(&[".cline/data/settings/cline_mcp_settings.json"]), SERVER),
        for_user(home(&[".cline/hooks"]), HOOKS),
        for_project(project(&[".cline/hooks"]), HOOKS),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
    ],
    next: &["start a new task"],
    asks: "it asks before each call of a tool",
    ..Install::NONE
};
