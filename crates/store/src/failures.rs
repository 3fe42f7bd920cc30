//! Failures by project: found by signature, by command, by file, always through an index. Rows of
//! failures that have a memory follow its file; see `put_memory`.

use hark_core::failure::record::Record;
use hark_core::failure::trail::Trail;
use hark_core::{Memory, MemoryId, ProjectKey, Status, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{At, StoreError};
use crate::projects::{self, ProjectNum};
use crate::store::Store;
use crate::write::Writer;

/// A failure as it stands in the index.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureRow {
    /// 0 until it is stored.
    pub num: i64,
    pub project: ProjectNum,
    pub open: bool,
    pub last_at: Timestamp,
    /// 0 if it was never fixed.
    pub fixed_at: Timestamp,
    /// Number of the session in which it was last seen or fixed; 0 if that is not known.
    pub session: i64,
    pub memory: Option<MemoryId>,
    pub fix: Option<MemoryId>,
    pub record: Record,
}

/// A failure found by something it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureHit {
    pub failure: FailureRow,
    pub target: String,
    /// `trace`, `edit`, `fix`, `tail`, `symbol`, `command`.
    pub role: String,
    /// When the file was last edited, as far as we saw.
    pub changed: Timestamp,
    /// How the file was after the fix; empty if that is not known.
    pub mark: String,
}

/// A session as the tracking of failures needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    pub project: ProjectNum,
    pub key: Option<ProjectKey>,
    /// The session's short id, and the client's own.
    pub id: String,
    pub host_session: String,
}

const COLUMNS: &str = "f.num, f.project, f.open, f.last_at, f.fixed_at, f.session, f.memory, f.fix, f.doc";
/// The most failures read for one file.
const MOST: i64 = 40;

fn read_row(row: &Row<'_>) -> rusqlite::Result<Option<FailureRow>> {
    let id = |blob: Option<Vec<u8>>| blob.and_then(|b| MemoryId::from_slice(&b));
    let doc: String = row.get(8)?;
    // Skip records of a newer version.
    let Ok(record) = serde_json::from_str::<Record>(&doc) else { return Ok(None) };
    Ok(Some(FailureRow {
        num: row.get(0)?,
        project: ProjectNum(row.get(1)?),
        open: row.get::<_, i64>(2)? != 0,
        last_at: Timestamp::from_millis(row.get(3)?),
        fixed_at: Timestamp::from_millis(row.get(4)?),
        session: row.get(5)?,
        memory: id(row.get(6)?),
        fix: id(row.get(7)?),
        record,
    }))
}

fn by_signature(
    conn: &Connection,
    project: ProjectNum,
    signature: &str,
) -> rusqlite::Result<Option<FailureRow>> {
    conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM failure f WHERE f.project = ?1 AND f.signature = ?2"
    ))?
    .query_row(params![project.0, signature], read_row)
    .optional()
    .map(Option::flatten)
}

fn hits(conn: &Connection, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<Vec<FailureHit>> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(values, |row| {
        let Some(failure) = read_row(row)? else { return Ok(None) };
        Ok(Some(FailureHit {
            failure,
            target: row.get(9)?,
            role: row.get(10)?,
            changed: Timestamp::from_millis(row.get(11)?),
            mark: row.get(12)?,
        }))
    })?;
    rows.filter_map(Result::transpose).collect()
}

