//! Named values that only the index keeps: when something last ran, the state of a folder.

use rusqlite::{Connection, OptionalExtension};

use crate::error::{At, StoreError};
use crate::store::Store;

pub(crate) fn get(conn: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

pub(crate) fn put(conn: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?
    .execute([key, value])
    .map(drop)
}

impl Store {
    pub fn noted(&self, key: &str) -> Result<Option<String>, StoreError> {
        get(&self.conn, key).at(self)
    }

    pub fn unnote(&self, key: &str) -> Result<(), StoreError> {
        self.conn.execute("DELETE FROM meta WHERE key = ?1", [key]).map(drop).at(self)
    }

    pub fn note(&self, key: &str, value: &str) -> Result<(), StoreError> {
        put(&self.conn, key, value).at(self)
    }
}
