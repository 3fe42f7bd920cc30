//! Reads the ledger by session, time, memory and project: pages of it, sums and days.

use hark_core::Timestamp;

use crate::conditions::{self, Conditions};
use crate::error::{At, StoreError};
use crate::ledger::{LedgerRow, LedgerSum};
use crate::projects::ProjectNum;
use crate::store::Store;

/// Which texts are meant; everything that is absent does not matter.
#[derive(Debug, Clone, Default)]
pub struct LedgerFilter {
    pub session: Option<i64>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// The short id of something that the texts hold.
    pub item: Option<String>,
    pub projects: Option<Vec<ProjectNum>>,
}

/// What was told on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerDay {
    /// Its beginning, UTC.
    pub day: Timestamp,
    pub count: i64,
    pub tokens: i64,
}

impl LedgerFilter {
    fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::new("1");
        if let Some(session) = self.session {
            conditions.and_bound("session = ", session, "");
        }
        if let Some(since) = self.since {
            conditions.and_bound("at >= ", since.as_millis(), "");
        }
        if let Some(until) = self.until {
            conditions.and_bound("at <= ", until.as_millis(), "");
        }
        if let Some(item) = &self.item {
            conditions.and_bound("EXISTS (SELECT 1 FROM json_each(items) WHERE value = ", item.clone(), ")");
        }
        if let Some(projects) = &self.projects {
            let nums = projects.iter().map(|project| project.0);
            conditions.and_one_of("(SELECT project FROM session WHERE num = ledger.session)", nums, "");
        }
        conditions
    }
}

impl Store {
    /// Newest first.
    pub fn ledger_page(
        &self,
        filter: &LedgerFilter,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        let mut conditions = filter.conditions();
        let limit = conditions.mark(conditions::limit(limit));
        let offset = conditions.mark(conditions::limit(offset));
        let sql = format!(
            "SELECT at, host, session, surface, items, bytes, tokens, why FROM ledger WHERE {} \
             ORDER BY seq DESC LIMIT {limit} OFFSET {offset}",
            conditions.sql()
        );
        let run = || -> rusqlite::Result<Vec<LedgerRow>> {
            self.conn.prepare(&sql)?.query_map(conditions.params(), LedgerRow::read)?.collect()
        };
        run().at(self)
    }

    /// By assistant and surface.
    pub fn ledger_sums_of(&self, filter: &LedgerFilter) -> Result<Vec<LedgerSum>, StoreError> {
        let conditions = filter.conditions();
        let sql = format!(
            "SELECT host, surface, count(*), sum(bytes), sum(tokens), max(at) FROM ledger WHERE {} \
             GROUP BY host, surface ORDER BY host, surface",
            conditions.sql()
        );
        let run = || -> rusqlite::Result<Vec<LedgerSum>> {
            self.conn.prepare(&sql)?.query_map(conditions.params(), LedgerSum::read)?.collect()
        };
        run().at(self)
    }

    /// Days with texts, oldest first.
    pub fn ledger_days(&self, filter: &LedgerFilter) -> Result<Vec<LedgerDay>, StoreError> {
        let conditions = filter.conditions();
        let sql = format!(
            "SELECT at / 86400000, count(*), sum(tokens) FROM ledger WHERE {} GROUP BY 1 ORDER BY 1",
            conditions.sql()
        );
        let run = || -> rusqlite::Result<Vec<LedgerDay>> {
            let day = |row: &rusqlite::Row<'_>| {
                let day: i64 = row.get(0)?;
                Ok(LedgerDay {
                    day: Timestamp::from_millis(day * 86_400_000),
                    count: row.get(1)?,
                    tokens: row.get(2)?,
                })
            };
            self.conn.prepare(&sql)?.query_map(conditions.params(), day)?.collect()
        };
        run().at(self)
    }
}
