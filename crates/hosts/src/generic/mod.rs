//! any MCP client: who it is. What is installed for it is in `install.rs`.

pub(crate) mod hook;
mod install;

use crate::host::Host;

pub(crate) const HOST: Host =
    Host { id: "generic", name: "any MCP client", install: install::INSTALL, hooks: &hook::DIALECT };
