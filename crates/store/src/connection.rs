//! The one place that opens SQLite. Every connection gets the same settings, and every wait for
//! another process has a deadline.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{At, StoreError};
use crate::log;
use crate::migrate::check_owner;
use crate::search::teach_packed;

/// Before this release two processes could reset the write-ahead log under each other.
const _: () =
    assert!(rusqlite::ffi::SQLITE_VERSION_NUMBER >= 3_051_003, "bundled SQLite lacks the WAL-reset fix");

/// How a connection will be used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// How long to wait for other writers.
    pub(crate) patience: Duration,
    /// Leave checkpoints to other processes: closing then costs no fsync.
    pub(crate) skip_checkpoint: bool,
    /// The page cache size. A short-lived process reads most pages once: reusing their memory is cheaper
    /// than allocating more.
    pub(crate) cache_kib: u32,
}

pub(crate) fn open(path: &Path, settings: Settings) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[expect(clippy::disallowed_methods, reason = "this is the shim")]
    let conn = Connection::open_with_flags(path, flags).at(path)?;
    conn.busy_timeout(settings.patience).at(path)?;
    prepare(&conn).at(path)?;
    if settings.skip_checkpoint {
        conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).at(path)?;
        // No checkpoints during their work either, unless the log is very long.
        conn.pragma_update(None, "wal_autocheckpoint", log::VERY_LONG_PAGES).at(path)?;
    }
    // Never change a database of another program.
    check_owner(&conn, path, settings.patience)?;
    patiently(path, settings.patience, || {
        let mode: String = conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        debug_assert!(mode.eq_ignore_ascii_case("wal") || mode.eq_ignore_ascii_case("memory"), "{mode}");
        conn.execute_batch(&format!(
            "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{}; \
             PRAGMA mmap_size = 0; PRAGMA secure_delete = FAST; PRAGMA journal_size_limit = {};",
            settings.cache_kib,
            log::LONG
        ))
    })?;
    Ok(conn)
}

/// Settings for every connection to an index.
fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(96);
    teach_packed(conn)?;
    // Otherwise a bound LIMIT makes SQLite recompile the statement on every call.
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// An index in a place where no file can be written.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    let conn = open_foreign(path)?;
    prepare(&conn).at(path)?;
    check_owner(&conn, path, Duration::ZERO)?;
    Ok(conn)
}

/// An index that lives as long as this process. `path` is the one it stands for.
pub(crate) fn open_in_memory(path: &Path) -> Result<Connection, StoreError> {
    #[expect(clippy::disallowed_methods, reason = "this is the shim")]
    let conn = Connection::open_in_memory().at(path)?;
    prepare(&conn).at(path)?;
    Ok(conn)
}

/// A database of another program, opened read-only. Without a log next to it the file is opened as
/// immutable, so that SQLite does not create its own side files.
pub(crate) fn open_foreign(path: &Path) -> Result<Connection, StoreError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let quiet = std::fs::metadata(&log).map_or(true, |meta| meta.len() == 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[expect(clippy::disallowed_methods, reason = "this is the shim")]
    let conn = match path.to_str().filter(|_| quiet) {
        Some(text) => {
            let uri = format!("file:{}?immutable=1", escape_uri(text));
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
        }
        None => Connection::open_with_flags(path, flags),
    }
    .at(path)?;
    conn.busy_timeout(Duration::from_secs(5)).at(path)?;
    Ok(conn)
}

fn escape_uri(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// Begins a write. SQLite's own busy handler covers most waits; recovery after a crash and the
/// switch to WAL can still return "busy" at once, so this retries until the deadline.
pub(crate) fn begin<'c>(
    conn: &'c Connection,
    path: &Path,
    patience: Duration,
) -> Result<Transaction<'c>, StoreError> {
    patiently(path, patience, || Transaction::new_unchecked(conn, TransactionBehavior::Immediate))
}

pub(crate) fn patiently<T>(
    path: &Path,
    patience: Duration,
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match attempt() {
            Ok(value) => return Ok(value),
            Err(e) if is_busy(&e) => {
                if started.elapsed() >= patience {
                    return Err(StoreError::Busy {
                        path: path.to_owned(),
                        waited_ms: started.elapsed().as_millis(),
                    });
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(25));
            }
            Err(e) => return Err(StoreError::sqlite(path, e)),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
