//! What `hark install` sets up for Copilot CLI.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
