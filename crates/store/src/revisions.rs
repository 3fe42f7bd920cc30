//! Former states of each memory, one JSON line per change, beside the files they describe.
//!
//! They are files and not rows because history must survive a lost index.

use std::path::PathBuf;

use hark_core::redact::Unredacted;
use hark_core::{Clean, Memory, MemoryId, Raw, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::layout::Layout;
use crate::own;

/// What a memory was before a change, and what the change was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revision<T = Clean> {
    pub at: Timestamp,
    /// `edited`, `resolved`, `archived`, `superseded`, …
    pub change: T,
    /// Why, in the words of whoever changed it.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub reason: Option<T>,
    pub before: Memory<T>,
}

fn none<T>() -> Option<T> {
    None
}

impl Unredacted for Revision<Raw> {
    type Redacted = Revision;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Revision {
        Revision {
            at: self.at,
            change: self.change.redacted(clean),
            reason: self.reason.redacted(clean),
            before: self.before.redacted(clean),
        }
    }
}

pub(crate) fn path(layout: &Layout, id: &MemoryId) -> PathBuf {
    layout.revisions().join(format!("{}.jsonl", id.full()))
}

/// Oldest first. A line that cannot be read (a torn write) is passed over.
pub(crate) fn read(layout: &Layout, id: &MemoryId) -> Result<Vec<Revision>, StoreError> {
    let text = layout.read_text(&path(layout, id))?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| own::read::<Revision<Raw>>(line).ok()).collect())
}
