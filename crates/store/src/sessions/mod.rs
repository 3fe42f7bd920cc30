//! Sessions in this store: rows for the counters of hooks, and markdown files as the source of truth for
//! everything worth keeping.
//!
//! A session gets a row with its first event and a file with its first checkpoint. Rows without a
//! file are operational: losing them loses a session that had nothing to say yet.

mod pick_up;
mod process;
mod save;
mod search;

use std::path::PathBuf;

use hark_core::session::{Checkpoint, CheckpointBy, FileOp, FileTouch, SessionRef, SessionStatus, touches};
use hark_core::text::terms;
use hark_core::{Clean, Kind, Raw, Session, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::conditions::{self, Conditions};
use crate::error::{At, StoreError};
use crate::files::Stamp;
use crate::index::lexicon_token;
use crate::own;
use crate::projects::ProjectNum;
use crate::read::Stored;
use crate::rule_cases;
use crate::store::Store;
use crate::turns;

pub(crate) use pick_up::{pick_up, rebuild};
pub use process::SessionProcess;

/// A session with its place in this store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    pub num: i64,
    pub session: Session,
    /// Relative to the sessions folder; empty while it has no file.
    pub file: String,
    /// Tool calls since the agent last made a checkpoint.
    pub unreported: u32,
    /// Tools refused since then.
    pub denied: u32,
    pub(crate) stamp: Stamp,
}

/// Which sessions a list shows, newest first.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    pub projects: Option<Vec<ProjectNum>>,
    pub host: Option<String>,
    pub status: Option<SessionStatus>,
    pub since: Option<Timestamp>,
    /// Leave out those that have nothing to tell.
    pub with_file: bool,
    /// Leave out those that another session started.
    pub without_subagents: bool,
    /// Leave out those that are known only from transcripts: nobody reports when they end.
    pub reported: bool,
    pub except: Option<i64>,
}

/// Whether a row is not the session of a subagent, which another session started. A fork has a parent as well, but in
/// its transcript a person speaks.
const NOT_SUBAGENT: &str = "(json_extract(session.doc, '$.parent') IS NULL OR EXISTS (SELECT 1 FROM event \
     WHERE event.session = session.num AND event.kind = 'prompt' AND event.via = 'transcript'))";

const COLUMNS: &str = "num, doc, file, mtime, size, status, seen, ended, tools, unreported, denied";

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredSession> {
    let mut session = own::column::<Session<Raw>>(row, 1)?;
    let status: String = row.get(5)?;
    session.status = status.parse().unwrap_or(session.status);
    session.updated = session.updated.max(Timestamp::from_millis(row.get(6)?));
    session.ended = row.get::<_, Option<i64>>(7)?.map(Timestamp::from_millis);
    session.tool_calls = row.get(8)?;
    Ok(StoredSession {
        num: row.get(0)?,
        session,
        file: row.get(2)?,
        stamp: Stamp { mtime: row.get(3)?, size: row.get(4)? },
        unreported: row.get(9)?,
        denied: row.get(10)?,
    })
}

