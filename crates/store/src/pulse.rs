//! Whether something changed, and how much there is: cheap enough to be asked every second.

use crate::error::{At, StoreError};
use crate::store::Store;

/// What a watcher compares. Two that are equal mean that nothing of interest happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pulse {
    /// Memories, and when one was last changed.
    pub memories: (i64, i64),
    /// Sessions, and when something last came from one.
    pub sessions: (i64, i64),
    /// The newest injected text.
    pub ledger: i64,
    /// Proposals that wait for the user.
    pub inbox: i64,
}

/// Counts for those who watch over a longer time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measures {
    /// Kind, status, number.
    pub memories: Vec<(String, String, i64)>,
    pub sessions: i64,
    /// How often a memory was given to somebody.
    pub uses: i64,
    /// Memories that wait for vectors.
    pub unembedded: i64,
    /// Sessions with events that were not digested.
    pub undigested: i64,
}

impl Store {
    /// A number that changes when another connection has committed.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.conn.query_row("PRAGMA data_version", [], |row| row.get(0)).at(self)
    }

    pub fn pulse(&self) -> Result<Pulse, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM memory), (SELECT coalesce(max(updated), 0) FROM memory), \
                   (SELECT count(*) FROM session), (SELECT coalesce(max(seen), 0) FROM session), \
                   (SELECT coalesce(max(seq), 0) FROM ledger), \
                   (SELECT count(*) FROM memory WHERE status = 'proposed')";
        self.conn
            .prepare_cached(sql)
            .and_then(|mut all| {
                all.query_row([], |row| {
                    Ok(Pulse {
                        memories: (row.get(0)?, row.get(1)?),
                        sessions: (row.get(2)?, row.get(3)?),
                        ledger: row.get(4)?,
                        inbox: row.get(5)?,
                    })
                })
            })
            .at(self)
    }

    pub fn measures(&self) -> Result<Measures, StoreError> {
        let run = || -> rusqlite::Result<Measures> {
            let number = |sql: &str| self.conn.prepare_cached(sql)?.query_row([], |row| row.get(0));
            let memories = self
                .conn
                .prepare_cached("SELECT kind, status, count(*) FROM memory GROUP BY kind, status")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Measures {
                memories,
                sessions: number("SELECT count(*) FROM session")?,
                uses: number("SELECT coalesce(sum(uses), 0) FROM used")?,
                unembedded: number("SELECT count(*) FROM unembedded")?,
                undigested: number(
                    "SELECT count(DISTINCT session) FROM event WHERE digest IS NULL AND tier IN ('M', 'L')",
                )?,
            })
        };
        run().at(self)
    }
}
