//! What `hark install` sets up for Codex CLI.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
