//! Empties a store: memories, sessions, their history, and what the index knows of them.
//!
//! Backups, settings, keys, trust and the names of projects stay; so does what was forgotten, which must not come
//! back, and how far transcripts were read, which would fill the store again. Files go first: a process that is
//! killed leaves an index that the next opening brings in line, and the same command finishes the work.

use std::path::Path;

use hark_core::Timestamp;

use crate::connection;
use crate::erase::everything;
use crate::error::{At, StoreError};
use crate::index;
use crate::meta;
use crate::store::Store;

/// When a store was emptied on purpose.
pub(crate) const KEY: &str = "emptied";

const FOLDERS: &[&str] = &["memories", "sessions", "revisions", "spool"];

/// What an index knows only of sessions, failures and use; the rest is made from files.
const ROWS: &str = "
    DELETE FROM session; DELETE FROM checkpoint; DELETE FROM session_file; DELETE FROM session_baseline; DELETE FROM event;
    DELETE FROM session_lexicon; DELETE FROM ledger; DELETE FROM injected; DELETE FROM unsettled; DELETE FROM digest;
    DELETE FROM distilled; DELETE FROM failure; DELETE FROM failure_target; DELETE FROM trail; DELETE FROM used;
    DELETE FROM space_vector; DELETE FROM project; DELETE FROM project_root; DELETE FROM project_place;
    DELETE FROM phrase; DELETE FROM question; DELETE FROM phrase_wanted;
    DELETE FROM evidence; DELETE FROM rule_case; DELETE FROM learned_from; DELETE FROM session_process; DELETE FROM turn;
";

/// What there was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Emptied {
    /// Files of memories, sessions and history.
    pub files: usize,
}

impl Store {
    /// How many files emptying would remove.
    pub fn files_to_empty(&self) -> usize {
        self.to_empty().len()
    }

    fn to_empty(&self) -> Vec<std::path::PathBuf> {
        let home = self.layout.home();
        let is_meant = |path: &Path| FOLDERS.iter().any(|folder| path.starts_with(home.join(folder)));
        let mut found = everything(self.layout.door(), &[]);
        found.retain(|path| is_meant(path));
        found
    }

    pub fn empty(&mut self, now: Timestamp) -> Result<Emptied, StoreError> {
        let database = self.layout.database();
        if self.read_only {
            return Err(StoreError::ReadOnly { path: self.layout.home().to_owned() });
        }
        let mut emptied = Emptied::default();
        let tx = connection::begin(&self.conn, &database, self.patience)?;
        for path in self.to_empty() {
            self.layout.remove(&path)?;
            emptied.files += 1;
        }
        self.layout.remove(&self.layout.phrases())?;
        tx.execute_batch(ROWS).at(&database)?;
        meta::put(&tx, KEY, &now.as_millis().to_string()).at(&database)?;
        tx.commit().at(&database)?;
        index::rebuild(self, now, &mut |_, _| {})?;
        crate::sessions::rebuild(self, now)?;
        // Free pages still contain the words. Another process can prevent this; SQLite then reuses the pages over time.
        let _ = self.wipe();
        Ok(emptied)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_table_about_sessions_is_emptied() {
        let schema = include_str!("../../../migrations/sqlite/0009_base.sql");
        let (_, sessions) = schema.split_once("-- Sessions, what happened in them").unwrap();
        for line in sessions.lines().filter_map(|l| l.strip_prefix("CREATE TABLE ")) {
            let table = line.split_whitespace().next().unwrap();
            assert!(table == "cursor" || super::ROWS.contains(&format!("DELETE FROM {table};")), "{table}");
        }
    }
}
