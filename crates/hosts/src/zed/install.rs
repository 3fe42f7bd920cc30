//! What `hark install` sets up for Zed.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
