//! How often memories were returned, and when last. Only in the index: it is not worth a file write each
//! time, and losing it loses no memory.

use std::collections::HashMap;
use std::time::Duration;

use hark_core::time::DAY_MS;
use hark_core::{Memory, MemoryId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use crate::connection;
use crate::error::{At, StoreError};
use crate::projects::ProjectNum;
use crate::read::Stored;
use crate::store::Store;

pub(crate) fn note(conn: &Connection, id: &[u8], now: Timestamp) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO used (id, uses, last) VALUES (?1, 1, ?2) \
         ON CONFLICT (id) DO UPDATE SET uses = used.uses + 1, last = max(used.last, excluded.last)",
    )?
    .execute(params![id, now.as_millis()])
    .map(drop)
}

/// A memory comes whose dates are of long ago: read from a transcript, or moved in from elsewhere.
pub(crate) fn arrive(conn: &Connection, memory: &Memory, now: Timestamp) -> rusqlite::Result<()> {
    if memory.updated.as_millis() > now.as_millis() - DAY_MS {
        return Ok(());
    }
    conn.prepare_cached("INSERT INTO used (id, uses, last) VALUES (?1, 0, ?2) ON CONFLICT (id) DO NOTHING")?
        .execute(params![memory.id.as_bytes(), now.as_millis()])
        .map(drop)
}

impl Store {
    /// Counts returned memories. Skips the count if another process is writing.
    pub fn note_use(&self, ids: &[MemoryId], now: Timestamp) {
        let _ = self.conn.busy_timeout(Duration::ZERO);
        if let Ok(tx) = connection::begin(&self.conn, &self.layout.database(), Duration::ZERO) {
            let noted = ids.iter().try_for_each(|id| note(&tx, id.as_bytes(), now));
            // Ignore errors: it is only a count.
            let _ = noted.and_then(|()| tx.commit());
        }
        let _ = self.conn.busy_timeout(self.patience);
    }

    /// Active memories that were used since then, most used first: those of these projects, or all.
    pub fn most_used(
        &self,
        projects: Option<&[ProjectNum]>,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.conn.prepare_cached(
                "SELECT m.num, m.project FROM used u JOIN memory m ON m.id = u.id \
                 WHERE u.uses > 0 AND u.last >= ?1 AND m.status = 'active' ORDER BY u.uses DESC, u.last DESC, m.num",
            )?;
            let rows =
                statement.query_map([since.as_millis()], |row| Ok((row.get(0)?, ProjectNum(row.get(1)?))))?;
            let visible = |(_, project): &(i64, ProjectNum)| projects.is_none_or(|p| p.contains(project));
            let nums = rows.filter(|row| row.as_ref().map_or(true, visible));
            nums.take(limit).map(|row| row.map(|(num, _)| num)).collect()
        };
        self.load(&run().at(self)?)
    }

    /// When a memory was last returned.
    pub fn last_use(&self, id: &MemoryId) -> Result<Option<Timestamp>, StoreError> {
        self.conn
            .prepare_cached("SELECT last FROM used WHERE id = ?1 AND uses > 0")
            .and_then(|mut s| s.query_row([id.as_bytes().as_slice()], |row| row.get(0)).optional())
            .map(|at| at.map(Timestamp::from_millis))
            .at(self)
    }

    /// The same for all memories. For those never returned, the time of their arrival, if that is
    /// asked for.
    pub fn uses(&self, or_arrival: bool) -> Result<HashMap<MemoryId, Timestamp>, StoreError> {
        let run = || -> rusqlite::Result<HashMap<MemoryId, Timestamp>> {
            let mut statement = self.conn.prepare_cached("SELECT id, last FROM used WHERE uses > 0 OR ?1")?;
            let rows = statement.query_map([or_arrival], |row| {
                let id: Vec<u8> = row.get(0)?;
                Ok((MemoryId::from_slice(&id), Timestamp::from_millis(row.get(1)?)))
            })?;
            rows.filter_map(|row| row.map(|(id, at)| id.map(|id| (id, at))).transpose()).collect()
        };
        run().at(self)
    }
}
