//! By which numbers near-repeats of a memory are looked up: one for the exact text, the others by
//! MinHash. Only memories of one project and kind meet.

use std::cell::RefCell;
use std::collections::HashMap;

use hark_core::Memory;
use hark_core::likeness::{bands, normalised};
use rusqlite::{Connection, params};

use super::unfinished;

/// How many memories of one number are looked at: the newest.
const MOST_PER_BAND: i64 = 8;

fn scope(memory: &Memory) -> String {
    format!("{} {}", memory.scope.project().map_or("", |key| key.as_str()), memory.kind.name())
}

/// The numbers of one text in one scope.
struct Keyed {
    scope: String,
    body: String,
    keys: Vec<i64>,
}

thread_local! {
    /// What was looked for last is mostly what is stored next.
    static LAST: RefCell<Option<Keyed>> = const { RefCell::new(None) };
}

/// The exact text first.
pub(super) fn keys(memory: &Memory) -> Vec<i64> {
    let scope = scope(memory);
    LAST.with_borrow_mut(|last| match last {
        Some(known) if known.scope == scope && *known.body == *memory.body => known.keys.clone(),
        _ => {
            let keys = keys_of_new(&scope, memory);
            *last = Some(Keyed { scope, body: memory.body.to_string(), keys: keys.clone() });
            keys
        }
    })
}

fn keys_of_new(scope: &str, memory: &Memory) -> Vec<i64> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(scope.as_bytes());
    hasher.update(&[0]);
    hasher.update(normalised(&memory.body).as_bytes());
    let hash = hasher.finalize();
    let mut exact = [0; 8];
    exact[..6].copy_from_slice(&hash.as_bytes()[..6]);
    let mut keys = vec![i64::from_le_bytes(exact)];
    keys.extend(bands(scope, &memory.body));
    keys
}

/// Pairs of a number and the memory that has it.
pub(super) fn put(conn: &Connection, pairs: impl IntoIterator<Item = (i64, i64)>) -> rusqlite::Result<()> {
    let mut insert =
        conn.prepare_cached("INSERT INTO likeness (band, memory) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    for (key, num) in pairs {
        insert.execute([key, num])?;
    }
    Ok(())
}

/// The same numbers as they stand with a memory that is not finished.
pub(super) fn packed(memory: &Memory) -> Vec<u8> {
    keys(memory).into_iter().flat_map(i64::to_le_bytes).collect()
}

pub(super) fn put_topic(conn: &Connection, num: i64, memory: &Memory) -> rusqlite::Result<()> {
    match &memory.topic {
        Some(topic) => conn
            .prepare_cached("INSERT INTO topic (topic, memory) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![topic_key(topic), num])
            .map(drop),
        None => Ok(()),
    }
}

pub(super) fn clear(conn: &Connection, num: i64, memory: &Memory) -> rusqlite::Result<()> {
    let mut delete = conn.prepare_cached("DELETE FROM likeness WHERE band = ?1 AND memory = ?2")?;
    for key in keys(memory) {
        delete.execute([key, num])?;
    }
    match &memory.topic {
        Some(topic) => conn
            .prepare_cached("DELETE FROM topic WHERE topic = ?1 AND memory = ?2")?
            .execute(params![topic_key(topic), num])
            .map(drop),
        None => Ok(()),
    }
}

/// Topics are the same whatever their case and spacing.
fn topic_key(topic: &str) -> String {
    normalised(topic)
}

/// Numbers of memories that may say what this one says, likeliest first.
pub(crate) fn alike(conn: &Connection, memory: &Memory) -> rusqlite::Result<Vec<i64>> {
    let mut find =
        conn.prepare_cached("SELECT memory FROM likeness WHERE band = ?1 ORDER BY memory DESC LIMIT ?2")?;
    // The exact text outweighs everything else.
    let weight = |at: usize| if at == 0 { 100 } else { 1 };
    let keys = keys(memory);
    let mut met: HashMap<i64, usize> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        let mut rows = find.query([*key, MOST_PER_BAND])?;
        while let Some(row) = rows.next()? {
            *met.entry(row.get(0)?).or_default() += weight(at);
        }
    }
    unfinished::left(conn, |num, bands| {
        let sought = keys.iter().enumerate();
        let shared = sought.filter(|(_, key)| bands.chunks_exact(8).any(|band| band == key.to_le_bytes()));
        let likeness: usize = shared.map(|(at, _)| weight(at)).sum();
        if likeness > 0 {
            met.insert(num, likeness);
        }
    })?;
    let mut found: Vec<(i64, usize)> = met.into_iter().collect();
    found.sort_by(|(a, x), (b, y)| y.cmp(x).then(b.cmp(a)));
    Ok(found.into_iter().map(|(num, _)| num).collect())
}

/// Numbers of memories with this topic, newest first.
pub(crate) fn of_topic(conn: &Connection, topic: &str) -> rusqlite::Result<Vec<i64>> {
    conn.prepare_cached("SELECT memory FROM topic WHERE topic = ?1 ORDER BY memory DESC LIMIT 50")?
        .query_map([topic_key(topic)], |row| row.get(0))?
        .collect()
}
