//! What `hark install` sets up for any MCP client.

use crate::host::Install;

/// Nothing is written: `hark install generic` prints the entry to paste.
pub(crate) const INSTALL: Install = Install::NONE;
