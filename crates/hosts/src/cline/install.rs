//! What `hark install` sets up for Cline.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
