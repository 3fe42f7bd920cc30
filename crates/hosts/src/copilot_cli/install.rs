//! What `hark install` sets up for Copilot CLI.

use crate::command_line::Shell;
use crate::host::{Asset, Event, HookTable, Install, Root, below, for_project, for_user, project};

const COPILOT: Root = Root::Var("COPILOT_HOME", ".copilot");

const SERVER: Asset = Asset::Server {
    path: &["mcpServers", "hark"],
    entry: r#"{"type":"local","command":"{hark}","args":["mcp"],"env":"{env}","tools":["*"]}"#,
};

pub(crate) const HOOKS_VERSION: Asset = Asset::HookSetting { path: &["version"], value: "1" };

/// VS Code reads the same files, so both share these. A failing `preToolUse` would block tools.
pub(crate) const HOOKS: HookTable = HookTable {
    host: "copilot-cli",
    path: &["hooks"],
    element: if cfg!(windows) {
        r#"{"type":"command","powershell":"{command}","timeoutSec":"{timeout}"}"#
    } else {
        r#"{"type":"command","bash":"{command}","timeoutSec":"{timeout}"}"#
    },
    time_unit: 1,
    windows: Shell::PowerShell,
    events: &[
        Event::minimal("sessionStart", 10).saying(r#"{"additionalContext":"{gone}"}"#),
        Event::minimal("userPromptSubmitted", 5),
        Event::full("preToolUse", 5),
        Event::full("postToolUse", 5),
        Event::full("postToolUseFailure", 5),
        Event::full("preCompact", 10),
        Event::full("agentStop", 10),
        Event::minimal("sessionEnd", 10),
    ],
};

pub(crate) const INSTALL: Install = Install {
    programs: &["copilot"],
    traces: &[below(COPILOT, &[""])],
    pieces: &[
        for_user(below(COPILOT, &["mcp-config.json"]), SERVER),
        for_user(below(COPILOT, &["hooks/hark.json"]), HOOKS_VERSION),
        for_user(below(COPILOT, &["hooks/hark.json"]), Asset::Hooks(&HOOKS)),
        for_user(below(COPILOT, &["copilot-instructions.md"]), Asset::Rules),
        for_project(project(&[".github/mcp.json"]), SERVER),
        for_project(project(&[".github/hooks/hark.json"]), HOOKS_VERSION),
        for_project(project(&[".github/hooks/hark.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
    ],
    next: &["start a new session"],
    asks: "it asks before the first call of each tool; `copilot --allow-tool hark` does not ask",
    ..Install::NONE
};
