//! What the index holds of one memory, and how it gets there: the row, its tags, passages with
//! terms and vectors, vocabulary, entities and links. All inside the caller's transaction.

mod chunks;
mod entities;
mod gathered;
mod likeness;
mod passages;
mod prepared;
mod rebuild;
mod segments;
mod unfinished;
mod words;

use hark_core::text::ANALYZER_VERSION;
use hark_core::vector::Embedder;
use hark_core::{Memory, Raw, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

pub(crate) use chunks::{CAPACITY as CHUNK_CAPACITY, Facets, SIGN_BYTES, SLOT_BYTES};
pub(crate) use entities::leaf;
pub(crate) use gathered::Gathered;
pub(crate) use likeness::{alike, of_topic};
pub use passages::PassageId;
pub(crate) use passages::{
    OTHER, PHRASE, Totals, add_phrase, lexicon_token, memory_of, ordinal_of, passage_of, passages_of, texts,
};
pub use prepared::{Prepared, Preparer};
pub(crate) use rebuild::rebuild;

use prepared::{Outline, Rest};

use crate::due;
use crate::error::{At, StoreError};
use crate::failures;
use crate::files::Stamp;
use crate::own;
use crate::phrases;
use crate::projects;
use crate::store::Store;
use crate::triggers;

/// A memory on its way into the index, with where its file is.
pub(crate) struct Entry<'a> {
    pub(crate) memory: &'a Memory,
    /// Relative to the memories folder, with `/`.
    pub(crate) file: &'a str,
    pub(crate) stamp: Stamp,
    /// What was worked out of the memory before, if anything was.
    pub(crate) prepared: Option<Prepared>,
}

/// When the words, entities and near-repeats of a memory are filed: most of what it costs.
pub(crate) enum Finish<'g> {
    Now,
    /// While idle, by the next process that finds it.
    Later,
    /// With those of many other memories, before the transaction ends.
    Together(&'g mut Gathered),
}

/// Puts a memory into the index, replacing what was there under its id.
pub(crate) fn put(
    conn: &Connection,
    embedder: &dyn Embedder,
    entry: Entry<'_>,
    mut finish: Finish<'_>,
    now: Timestamp,
) -> rusqlite::Result<i64> {
    let memory = entry.memory;
    let existing: Option<i64> = conn
        .prepare_cached("SELECT num FROM memory WHERE id = ?1")?
        .query_row([memory.id.as_bytes().as_slice()], |row| row.get(0))
        .optional()?;
    let changes = failures::changes_of(conn, &memory.id)?;
    let former = failures::take_memory(conn, &memory.id)?;
    if let Some(num) = existing {
        if let Finish::Together(gathered) = &mut finish {
            gathered.file_if_it_holds(conn, num)?;
        }
        clear(conn, num)?;
    }
    let project = projects::find_or_create(conn, &memory.scope, now)?;
    let learned = phrases::file(conn, memory)?;
    let (outline, rest) = match entry.prepared {
        Some(Prepared { outline, rest }) if learned.is_empty() => (outline, Some(rest)),
        _ => (Outline::of(memory, &learned, embedder), None),
    };
    conn.prepare_cached(
        "INSERT INTO memory (num, id, tail, project, kind, status, importance, pinned, origin, created, updated, \
         closed, expires, hash, passages, file, mtime, size, doc) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
    )?
    .execute(params![
        existing,
        memory.id.as_bytes().as_slice(),
        memory.id.tail(),
        project.0,
        memory.kind.name(),
        memory.status.name(),
        memory.importance.get(),
        memory.pinned,
        memory.origin.name(),
        memory.created.as_millis(),
        memory.updated.as_millis(),
        memory.closed.map(Timestamp::as_millis),
        memory.expires.map(Timestamp::as_millis),
        outline.hash.as_slice(),
        outline.analysed.passages.len() as i64,
        entry.file,
        entry.stamp.mtime,
        entry.stamp.size,
        outline.doc,
    ])?;
    let num = conn.last_insert_rowid();
    put_tags(conn, num, memory)?;
    passages::put(conn, num, project, memory, &outline.analysed)?;
    conn.prepare_cached("INSERT OR IGNORE INTO unembedded (memory) VALUES (?1)")?.execute([num])?;
    put_edges(conn, memory)?;
    triggers::put(conn, num, project, memory)?;
    due::put(conn, num, project, memory)?;
    failures::put_memory(conn, project, memory, former, &changes)?;
    likeness::put_topic(conn, num, memory)?;
    let rest = || rest.unwrap_or_else(|| Rest::of(memory, &outline.analysed));
    match finish {
        Finish::Now => rest().file(conn, num, project)?,
        Finish::Later => unfinished::leave(conn, num, memory)?,
        Finish::Together(gathered) => gathered.add(num, project, rest()),
    }
    conn.prepare_cached("DELETE FROM unread WHERE file = ?1")?.execute([entry.file])?;
    Ok(num)
}

