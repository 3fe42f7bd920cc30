//! Copilot CLI. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) use install::{HOOKS, HOOKS_VERSION};

pub(crate) const HOST: Host = Host {
    id: "copilot-cli",
    name: "Copilot CLI",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell {
        marks: &["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
        session: Some("COPILOT_AGENT_SESSION_ID"),
    },
};
