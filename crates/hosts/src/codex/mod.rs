//! Codex CLI. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

pub(crate) use install::SETTINGS;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "codex",
    name: "Codex CLI",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell {
        marks: &[
            "CODEX_THREAD_ID",
            "CODEX_SANDBOX",
            "CODEX_SANDBOX_NETWORK_DISABLED",
            "CODEX_CI",
            "CODEX_MANAGED_BY_NPM",
            "CODEX_MANAGED_BY_BUN",
        ],
        session: Some("CODEX_THREAD_ID"),
    },
};
