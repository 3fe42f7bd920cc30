//! Droid: who it is. What is installed for it is in `install.rs`,
//! how its transcripts are read in `transcript.rs`.

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
