//! Records what was forgotten, so that no transcript, import or sync restores it.
//!
//! The source of truth is `tombstones.jsonl`, which is append-only. It contains ids, times and keyed
//! marks, and no text: without the store's key a mark does not even confirm a guess. The table is an
//! index over it. Marks are keyed by the store, so those that come from another store count by
//! their ids only.

use std::collections::HashSet;

use hark_core::likeness::normalised;
use hark_core::redact::Redactor;
use hark_core::{Memory, MemoryId, SessionId, Timestamp};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::connection;
use crate::error::{At, StoreError};
use crate::files::Stamp;
use crate::layout::Layout;
use crate::meta;
use crate::store::Store;
use crate::write::Writer;

const MARK_BYTES: usize = 16;

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    pub at: Timestamp,
    pub why: Passing,
    /// The whole id of a memory or session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Keyed marks of what it said, now and before each change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
}

/// Why something was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Passing {
    /// The user forgot it.
    Forgotten,
    /// It was archived for so long that retention removed it.
    Purged,
    /// Said again by the user: these marks no longer count.
    Lifted,
}

impl Passing {
    const fn code(self) -> i64 {
        match self {
            Passing::Forgotten => 1,
            Passing::Purged => 2,
            Passing::Lifted => 0,
        }
    }

    const fn of(code: i64) -> Option<Passing> {
        match code {
            1 => Some(Passing::Forgotten),
            2 => Some(Passing::Purged),
            _ => None,
        }
    }
}

impl Tombstone {
    /// Whether a text has the form of a mark.
    pub fn is_mark(text: &str) -> bool {
        text.len() == 2 * MARK_BYTES && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.id.as_deref().into_iter().chain(self.marks.iter().map(String::as_str))
    }
}

/// The mark of what a memory says; nothing if it says nothing. Its title is not part of it: titles are
/// made up anew.
pub fn text_mark(redactor: &Redactor, body: &str) -> Option<String> {
    let text = normalised(body);
    (!text.is_empty()).then(|| hex(redactor.mark("forgotten text", &text)))
}

/// The mark of one thing that was said or done in a session, by which it is known in a transcript.
pub fn turn_mark(redactor: &Redactor, target: &str, body: &str) -> Option<String> {
    let text = normalised(&format!("{target}\n{body}"));
    (!text.is_empty()).then(|| hex(redactor.mark("forgotten turn", &text)))
}

/// The mark of an assistant's own session id, by which a transcript is known.
pub fn session_mark(redactor: &Redactor, host: &str, host_session: &str) -> String {
    hex(redactor.mark("forgotten session", &format!("{host}\n{host_session}")))
}

