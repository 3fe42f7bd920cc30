//! Zed. `install.rs` defines what is installed for it.

mod install;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "zed",
    name: "Zed",
    install: install::INSTALL,
    hooks: &crate::hook::Dialect::DEAF,
    shell: AgentShell::UNKNOWN,
};
