//! Aider: who it is. What is installed for it is in `install.rs`,
//! how its transcripts are read in `transcript.rs`.

mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "aider",
    name: "Aider",
    install: install::INSTALL,
    hooks: &crate::generic::hook::DIALECT,
    shell: AgentShell::UNKNOWN,
};
