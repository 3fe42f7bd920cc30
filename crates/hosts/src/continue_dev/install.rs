//! What `hark install` sets up for Continue.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