fn hex(bytes: [u8; MARK_BYTES]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Everything in the file, oldest first; a torn line is passed over.
pub(crate) fn read(layout: &Layout) -> Result<Vec<Tombstone>, StoreError> {
    let text = layout.read_text(&layout.tombstones())?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn put(conn: &Connection, stone: &Tombstone) -> rusqlite::Result<()> {
    for key in stone.keys() {
        if stone.why == Passing::Lifted {
            conn.prepare_cached("DELETE FROM tombstone WHERE mark = ?1")?.execute([key])?;
        } else {
            conn.prepare_cached(
                "INSERT INTO tombstone (mark, why, at) VALUES (?1, ?2, ?3) \
                 ON CONFLICT (mark) DO UPDATE SET why = excluded.why, at = excluded.at",
            )?
            .execute(params![key, stone.why.code(), stone.at.as_millis()])?;
        }
    }
    Ok(())
}

/// How the file looked when the table was last made from it.
fn known_stamp(conn: &Connection) -> rusqlite::Result<Option<String>> {
    meta::get(conn, "tombstones")
}

fn note_stamp(conn: &Connection, stamp: Option<Stamp>) -> rusqlite::Result<()> {
    meta::put(conn, "tombstones", &written(stamp))
}

fn written(stamp: Option<Stamp>) -> String {
    stamp.map_or_else(String::new, |stamp| format!("{} {}", stamp.mtime, stamp.size))
}

/// Imports outside changes to the file. If nothing changed, it only checks the file's metadata.
pub(crate) fn pick_up(store: &Store) -> Result<(), StoreError> {
    let path = store.layout.tombstones();
    let stamp = store.layout.stamp(&path)?;
    let known = known_stamp(&store.conn).at(store)?;
    if known.unwrap_or_default() == written(stamp) {
        return Ok(());
    }
    let database = store.layout.database();
    let tx = match connection::begin(&store.conn, &database, store.patience) {
        Ok(tx) => tx,
        Err(StoreError::ReadOnly { .. }) => return Ok(()),
        Err(e) => return Err(e),
    };
    rebuild(&tx, &store.layout)?;
    tx.commit().at(store)
}

/// The table from the file. The caller holds the write lock.
pub(crate) fn rebuild(conn: &Connection, layout: &Layout) -> Result<(), StoreError> {
    let stamp = layout.stamp(&layout.tombstones())?;
    conn.execute("DELETE FROM tombstone", []).at(layout)?;
    for stone in read(layout)? {
        put(conn, &stone).at(layout)?;
    }
    note_stamp(conn, stamp).at(layout)
}

pub(crate) fn passing(conn: &Connection, key: &str) -> rusqlite::Result<Option<Passing>> {
    use rusqlite::OptionalExtension;
    let code: Option<i64> = conn
        .prepare_cached("SELECT why FROM tombstone WHERE mark = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?;
    Ok(code.and_then(Passing::of))
}

impl Store {
    /// Whether a memory of this id was forgotten or purged here. Imports and syncs pass it over.
    pub fn is_forgotten(&self, id: &MemoryId) -> Result<bool, StoreError> {
        passing(&self.conn, &id.full()).map(|why| why.is_some()).at(self)
    }

    /// Whether something that said this was forgotten or purged here, and which.
    pub fn passing_of_text(&self, body: &str) -> Result<Option<Passing>, StoreError> {
        match text_mark(&self.redactor, body) {
            Some(mark) => passing(&self.conn, &mark).at(self),
            None => Ok(None),
        }
    }

    /// Whether a session was forgotten here; its transcript must not be read again.
    pub fn is_session_forgotten(&self, host: &str, host_session: &str) -> Result<bool, StoreError> {
        passing(&self.conn, &session_mark(&self.redactor, host, host_session))
            .map(|why| why.is_some())
            .at(self)
    }

    /// Every mark of what was forgotten: for a look at very many texts.
    pub fn forgotten_marks(&self) -> Result<HashSet<String>, StoreError> {
        let run = || -> rusqlite::Result<HashSet<String>> {
            self.conn
                .prepare_cached("SELECT mark FROM tombstone WHERE why = ?1")?
                .query_map([Passing::Forgotten.code()], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }

    /// All of them, for an export.
    pub fn tombstones(&self) -> Result<Vec<Tombstone>, StoreError> {
        read(&self.layout)
    }
}

impl Writer<'_> {
    pub fn tombstones(&self) -> Result<Vec<Tombstone>, StoreError> {
        read(self.layout)
    }

    pub fn is_forgotten(&self, id: &MemoryId) -> Result<bool, StoreError> {
        passing(&self.tx, &id.full()).map(|why| why.is_some()).at(self)
    }

    pub fn passing_of_text(&self, body: &str) -> Result<Option<Passing>, StoreError> {
        match text_mark(self.redactor, body) {
            Some(mark) => passing(&self.tx, &mark).at(self),
            None => Ok(None),
        }
    }

    pub fn is_session_forgotten(&self, host: &str, host_session: &str) -> Result<bool, StoreError> {
        passing(&self.tx, &session_mark(self.redactor, host, host_session)).map(|why| why.is_some()).at(self)
    }

    /// Marks a memory as gone, with everything it said before. It is still to be removed.
    pub fn bury(&mut self, memory: &Memory, why: Passing) -> Result<(), StoreError> {
        let mut marks: Vec<String> = text_mark(self.redactor, &memory.body).into_iter().collect();
        for revision in crate::revisions::read(self.layout, &memory.id)? {
            marks.extend(text_mark(self.redactor, &revision.before.body));
        }
        marks.sort();
        marks.dedup();
        self.take_tombstone(&Tombstone { at: self.now, why, id: Some(memory.id.full()), marks })
    }

    /// Marks a session as gone, so that its transcript is not read again.
    pub fn bury_session(&mut self, id: &SessionId, host: &str, host_session: &str) -> Result<(), StoreError> {
        let marks = vec![session_mark(self.redactor, host, host_session)];
        let why = Passing::Forgotten;
        self.take_tombstone(&Tombstone { at: self.now, why, id: Some(id.full()), marks })
    }

    /// Marks what sessions said as gone, so that it does not come back with their transcripts.
    pub fn bury_turns(&mut self, mut marks: Vec<String>) -> Result<(), StoreError> {
        marks.sort();
        marks.dedup();
        if marks.is_empty() {
            return Ok(());
        }
        self.take_tombstone(&Tombstone { at: self.now, why: Passing::Forgotten, id: None, marks })
    }

    /// The user says it again: what forbade this text no longer counts.
    pub fn lift(&mut self, body: &str) -> Result<(), StoreError> {
        let marks: Vec<String> = text_mark(self.redactor, body).into_iter().collect();
        self.take_tombstone(&Tombstone { at: self.now, why: Passing::Lifted, id: None, marks })
    }

    /// Adds a tombstone, from here or from another store.
    pub fn take_tombstone(&mut self, stone: &Tombstone) -> Result<(), StoreError> {
        let path = self.layout.tombstones();
        let mut line = serde_json::to_string(stone).unwrap_or_default();
        line.push('\n');
        // What somebody else put there since must not be passed over when the stamp is noted.
        let before = self.layout.stamp(&path)?;
        let in_step = known_stamp(&self.tx).at(self)?.unwrap_or_default() == written(before);
        let length = self.layout.append(&path, line.as_bytes())?;
        self.journal.appended(self.layout.door(), &path, length);
        if !in_step {
            return rebuild(&self.tx, self.layout);
        }
        put(&self.tx, stone).at(self)?;
        note_stamp(&self.tx, self.layout.stamp(&path)?).at(self)
    }
}
