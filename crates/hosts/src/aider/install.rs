//! What `hark install` sets up for Aider.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
