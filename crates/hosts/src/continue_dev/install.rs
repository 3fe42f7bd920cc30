//! What `hark install` sets up for Continue.

use crate::host::{Asset, Install, Root, below, for_project, for_user, project};

const CONTINUE: Root = Root::Var("CONTINUE_GLOBAL_DIR", ".continue");

const ENTRY: &str = r#"{"name":"hark","type":"stdio","command":"{hark}","args":["mcp"],"env":"{env}"}"#;

/// A settings file must describe itself.
const SEED: &str = "name: Local Config\nversion: 1.0.0\nschema: v1\n";

const FRONT: &str = "---\nname: hark\nalwaysApply: true\n---\n";

pub(crate) const INSTALL: Install = Install {
    programs: &["cn"],
    traces: &[below(CONTINUE, &[""])],
    // Continue accepts hooks in its configuration but never calls any.
    pieces: &[
        for_user(
            below(CONTINUE, &["config.yaml"]),
            Asset::YamlServer { key: "mcpServers", entry: ENTRY, seed: SEED },
        ),
        for_user(below(CONTINUE, &["rules/hark.md"]), Asset::RulesFile { front: FRONT }),
        for_project(
            project(&[".continue/mcpServers/hark.yaml"]),
            Asset::YamlServer {
                key: "mcpServers",
                entry: ENTRY,
                seed: "name: hark\nversion: 1.0.0\nschema: v1\n",
            },
        ),
        for_project(project(&[".continue/rules/hark.md"]), Asset::RulesFile { front: FRONT }),
    ],
    next: &["start a new session"],
    ..Install::NONE
};
