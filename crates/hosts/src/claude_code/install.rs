//! What `hark install` sets up for Claude Code.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
