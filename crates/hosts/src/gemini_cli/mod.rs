//! Gemini CLI. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "gemini-cli",
    name: "Gemini CLI",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell { marks: &["GEMINI_CLI", "GEMINI_SESSION_ID"], session: Some("GEMINI_SESSION_ID") },
};
