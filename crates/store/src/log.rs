//! Limits the length of the write-ahead log. The first process to open the database reads the whole log,
//! so a long log would slow down every later hook. A hook has no time to checkpoint the log either; it
//! reports when another process should.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hark_core::Timestamp;
use rusqlite::Connection;

use crate::connection::{self, Settings};
use crate::error::{At, StoreError};
use crate::layout::Layout;
use crate::store::Store;
use crate::write::Filing;

/// A log up to this length is not checkpointed: 128 pages, about 16 prompts, half a millisecond to read.
pub(crate) const LONG: u64 = 512 * 1024;
/// The same for a long-lived process: 1,000 pages.
const LONG_FOR_LASTING: u64 = 4 * 1024 * 1024;
/// If readers block a checkpoint, the next request waits until the log has grown by this much.
const STEP: u64 = 256 * 1024;
/// The longest delay for writers.
const HOLD_UP: Duration = Duration::from_millis(15);

/// SQLite's default: the next writer checkpoints a log of this many pages.
pub(crate) const USUAL_PAGES: i64 = 1_000;
/// The same for processes that leave checkpoints to others.
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
    /// Whether the log is long and has grown since this store was opened. Of many concurrent writers, only
    /// a few get `true`.
    pub fn log_grew_long(&self) -> bool {
        let now = length(&self.layout.database());
        now > LONG && now / STEP != self.log_at_opening / STEP
    }

    /// From now on a write neither folds the log in passing, which takes ten times as long as the write, nor
    /// files the whole of a memory: whoever says this does both when nobody waits ([`fold_beside`],
    /// [`Store::finish_memories`]).
    pub fn rest_between_writes(&mut self) -> Result<(), StoreError> {
        self.filing = Filing::Sparing;
        self.conn.pragma_update(None, "wal_autocheckpoint", VERY_LONG_PAGES).at(self)
    }

    /// Whether it is time to [`fold_beside`], for a process that lives on. The log begins anew only when a write
    /// finds all of it folded; while one write follows the other it grows on, and is not folded each time.
    pub fn log_is_long(&self) -> bool {
        let (now, then) = (length(&self.layout.database()), self.log_when_folded.get());
        let is_long = now > LONG_FOR_LASTING && (now < then || now >= then + LONG_FOR_LASTING);
        if is_long {
            self.log_when_folded.set(now);
        }
        is_long
    }

    /// Checkpoints and restarts the log, so that the next hook need not.
    pub fn fold_log(&mut self, now: Timestamp) -> Result<(), StoreError> {
        // Most of it beside those who write; then what they wrote meanwhile. For that they wait, so not
        // for as long as somebody may read.
        checkpoint(&self.conn, "PASSIVE").at(self)?;
        self.conn.busy_timeout(HOLD_UP).at(self)?;
        let folded = checkpoint(&self.conn, "RESTART").at(self);
        self.conn.busy_timeout(self.patience).at(self)?;
        if folded? {
            // A log begins anew with the first write after it was folded.
            self.note("log_folded", &now.as_millis().to_string())?;
        }
        Ok(())
    }
}

/// Checkpoints the log while others read and write. It takes as long as ten writes and waits for the disk, so it
/// uses its own connection and does not block users of the store's.
pub fn fold_beside(layout: &Layout) -> Result<(), StoreError> {
    let path = layout.database();
    let settings = Settings { patience: HOLD_UP, skip_checkpoint: true, cache_kib: 64 };
    let conn = connection::open(&path, settings)?;
    checkpoint(&conn, "PASSIVE").map(drop).at(&path)
}

/// Whether the whole log is in the database, and no process reads from it.
fn checkpoint(conn: &Connection, how: &str) -> rusqlite::Result<bool> {
    conn.query_row(&format!("PRAGMA wal_checkpoint({how})"), [], |row| Ok(row.get::<_, i64>(0)? == 0))
}
