//! How far each transcript was read, and which sessions need an update. Written in one transaction
//! with the events, so that neither is ahead of the other.

use hark_core::{Clean, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::error::{At, StoreError};
use crate::store::Store;
use crate::write::Writer;

/// How far a file was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    pub inode: i64,
    /// Every record up to here was read; in a database, a time.
    pub offset: i64,
    pub mtime: i64,
    pub size: i64,
    /// A hash of the bytes at the beginning and before `offset`.
    pub mark: String,
}

/// The hash of a file's path, because paths may contain secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    pub host: &'static str,
    pub key: String,
    pub path: Clean,
}

impl Store {
    pub fn cursor(&self, file: &SourceFile) -> Result<Option<Cursor>, StoreError> {
        let run = || -> rusqlite::Result<Option<Cursor>> {
            self.conn
                .prepare_cached(
                    "SELECT inode, offset, mtime, size, mark FROM cursor WHERE host = ?1 AND key = ?2",
                )?
                .query_row([file.host, &file.key], |row| {
                    Ok(Cursor {
                        inode: row.get(0)?,
                        offset: row.get(1)?,
                        mtime: row.get(2)?,
                        size: row.get(3)?,
                        mark: row.get(4)?,
                    })
                })
                .optional()
        };
        run().at(self)
    }

    /// Assistants with at least one transcript that was read.
    pub fn hosts_read(&self) -> Result<Vec<String>, StoreError> {
        let run = || -> rusqlite::Result<Vec<String>> {
            self.conn
                .prepare_cached("SELECT DISTINCT host FROM cursor ORDER BY host")?
                .query_map([], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }

    /// Transcripts that hooks named, of sessions heard of since then.
    pub fn transcripts_since(&self, since: Timestamp) -> Result<Vec<(String, String)>, StoreError> {
        let run = || -> rusqlite::Result<Vec<(String, String)>> {
            let mut statement =
                self.conn.prepare_cached("SELECT host, doc FROM session WHERE seen >= ?1 ORDER BY num")?;
            let rows = statement.query_map([since.as_millis()], |row| {
                let doc: String = row.get(1)?;
                let session: serde_json::Value = serde_json::from_str(&doc).unwrap_or_default();
                let path = session["transcript"].as_str().map(str::to_owned);
                Ok(path.map(|path| (row.get::<_, String>(0), path)))
            })?;
            let mut found = Vec::new();
            for row in rows {
                if let Some((host, path)) = row? {
                    found.push((host?, path));
                }
            }
            Ok(found)
        };
        run().at(self)
    }

    /// Sessions that need an update, oldest first.
    pub fn unsettled(&self) -> Result<Vec<i64>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            self.conn
                .prepare_cached("SELECT session FROM unsettled ORDER BY session")?
                .query_map([], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }
}

impl Writer<'_> {
    pub fn put_cursor(&mut self, file: &SourceFile, cursor: &Cursor) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO cursor (host, key, path, inode, offset, mtime, size, mark, read) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (host, key) DO UPDATE SET \
                 inode = excluded.inode, offset = excluded.offset, mtime = excluded.mtime, \
                 size = excluded.size, mark = excluded.mark, read = excluded.read",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    file.host,
                    file.key,
                    file.path.as_str(),
                    cursor.inode,
                    cursor.offset,
                    cursor.mtime,
                    cursor.size,
                    cursor.mark,
                    self.now.as_millis()
                ])
            })
            .map(drop)
            .at(self)
    }

    pub fn unsettle(&mut self, session: i64) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT INTO unsettled (session) VALUES (?1) ON CONFLICT DO NOTHING")
            .and_then(|mut statement| statement.execute([session]))
            .map(drop)
            .at(self)
    }

    pub fn settled(&mut self, session: i64) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("DELETE FROM unsettled WHERE session = ?1")
            .and_then(|mut statement| statement.execute([session]))
            .map(drop)
            .at(self)
    }

    /// When the first and the last event of a session happened.
    pub fn span_of_events(&self, session: i64) -> Result<Option<(Timestamp, Timestamp)>, StoreError> {
        self.tx
            .prepare_cached("SELECT min(at), max(at) FROM event WHERE session = ?1")
            .and_then(|mut statement| {
                statement.query_row([session], |row| {
                    let (first, last): (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
                    Ok(first.zip(last).map(|(a, b)| (Timestamp::from_millis(a), Timestamp::from_millis(b))))
                })
            })
            .at(self)
    }
}
