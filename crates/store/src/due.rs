//! Reminders and reviews by their date, so that a session that starts looks up only what is due.
//!
//! They are filed beside the triggers, under a key that sorts by date.

use hark_core::{Memory, Status, Timestamp};
use rusqlite::{Connection, params};

use crate::error::{At, StoreError};
use crate::projects::ProjectNum;
use crate::read::Stored;
use crate::store::Store;

/// No trigger has such a key; see [`hark_core::rule::Trigger::key`].
fn key(at: Timestamp) -> String {
    format!("r={:020}", at.as_millis().max(0))
}

pub(crate) fn put(conn: &Connection, num: i64, project: ProjectNum, memory: &Memory) -> rusqlite::Result<()> {
    let Some(at) = memory.guidance.remind.filter(|_| memory.status == Status::Active) else { return Ok(()) };
    conn.prepare_cached(
        "INSERT OR IGNORE INTO trigger_key (project, key, memory, pattern) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![project.0, key(at), num, at.to_string()])
    .map(drop)
}

impl Store {
    /// Active memories of these projects, or of all, whose reminder or review is due at `until`, the longest overdue first.
    pub fn due(
        &self,
        projects: Option<&[ProjectNum]>,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.conn.prepare_cached(
                "SELECT key, memory FROM trigger_key WHERE project = ?1 AND key >= 'r=' AND key <= ?2 \
                 ORDER BY key LIMIT ?3",
            )?;
            let mut found: Vec<(String, i64)> = Vec::new();
            let most = i64::try_from(limit).unwrap_or(i64::MAX);
            let all = match projects {
                Some(projects) => projects.to_vec(),
                None => self
                    .conn
                    .prepare_cached("SELECT DISTINCT project FROM trigger_key")?
                    .query_map([], |row| row.get(0).map(ProjectNum))?
                    .collect::<rusqlite::Result<_>>()?,
            };
            for project in all {
                let rows = statement
                    .query_map(params![project.0, key(until), most], |row| Ok((row.get(0)?, row.get(1)?)))?;
                found.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
            }
            found.sort_unstable();
            Ok(found.into_iter().map(|(_, num)| num).take(limit).collect())
        };
        let nums = run().at(self)?;
        let mut loaded = self.load(&nums)?;
        loaded.sort_by_key(|stored| nums.iter().position(|num| *num == stored.num));
        Ok(loaded)
    }
}
