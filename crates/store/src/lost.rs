//! A folder `memories/` that is gone although the index knows memories: a slip of the hand, a disk that is
//! not mounted. The index follows the files, so this is noted before it does, for `hark doctor`.

use hark_core::Timestamp;

use crate::error::{At, StoreError};
use crate::inspect::{Finding, Severity};
use crate::layout::Layout;
use crate::meta;
use crate::store::Store;

pub(crate) const KEY: &str = "lost";

/// Whether the folder is gone while there is an index.
pub(crate) fn is_gone(layout: &Layout) -> bool {
    !layout.door().has_folder(&layout.memories()) && layout.door().has_file(&layout.database())
}

/// Notes how many memories the index still knows.
pub(crate) fn note(conn: &rusqlite::Connection, now: Timestamp) -> rusqlite::Result<()> {
    let count: i64 = conn.query_row("SELECT count(*) FROM memory", [], |row| row.get(0))?;
    if count > 0 {
        meta::put(conn, KEY, &format!("{count} {}", now.as_millis()))?;
    }
    Ok(())
}

impl Store {
    /// What to say about memories that are not there any more.
    pub(crate) fn lost_memories(&self) -> Result<Option<Finding>, StoreError> {
        let here: i64 = self.conn.query_row("SELECT count(*) FROM memory", [], |row| row.get(0)).at(self)?;
        let noted = self.noted(KEY)?.and_then(|text| {
            let (count, at) = text.split_once(' ')?;
            Some((count.parse::<i64>().ok()?, Timestamp::from_millis(at.parse().ok()?)))
        });
        let backup = self.fullest_backup();
        let folder = self.layout.memories();
        let what = match (noted, &backup) {
            (Some((count, at)), _) if here < count => {
                format!("{} was gone on {at}; {} memories are missing", folder.display(), count - here)
            }
            (_, Some((name, count))) if here == 0 => {
                format!("{} holds no memories, but the snapshot {name} holds {count}", folder.display())
            }
            _ => return Ok(None),
        };
        let fix = match backup {
            Some((name, count)) => {
                format!("bring back {count} memories: hark backup restore {name} --yes")
            }
            None => "put the folder back from a copy of your own, then run: hark reindex".to_owned(),
        };
        Ok(Some(Finding { severity: Severity::Problem, what, mend: Some(fix) }))
    }
}