/// Writes a row with its targets. What was known of unchanged targets stays.
fn put(conn: &Connection, row: &FailureRow) -> rusqlite::Result<i64> {
    let record = &row.record;
    let doc = serde_json::to_string(record).unwrap_or_default();
    conn.prepare_cached(
        "INSERT INTO failure (project, signature, family, command, open, last_at, fixed_at, session, memory, fix, doc) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) \
         ON CONFLICT (project, signature) DO UPDATE SET family = excluded.family, command = excluded.command, \
         open = excluded.open, last_at = excluded.last_at, fixed_at = excluded.fixed_at, session = excluded.session, \
         memory = excluded.memory, fix = excluded.fix, doc = excluded.doc",
    )?
    .execute(params![
        row.project.0,
        record.signature,
        record.family,
        record.command,
        i64::from(row.open),
        row.last_at.as_millis(),
        row.fixed_at.as_millis(),
        row.session,
        row.memory.as_ref().map(|id| id.as_bytes().as_slice()),
        row.fix.as_ref().map(|id| id.as_bytes().as_slice()),
        doc
    ])?;
    let num: i64 = conn
        .prepare_cached("SELECT num FROM failure WHERE project = ?1 AND signature = ?2")?
        .query_row(params![row.project.0, record.signature], |r| r.get(0))?;
    let mut add = conn.prepare_cached(
        "INSERT INTO failure_target (project, target, failure, role, changed, mark) VALUES (?1, ?2, ?3, ?4, 0, '') \
         ON CONFLICT DO NOTHING",
    )?;
    let named = [
        (&record.files, "trace"),
        (&record.suspects, "edit"),
        (&record.fix_files, "fix"),
        (&record.symbols, "symbol"),
    ];
    for (targets, role) in named {
        for target in targets {
            add.execute(params![row.project.0, target, num, role])?;
        }
    }
    Ok(num)
}

fn of_memory(conn: &Connection, id: &MemoryId) -> rusqlite::Result<Option<FailureRow>> {
    conn.prepare_cached(&format!("SELECT {COLUMNS} FROM failure f WHERE f.memory = ?1"))?
        .query_row([id.as_bytes().as_slice()], read_row)
        .optional()
        .map(Option::flatten)
}

/// Removes the row of a memory that left the index, and returns it in case the memory comes back.
pub(crate) fn take_memory(conn: &Connection, id: &MemoryId) -> rusqlite::Result<Option<FailureRow>> {
    let found = of_memory(conn, id)?;
    if let Some(row) = &found {
        conn.prepare_cached("DELETE FROM failure WHERE num = ?1")?.execute([row.num])?;
        conn.prepare_cached("DELETE FROM failure_target WHERE failure = ?1")?.execute([row.num])?;
    }
    Ok(found)
}

/// The row of a failure's memory, as its file says; `former` is what only the index knew.
pub(crate) fn put_memory(
    conn: &Connection,
    project: ProjectNum,
    memory: &Memory,
    former: Option<FailureRow>,
    changes: &[(String, i64, String)],
) -> rusqlite::Result<()> {
    let Some(record) = Record::of(memory) else { return Ok(()) };
    if !matches!(memory.status, Status::Active | Status::Resolved) {
        return Ok(());
    }
    let open = memory.status == Status::Active;
    let known = match former {
        Some(row) => Some(row),
        None => by_signature(conn, project, &record.signature)?,
    };
    // Closed by a person: the file state after an earlier fix no longer matters.
    let closed_by_hand = !open && known.as_ref().is_some_and(|row| row.open);
    let never = Timestamp::from_millis(0);
    let fixed_at = if open { never } else { memory.closed.unwrap_or(memory.updated) };
    let row = FailureRow {
        num: 0,
        project,
        open,
        last_at: known.as_ref().map_or(memory.updated, |k| k.last_at),
        fixed_at,
        session: known.as_ref().map_or(0, |k| k.session),
        memory: Some(memory.id),
        fix: known.and_then(|k| k.fix),
        record,
    };
    let num = put(conn, &row)?;
    for (target, changed, mark) in changes {
        let mark = if closed_by_hand { "" } else { mark };
        conn.prepare_cached("UPDATE failure_target SET changed = ?4, mark = ?5 WHERE project = ?1 AND target = ?2 AND failure = ?3")?
            .execute(params![project.0, target, num, changed, mark])?;
    }
    Ok(())
}

