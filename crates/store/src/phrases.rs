//! Learned phrases: questions after which a memory was opened, rated helpful or stored again.
//!
//! They say something about the user, not about the memory, so they are kept in the user's store only:
//! `phrases.jsonl` is the truth and the table an index over it. A memory's own file never has them.

use std::collections::BTreeMap;
use std::time::Duration;

use hark_core::memory::{add_phrases, phrases};
use hark_core::redact::{Redactor, Unredacted};
use hark_core::vector::Embedder;
use hark_core::{Clean, Memory, MemoryId, Raw, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::connection;
use crate::error::{At, StoreError};
use crate::files::Stamp;
use crate::index::{self, Entry, Finish};
use crate::layout::Layout;
use crate::meta;
use crate::own;
use crate::store::Store;
use crate::write::Writer;

/// The opening of a memory belongs to a question that was asked at most this long ago.
const FRESH_MS: i64 = 10 * 60 * 1000;

/// States of a row: waiting, in the index, in the index and to go.
const WAITING: i64 = 0;
const FILED: i64 = 1;
const GOING: i64 = 2;

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line<T = Clean> {
    memory: MemoryId,
    at: Timestamp,
    phrase: T,
}

impl Unredacted for Line<Raw> {
    type Redacted = Line;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Line {
        Line { memory: self.memory, at: self.at, phrase: clean(self.phrase) }
    }
}

/// A question, and what it found.
#[derive(Debug, Clone)]
pub struct Question {
    pub asked: Clean,
    pub found: Vec<MemoryId>,
}

/// The phrases in the file by memory, oldest first. People can edit it, so they are redacted again.
fn read(layout: &Layout, redactor: &Redactor) -> Result<BTreeMap<[u8; 16], Vec<Clean>>, StoreError> {
    let text = layout.read_text(&layout.phrases())?.unwrap_or_default();
    let mut found: BTreeMap<[u8; 16], Vec<Clean>> = BTreeMap::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<Line<Raw>>(line).ok()) {
        let line = line.redacted(&|raw| redactor.clean(raw));
        found.entry(*line.memory.as_bytes()).or_default().push(line.phrase);
    }
    Ok(found.into_iter().map(|(id, texts)| (id, phrases(texts))).collect())
}

fn written(stamp: Option<Stamp>) -> String {
    stamp.map_or_else(String::new, |stamp| format!("{} {}", stamp.mtime, stamp.size))
}

fn note_stamp(conn: &Connection, layout: &Layout) -> Result<(), StoreError> {
    let stamp = layout.stamp(&layout.phrases())?;
    meta::put(conn, "phrases", &written(stamp)).at(layout)
}

fn insert(conn: &Connection, id: &[u8], phrase: &Clean, filed: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT INTO phrase (memory, phrase, filed) VALUES (?1, ?2, ?3)")?
        .execute(params![id, phrase.as_str(), filed])
        .map(drop)
}

/// The table from the file, before memories are indexed. The caller holds the write lock.
pub(crate) fn rebuild(conn: &Connection, layout: &Layout, redactor: &Redactor) -> Result<(), StoreError> {
    conn.execute("DELETE FROM phrase", []).at(layout)?;
    for (id, texts) in read(layout, redactor)? {
        for text in texts {
            insert(conn, &id, &text, WAITING).at(layout)?;
        }
    }
    note_stamp(conn, layout)
}

/// Imports outside changes to the file. If nothing changed, it only checks the file's metadata.
pub(crate) fn pick_up(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    let layout = &store.layout;
    let stamp = layout.stamp(&layout.phrases())?;
    if meta::get(&store.conn, "phrases").at(store)?.unwrap_or_default() == written(stamp) {
        return Ok(());
    }
    let tx = match connection::begin(&store.conn, &layout.database(), store.patience) {
        Ok(tx) => tx,
        Err(StoreError::ReadOnly { .. }) => return Ok(()),
        Err(e) => return Err(e),
    };
    let wanted = read(layout, &store.redactor)?;
    take_over(&tx, &wanted, store.embedder.as_ref(), now).at(store)?;
    note_stamp(&tx, layout)?;
    tx.commit().at(store)?;
    store.cache.borrow_mut().doubt();
    Ok(())
}

