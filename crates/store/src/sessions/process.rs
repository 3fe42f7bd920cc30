//! Which process of an assistant a session belongs to.

use hark_core::ClientProcess;
use rusqlite::{OptionalExtension, Row, params};

use super::{COLUMNS, NOT_SUBAGENT, StoredSession, filled, stored};
use crate::error::{At, StoreError};
use crate::store::Store;
use crate::write::Writer;

/// The process that reported a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProcess {
    pub process: ClientProcess,
    /// More than one event came from it, so it is no wrapper that runs once per event.
    pub confirmed: bool,
}

fn read(row: &Row<'_>) -> rusqlite::Result<SessionProcess> {
    let number = |column| row.get::<_, i64>(column).map(i64::cast_unsigned);
    let process = ClientProcess { pid: row.get(0)?, start: number(1)?, realm: number(2)? };
    Ok(SessionProcess { process, confirmed: row.get::<_, i64>(3)? > 1 })
}

impl Store {
    /// The process that last reported an event of this session, if a hook could tell.
    pub fn session_process(&self, session: i64) -> Result<Option<SessionProcess>, StoreError> {
        self.conn
            .prepare_cached("SELECT pid, start, realm, times FROM session_process WHERE session = ?1")
            .and_then(|mut s| s.query_row([session], read).optional())
            .at(self)
    }

    /// Open sessions whose process is known.
    pub fn open_with_process(&self) -> Result<Vec<i64>, StoreError> {
        self.conn
            .prepare_cached(
                "SELECT num FROM session WHERE status = 'open' AND num IN (SELECT session FROM session_process) \
                 ORDER BY num",
            )
            .and_then(|mut s| s.query_map([], |row| row.get(0))?.collect())
            .at(self)
    }

    /// Open sessions that were started by a session that is over.
    pub fn orphans(&self) -> Result<Vec<i64>, StoreError> {
        self.conn
            .prepare_cached(&format!(
                "SELECT session.num FROM session JOIN session parent ON parent.host = session.host \
                 AND parent.host_session = json_extract(session.doc, '$.parent') \
                 WHERE session.status = 'open' AND parent.status <> 'open' AND NOT {NOT_SUBAGENT} ORDER BY session.num"
            ))
            .and_then(|mut s| s.query_map([], |row| row.get(0))?.collect())
            .at(self)
    }

    /// The sessions that this process reported, the one with the latest event first.
    pub fn sessions_of_process(&self, process: &ClientProcess) -> Result<Vec<StoredSession>, StoreError> {
        let run = || -> rusqlite::Result<Vec<StoredSession>> {
            let found: Vec<StoredSession> = self
                .conn
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM session WHERE num IN \
                     (SELECT session FROM session_process WHERE pid = ?1 AND start = ?2 AND realm = ?3) \
                     ORDER BY seen DESC, num DESC LIMIT 50"
                ))?
                .query_map(
                    params![process.pid, process.start.cast_signed(), process.realm.cast_signed()],
                    stored,
                )?
                .collect::<rusqlite::Result<_>>()?;
            found.into_iter().map(|session| filled(&self.conn, session)).collect()
        };
        run().at(self)
    }
}

impl Writer<'_> {
    /// Open sessions that this session started.
    pub fn open_subagents(&self, num: i64) -> Result<Vec<i64>, StoreError> {
        self.tx
            .prepare_cached(&format!(
                "SELECT session.num FROM session JOIN session parent ON parent.host = session.host \
                 AND parent.host_session = json_extract(session.doc, '$.parent') \
                 WHERE parent.num = ?1 AND session.num <> ?1 AND session.status = 'open' AND NOT {NOT_SUBAGENT} \
                 ORDER BY session.num"
            ))
            .and_then(|mut s| s.query_map([num], |row| row.get(0))?.collect())
            .at(self)
    }

    /// Notes which process reported an event of a session. Writes nothing if that is known already.
    pub(crate) fn note_process(&self, session: i64, process: &ClientProcess) -> rusqlite::Result<()> {
        self.tx
            .prepare_cached(
                "INSERT INTO session_process (session, pid, start, realm, times) VALUES (?1, ?2, ?3, ?4, 1) \
                 ON CONFLICT (session) DO UPDATE SET \
                 times = iif(pid = excluded.pid AND start = excluded.start AND realm = excluded.realm, 2, 1), \
                 pid = excluded.pid, start = excluded.start, realm = excluded.realm \
                 WHERE times < 2 OR pid <> excluded.pid OR start <> excluded.start OR realm <> excluded.realm",
            )?
            .execute(params![session, process.pid, process.start.cast_signed(), process.realm.cast_signed()])
            .map(drop)
    }
}
