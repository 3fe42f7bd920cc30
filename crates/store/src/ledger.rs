//! Records everything that hark injected into an assistant's context: text, time, place and reason.

use hark_core::Timestamp;
use rusqlite::{OptionalExtension, Row, params};

use crate::error::{At, StoreError};
use crate::projects::ProjectNum;
use crate::store::Store;
use crate::used;
use crate::write::Writer;

/// One injected text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection<'a> {
    pub host: &'a str,
    /// Number of the session; 0 when there is none.
    pub session: i64,
    /// `boot`, `prompt`, `ask`, `alert`, `edit`, `due`, `subagent`, `remind`, `gate`, `notice`.
    pub surface: &'a str,
    /// Ids of what it holds.
    pub items: &'a [String],
    /// Whether the session itself knows them now.
    pub told: bool,
    pub bytes: usize,
    pub tokens: usize,
    pub why: &'a str,
}

/// Sums over the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerSum {
    pub host: String,
    pub surface: String,
    pub count: i64,
    pub bytes: i64,
    pub tokens: i64,
    pub last: Timestamp,
}

/// What was told to sessions, beside what reading up on their predecessors would have cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Savings {
    /// Sessions that were told something and had a predecessor in their project.
    pub sessions: i64,
    /// Everything said to them unasked.
    pub told: i64,
    /// What is kept of the events of the session before each.
    pub history: i64,
}

/// One row of the ledger as it is read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerRow {
    pub at: Timestamp,
    pub host: String,
    pub session: i64,
    pub surface: String,
    pub items: Vec<String>,
    pub bytes: i64,
    pub tokens: i64,
    pub why: String,
}

impl LedgerSum {
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(LedgerSum {
            host: row.get(0)?,
            surface: row.get(1)?,
            count: row.get(2)?,
            bytes: row.get(3)?,
            tokens: row.get(4)?,
            last: Timestamp::from_millis(row.get(5)?),
        })
    }
}

impl LedgerRow {
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let items: String = row.get(4)?;
        Ok(LedgerRow {
            at: Timestamp::from_millis(row.get(0)?),
            host: row.get(1)?,
            session: row.get(2)?,
            surface: row.get(3)?,
            items: serde_json::from_str(&items).unwrap_or_default(),
            bytes: row.get(5)?,
            tokens: row.get(6)?,
            why: row.get(7)?,
        })
    }
}

impl Writer<'_> {
    pub fn record_injection(&mut self, injection: &Injection<'_>) -> Result<(), StoreError> {
        let now = self.now.as_millis();
        let run = || -> rusqlite::Result<()> {
            self.tx
                .prepare_cached(
                    "INSERT INTO ledger (at, host, session, surface, items, bytes, tokens, why) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![
                    now,
                    injection.host,
                    injection.session,
                    injection.surface,
                    serde_json::to_string(injection.items).unwrap_or_default(),
                    injection.bytes as i64,
                    injection.tokens as i64,
                    injection.why
                ])?;
            let mut told = self.tx.prepare_cached(
                "INSERT INTO injected (session, item, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            )?;
            let mut find = self.tx.prepare_cached("SELECT id FROM memory WHERE tail = ?1")?;
            for item in injection.items {
                if injection.told {
                    told.execute(params![injection.session, item, now])?;
                }
                // Count an injected memory as used.
                let id: Option<Vec<u8>> = item
                    .strip_prefix("m-")
                    .map_or(Ok(None), |tail| find.query_row([tail], |row| row.get(0)).optional())?;
                if let Some(id) = id {
                    used::note(&self.tx, &id, self.now)?;
                }
            }
            Ok(())
        };
        run().at(self)
    }
}

impl Writer<'_> {
    /// Whether a session was told this at `since` or later.
    pub fn was_told_since(&self, session: i64, item: &str, since: Timestamp) -> Result<bool, StoreError> {
        self.tx
            .prepare_cached("SELECT 1 FROM injected WHERE session = ?1 AND item = ?2 AND at >= ?3")
            .and_then(|mut s| s.exists(params![session, item, since.as_millis()]))
            .at(self)
    }

    /// A session's context no longer contains what it was told before `at`, so it may be told again. Warnings, whose
    /// items are failures, may be kept.
    pub fn forget_told(
        &mut self,
        session: i64,
        at: Timestamp,
        keep_warnings: bool,
    ) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "DELETE FROM injected WHERE session = ?1 AND at < ?2 AND NOT (?3 AND item LIKE 'f-%')",
            )
            .and_then(|mut s| s.execute(params![session, at.as_millis(), keep_warnings]))
            .map(drop)
            .at(self)
    }
}

