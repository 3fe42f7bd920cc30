//! The length of the write-ahead log. Whoever opens the database alone reads its whole log first, so
//! a log that hooks let grow would cost every later hook. A hook has no time to fold it into the
//! database either; it says when somebody should.

use std::path::{Path, PathBuf};

use hark_core::Timestamp;

use crate::error::StoreError;
use crate::store::Store;

/// Up to this length a log is left alone: 128 pages, about 16 prompts, half a millisecond to read.
pub(crate) const LONG: u64 = 512 * 1024;
/// If nobody can fold the log because somebody else reads, asking again waits for this much more.
const STEP: u64 = 256 * 1024;

pub(crate) fn length(database: &Path) -> u64 {
    std::fs::metadata(file(database)).map_or(0, |meta| meta.len())
}

fn file(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

impl Store {
    /// Whether the log has become long, and somewhat longer, since this store was opened. Of many
    /// processes that write at once only a few are told so.
    pub fn log_grew_long(&self) -> bool {
        let now = length(&self.layout.database());
        now > LONG && now / STEP != self.log_at_opening / STEP
    }

    /// Moves the log into the database and begins it anew, so that the next hook need not.
    pub fn fold_log(&mut self, now: Timestamp) -> Result<(), StoreError> {
        // Most of it beside those who write; then what they wrote meanwhile, while they wait.
        self.checkpoint("PASSIVE")?;
        if self.checkpoint("RESTART")? {
            // A log begins anew with the first write after it was folded.
            self.conn
                .execute(
                    "INSERT INTO meta (key, value) VALUES ('log_folded', ?1) \
                     ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    [now.as_millis().to_string()],
                )
                .map_err(|e| self.sql(e))?;
        }
        Ok(())
    }

    /// Whether all of the log is in the database now, and nobody reads from it any more.
    fn checkpoint(&self, how: &str) -> Result<bool, StoreError> {
        self.conn
            .query_row(&format!("PRAGMA wal_checkpoint({how})"), [], |row| Ok(row.get::<_, i64>(0)? == 0))
            .map_err(|e| self.sql(e))
    }
}
