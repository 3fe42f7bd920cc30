//! What `hark install` sets up for VS Code.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
