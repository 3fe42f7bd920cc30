//! What `hark install` sets up for OpenCode.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
