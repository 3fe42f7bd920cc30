//! How a project takes to what is said unasked: feedback on memories that were told there, added up.
//! In the index only: losing it loses nothing that was said.

use hark_core::ProjectKey;
use rusqlite::OptionalExtension;

use crate::error::StoreError;
use crate::store::Store;
use crate::write::Writer;

/// Silence is easier earned than talk.
const LEAST: i64 = -3;
const MOST: i64 = 8;

pub(crate) fn name(project: &ProjectKey) -> String {
    format!("leaning {project}")
}

impl Store {
    /// Above zero: what was told there was of no use more often than it helped.
    pub fn leaning(&self, project: &ProjectKey) -> Result<i64, StoreError> {
        Ok(self.noted(&name(project))?.and_then(|text| text.parse().ok()).unwrap_or(0).clamp(LEAST, MOST))
    }
}

impl Writer<'_> {
    /// Notes a word on a memory, by its short id, if some session was told it.
    pub fn lean(&mut self, project: &ProjectKey, item: &str, by: i64) -> Result<(), StoreError> {
        let run = || -> rusqlite::Result<()> {
            if !self.tx.prepare_cached("SELECT 1 FROM injected WHERE item = ?1")?.exists([item])? {
                return Ok(());
            }
            let key = name(project);
            let known: Option<String> = self
                .tx
                .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
                .query_row([&key], |row| row.get(0))
                .optional()?;
            let before: i64 = known.and_then(|text| text.parse().ok()).unwrap_or(0);
            let value = before.saturating_add(by).clamp(LEAST, MOST).to_string();
            self.tx
                .prepare_cached(
                    "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                )?
                .execute([key, value])
                .map(drop)
        };
        run().map_err(|e| self.sql(e))
    }
}
