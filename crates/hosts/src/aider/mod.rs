//! Aider: who it is. What is installed for it is in `install.rs`.

mod install;

use crate::host::Host;

pub(crate) const HOST: Host =
    Host { id: "aider", name: "Aider", install: install::INSTALL, hooks: &crate::generic::hook::DIALECT };
