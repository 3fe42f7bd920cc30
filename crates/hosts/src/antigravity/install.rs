//! What `hark install` sets up for Antigravity.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
