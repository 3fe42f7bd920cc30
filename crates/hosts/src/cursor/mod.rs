//! Cursor: who it is. What is installed for it is in `install.rs`.

pub(crate) mod hook;
mod install;

use crate::host::Host;

pub(crate) const HOST: Host =
    Host { id: "cursor", name: "Cursor", install: install::INSTALL, hooks: &hook::DIALECT };
