//! What `hark install` sets up for Claude Desktop.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
