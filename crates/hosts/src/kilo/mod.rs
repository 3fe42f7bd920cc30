//! Kilo. `install.rs` defines what is installed for it.

pub(crate) mod hook;
mod install;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "kilo",
    name: "Kilo",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell { marks: &["KILO", "KILO_PID"], session: None },
};
