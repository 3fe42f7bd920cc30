//! Former states of each memory, one JSON line per change, beside the files they describe.
//!
//! They are files and not rows because history must survive a lost index.

use std::path::PathBuf;

use hark_core::{Memory, MemoryId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::layout::Layout;

/// What a memory was before a change, and what the change was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    pub at: Timestamp,
    /// `edited`, `resolved`, `archived`, `superseded`, …
    pub change: String,
    pub before: Memory,
}

pub(crate) fn path(layout: &Layout, id: &MemoryId) -> PathBuf {
    layout.revisions().join(format!("{}.jsonl", id.full()))
}

/// Oldest first. A line that cannot be read (a torn write) is passed over.
pub(crate) fn read(layout: &Layout, id: &MemoryId) -> Result<Vec<Revision>, StoreError> {
    let text = layout.read_text(&path(layout, id))?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
