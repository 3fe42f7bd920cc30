//! Finds damaged rows in an index whose structure is intact, for example after a bad sector or a flipped
//! bit.

use hark_core::{Clean, Memory, Raw, Session, SessionId, Timestamp};
use rusqlite::{Connection, params};

use crate::error::{At, StoreError};
use crate::index::{self, CHUNK_CAPACITY, SLOT_BYTES, content_hash};
use crate::own;
use crate::store::Store;

/// The text of a column, if it is text.
fn text(row: &rusqlite::Row<'_>, at: usize) -> Option<String> {
    row.get_ref(at).ok()?.as_str().ok().map(str::to_owned)
}

/// Whether a memory is unchanged since it was indexed.
fn is_whole(row: &rusqlite::Row<'_>) -> bool {
    let memory = text(row, 0).and_then(|doc| own::read::<Memory<Raw>>(&doc).ok());
    let hash = row.get_ref(1).ok().and_then(|hash| hash.as_blob().ok());
    memory.zip(hash).is_some_and(|(memory, hash)| content_hash(&memory) == hash)
}

/// The number of rows known to be damaged.
fn count(conn: &Connection) -> rusqlite::Result<usize> {
    let mut damaged = 0;
    let mut memories = conn.prepare("SELECT doc, hash FROM memory")?;
    let mut rows = memories.query([])?;
    while let Some(row) = rows.next()? {
        damaged += usize::from(!is_whole(row));
    }
    // Chunks are written in place, so they have their full length from the start.
    let length = (CHUNK_CAPACITY * SLOT_BYTES) as i64;
    let chunks: i64 =
        conn.query_row("SELECT count(*) FROM chunk WHERE length(data) <> ?1", [length], |row| row.get(0))?;
    damaged += usize::try_from(chunks).unwrap_or(0);
    let mut sessions = conn.prepare("SELECT doc FROM session")?;
    let mut rows = sessions.query([])?;
    while let Some(row) = rows.next()? {
        damaged += usize::from(text(row, 0).and_then(|doc| own::read::<Session<Raw>>(&doc).ok()).is_none());
    }
    Ok(damaged)
}

/// If any row is damaged, makes the next opening rebuild the index from the files.
pub(crate) fn make_damaged_rows_anew(conn: &Connection) -> rusqlite::Result<()> {
    if count(conn)? > 0 {
        mend_sessions(conn)?;
        index::doubt(conn)?;
    }
    Ok(())
}

/// A session with an unreadable row keeps its number, which its events refer to, and is read from its file
/// again.
fn mend_sessions(conn: &Connection) -> rusqlite::Result<()> {
    let mut read = conn.prepare("SELECT num, doc, id, host, host_session, started FROM session")?;
    let mut rows = read.query([])?;
    let mut damaged = Vec::new();
    while let Some(row) = rows.next()? {
        if text(row, 1).is_some_and(|doc| own::read::<Session<Raw>>(&doc).is_ok()) {
            continue;
        }
        let id = row.get_ref(2)?.as_blob().ok().and_then(SessionId::from_slice);
        let started = Timestamp::from_millis(row.get(5).unwrap_or(0));
        let clean = |at: usize| Clean::already_redacted(text(row, at).unwrap_or_default());
        if let Some(id) = id {
            damaged.push((row.get::<_, i64>(0)?, Session::new(id, clean(3), clean(4), started)));
        }
    }
    for (num, session) in damaged {
        let doc = serde_json::to_string(&session).unwrap_or_default();
        conn.execute("UPDATE session SET doc = ?2 WHERE num = ?1", params![num, doc])?;
    }
    Ok(())
}

impl Store {
    /// Fails with a damage error if any row is damaged.
    pub(crate) fn look_at_rows(&self) -> Result<(), StoreError> {
        match count(&self.conn).at(self)? {
            0 => Ok(()),
            damaged => {
                let detail = format!("{damaged} rows are damaged");
                Err(StoreError::Corrupt { path: self.layout.database(), detail })
            }
        }
    }
}
