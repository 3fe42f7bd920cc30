//! Brings an index to the current schema. Migrations only add, so a binary that is behind can go
//! on writing to an index that is ahead, unless the index says otherwise (`min_writer`).

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};

use crate::connection::{begin, patiently};
use crate::error::{At, StoreError};

/// The schema of a new index.
const BASE: &str = include_str!("../../../migrations/sqlite/0009_base.sql");
const BASE_VERSION: i32 = 9;

/// What came after it, one version each.
const ADDITIONS: &[&str] = &[
    include_str!("../../../migrations/sqlite/0010_session_process.sql"),
    include_str!("../../../migrations/sqlite/0011_project_places.sql"),
    include_str!("../../../migrations/sqlite/0012_phrases.sql"),
    include_str!("../../../migrations/sqlite/0013_unembedded.sql"),
    include_str!("../../../migrations/sqlite/0014_failures_to_sort.sql"),
    include_str!("../../../migrations/sqlite/0015_turns.sql"),
    include_str!("../../../migrations/sqlite/0016_learning.sql"),
];

/// `Hark` in ASCII, in the header of every index.
const APPLICATION_ID: i32 = 0x4861_726b;

pub(crate) fn current_version() -> i32 {
    BASE_VERSION + ADDITIONS.len() as i32
}

/// The schema version of an index that was already found to be ours.
pub(crate) fn version(conn: &Connection, path: &Path) -> Result<i32, StoreError> {
    conn.query_row("PRAGMA user_version", [], |row| row.get(0)).at(path)
}

/// Makes a new index, or adds to one what is missing in it.
pub(crate) fn migrate(conn: &Connection, path: &Path, patience: Duration) -> Result<(), StoreError> {
    if check_owner(conn, path, patience)? >= current_version() {
        return Ok(());
    }
    let tx = begin(conn, path, patience)?;
    // Somebody else may have migrated while we waited for the lock.
    let mut version: i32 = tx.query_row("PRAGMA user_version", [], |row| row.get(0)).at(path)?;
    if version == 0 {
        tx.execute_batch(BASE).at(path)?;
        tx.pragma_update(None, "application_id", APPLICATION_ID).at(path)?;
        version = BASE_VERSION;
    }
    if version < BASE_VERSION {
        return Err(StoreError::Outdated { path: path.to_owned(), version });
    }
    for script in ADDITIONS.iter().skip((version - BASE_VERSION) as usize) {
        tx.execute_batch(script).at(path)?;
    }
    tx.pragma_update(None, "user_version", current_version().max(version)).at(path)?;
    tx.commit().at(path)
}

/// The schema version, or why this file is not ours to touch.
pub(crate) fn check_owner(conn: &Connection, path: &Path, patience: Duration) -> Result<i32, StoreError> {
    // One statement, one snapshot: another process may be creating the index this very moment.
    let (application, version, tables) = patiently(path, patience, || {
        conn.query_row(
            "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), \
             (SELECT count(*) FROM sqlite_schema)",
            [],
            |row| Ok((row.get::<_, i32>(0)?, row.get::<_, i32>(1)?, row.get::<_, i64>(2)?)),
        )
    })?;
    if application == APPLICATION_ID {
        let min_writer: Option<String> = conn
            .query_row("SELECT value FROM meta WHERE key = 'min_writer'", [], |row| row.get(0))
            .optional()
            .at(path)?;
        let needed = min_writer.and_then(|v| v.parse::<i32>().ok()).unwrap_or(0);
        if needed > current_version() {
            return Err(StoreError::TooNew { path: path.to_owned() });
        }
        return Ok(version);
    }
    if application == 0 && tables == 0 {
        return Ok(0);
    }
    Err(StoreError::Foreign { path: path.to_owned() })
}
