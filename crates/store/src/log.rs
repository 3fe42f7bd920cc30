//! The length of the write-ahead log. Whoever opens the database alone reads its whole log first, so
//! a log that hooks let grow would cost every later hook. A hook has no time to fold it into the
//! database either; it says when somebody should.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hark_core::Timestamp;

use crate::error::StoreError;
use crate::store::Store;

/// Up to this length a log is left alone: 128 pages, about 16 prompts, half a millisecond to read.
pub(crate) const LONG: u64 = 512 * 1024;
/// Up to this length a process that lives on leaves it: 1,000 pages.
const LONG_FOR_LASTING: u64 = 4 * 1024 * 1024;
/// If nobody can fold the log because somebody else reads, asking again waits for this much more.
const STEP: u64 = 256 * 1024;
/// Nobody who writes is held up for longer.
const HOLD_UP: Duration = Duration::from_millis(15);

/// A log this long, in pages, is folded by whoever writes next.
pub(crate) const VERY_LONG_PAGES: i64 = 8_000;

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

    /// From now on a write does not fold the log in passing, which takes ten times as long as the write:
    /// whoever says this calls [`Store::rest`] when nobody waits.
    pub fn rest_between_writes(&self) -> Result<(), StoreError> {
        self.conn.pragma_update(None, "wal_autocheckpoint", VERY_LONG_PAGES).map_err(|e| self.sql(e))
    }

    /// Moves a long log into the database, beside those who read and write.
    pub fn rest(&self) -> Result<(), StoreError> {
        if length(&self.layout.database()) > LONG_FOR_LASTING {
            self.checkpoint("PASSIVE")?;
        }
        Ok(())
    }

    /// Moves the log into the database and begins it anew, so that the next hook need not.
    pub fn fold_log(&mut self, now: Timestamp) -> Result<(), StoreError> {
        // Most of it beside those who write; then what they wrote meanwhile. For that they wait, so not
        // for as long as somebody may read.
        self.checkpoint("PASSIVE")?;
        self.conn.busy_timeout(HOLD_UP).map_err(|e| self.sql(e))?;
        let folded = self.checkpoint("RESTART");
        self.conn.busy_timeout(self.patience).map_err(|e| self.sql(e))?;
        if folded? {
            // A log begins anew with the first write after it was folded.
            self.note("log_folded", &now.as_millis().to_string())?;
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
