//! What `hark install` sets up for Windsurf.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
