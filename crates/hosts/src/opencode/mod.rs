//! OpenCode. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "opencode",
    name: "OpenCode",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell { marks: &["OPENCODE", "OPENCODE_SESSION_ID"], session: Some("OPENCODE_SESSION_ID") },
};
