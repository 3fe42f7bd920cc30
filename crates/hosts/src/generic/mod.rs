//! Any MCP client. `install.rs` defines what is installed for it.

pub(crate) mod hook;
mod install;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "generic",
    name: "any MCP client",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell {
        marks: &[
            "AI_AGENT",
            "AGENT=1",
            "AGENT=amp",
            "AGENT=goose",
            "AGENT=crush",
            "AUGMENT_AGENT",
            "GOOSE_TERMINAL",
            "TRAE_AI_SHELL_ID",
        ],
        session: None,
    },
};
