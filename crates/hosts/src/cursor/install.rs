//! What `hark install` sets up for Cursor.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