/// Has the next opening rebuild the index.
pub(crate) fn doubt(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("UPDATE meta SET value = '0 damaged' WHERE key = 'built'", []).map(drop)
}

/// Whether no memory waits to be filed to the end.
pub(crate) fn is_finished(conn: &Connection) -> rusqlite::Result<bool> {
    unfinished::is_any_left(conn).map(|left| !left)
}

/// Notes where an unchanged memory's file is now; false if the index does not hold just this memory.
pub(crate) fn restamp(conn: &Connection, entry: &Entry<'_>) -> rusqlite::Result<bool> {
    let doc = serde_json::to_string(entry.memory).unwrap_or_default();
    let changed = conn
        .prepare_cached(
            "UPDATE memory SET mtime = ?1, size = ?2 WHERE id = ?3 AND file = ?4 AND doc = ?5 \
             AND NOT EXISTS (SELECT 1 FROM unread WHERE file = ?4)",
        )?
        .execute(params![
            entry.stamp.mtime,
            entry.stamp.size,
            entry.memory.id.as_bytes().as_slice(),
            entry.file,
            doc
        ])?;
    Ok(changed > 0)
}

/// Removes every trace of a memory from the index.
pub(crate) fn clear(conn: &Connection, num: i64) -> rusqlite::Result<()> {
    let doc: Option<(String, i64)> = conn
        .prepare_cached("SELECT doc, passages FROM memory WHERE num = ?1")?
        .query_row([num], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((doc, passage_count)) = doc else { return Ok(()) };
    if let Ok(memory) = own::read::<Memory<Raw>>(&doc) {
        if !unfinished::take_back(conn, num)? {
            words::remove(conn, &passages::words_of(&memory, &phrases::filed(conn, &memory.id)?))?;
        }
        phrases::unfile(conn, &memory.id)?;
        likeness::clear(conn, num, &memory)?;
        conn.prepare_cached("DELETE FROM edge WHERE src = ?1")?.execute([memory.id.as_bytes().as_slice()])?;
        failures::take_memory(conn, &memory.id)?;
    }
    passages::clear(conn, num, passage_count)?;
    entities::clear(conn, num)?;
    triggers::clear(conn, num)?;
    conn.prepare_cached("DELETE FROM tag WHERE memory = ?1")?.execute([num])?;
    conn.prepare_cached("DELETE FROM memory WHERE num = ?1")?.execute([num])?;
    Ok(())
}

/// Whether another analyzer or embedding space built this index.
pub(crate) fn is_outdated(store: &Store) -> Result<bool, StoreError> {
    let built: Option<String> = store
        .conn
        .query_row("SELECT value FROM meta WHERE key = 'built'", [], |row| row.get(0))
        .optional()
        .at(store)?;
    let ours = build_mark(store.embedder.as_ref());
    match built {
        None => {
            // A new index: mark it; the first refresh fills it. Losing a race here is harmless.
            store
                .conn
                .execute(
                    "INSERT INTO meta (key, value) VALUES ('built', ?1) ON CONFLICT (key) DO NOTHING",
                    [&ours],
                )
                .at(store)?;
            Ok(false)
        }
        // An index built by a newer analyzer is good enough to read and to add to.
        Some(mark) => {
            Ok(analyzer_of(&mark) < ANALYZER_VERSION || mark.split(' ').nth(1) != ours.split(' ').nth(1))
        }
    }
}

/// Names the analyzer and the embedding space of an index.
pub(crate) fn build_mark(embedder: &dyn Embedder) -> String {
    format!("{ANALYZER_VERSION} {}", embedder.id())
}

fn analyzer_of(mark: &str) -> u32 {
    mark.split(' ').next().and_then(|v| v.parse().ok()).unwrap_or(0)
}

pub(crate) fn content_hash(memory: &Memory) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in [&*memory.title, &*memory.body] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    let mut hash = [0; 16];
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    hash
}

fn put_tags(conn: &Connection, num: i64, memory: &Memory) -> rusqlite::Result<()> {
    let mut insert =
        conn.prepare_cached("INSERT INTO tag (tag, memory) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    for tag in &memory.tags {
        insert.execute(params![tag.to_lowercase(), num])?;
    }
    Ok(())
}

fn put_edges(conn: &Connection, memory: &Memory) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO edge (src, rel, dst, weight, origin) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (src, rel, dst) DO UPDATE SET weight = excluded.weight, origin = excluded.origin",
    )?;
    for link in &memory.links {
        insert.execute(params![
            memory.id.as_bytes().as_slice(),
            link.relation.name(),
            link.to.as_bytes().as_slice(),
            f64::from(link.weight),
            link.origin.name(),
        ])?;
    }
    Ok(())
}
