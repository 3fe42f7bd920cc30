//! Aider. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "aider",
    name: "Aider",
    install: install::INSTALL,
    hooks: &crate::hook::Dialect::DEAF,
    shell: AgentShell::UNKNOWN,
};