impl Store {
    /// Whether a session was told this already.
    pub fn was_told(&self, session: i64, item: &str) -> Result<bool, StoreError> {
        self.conn
            .prepare_cached("SELECT 1 FROM injected WHERE session = ?1 AND item = ?2")
            .and_then(|mut s| s.exists(params![session, item]))
            .at(self)
    }

    /// How many things whose name begins with `prefix` a session was told.
    pub fn told_of(&self, session: i64, prefix: &str) -> Result<i64, StoreError> {
        self.conn
            .prepare_cached("SELECT count(*) FROM injected WHERE session = ?1 AND substr(item, 1, ?2) = ?3")
            .and_then(|mut s| s.query_row(params![session, prefix.len() as i64, prefix], |row| row.get(0)))
            .at(self)
    }

    /// Whether a session of this project that was at work since then was told this.
    pub fn was_told_since(
        &self,
        project: ProjectNum,
        item: &str,
        since: Timestamp,
    ) -> Result<bool, StoreError> {
        self.conn
            .prepare_cached(
                "SELECT 1 FROM session JOIN injected ON injected.session = session.num AND injected.item = ?2 \
                 WHERE session.project = ?1 AND session.seen >= ?3 AND injected.at >= ?3",
            )
            .and_then(|mut s| s.exists(params![project.0, item, since.as_millis()]))
            .at(self)
    }

    /// When a session was told this.
    pub fn told_at(&self, session: i64, item: &str) -> Result<Option<Timestamp>, StoreError> {
        self.conn
            .prepare_cached("SELECT at FROM injected WHERE session = ?1 AND item = ?2")
            .and_then(|mut s| s.query_row(params![session, item], |row| row.get(0)).optional())
            .map(|at| at.map(Timestamp::from_millis))
            .at(self)
    }

    /// How often a session was reminded of checkpoints, and when last.
    pub fn reminders(&self, session: i64) -> Result<(u32, Option<Timestamp>), StoreError> {
        self.conn
            .prepare_cached("SELECT count(*), max(at) FROM ledger WHERE session = ?1 AND surface = 'remind'")
            .and_then(|mut s| s.query_row([session], |row| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?))))
            .map(|(count, at)| (count, at.map(Timestamp::from_millis)))
            .at(self)
    }

    /// Over all sessions that were told something.
    pub fn savings(&self) -> Result<Savings, StoreError> {
        self.conn
            .prepare_cached(
                "SELECT count(*), coalesce(sum(told), 0), coalesce(sum(history), 0) FROM (\
                 SELECT (SELECT sum(tokens) FROM ledger WHERE session = s.num) AS told, \
                 (SELECT sum(tokens) FROM event WHERE session = (SELECT p.num FROM session p WHERE p.project = s.project \
                 AND p.num <> s.num AND p.started <= s.started ORDER BY p.started DESC, p.num DESC LIMIT 1)) AS history \
                 FROM session s) WHERE told IS NOT NULL AND history IS NOT NULL",
            )
            .and_then(|mut s| {
                s.query_row([], |row| {
                    Ok(Savings { sessions: row.get(0)?, told: row.get(1)?, history: row.get(2)? })
                })
            })
            .at(self)
    }

    /// By assistant and surface, of one session or of all.
    pub fn ledger_sums(
        &self,
        since: Option<Timestamp>,
        session: Option<i64>,
    ) -> Result<Vec<LedgerSum>, StoreError> {
        let run = || -> rusqlite::Result<Vec<LedgerSum>> {
            self.conn
                .prepare_cached(
                    "SELECT host, surface, count(*), sum(bytes), sum(tokens), max(at) FROM ledger WHERE at >= ?1 \
                     AND (?2 < 0 OR session = ?2) GROUP BY host, surface ORDER BY host, surface",
                )?
                .query_map(
                    params![since.map_or(i64::MIN, Timestamp::as_millis), session.unwrap_or(-1)],
                    LedgerSum::read,
                )?
                .collect()
        };
        run().at(self)
    }

    /// Newest first.
    pub fn ledger(&self, session: Option<i64>, limit: usize) -> Result<Vec<LedgerRow>, StoreError> {
        let run = || -> rusqlite::Result<Vec<LedgerRow>> {
            self.conn
                .prepare_cached(
                    "SELECT at, host, session, surface, items, bytes, tokens, why FROM ledger \
                     WHERE ?1 < 0 OR session = ?1 ORDER BY seq DESC LIMIT ?2",
                )?
                .query_map(params![session.unwrap_or(-1), limit as i64], LedgerRow::read)?
                .collect()
        };
        run().at(self)
    }
}
