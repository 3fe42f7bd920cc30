//! Droid. `install.rs` defines what is installed for it, `transcript.rs` reads its transcripts.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

use crate::agent_shell::AgentShell;
use crate::host::Host;

pub(crate) const HOST: Host = Host {
    id: "droid",
    name: "Droid",
    install: install::INSTALL,
    hooks: &hook::DIALECT,
    shell: AgentShell {
        marks: &["FACTORY_EXEC_TARGET_AUTONOMY", "FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
        session: None,
    },
};
