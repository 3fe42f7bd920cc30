//! When the words of a new memory are counted. Each is on a page of its own, so that counting fifty of them is
//! most of what a new memory costs. A process that lives on files the memory, answers, and counts when nobody
//! waits, several memories at once. Whoever asks a question counts first what is still left.

use std::time::Duration;

use hark_core::Memory;
use rusqlite::{Connection, OptionalExtension};

use super::{passages, words};
use crate::connection;
use crate::error::StoreError;
use crate::store::Store;

/// When the words of a memory are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    Now,
    Later,
}

/// So many memories are left at most; with the next one all are counted.
const MOST_LEFT: i64 = 16;

/// A question waits no longer than this for somebody who writes; what he leaves uncounted is then rarer than it
/// should be, or not known by its typos.
const PATIENCE: Duration = Duration::from_millis(15);

/// Leaves the words of a memory for later.
pub(super) fn leave(conn: &Connection, num: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT INTO uncounted (memory) VALUES (?1)")?.execute([num])?;
    let left: i64 = conn.prepare_cached("SELECT count(*) FROM uncounted")?.query_row([], |row| row.get(0))?;
    if left >= MOST_LEFT { count(conn) } else { Ok(()) }
}

/// Whether the words of this memory were left for later; now they are nobody's.
pub(super) fn take_back(conn: &Connection, num: i64) -> rusqlite::Result<bool> {
    Ok(conn.prepare_cached("DELETE FROM uncounted WHERE memory = ?1")?.execute([num])? > 0)
}

/// Counts what was left.
fn count(conn: &Connection) -> rusqlite::Result<()> {
    let docs: Vec<String> = conn
        .prepare_cached("SELECT m.doc FROM uncounted u JOIN memory m ON m.num = u.memory")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut all = words::Words::new();
    for memory in docs.iter().filter_map(|doc| serde_json::from_str::<Memory>(doc).ok()) {
        for (word, counted) in passages::words_of(&memory) {
            let passages = counted.passages;
            all.entry(word).and_modify(|sum| sum.passages += passages).or_insert(counted);
        }
    }
    words::add(conn, &all)?;
    conn.prepare_cached("DELETE FROM uncounted")?.execute([]).map(drop)
}

fn is_any_left(conn: &Connection) -> rusqlite::Result<bool> {
    let one: Option<i64> = conn
        .prepare_cached("SELECT memory FROM uncounted LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(one.is_some())
}

impl Store {
    /// Counts the words of memories that were filed without. If it cannot be done now, somebody else will.
    pub fn count_words(&self) -> Result<(), StoreError> {
        if !is_any_left(&self.conn).map_err(|e| self.sql(e))? {
            return Ok(());
        }
        let path = self.layout.database();
        self.conn.busy_timeout(PATIENCE).map_err(|e| self.sql(e))?;
        let counted = connection::begin(&self.conn, &path, PATIENCE)
            .and_then(|tx| count(&tx).and_then(|()| tx.commit()).map_err(|e| self.sql(e)));
        self.conn.busy_timeout(self.patience).map_err(|e| self.sql(e))?;
        match counted {
            Err(damage @ StoreError::Corrupt { .. }) => Err(damage),
            _ => Ok(()),
        }
    }
}
