//! Claude Code. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "claude-code",
    name: "Claude Code",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell { marks: &["CLAUDECODE"], session: Some("CLAUDE_CODE_SESSION_ID") },
};
