//! What `hark install` sets up for Gemini CLI.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
