//! What `hark install` sets up for VS Code.

use crate::host::{Asset, Install, Root, app, below, for_project, for_user, project};

use crate::copilot_cli::{HOOKS, HOOKS_VERSION};

const COPILOT: Root = Root::Var("COPILOT_HOME", ".copilot");

const SERVER: Asset = Asset::Server {
    path: &["servers", "hark"],
    entry: r#"{"type":"stdio","command":"{hark}","args":["mcp"],"env":"{env}"}"#,
};

pub(crate) const INSTALL: Install = Install {
    programs: &["code"],
    traces: &[app(&["Code/User"])],
    pieces: &[
        for_user(app(&["Code/User/mcp.json"]), SERVER),
        for_user(below(COPILOT, &["hooks/hark.json"]), HOOKS_VERSION),
        for_user(below(COPILOT, &["hooks/hark.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&[".vscode/mcp.json"]), SERVER),
        for_project(project(&[".github/hooks/hark.json"]), HOOKS_VERSION),
        for_project(project(&[".github/hooks/hark.json"]), Asset::Hooks(&HOOKS)),
        for_project(project(&["AGENTS.md"]), Asset::Rules),
    ],
    next: &["run `MCP: List Servers` in VS Code and start `hark`; VS Code asks once whether you trust it"],
    asks: "it asks before the first call of each tool; choose \"Always Allow\" for those that you trust",
    ..Install::NONE
};
