//! Detects a missing `memories/` folder while the index has memories: an accidental deletion, or a disk that
//! is not mounted. The index follows the files, so this is recorded first, for `hark doctor`.

use hark_core::Timestamp;

use crate::error::{At, StoreError};
use crate::inspect::{Finding, Severity};
use crate::layout::Layout;
use crate::meta;
use crate::store::Store;

pub(crate) const KEY: &str = "lost";

/// Whether the folder is missing while there is an index.
pub(crate) fn is_gone(layout: &Layout) -> bool {
    !layout.door().has_folder(&layout.memories()) && layout.door().has_file(&layout.database())
}

/// Records the number of memories in the index.
pub(crate) fn note(conn: &rusqlite::Connection, now: Timestamp) -> rusqlite::Result<()> {
    let count: i64 = conn.query_row("SELECT count(*) FROM memory", [], |row| row.get(0))?;
    if count > 0 {
        meta::put(conn, KEY, &format!("{count} {}", now.as_millis()))?;
    }
    Ok(())
}

impl Store {
    /// The finding about missing memories.
    pub(crate) fn lost_memories(&self) -> Result<Option<Finding>, StoreError> {
        let here: i64 = self.conn.query_row("SELECT count(*) FROM memory", [], |row| row.get(0)).at(self)?;
        let noted = self.noted(KEY)?.and_then(|text| {
            let (count, at) = text.split_once(' ')?;
            Some((count.parse::<i64>().ok()?, Timestamp::from_millis(at.parse().ok()?)))
        });
        let backup = self.fullest_backup();
        // Emptied on purpose, and nothing was backed up since.
        let emptied =
            self.noted(crate::reset::KEY)?.and_then(|at| at.parse().ok()).map(Timestamp::from_millis);
        if here == 0 && noted.is_none() && emptied.is_some() && self.last_backup() <= emptied {
            return Ok(None);
        }
        let folder = self.layout.memories();
        let what = match (noted, &backup) {
            (Some((count, at)), _) if here < count => {
                format!("{} was missing on {at}; {} memories are missing", folder.display(), count - here)
            }
            (_, Some((name, count))) if here == 0 => {
                format!("{} contains no memories, but the snapshot {name} contains {count}", folder.display())
            }
            _ => return Ok(None),
        };
        let fix = match backup {
            Some((name, count)) => {
                format!("restore {count} memories: hark backup restore {name} --yes")
            }
            None => "restore the folder from your own backup, then run: hark reindex".to_owned(),
        };
        Ok(Some(Finding { severity: Severity::Problem, what, mend: Some(fix) }))
    }
}
