//! What of a new memory is filed later. Words, entities and the numbers of near-repeats are each on a page of
//! their own, seventy in all: most of what a new memory costs, and nobody misses them until the next question. A
//! process that lives on files what is needed to find the memory, answers, and does the rest when nobody waits,
//! several memories at once. Whoever asks a question finishes first what is still left.

use std::time::Duration;

use hark_core::{Memory, Raw};
use rusqlite::{Connection, OptionalExtension, params};

use super::gathered::Gathered;
use super::likeness;
use super::prepared::Rest;
use crate::connection;
use crate::error::{At, StoreError};
use crate::own;
use crate::phrases;
use crate::projects::ProjectNum;
use crate::store::Store;

/// So many memories are left at most; with the next one all are finished.
const MOST_LEFT: i64 = 16;

/// A query waits at most this long for another writer. Then word counts of unfinished memories are too low, and
/// typo and neighbour search miss those memories.
const PATIENCE: Duration = Duration::from_millis(15);

/// Defers the rest of a memory.
pub(super) fn leave(conn: &Connection, num: i64, memory: &Memory) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT INTO unfinished (memory, bands) VALUES (?1, ?2)")?
        .execute(params![num, likeness::packed(memory)])?;
    let left: i64 =
        conn.prepare_cached("SELECT count(*) FROM unfinished")?.query_row([], |row| row.get(0))?;
    if left >= MOST_LEFT { finish(conn) } else { Ok(()) }
}

/// Whether the rest of this memory was deferred; removes it from the list.
pub(super) fn take_back(conn: &Connection, num: i64) -> rusqlite::Result<bool> {
    Ok(conn.prepare_cached("DELETE FROM unfinished WHERE memory = ?1")?.execute([num])? > 0)
}

/// Numbers of memories that were left, with those of their near-repeats.
pub(super) fn left(conn: &Connection, mut each: impl FnMut(i64, &[u8])) -> rusqlite::Result<()> {
    let mut statement = conn.prepare_cached("SELECT memory, bands FROM unfinished")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(row.get(0)?, row.get_ref(1)?.as_blob()?);
    }
    Ok(())
}

/// Does what was left. Entities and near-repeats of a memory may be there already: a server of before left only
/// the words.
fn finish(conn: &Connection) -> rusqlite::Result<()> {
    let left: Vec<(i64, i64, String)> = conn
        .prepare_cached("SELECT m.num, m.project, m.doc FROM unfinished u JOIN memory m ON m.num = u.memory")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut gathered = Gathered::default();
    for (num, project, doc) in left {
        let Ok(memory) = own::read::<Memory<Raw>>(&doc) else { continue };
        let learned = phrases::filed(conn, &memory.id)?;
        gathered.add(num, ProjectNum(project), Rest::of_filed(&memory, &learned));
    }
    gathered.file(conn)?;
    conn.prepare_cached("DELETE FROM unfinished")?.execute([]).map(drop)
}

/// Whether the rest of this memory was deferred.
pub(super) fn is_left(conn: &Connection, num: i64) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM unfinished WHERE memory = ?1")?.exists([num])
}

pub(super) fn is_any_left(conn: &Connection) -> rusqlite::Result<bool> {
    let one: Option<i64> = conn
        .prepare_cached("SELECT memory FROM unfinished LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(one.is_some())
}

impl Store {
    /// Finishes partly indexed memories. If that fails now, a later call does it.
    pub fn finish_memories(&self) -> Result<(), StoreError> {
        if !is_any_left(&self.conn).at(self)? {
            return Ok(());
        }
        let path = self.layout.database();
        self.conn.busy_timeout(PATIENCE).at(self)?;
        let finished = connection::begin(&self.conn, &path, PATIENCE)
            .and_then(|tx| finish(&tx).and_then(|()| tx.commit()).at(self));
        self.conn.busy_timeout(self.patience).at(self)?;
        match finished {
            Err(damage @ StoreError::Corrupt { .. }) => Err(damage),
            _ => Ok(()),
        }
    }
}