fn take_over(
    conn: &Connection,
    wanted: &BTreeMap<[u8; 16], Vec<Clean>>,
    embedder: &dyn Embedder,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let mut rows: BTreeMap<[u8; 16], Vec<(i64, String)>> =
        wanted.keys().map(|id| (*id, Vec::new())).collect();
    let mut statement = conn.prepare("SELECT memory, seq, phrase FROM phrase ORDER BY seq")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let id: [u8; 16] = row.get(0)?;
        rows.entry(id).or_default().push((row.get(1)?, row.get(2)?));
    }
    for (id, rows) in rows {
        let texts = wanted.get(&id).map_or(&[][..], Vec::as_slice);
        if texts.iter().map(|text| text.as_str()).eq(rows.iter().map(|(_, text)| text.as_str())) {
            continue;
        }
        for (seq, _) in rows.iter().filter(|(_, row)| !texts.iter().any(|text| text.as_str() == row)) {
            drop_row(conn, *seq)?;
        }
        for text in texts.iter().filter(|text| !rows.iter().any(|(_, row)| text.as_str() == row)) {
            insert(conn, &id, text, WAITING)?;
        }
        refile(conn, embedder, &id, now)?;
    }
    Ok(())
}

/// A phrase that is in the index stays until its memory is indexed again.
fn drop_row(conn: &Connection, seq: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE phrase SET filed = ?2 WHERE seq = ?1 AND filed <> ?3")?
        .execute([seq, GOING, WAITING])?;
    conn.prepare_cached("DELETE FROM phrase WHERE seq = ?1 AND filed = ?2")?.execute([seq, WAITING]).map(drop)
}

/// Indexes a memory again, from what the index has of it.
fn refile(conn: &Connection, embedder: &dyn Embedder, id: &[u8], now: Timestamp) -> rusqlite::Result<()> {
    let row: Option<(String, String, Stamp)> = conn
        .prepare_cached("SELECT doc, file, mtime, size FROM memory WHERE id = ?1")?
        .query_row([id], |row| {
            Ok((row.get(0)?, row.get(1)?, Stamp { mtime: row.get(2)?, size: row.get(3)? }))
        })
        .optional()?;
    let Some((doc, file, stamp)) = row else { return Ok(()) };
    let Ok(memory) = own::read::<Memory<Raw>>(&doc) else { return Ok(()) };
    let entry = Entry { memory: &memory, file: &file, stamp, prepared: None };
    index::put(conn, embedder, entry, Finish::Now, now).map(drop)
}

/// Those of a memory that are in the index, in their order there.
pub(crate) fn filed(conn: &Connection, id: &MemoryId) -> rusqlite::Result<Vec<Clean>> {
    conn.prepare_cached("SELECT phrase FROM phrase WHERE memory = ?1 AND filed <> ?2 ORDER BY seq")?
        .query_map(params![id.as_bytes().as_slice(), WAITING], |row| {
            Ok(Clean::already_redacted(row.get(0)?))
        })?
        .collect()
}

/// The memory leaves the index, perhaps to come back.
pub(crate) fn unfile(conn: &Connection, id: &MemoryId) -> rusqlite::Result<()> {
    let id = id.as_bytes().as_slice();
    conn.prepare_cached("DELETE FROM phrase WHERE memory = ?1 AND filed = ?2")?
        .execute(params![id, GOING])?;
    conn.prepare_cached("UPDATE phrase SET filed = ?2 WHERE memory = ?1 AND filed = ?3")?
        .execute(params![id, WAITING, FILED])
        .map(drop)
}

