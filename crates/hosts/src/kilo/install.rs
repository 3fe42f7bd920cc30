//! What `hark install` sets up for Kilo.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
