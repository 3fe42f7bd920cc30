//! The parts that the full-text index is made of. Each write adds one, and a query looks for each of
//! its words in every one of them, so whoever has time joins them.

use std::time::Instant;

use hark_core::Timestamp;

use crate::error::{At, StoreError};
use crate::store::Store;
use crate::write::Writer;

/// How many pages are written at a time: the write lock is held for a few milliseconds.
const PAGES_AT_ONCE: i64 = 64;

impl Store {
    /// Joins parts of about the same size, a piece at a time, until each size has one.
    pub fn join_segments(&mut self, now: Timestamp, until: Instant) -> Result<(), StoreError> {
        for table in ["lexicon", "session_lexicon"] {
            while Instant::now() < until && self.write(now, |writer| writer.join_some(table))? {}
        }
        Ok(())
    }

    /// How many parts the index of memories has.
    pub fn segments(&self) -> Result<u32, StoreError> {
        let count = "SELECT count(DISTINCT segid) FROM lexicon_idx";
        self.conn.query_row(count, [], |row| row.get(0)).at(self)
    }
}

impl Writer<'_> {
    /// Whether there was something to join.
    fn join_some(&mut self, table: &str) -> Result<bool, StoreError> {
        let run = || -> rusqlite::Result<bool> {
            let pairs = format!("SELECT count(*) FROM {table}_config WHERE k = 'usermerge' AND v = 2");
            let command = format!("INSERT INTO {table} ({table}, rank) VALUES (?1, ?2)");
            if self.tx.query_row(&pairs, [], |row| row.get::<_, i64>(0))? == 0 {
                self.tx.execute(&command, rusqlite::params!["usermerge", 2])?;
            }
            let before = self.tx.total_changes();
            self.tx.execute(&command, rusqlite::params!["merge", PAGES_AT_ONCE])?;
            // The command itself counts as one.
            Ok(self.tx.total_changes() - before > 1)
        };
        run().at(self)
    }
}