/// Those that go into the index with a memory: as many as its own leave room for.
pub(crate) fn file(conn: &Connection, memory: &Memory) -> rusqlite::Result<Vec<Clean>> {
    let id = memory.id.as_bytes().as_slice();
    let waiting: Vec<(i64, String)> = conn
        .prepare_cached("SELECT seq, phrase FROM phrase WHERE memory = ?1 ORDER BY seq")?
        .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut all = memory.asked_as.clone();
    for (seq, text) in waiting {
        let before = all.len();
        add_phrases(&mut all, [Clean::already_redacted(text)]);
        if all.len() > before {
            conn.prepare_cached("UPDATE phrase SET filed = ?2 WHERE seq = ?1")?.execute([seq, FILED])?;
        }
    }
    Ok(all.split_off(memory.asked_as.len()))
}

impl Writer<'_> {
    /// Adds a learned phrase, unless the memory has it already or has no room for it. Neither its file nor its
    /// revision changes.
    pub fn learn_phrase(&mut self, id: &MemoryId, phrase: &Clean) -> Result<bool, StoreError> {
        self.file_gathered()?;
        let bytes = id.as_bytes().as_slice();
        let find = || -> rusqlite::Result<Option<(i64, String)>> {
            self.tx
                .prepare_cached("SELECT num, doc FROM memory WHERE id = ?1")?
                .query_row([bytes], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        };
        let Some((num, doc)) = find().at(self)? else { return Ok(false) };
        let Ok(memory) = own::read::<Memory<Raw>>(&doc) else { return Ok(false) };
        let mut all = memory.asked_as.clone();
        add_phrases(&mut all, filed(&self.tx, id).at(self)?);
        let before = all.len();
        add_phrases(&mut all, [phrase.clone()]);
        if all.len() == before {
            return Ok(false);
        }
        let Some(phrase) = all.pop() else { return Ok(false) };
        let path = self.layout.phrases();
        let line = Line { memory: *id, at: self.now, phrase };
        let mut text = serde_json::to_string(&line).unwrap_or_default();
        text.push('\n');
        self.journal_file(&path);
        self.layout.append(&path, text.as_bytes())?;
        note_stamp(&self.tx, self.layout)?;
        insert(&self.tx, bytes, &line.phrase, FILED)
            .and_then(|()| index::add_phrase(&self.tx, self.embedder, num, &memory, &line.phrase))
            .at(self)?;
        Ok(true)
    }

    /// Removes what was learned about a memory that goes, and questions that found it.
    pub(crate) fn forget_phrases(&mut self, id: &MemoryId) -> Result<(), StoreError> {
        let bytes = id.as_bytes().as_slice();
        let run = || -> rusqlite::Result<usize> {
            self.tx.prepare_cached("DELETE FROM question WHERE instr(found, ?1) > 0")?.execute([bytes])?;
            self.tx.prepare_cached("DELETE FROM phrase_wanted WHERE memory = ?1")?.execute([bytes])?;
            self.tx.prepare_cached("DELETE FROM phrase WHERE memory = ?1")?.execute([bytes])
        };
        if run().at(self)? == 0 {
            return Ok(());
        }
        self.keep_lines(|line| line.memory != *id)
    }

    /// Removes learned phrases that quote something forgotten.
    pub(crate) fn forget_quotes(&mut self, quotes: impl Fn(&str) -> bool) -> Result<usize, StoreError> {
        let find = || -> rusqlite::Result<Vec<(i64, Vec<u8>)>> {
            let mut found = Vec::new();
            let mut read = self.tx.prepare("SELECT seq, memory, phrase FROM phrase")?;
            let mut rows = read.query([])?;
            while let Some(row) = rows.next()? {
                if quotes(row.get_ref(2)?.as_str()?) {
                    found.push((row.get(0)?, row.get(1)?));
                }
            }
            Ok(found)
        };
        let found = find().at(self)?;
        if found.is_empty() {
            return Ok(0);
        }
        self.file_gathered()?;
        for (seq, id) in &found {
            drop_row(&self.tx, *seq).and_then(|()| refile(&self.tx, self.embedder, id, self.now)).at(self)?;
        }
        self.keep_lines(|line| !quotes(&line.phrase))?;
        Ok(found.len())
    }

    fn keep_lines(&mut self, keep: impl Fn(&Line) -> bool) -> Result<(), StoreError> {
        let path = self.layout.phrases();
        let Some(text) = self.layout.read_text(&path)? else { return Ok(()) };
        let is_kept = |line: &&str| own::read::<Line<Raw>>(line).is_ok_and(|line| keep(&line));
        let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
        self.journal_file(&path);
        if kept.is_empty() {
            self.layout.remove(&path)?;
        } else {
            self.layout.write(&path, kept.as_bytes())?;
        }
        note_stamp(&self.tx, self.layout)
    }
}

