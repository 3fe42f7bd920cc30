//! What `hark install` sets up for Qwen Code.

use crate::host::Install;

pub(crate) const INSTALL: Install = Install {};
