//! Windsurf. `install.rs` defines what is installed for it.

pub(crate) mod hook;
mod install;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "windsurf",
    name: "Windsurf",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell::UNKNOWN,
};
