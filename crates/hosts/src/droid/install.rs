//! What `hark install` sets up for Droid.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