/// Adds what has tables of its own.
fn filled(conn: &Connection, mut found: StoredSession) -> rusqlite::Result<StoredSession> {
    let touched = conn
        .prepare_cached(
            "SELECT path, op, former, edits, first_at, last_at FROM session_file WHERE session = ?1 \
             ORDER BY first_at, path, op",
        )?
        .query_map([found.num], |row| {
            let op: String = row.get(1)?;
            let former: String = row.get(2)?;
            Ok(FileTouch {
                path: Clean::already_redacted(row.get(0)?),
                op: FileOp::from_name(&op).unwrap_or(FileOp::Modified),
                from: (!former.is_empty()).then(|| Clean::already_redacted(former)),
                edits: row.get(3)?,
                first: Timestamp::from_millis(row.get(4)?),
                last: Timestamp::from_millis(row.get(5)?),
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    found.session.files = touches::merge(touched);
    found.session.checkpoints = conn
        .prepare_cached("SELECT at, author, note FROM checkpoint WHERE session = ?1 ORDER BY seq")?
        .query_map([found.num], |row| {
            let by: String = row.get(1)?;
            Ok(Checkpoint {
                at: Timestamp::from_millis(row.get(0)?),
                by: CheckpointBy::from_name(&by).unwrap_or(CheckpointBy::Agent),
                note: Clean::already_redacted(row.get(2)?),
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    found.session.turns = turns::of_session(conn, found.num)?;
    Ok(found)
}

pub(crate) fn by_num(conn: &Connection, num: i64) -> rusqlite::Result<Option<StoredSession>> {
    let found = conn
        .prepare_cached(&format!("SELECT {COLUMNS} FROM session WHERE num = ?1"))?
        .query_row([num], stored)
        .optional()?;
    found.map(|found| filled(conn, found)).transpose()
}

pub(crate) fn by_host(
    conn: &Connection,
    host: Option<&str>,
    host_session: &str,
) -> rusqlite::Result<Option<StoredSession>> {
    let found = match host {
        Some(host) => conn
            .prepare_cached(&format!("SELECT {COLUMNS} FROM session WHERE host = ?1 AND host_session = ?2"))?
            .query_row([host, host_session], stored)
            .optional()?,
        None => conn
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM session WHERE host_session = ?1 ORDER BY seen DESC LIMIT 1"
            ))?
            .query_row([host_session], stored)
            .optional()?,
    };
    found.map(|found| filled(conn, found)).transpose()
}

impl Store {
    /// The session that an assistant knows under this name.
    pub fn session_of_host(
        &self,
        host: Option<&str>,
        host_session: &str,
    ) -> Result<Option<StoredSession>, StoreError> {
        by_host(&self.conn, host, host_session).at(self)
    }

    /// The number of a session, if it is known.
    pub fn knows_session(&self, host: &str, host_session: &str) -> Result<Option<i64>, StoreError> {
        self.conn
            .prepare_cached("SELECT num FROM session WHERE host = ?1 AND host_session = ?2")
            .and_then(|mut s| s.query_row([host, host_session], |row| row.get(0)).optional())
            .at(self)
    }

    /// Active memories of one kind, newest first: those of these projects, or all. It reads no others,
    /// so that a session starts as fast in a large store as in a small one.
    pub fn standing(
        &self,
        kind: Kind,
        projects: Option<&[ProjectNum]>,
        limit: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.conn.prepare_cached(
                "SELECT num, project FROM memory WHERE kind = ?1 AND status = 'active' ORDER BY updated DESC LIMIT 2000",
            )?;
            let rows =
                statement.query_map([kind.name()], |row| Ok((row.get(0)?, ProjectNum(row.get(1)?))))?;
            let visible = |(_, project): &(i64, ProjectNum)| projects.is_none_or(|p| p.contains(project));
            let nums = rows.filter(|row| row.as_ref().map_or(true, visible));
            nums.take(limit).map(|row| row.map(|(num, _)| num)).collect()
        };
        self.load(&run().at(self)?)
    }

    /// A session's short id by its number.
    pub fn session_id(&self, num: i64) -> Result<String, StoreError> {
        let tail: String = self
            .conn
            .prepare_cached("SELECT tail FROM session WHERE num = ?1")
            .and_then(|mut s| s.query_row([num], |row| row.get(0)))
            .at(self)?;
        Ok(format!("s-{tail}"))
    }

    /// The whole id of a session, if it is known.
    pub fn full_session_id(&self, num: i64) -> Result<Option<SessionId>, StoreError> {
        let id: Option<Vec<u8>> = self
            .conn
            .prepare_cached("SELECT id FROM session WHERE num = ?1")
            .and_then(|mut s| s.query_row([num], |row| row.get(0)).optional())
            .at(self)?;
        Ok(id.and_then(|id| SessionId::from_slice(&id)))
    }

    /// Tool calls that the agent has not reported, and tools it was refused for that.
    pub fn unreported(&self, num: i64) -> Result<(u32, u32), StoreError> {
        self.conn
            .prepare_cached("SELECT unreported, denied FROM session WHERE num = ?1")
            .and_then(|mut s| s.query_row([num], |row| Ok((row.get(0)?, row.get(1)?))))
            .at(self)
    }

    /// The commit at which a session began, and the files that were changed already.
    #[allow(clippy::type_complexity)]
    pub fn session_start(&self, num: i64) -> Result<(Option<String>, Vec<(String, String)>), StoreError> {
        let run = || -> rusqlite::Result<(Option<String>, Vec<(String, String)>)> {
            let head = by_num(&self.conn, num)?.and_then(|s| s.session.head_start).map(Clean::into_string);
            let baseline = self
                .conn
                .prepare_cached("SELECT path, mark FROM session_baseline WHERE session = ?1")?
                .query_map([num], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok((head, baseline))
        };
        run().at(self)
    }

    pub fn session_at(&self, num: i64) -> Result<Option<StoredSession>, StoreError> {
        by_num(&self.conn, num).at(self)
    }

    pub fn session(&self, id: &SessionRef) -> Result<StoredSession, StoreError> {
        let run = || -> rusqlite::Result<Vec<StoredSession>> {
            match id {
                SessionRef::Full(id) => self
                    .conn
                    .prepare_cached(&format!("SELECT {COLUMNS} FROM session WHERE id = ?1"))?
                    .query_map([id.as_bytes().as_slice()], stored)?
                    .collect(),
                SessionRef::Tail(tail) => self
                    .conn
                    .prepare_cached(&format!(
                        "SELECT {COLUMNS} FROM session WHERE tail >= ?1 AND tail < ?2 ORDER BY id LIMIT 9"
                    ))?
                    .query_map([tail.as_str(), &format!("{tail}~")], stored)?
                    .collect(),
            }
        };
        let name = match id {
            SessionRef::Full(id) => id.full(),
            SessionRef::Tail(tail) => format!("s-{tail}"),
        };
        let mut found = run().at(self)?;
        match found.len() {
            0 => Err(StoreError::NoSession { id: name }),
            1 => filled(&self.conn, found.remove(0)).at(self),
            _ => {
                let candidates = found.iter().map(|s| s.session.id.full()).collect();
                Err(StoreError::SessionsAlike { id: name, candidates })
            }
        }
    }

    /// Newest first.
    pub fn sessions(&self, filter: &SessionFilter, limit: usize) -> Result<Vec<StoredSession>, StoreError> {
        let mut conditions = Conditions::new("1");
        if let Some(projects) = &filter.projects {
            conditions.and_one_of("project", projects.iter().map(|p| p.0), "");
        }
        if let Some(host) = &filter.host {
            conditions.and_bound("host = ", host.clone(), "");
        }
        if let Some(status) = filter.status {
            conditions.and_bound("status = ", status.name().to_owned(), "");
        }
        if let Some(since) = filter.since {
            conditions.and_bound("seen >= ", since.as_millis(), "");
        }
        if let Some(num) = filter.except {
            conditions.and_bound("num <> ", num, "");
        }
        if filter.with_file {
            conditions.and("file <> ''");
        }
        if filter.without_subagents {
            conditions.and(NOT_SUBAGENT);
        }
        if filter.reported {
            conditions.and(
                "(NOT EXISTS (SELECT 1 FROM event WHERE event.session = session.num) \
                 OR EXISTS (SELECT 1 FROM event WHERE event.session = session.num AND via <> 'transcript'))",
            );
        }
        let limit = conditions.mark(conditions::limit(limit));
        let sql = format!(
            "SELECT {COLUMNS} FROM session WHERE {} ORDER BY seen DESC, id DESC LIMIT {limit}",
            conditions.sql()
        );
        let run = || -> rusqlite::Result<Vec<StoredSession>> {
            let found: Vec<StoredSession> = self
                .conn
                .prepare_cached(&sql)?
                .query_map(conditions.params(), stored)?
                .collect::<rusqlite::Result<_>>()?;
            found.into_iter().map(|s| filled(&self.conn, s)).collect()
        };
        run().at(self)
    }

    /// Where a session's file is.
    pub fn session_path(&self, stored: &StoredSession) -> Option<PathBuf> {
        (!stored.file.is_empty()).then(|| self.layout.sessions().join(&stored.file))
    }

    /// A session with its file looked at once more.
    pub fn session_fresh(&mut self, id: &SessionRef, now: Timestamp) -> Result<StoredSession, StoreError> {
        let stored = self.session(id)?;
        if let Some(path) = self.session_path(&stored)
            && self.layout.stamp(&path)? != Some(stored.stamp)
        {
            pick_up::one(self, &stored.file, now)?;
            return self.session(&SessionRef::Full(stored.session.id));
        }
        Ok(stored)
    }
}

/// Forgets a session and everything that hangs on it.
pub(crate) fn clear(conn: &Connection, num: i64) -> rusqlite::Result<()> {
    for table in [
        "checkpoint",
        "session_file",
        "session_baseline",
        "event",
        "injected",
        "trail",
        "digest",
        "unsettled",
        "distilled",
        "session_process",
        "turn",
        "evidence",
        "learned_from",
    ] {
        conn.prepare_cached(&format!("DELETE FROM {table} WHERE session = ?1"))?.execute([num])?;
    }
    rule_cases::detach(conn, num)?;
    conn.prepare_cached("DELETE FROM session_lexicon WHERE rowid = ?1")?.execute([num])?;
    conn.prepare_cached("DELETE FROM session WHERE num = ?1")?.execute([num])?;
    Ok(())
}

/// Brings every row of a session in line with `session`.
pub(crate) fn put(
    conn: &Connection,
    num: Option<i64>,
    session: &Session,
    project: ProjectNum,
    file: &str,
    stamp: Stamp,
) -> rusqlite::Result<i64> {
    let mut lean = session.clone();
    lean.files.clear();
    lean.checkpoints.clear();
    lean.turns.clear();
    let doc = serde_json::to_string(&lean).unwrap_or_default();
    let ended = session.ended.map(Timestamp::as_millis);
    let num = match num {
        Some(num) => {
            conn.prepare_cached(
                "UPDATE session SET project = ?2, status = ?3, seen = ?4, ended = ?5, file = ?6, mtime = ?7, \
                 size = ?8, doc = ?9, tools = ?10 WHERE num = ?1",
            )?
            .execute(params![
                num,
                project.0,
                session.status.name(),
                session.updated.as_millis(),
                ended,
                file,
                stamp.mtime,
                stamp.size,
                doc,
                session.tool_calls
            ])?;
            num
        }
        None => {
            conn.prepare_cached(
                "INSERT INTO session (id, tail, project, host, host_session, status, started, seen, ended, tools, \
                 unreported, denied, file, mtime, size, doc) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, 0, ?11, ?12, ?13, ?14)",
            )?
            .execute(params![
                session.id.as_bytes().as_slice(),
                session.id.tail(),
                project.0,
                session.host.as_str(),
                session.host_session.as_str(),
                session.status.name(),
                session.started.as_millis(),
                session.updated.as_millis(),
                ended,
                session.tool_calls,
                file,
                stamp.mtime,
                stamp.size,
                doc
            ])?;
            conn.last_insert_rowid()
        }
    };
    put_details(conn, num, session)?;
    turns::put(conn, num, &session.id, &session.turns)?;
    Ok(num)
}

fn put_details(conn: &Connection, num: i64, session: &Session) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM checkpoint WHERE session = ?1")?.execute([num])?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO checkpoint (session, seq, at, author, note) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (seq, checkpoint) in session.checkpoints.iter().enumerate() {
        let Checkpoint { at, by, note } = checkpoint;
        insert.execute(params![num, seq as i64, at.as_millis(), by.name(), note.as_str()])?;
    }
    conn.prepare_cached("DELETE FROM session_file WHERE session = ?1")?.execute([num])?;
    for file in &session.files {
        add_touch(conn, num, file)?;
    }
    conn.prepare_cached("DELETE FROM session_lexicon WHERE rowid = ?1")?.execute([num])?;
    let mut tokens: Vec<String> = terms(&session.searchable()).iter().map(|t| lexicon_token(t)).collect();
    tokens.sort_unstable();
    tokens.dedup();
    conn.prepare_cached("INSERT INTO session_lexicon (rowid, terms) VALUES (?1, ?2)")?
        .execute(params![num, tokens.join(" ")])?;
    Ok(())
}

/// Counts a touch; any number of processes may do so at once.
pub(crate) fn add_touch(conn: &Connection, session: i64, touch: &FileTouch) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO session_file (session, path, op, former, edits, first_at, last_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (session, path, op) DO UPDATE SET \
         edits = session_file.edits + excluded.edits, former = excluded.former, \
         first_at = min(session_file.first_at, excluded.first_at), \
         last_at = max(session_file.last_at, excluded.last_at)",
    )?
    .execute(params![
        session,
        touch.path.as_str(),
        touch.op.name(),
        touch.from.as_ref().map_or("", Clean::as_str),
        touch.edits,
        touch.first.as_millis(),
        touch.last.as_millis()
    ])?;
    Ok(())
}

pub(crate) fn num_of(conn: &Connection, id: &SessionId) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached("SELECT num FROM session WHERE id = ?1")?
        .query_row([id.as_bytes().as_slice()], |row| row.get(0))
        .optional()
}
