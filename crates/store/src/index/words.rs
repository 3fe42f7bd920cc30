//! The vocabulary with counts, and the neighbourhoods by which typos find their word.

use std::collections::BTreeMap;

use hark_core::text::{deletions, may_be_typo_of};
use rusqlite::{Connection, OptionalExtension, params};

/// Each distinct word of a memory.
pub(crate) type Words = BTreeMap<String, Counted>;

/// A word's term, and how many passages of the memory hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) term: String,
    pub(crate) passages: i64,
}

pub(super) fn add(conn: &Connection, words: &Words) -> rusqlite::Result<()> {
    let mut new = Vec::new();
    for (word, counted) in words {
        if !raise(conn, word, counted.passages)? {
            new.push((word.as_str(), counted));
        }
    }
    add_new(conn, new.into_iter())
}

/// Counts a word that is known; false if it is not.
pub(super) fn raise(conn: &Connection, word: &str, passages: i64) -> rusqlite::Result<bool> {
    let mut raise = conn.prepare_cached("UPDATE word SET df = df + ?2 WHERE word = ?1")?;
    Ok(raise.execute(params![word, passages])? > 0)
}

/// Neighbourhoods come last and in order: of many words they are spread over more pages than anything else.
pub(super) fn add_new<'w>(
    conn: &Connection,
    words: impl Iterator<Item = (&'w str, &'w Counted)>,
) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached("INSERT INTO word (word, term, df) VALUES (?1, ?2, ?3)")?;
    let mut neighbours = Vec::new();
    for (word, Counted { term, passages }) in words {
        insert.execute(params![word, term, passages])?;
        let id = conn.last_insert_rowid();
        if may_be_typo_of(word) {
            neighbours.extend(deletions(word).into_iter().map(|hash| (hash, id)));
        }
    }
    neighbours.sort_unstable();
    let mut near =
        conn.prepare_cached("INSERT INTO near (hash, word) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    for (hash, id) in neighbours {
        near.execute(params![hash, id])?;
    }
    Ok(())
}

pub(super) fn remove(conn: &Connection, words: &Words) -> rusqlite::Result<()> {
    let mut find = conn.prepare_cached("SELECT id, df FROM word WHERE word = ?1")?;
    let mut lower = conn.prepare_cached("UPDATE word SET df = df - ?2 WHERE id = ?1")?;
    let mut drop_word = conn.prepare_cached("DELETE FROM word WHERE id = ?1")?;
    let mut drop_near = conn.prepare_cached("DELETE FROM near WHERE hash = ?1 AND word = ?2")?;
    for (word, Counted { passages, .. }) in words {
        let found: Option<(i64, i64)> =
            find.query_row([word], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((id, df)) = found else { continue };
        if df > *passages {
            lower.execute([id, *passages])?;
            continue;
        }
        drop_word.execute([id])?;
        if may_be_typo_of(word) {
            for hash in deletions(word) {
                drop_near.execute(params![hash, id])?;
            }
        }
    }
    Ok(())
}
