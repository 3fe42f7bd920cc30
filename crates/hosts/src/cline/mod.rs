//! Cline. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "cline",
    name: "Cline",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell { marks: &["CLINE_ACTIVE", "CLINE_CONNECTOR_CLI_LAUNCH"], session: None },
};
