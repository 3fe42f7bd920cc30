//! How useful injections are in a project: the sum of feedback on memories injected there. Only in the
//! index; losing it loses no memory.

use hark_core::ProjectKey;

use crate::error::{At, StoreError};
use crate::meta;
use crate::store::Store;
use crate::write::Writer;

/// Silence is easier earned than talk.
const LEAST: i64 = -3;
const MOST: i64 = 8;

pub(crate) fn name(project: &ProjectKey) -> String {
    format!("leaning {project}")
}

impl Store {
    /// Above zero, injected memories were useless more often than they helped.
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
            let before: i64 = meta::get(&self.tx, &key)?.and_then(|text| text.parse().ok()).unwrap_or(0);
            meta::put(&self.tx, &key, &before.saturating_add(by).clamp(LEAST, MOST).to_string())
        };
        run().at(self)
    }
}
