//! OpenCode: who it is. What is installed for it is in `install.rs`,
//! how its transcripts are read in `transcript.rs`.

pub(crate) mod hook;
mod install;
pub(crate) mod transcript;

use crate::host::Host;

pub(crate) const HOST: Host =
    Host { id: "opencode", name: "OpenCode", install: install::INSTALL, hooks: &hook::DIALECT };