/// What only the index knows of the files of a memory's failure.
pub(crate) fn changes_of(conn: &Connection, id: &MemoryId) -> rusqlite::Result<Vec<(String, i64, String)>> {
    conn.prepare_cached(
        "SELECT t.target, t.changed, t.mark FROM failure f JOIN failure_target t ON t.failure = f.num WHERE f.memory = ?1",
    )?
    .query_map([id.as_bytes().as_slice()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
    .collect()
}

impl Writer<'_> {
    /// Where a session is; `None` if it is not known.
    pub fn whereabouts(&self, session: i64) -> Result<Option<Whereabouts>, StoreError> {
        whereabouts(&self.tx, session).at(self)
    }

    pub fn failure(&self, project: ProjectNum, signature: &str) -> Result<Option<FailureRow>, StoreError> {
        by_signature(&self.tx, project, signature).at(self)
    }

    /// The failure that a memory is about.
    pub fn failure_of_memory(&self, id: &MemoryId) -> Result<Option<FailureRow>, StoreError> {
        of_memory(&self.tx, id).at(self)
    }

    /// Open failures of a family of runs.
    pub fn open_failures(&self, project: ProjectNum, family: &str) -> Result<Vec<FailureRow>, StoreError> {
        let run = || -> rusqlite::Result<Vec<FailureRow>> {
            self.tx
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM failure f WHERE f.project = ?1 AND f.family = ?2 AND f.open = 1 \
                     ORDER BY f.last_at DESC LIMIT ?3"
                ))?
                .query_map(params![project.0, family, MOST], read_row)?
                .filter_map(Result::transpose)
                .collect()
        };
        run().at(self)
    }

    pub fn put_failure(&mut self, row: &FailureRow) -> Result<i64, StoreError> {
        put(&self.tx, row).at(self)
    }

    /// A file was edited, so fixes of its failures may no longer work.
    pub fn note_edit(&mut self, project: ProjectNum, path: &str, at: Timestamp) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "UPDATE failure_target SET changed = max(changed, ?3) WHERE project = ?1 AND target = ?2",
            )
            .and_then(|mut s| s.execute(params![project.0, path, at.as_millis()]))
            .map(drop)
            .at(self)
    }

    /// How a file is right after a fix.
    pub fn mark_target(&mut self, failure: i64, target: &str, mark: &str) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("UPDATE failure_target SET mark = ?3 WHERE failure = ?1 AND target = ?2")
            .and_then(|mut s| s.execute(params![failure, target, mark]))
            .map(drop)
            .at(self)
    }

    /// Replaces a partial path by its full path.
    pub fn make_tail(&mut self, failure: i64, target: &str) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("UPDATE failure_target SET role = 'tail' WHERE failure = ?1 AND target = ?2 AND role = 'trace'")
            .and_then(|mut s| s.execute(params![failure, target]))
            .map(drop)
            .at(self)
    }

    pub fn trail(&self, session: i64) -> Result<Trail, StoreError> {
        let doc: Option<String> = self
            .tx
            .prepare_cached("SELECT doc FROM trail WHERE session = ?1")
            .and_then(|mut s| s.query_row([session], |row| row.get(0)).optional())
            .at(self)?;
        Ok(doc.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    pub fn put_trail(&mut self, session: i64, trail: &Trail) -> Result<(), StoreError> {
        let doc = serde_json::to_string(trail).unwrap_or_default();
        self.tx
            .prepare_cached(
                "INSERT INTO trail (session, doc, compacted) VALUES (?1, ?2, 0) \
                 ON CONFLICT (session) DO UPDATE SET doc = excluded.doc",
            )
            .and_then(|mut s| s.execute(params![session, doc]))
            .map(drop)
            .at(self)
    }

    /// The session's context was compacted, or restored afterwards.
    pub fn set_compacted(&mut self, session: i64, owed: bool) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO trail (session, doc, compacted) VALUES (?1, '{}', ?2) \
                 ON CONFLICT (session) DO UPDATE SET compacted = excluded.compacted",
            )
            .and_then(|mut s| s.execute(params![session, i64::from(owed)]))
            .map(drop)
            .at(self)
    }
}

impl Store {
    pub fn whereabouts(&self, session: i64) -> Result<Option<Whereabouts>, StoreError> {
        whereabouts(&self.conn, session).at(self)
    }

