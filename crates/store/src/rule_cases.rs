//! What a rule came to in a session: a row per rule and session, which hooks write and the worker closes.

use hark_core::{MemoryId, Timestamp};
use rusqlite::{Row, params};

use crate::error::{At, StoreError};
use crate::store::Store;
use crate::write::Writer;

/// A rule in one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCase {
    pub rule: MemoryId,
    pub session: i64,
    /// The last match.
    pub at: Timestamp,
    pub matched: u32,
    pub told: u32,
    pub denied: u32,
    pub asked: u32,
    /// How often the mistake was made although the model had been told before.
    pub broken: u32,
    /// How often the user let it happen.
    pub overruled: u32,
    /// The session was drawn to hear nothing of this rule.
    pub silent: bool,
    pub closed: bool,
}

/// Something that happened to a rule in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEvent {
    Matched,
    Told,
    Denied,
    Asked,
    Broken,
    Overruled,
    /// The draw decided that this session hears nothing.
    Silenced,
}

impl RuleEvent {
    const fn column(self) -> &'static str {
        match self {
            RuleEvent::Matched => "matched",
            RuleEvent::Told => "told",
            RuleEvent::Denied => "denied",
            RuleEvent::Asked => "asked",
            RuleEvent::Broken => "broken",
            RuleEvent::Overruled => "overruled",
            RuleEvent::Silenced => "silent",
        }
    }
}

const COLUMNS: &str = "rule, session, at, matched, told, denied, asked, broken, overruled, silent, closed";

fn case(row: &Row<'_>) -> rusqlite::Result<Option<RuleCase>> {
    let rule: Vec<u8> = row.get(0)?;
    let Ok(rule) = <[u8; 16]>::try_from(rule.as_slice()) else { return Ok(None) };
    Ok(Some(RuleCase {
        rule: MemoryId::from_bytes(rule),
        session: row.get(1)?,
        at: Timestamp::from_millis(row.get(2)?),
        matched: row.get(3)?,
        told: row.get(4)?,
        denied: row.get(5)?,
        asked: row.get(6)?,
        broken: row.get(7)?,
        overruled: row.get(8)?,
        silent: row.get::<_, i64>(9)? != 0,
        closed: row.get::<_, i64>(10)? != 0,
    }))
}

impl Store {
    /// A rule in a session.
    pub fn rule_case(&self, rule: &MemoryId, session: i64) -> Result<Option<RuleCase>, StoreError> {
        let found = self.rule_cases_where("rule = ?1 AND session = ?2", params![rule.as_bytes().as_slice(), session])?;
        Ok(found.into_iter().next())
    }

    /// Every case of a rule, oldest first.
    pub fn rule_cases(&self, rule: &MemoryId) -> Result<Vec<RuleCase>, StoreError> {
        self.rule_cases_where("rule = ?1", params![rule.as_bytes().as_slice()])
    }

    /// Every case of a session.
    pub fn rule_cases_of(&self, session: i64) -> Result<Vec<RuleCase>, StoreError> {
        self.rule_cases_where("session = ?1", params![session])
    }

    /// All cases, to compare sessions that were told with those that were not.
    pub fn all_rule_cases(&self) -> Result<Vec<RuleCase>, StoreError> {
        self.rule_cases_where("1", params![])
    }

    /// Cases of sessions that are over, which the record of their rule lacks.
    pub fn rule_cases_to_close(&self, limit: usize) -> Result<Vec<RuleCase>, StoreError> {
        self.rule_cases_where(
            "closed = 0 AND NOT EXISTS (SELECT 1 FROM session WHERE session.num = rule_case.session \
             AND session.status = 'open') LIMIT ?1",
            params![limit as i64],
        )
    }

    fn rule_cases_where(
        &self,
        condition: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<RuleCase>, StoreError> {
        let ordered = match condition.split_once(" LIMIT ") {
            Some((condition, limit)) => format!("{condition} ORDER BY at, rule LIMIT {limit}"),
            None => format!("{condition} ORDER BY at, rule"),
        };
        let sql = format!("SELECT {COLUMNS} FROM rule_case WHERE {ordered}");
        let run = || -> rusqlite::Result<Vec<RuleCase>> {
            self.conn.prepare_cached(&sql)?.query_map(values, case)?.filter_map(Result::transpose).collect()
        };
        run().at(self)
    }
}

impl Writer<'_> {
    /// Counts something that happened to a rule in a session. A case that was closed opens again.
    pub fn note_rule(
        &mut self,
        rule: &MemoryId,
        session: i64,
        event: RuleEvent,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let column = event.column();
        let sql = format!(
            "INSERT INTO rule_case (rule, session, at, {column}) VALUES (?1, ?2, ?3, 1) \
             ON CONFLICT (rule, session) DO UPDATE SET {column} = {column} + 1, at = max(at, excluded.at)"
        );
        self.tx
            .prepare_cached(&sql)
            .and_then(|mut s| s.execute(params![rule.as_bytes().as_slice(), session, now.as_millis()]))
            .map(drop)
            .at(self)
    }

    /// Its rule's record has it now.
    pub fn close_rule_case(&mut self, rule: &MemoryId, session: i64) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("UPDATE rule_case SET closed = 1 WHERE rule = ?1 AND session = ?2")
            .and_then(|mut s| s.execute(params![rule.as_bytes().as_slice(), session]))
            .map(drop)
            .at(self)
    }
}
