//! What `hark install` sets up for any MCP client.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