impl Store {
    /// Notes what a caller asked and what it found. Skips it if another process is writing.
    pub fn note_question(&self, caller: &str, question: &Question, now: Timestamp) {
        let found: Vec<u8> = question.found.iter().flat_map(|id| *id.as_bytes()).collect();
        self.without_waiting(|tx| {
            let at = now.as_millis();
            tx.prepare_cached("DELETE FROM question WHERE at < ?1 OR at > ?2")?
                .execute([at - FRESH_MS, at + FRESH_MS])?;
            tx.prepare_cached(
                "INSERT INTO question (caller, at, asked, found) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (caller) \
                 DO UPDATE SET at = excluded.at, asked = excluded.asked, found = excluded.found",
            )?
            .execute(params![caller, at, question.asked.as_str(), found])
            .map(drop)
        });
    }

    /// The last question of a caller, if that was not long ago.
    pub fn question_of(&self, caller: &str, now: Timestamp) -> Result<Option<Question>, StoreError> {
        let at = now.as_millis();
        let run = || -> rusqlite::Result<Option<Question>> {
            self.conn
                .prepare_cached(
                    "SELECT asked, found FROM question WHERE caller = ?1 AND at BETWEEN ?2 AND ?3",
                )?
                .query_row(params![caller, at - FRESH_MS, at + FRESH_MS], |row| {
                    let ids = row.get_ref(1)?.as_blob()?.as_chunks::<16>().0;
                    Ok(Question {
                        asked: Clean::already_redacted(row.get(0)?),
                        found: ids.iter().map(|id| MemoryId::from_bytes(*id)).collect(),
                    })
                })
                .optional()
        };
        run().at(self)
    }

    /// Learns a phrase for memories on the way to an answer: not if another process is writing.
    pub fn learn_phrase(
        &mut self,
        ids: &[MemoryId],
        phrase: &Clean,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let patience = std::mem::replace(&mut self.patience, Duration::ZERO);
        let _ = self.conn.busy_timeout(Duration::ZERO);
        let learned =
            self.write(now, |writer| ids.iter().try_for_each(|id| writer.learn_phrase(id, phrase).map(drop)));
        self.patience = patience;
        let _ = self.conn.busy_timeout(patience);
        learned
    }

    /// What was learned about a memory, for tests and `hark doctor`.
    pub fn learned_phrases(&self, id: &MemoryId) -> Result<Vec<Clean>, StoreError> {
        filed(&self.conn, id).at(self)
    }

    /// Whether somebody should be asked for phrases of a memory; true once for each.
    pub fn wants_phrases(&self, id: &MemoryId) -> bool {
        let mut is_first = false;
        let noted = self.without_waiting(|tx| {
            let mut insert =
                tx.prepare_cached("INSERT INTO phrase_wanted (memory) VALUES (?1) ON CONFLICT DO NOTHING")?;
            is_first = insert.execute([id.as_bytes().as_slice()])? > 0;
            Ok(())
        });
        noted && is_first
    }

    /// A small write that is not worth waiting for; whether it was made.
    fn without_waiting(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<()>) -> bool {
        if self.read_only {
            return false;
        }
        let _ = self.conn.busy_timeout(Duration::ZERO);
        let done = connection::begin(&self.conn, &self.layout.database(), Duration::ZERO)
            .is_ok_and(|tx| work(&tx).and_then(|()| tx.commit()).is_ok());
        let _ = self.conn.busy_timeout(self.patience);
        done
    }
}
