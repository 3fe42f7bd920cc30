//! What distilling needs from a session: who said what, which commands ran, and how far it was read.
//!
//! These queries never select tool output: text from a file, a page or a program cannot become a memory
//! this way.

use hark_core::event::EventKind;
use hark_core::{Clean, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::error::{At, StoreError};
use crate::store::Store;
use crate::write::Writer;

/// One thing that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    pub seq: i64,
    pub at: Timestamp,
    /// Identifies it within its session, also when the transcript is read again.
    pub once: String,
    pub what: Deed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    Prompt(Clean),
    Reply(Clean),
    Tool { name: String, target: Clean, ok: Option<bool> },
}

/// A very long session is read from its last events only.
const MOST_MOMENTS: i64 = 20_000;

impl Store {
    /// Sessions that are over and were not read to their end, oldest first.
    pub fn undistilled(&self, limit: usize) -> Result<Vec<i64>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            self.conn
                .prepare_cached(
                    "SELECT num FROM session WHERE status <> 'open' AND EXISTS (SELECT 1 FROM event \
                     WHERE event.session = session.num AND event.kind IN ('prompt', 'reply', 'tool') \
                     AND event.seq > coalesce( \
                     (SELECT seq FROM distilled WHERE distilled.session = session.num), 0)) \
                     ORDER BY num LIMIT ?1",
                )?
                .query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }

    /// The moments of a session in their order.
    pub fn moments(&self, session: i64) -> Result<Vec<Moment>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Moment>> {
            let mut found: Vec<Moment> = self
                .conn
                .prepare_cached(
                    "SELECT seq, at, once, kind, tool, target, ok, \
                     CASE WHEN kind IN ('prompt', 'reply') THEN body ELSE '' END FROM event \
                     WHERE session = ?1 AND kind IN ('prompt', 'reply', 'tool') ORDER BY at DESC, seq DESC LIMIT ?2",
                )?
                .query_map([session, MOST_MOMENTS], moment)?
                .collect::<rusqlite::Result<_>>()?;
            found.reverse();
            Ok(found)
        };
        run().at(self)
    }

    /// Up to which event a session was read; 0 if never.
    pub fn distilled_until(&self, session: i64) -> Result<i64, StoreError> {
        until(&self.conn, session).at(self)
    }
}

fn moment(row: &rusqlite::Row<'_>) -> rusqlite::Result<Moment> {
    let kind: String = row.get(3)?;
    let body = Clean::already_redacted(row.get(7)?);
    let what = if kind == EventKind::Prompt.name() {
        Deed::Prompt(body)
    } else if kind == EventKind::Reply.name() {
        Deed::Reply(body)
    } else {
        Deed::Tool {
            name: row.get(4)?,
            target: Clean::already_redacted(row.get(5)?),
            ok: row.get::<_, Option<i64>>(6)?.map(|ok| ok != 0),
        }
    };
    Ok(Moment { seq: row.get(0)?, at: Timestamp::from_millis(row.get(1)?), once: row.get(2)?, what })
}

fn until(conn: &rusqlite::Connection, session: i64) -> rusqlite::Result<i64> {
    let found = conn
        .prepare_cached("SELECT seq FROM distilled WHERE session = ?1")?
        .query_row([session], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

impl Writer<'_> {
    pub fn distilled_until(&self, session: i64) -> Result<i64, StoreError> {
        until(&self.tx, session).at(self)
    }

    /// How many memories a session has yielded.
    pub fn distilled_from(&self, session: i64) -> Result<usize, StoreError> {
        self.tx
            .prepare_cached("SELECT stored FROM distilled WHERE session = ?1")
            .and_then(|mut s| s.query_row([session], |row| row.get::<_, i64>(0)).optional())
            .map(|count| count.map_or(0, |count| usize::try_from(count).unwrap_or(0)))
            .at(self)
    }

    /// Records up to which event a session was read, which never decreases, and the result.
    pub fn set_distilled(&mut self, session: i64, seq: i64, stored: usize) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO distilled (session, seq, stored) VALUES (?1, ?2, ?3) ON CONFLICT (session) \
                 DO UPDATE SET seq = max(seq, excluded.seq), stored = stored + excluded.stored",
            )
            .and_then(|mut s| s.execute(params![session, seq, stored as i64]))
            .map(drop)
            .at(self)
    }
}
