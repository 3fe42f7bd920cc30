//! Qwen Code. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "qwen-code",
    name: "Qwen Code",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell {
        marks: &["QWEN_CODE", "QWEN_CODE_SESSION_ID"],
        session: Some("QWEN_CODE_SESSION_ID"),
    },
};
