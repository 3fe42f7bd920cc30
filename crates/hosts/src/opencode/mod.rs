//! OpenCode: who it is. What is installed for it is in `install.rs`,
//! how its transcripts are read in `transcript.rs`.

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