    /// Failures about a file, by its whole path or by an end of it.
    pub fn failures_of_file(&self, project: ProjectNum, path: &str) -> Result<Vec<FailureHit>, StoreError> {
        let by_target = format!(
            "SELECT {COLUMNS}, t.target, t.role, t.changed, t.mark FROM failure_target t JOIN failure f ON f.num = t.failure \
             WHERE t.project = ?1 AND t.target = ?2 AND t.role <> 'symbol' ORDER BY f.open DESC, f.last_at DESC LIMIT ?3"
        );
        let run = || -> rusqlite::Result<Vec<FailureHit>> {
            let mut found = hits(&self.conn, &by_target, params![project.0, path, MOST])?;
            let mut tail = path;
            while let Some((_, rest)) = tail.split_once('/') {
                tail = rest;
                let by_tail = hits(&self.conn, &by_target, params![project.0, tail, MOST])?;
                found.extend(by_tail.into_iter().filter(|hit| hit.role == "tail"));
            }
            Ok(found)
        };
        run().at(self)
    }

    /// Failures in which a symbol failed.
    pub fn failures_of_symbol(
        &self,
        project: ProjectNum,
        symbol: &str,
    ) -> Result<Vec<FailureHit>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, t.target, t.role, t.changed, t.mark FROM failure_target t JOIN failure f ON f.num = t.failure \
             WHERE t.project = ?1 AND t.target = ?2 AND t.role = 'symbol' ORDER BY f.open DESC, f.last_at DESC LIMIT ?3"
        );
        hits(&self.conn, &sql, params![project.0, symbol, MOST]).at(self)
    }

    /// Failures of a command, by the name under which it is the same run tomorrow.
    pub fn failures_of_command(
        &self,
        project: ProjectNum,
        command: &str,
    ) -> Result<Vec<FailureHit>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, f.command, 'command', 0, '' FROM failure f WHERE f.project = ?1 AND f.command = ?2 \
             ORDER BY f.open DESC, f.last_at DESC LIMIT ?3"
        );
        hits(&self.conn, &sql, params![project.0, command, MOST]).at(self)
    }

    /// When a file of a failure was last edited, as far as we saw.
    pub fn last_change(&self, failure: i64) -> Result<Timestamp, StoreError> {
        self.conn
            .prepare_cached("SELECT coalesce(max(changed), 0) FROM failure_target WHERE failure = ?1")
            .and_then(|mut s| s.query_row([failure], |row| row.get(0)))
            .map(Timestamp::from_millis)
            .at(self)
    }

    /// The newest failures of a project, open ones first.
    pub fn failures(&self, project: ProjectNum, limit: usize) -> Result<Vec<FailureHit>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, f.command, 'command', 0, '' FROM failure f WHERE f.project = ?1 \
             ORDER BY f.open DESC, f.last_at DESC LIMIT ?2"
        );
        hits(&self.conn, &sql, params![project.0, limit as i64]).at(self)
    }

    /// Whether a session's context was compacted and not restored yet.
    pub fn is_compacted(&self, session: i64) -> Result<bool, StoreError> {
        self.conn
            .prepare_cached("SELECT 1 FROM trail WHERE session = ?1 AND compacted = 1")
            .and_then(|mut s| s.exists([session]))
            .at(self)
    }
}

fn whereabouts(conn: &Connection, session: i64) -> rusqlite::Result<Option<Whereabouts>> {
    conn.prepare_cached(
        "SELECT s.project, s.id, p.key, s.host_session FROM session s LEFT JOIN project p ON p.num = s.project WHERE s.num = ?1",
    )?
    .query_row([session], |row| {
        let id: Vec<u8> = row.get(1)?;
        let id = hark_core::SessionId::from_slice(&id);
        let key: Option<String> = row.get(2)?;
        Ok(Whereabouts {
            project: ProjectNum(row.get(0)?),
            key: key.and_then(projects::key_of),
            id: id.map(|id| id.short()).unwrap_or_default(),
            host_session: row.get(3)?,
        })
    })
    .optional()
}
