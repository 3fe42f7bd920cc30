//! Projects by number inside one index, and the cache of folders already identified.

use hark_core::{Clean, ProjectKey, Scope, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

/// A project's number in this index; 0 holds everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectNum(pub i64);

impl ProjectNum {
    pub const GLOBAL: ProjectNum = ProjectNum(0);
}

pub(crate) fn find(conn: &Connection, key: &ProjectKey) -> rusqlite::Result<Option<ProjectNum>> {
    conn.prepare_cached("SELECT num FROM project WHERE key = ?1")?
        .query_row([key.as_str()], |row| row.get(0).map(ProjectNum))
        .optional()
}

pub(crate) fn find_or_create(
    conn: &Connection,
    scope: &Scope,
    now: Timestamp,
) -> rusqlite::Result<ProjectNum> {
    let Some(key) = scope.project() else { return Ok(ProjectNum::GLOBAL) };
    if let Some(num) = find(conn, key)? {
        return Ok(num);
    }
    conn.prepare_cached("INSERT INTO project (key, created) VALUES (?1, ?2)")?
        .execute(params![key.as_str(), now.as_millis()])?;
    Ok(ProjectNum(conn.last_insert_rowid()))
}

/// A key of a row.
pub(crate) fn key_of(text: String) -> Option<ProjectKey> {
    ProjectKey::new(&Clean::already_redacted(text))
}

/// Every known key, most recently used names first come from the caller's own sorting.
pub(crate) fn all(conn: &Connection) -> rusqlite::Result<Vec<ProjectKey>> {
    let mut statement = conn.prepare_cached("SELECT key FROM project ORDER BY key")?;
    let keys = statement.query_map([], |row| row.get::<_, String>(0))?;
    keys.filter_map(|key| key.map(key_of).transpose()).collect()
}

pub(crate) fn cached_root(
    conn: &Connection,
    root: &str,
    stamp: &str,
) -> rusqlite::Result<Option<ProjectKey>> {
    let key: Option<String> = conn
        .prepare_cached("SELECT key FROM project_root WHERE root = ?1 AND stamp = ?2")?
        .query_row([root, stamp], |row| row.get(0))
        .optional()?;
    Ok(key.and_then(key_of))
}

pub(crate) fn remember_root(
    conn: &Connection,
    root: &str,
    stamp: &str,
    key: &ProjectKey,
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO project_root (root, stamp, key) VALUES (?1, ?2, ?3) \
         ON CONFLICT (root) DO UPDATE SET stamp = excluded.stamp, key = excluded.key",
    )?
    .execute([root, stamp, key.as_str()])?;
    Ok(())
}
