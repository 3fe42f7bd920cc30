//! The second vector space: which passages lack a vector in it, how vectors get there, and which are nearest.
//!
//! Sign bits lie packed beside the facets, slot by slot, so that a scan filters and compares in one sweep; exact
//! vectors are read for the nearest only. A slot counts when it names the passage that stands in the same place
//! of the facets; anything else there is out of date and its passage missing.

use std::collections::{BinaryHeap, HashMap, HashSet};

use hark_core::vector::{Vector, hamming};
use hark_core::{Memory, Raw};
use rusqlite::{Connection, OptionalExtension, params};

use crate::connection;
use crate::error::{At, StoreError};
use crate::index::{
    CHUNK_CAPACITY, Facets, PassageId, SLOT_BYTES, memory_of, ordinal_of, passages_of, texts,
};
use crate::own;
use crate::phrases;
use crate::search::{Filter, Sieve, Spread, tagged};
use crate::store::Store;

/// Sign bits cover this many values.
const SIGNS: usize = 48 * 8;
/// In `meta`, while vectors of a lost index are missing.
const OWED: &str = "vectors owed";
/// A passage that has no vector in the space, and needs none.
const NO_VECTOR: i64 = 0;

/// A passage without a vector, with what is to be embedded.
#[derive(Debug, Clone)]
pub struct Missing {
    passage: i64,
    chunk: i64,
    slot: usize,
    key: i64,
    pub text: String,
    /// Its vector is there already, from before the index was rebuilt.
    pub known: bool,
}

/// How much of the store has a place in a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    pub embedded: usize,
    pub passages: usize,
}

/// A passage with its nearness to a question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    pub(crate) facets: Facets,
    pub(crate) cosine: f32,
}

/// One slot, decoded.
#[derive(Clone, Copy)]
struct Slot<'a> {
    passage: i64,
    key: i64,
    signs: &'a [u8],
}

impl<'a> Slot<'a> {
    fn at(slots: &'a [u8], slot: usize) -> Option<Self> {
        let bytes = slots.get(slot * SLOT_BYTES..)?.get(..SLOT_BYTES)?;
        let (passage, rest) = bytes.split_first_chunk()?;
        let (key, signs) = rest.split_first_chunk()?;
        Some(Slot { passage: i64::from_le_bytes(*passage), key: i64::from_le_bytes(*key), signs })
    }
}

impl Store {
    /// Passages that lack a vector, oldest chunk first, at most `limit` and only from chunks after `after`; with
    /// the last chunk that was looked at to the end.
    pub fn missing_in(
        &self,
        space: &str,
        after: i64,
        limit: usize,
    ) -> Result<(Vec<Missing>, Option<i64>), StoreError> {
        self.on_one_snapshot(|store| find_missing(store, space, after, limit).at(store))
    }

    /// Memories that may lack vectors, newest first.
    pub fn unembedded(&self, limit: usize) -> Result<Vec<i64>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            self.conn
                .prepare_cached("SELECT memory FROM unembedded ORDER BY memory DESC LIMIT ?1")?
                .query_map([limit as i64], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }

    /// Passages of these memories that lack a vector.
    pub fn missing_of(&self, space: &str, memories: &[i64]) -> Result<Vec<Missing>, StoreError> {
        self.on_one_snapshot(|store| {
            let mut gaps = Vec::new();
            for memory in memories {
                gaps.extend(gaps_of(&store.conn, space, *memory).at(store)?);
            }
            with_texts(store, space, gaps).at(store)
        })
    }

    /// These memories lack nothing any more.
    pub fn are_embedded(&mut self, memories: &[i64]) -> Result<(), StoreError> {
        let path = self.layout.database();
        let tx = connection::begin(&self.conn, &path, self.patience)?;
        let run = || -> rusqlite::Result<()> {
            let mut take_off = tx.prepare_cached("DELETE FROM unembedded WHERE memory = ?1")?;
            memories.iter().try_for_each(|memory| take_off.execute([memory]).map(drop))
        };
        run().and_then(|()| tx.commit()).at(&path)
    }

    /// Puts vectors in place, all or none, under the write lock. Passages that changed meanwhile are left out.
    pub fn put_in_space(
        &mut self,
        space: &str,
        vectors: &[(Missing, Option<Vector>)],
    ) -> Result<(), StoreError> {
        let path = self.layout.database();
        let tx = connection::begin(&self.conn, &path, self.patience)?;
        put(&tx, space, vectors).and_then(|()| tx.commit()).at(&path)
    }

    /// Removes vectors that no passage refers to.
    pub fn tidy_space(&mut self, space: &str) -> Result<usize, StoreError> {
        let path = self.layout.database();
        let tx = connection::begin(&self.conn, &path, self.patience)?;
        let tidied = tidy(&tx, space).and_then(|count| tx.commit().map(|()| count));
        tidied.at(&path)
    }

    pub fn coverage(&self, space: &str) -> Result<Coverage, StoreError> {
        let run = |store: &Store| -> rusqlite::Result<Coverage> {
            let mut coverage = Coverage::default();
            each_chunk(&store.conn, space, 0, None, |_, facets, slots| {
                for (at, _) in live(facets).filter(is_wanted) {
                    coverage.passages += 1;
                    coverage.embedded += usize::from(placed(slots, at.0, at.1).is_some());
                }
                Ok(true)
            })?;
            Ok(coverage)
        };
        self.on_one_snapshot(|store| run(store).at(store))
    }

    /// The index was lost, and the vectors that took long to make went with it.
    pub(crate) fn owe_vectors(&self) -> Result<(), StoreError> {
        self.note(OWED, "1")
    }

    /// Whether vectors of a lost index have not been made again.
    pub fn owes_vectors(&self) -> Result<bool, StoreError> {
        Ok(self.noted(OWED)?.is_some_and(|text| !text.is_empty()))
    }

    /// They have.
    pub fn vectors_are_made(&self) -> Result<(), StoreError> {
        self.conn.execute("DELETE FROM unembedded", []).at(self)?;
        if self.owes_vectors()? { self.note(OWED, "") } else { Ok(()) }
    }

    /// Whether any passage has a place in the space.
    pub fn knows_space(&self, space: &str) -> Result<bool, StoreError> {
        let run = || {
            self.conn.prepare_cached("SELECT 1 FROM space_chunk WHERE space = ?1 LIMIT 1")?.exists([space])
        };
        run().at(self)
    }

    /// The passages nearest to a question among those that pass the filter, and those of `known`, in no
    /// order; as far as they have a place in the space.
    pub(crate) fn nearest_in(
        &self,
        space: &str,
        question: &Vector,
        filter: &Filter,
        limit: usize,
        known: &HashSet<i64>,
    ) -> rusqlite::Result<(Vec<Near>, Spread)> {
        let sieve = Sieve::new(filter, tagged(&self.conn, filter)?);
        let wanted = signs(&question.values);
        let cosines = cosines();
        let (mut count, mut sum, mut squares) = (0usize, 0f64, 0f64);
        // The farthest of the nearest is on top.
        let mut nearest: BinaryHeap<(u32, u32, i64)> = BinaryHeap::new();
        let mut places: HashMap<i64, (i64, Facets)> = HashMap::new();
        let projects = filter.projects.as_ref().map(|p| p.iter().map(|p| p.0).collect::<Vec<_>>());
        each_chunk(&self.conn, space, 0, projects.as_deref(), |_, facets, slots| {
            if slots.is_empty() {
                return Ok(true);
            }
            for ((slot, passage), facets) in live(facets) {
                let Some(found) = placed(slots, slot, passage).filter(|found| found.key != NO_VECTOR) else {
                    continue;
                };
                if !sieve.passes(&facets, memory_of(passage)) {
                    continue;
                }
                let distance = hamming(&wanted, found.signs);
                if !facets.is_phrase {
                    let cosine = f64::from(cosines[(distance as usize).min(SIGNS)]);
                    (count, sum, squares) = (count + 1, sum + cosine, squares + cosine * cosine);
                }
                if known.contains(&passage) {
                    places.insert(passage, (found.key, facets));
                    continue;
                }
                let near = (distance, facets.tie, passage);
                if nearest.len() >= limit && nearest.peek().is_none_or(|worst| near >= *worst) {
                    continue;
                }
                places.insert(passage, (found.key, facets));
                nearest.push(near);
                if nearest.len() > limit
                    && let Some((_, _, dropped)) = nearest.pop()
                {
                    places.remove(&dropped);
                }
            }
            Ok(true)
        })?;
        let mut read =
            self.conn.prepare_cached("SELECT scale, vec FROM space_vector WHERE space = ?1 AND key = ?2")?;
        let mut found = Vec::with_capacity(places.len());
        for (key, facets) in places.into_values() {
            let cosine = read.query_row(params![space, key], |row| {
                let scale: f64 = row.get(0)?;
                let values: Vec<i8> = row.get_ref(1)?.as_blob()?.iter().map(|b| b.cast_signed()).collect();
                Ok(question.cosine_with(scale as f32, &values))
            });
            if let Some(cosine) = cosine.optional()? {
                found.push(Near { facets, cosine });
            }
        }
        let mean = if count > 0 { sum / count as f64 } else { 0.0 };
        let variance = if count > 0 { (squares / count as f64 - mean * mean).max(0.0) } else { 0.0 };
        Ok((found, Spread { count, mean: mean as f32, deviation: variance.sqrt() as f32 }))
    }

    /// The vectors of passages, as far as they have a place in the space.
    pub fn vectors_in(&self, space: &str, passages: &[PassageId]) -> Result<Vec<Option<Vector>>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Option<Vector>>> {
            let mut read = self.conn.prepare_cached(
                "SELECT substr(s.slots, 1 + p.slot * ?3, ?3) FROM passage p \
                 JOIN space_chunk s ON s.space = ?1 AND s.chunk = p.chunk WHERE p.id = ?2",
            )?;
            let mut vector = self
                .conn
                .prepare_cached("SELECT scale, vec FROM space_vector WHERE space = ?1 AND key = ?2")?;
            let mut found = Vec::with_capacity(passages.len());
            for PassageId(passage) in passages {
                let key = read.query_row(params![space, passage, SLOT_BYTES as i64], |row| {
                    let slot = bytes(row, 0)?;
                    Ok(placed(slot, 0, *passage).map(|found| found.key).filter(|key| *key != NO_VECTOR))
                });
                found.push(match key.optional()?.flatten() {
                    Some(key) => vector.query_row(params![space, key], vector_of).optional()?,
                    None => None,
                });
            }
            Ok(found)
        };
        run().at(self)
    }

    /// The vectors of passages in the index's own space.
    pub fn vectors(&self, passages: &[PassageId]) -> Result<Vec<Option<Vector>>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Option<Vector>>> {
            let mut read = self.conn.prepare_cached("SELECT scale, vec FROM passage WHERE id = ?1")?;
            let mut found = Vec::with_capacity(passages.len());
            for PassageId(passage) in passages {
                let vector = read.query_row([passage], vector_of).optional()?;
                found.push(vector.filter(|vector| !vector.values.is_empty()));
            }
            Ok(found)
        };
        run().at(self)
    }

    /// How near passages are to a question, as far as they have a place in the space.
    pub(crate) fn nearness_in(
        &self,
        space: &str,
        question: &Vector,
        passages: impl Iterator<Item = i64>,
    ) -> rusqlite::Result<HashMap<i64, f32>> {
        let mut find = self.conn.prepare_cached(
            "SELECT substr(s.slots, 1 + p.slot * ?3, ?3) FROM passage p \
             JOIN space_chunk s ON s.space = ?1 AND s.chunk = p.chunk WHERE p.id = ?2",
        )?;
        let mut read =
            self.conn.prepare_cached("SELECT scale, vec FROM space_vector WHERE space = ?1 AND key = ?2")?;
        let mut near = HashMap::new();
        for passage in passages {
            let key = find.query_row(params![space, passage, SLOT_BYTES as i64], |row| {
                let slot = bytes(row, 0)?;
                Ok(placed(slot, 0, passage).map(|found| found.key).filter(|key| *key != NO_VECTOR))
            });
            let Some(key) = key.optional()?.flatten() else { continue };
            let cosine = read.query_row(params![space, key], |row| {
                let scale: f64 = row.get(0)?;
                let values: Vec<i8> = row.get_ref(1)?.as_blob()?.iter().map(|b| b.cast_signed()).collect();
                Ok(question.cosine_with(scale as f32, &values))
            });
            near.extend(cosine.optional()?.map(|cosine| (passage, cosine)));
        }
        Ok(near)
    }
}

/// Gives passages of a rebuilt index the vectors that were made for the same texts before.
pub(crate) fn relink(store: &Store) -> rusqlite::Result<()> {
    let spaces: Vec<String> = store
        .conn
        .prepare("SELECT DISTINCT space FROM space_vector")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for space in spaces {
        let (missing, _) = find_missing(store, &space, 0, usize::MAX)?;
        let known: Vec<(Missing, Option<Vector>)> =
            missing.into_iter().filter(|missing| missing.known).map(|missing| (missing, None)).collect();
        put(&store.conn, &space, &known)?;
    }
    Ok(())
}

/// Takes a passage's vectors out of every space, when the passage goes.
pub(crate) fn forget(conn: &Connection, chunk: i64, slot: i64, passage: i64) -> rusqlite::Result<()> {
    let mut find = conn.prepare_cached("SELECT space, slots FROM space_chunk WHERE chunk = ?1")?;
    let spaces: Vec<(String, Vec<u8>)> =
        find.query_map([chunk], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    for (space, mut slots) in spaces {
        let Some(found) = placed(&slots, slot as usize, passage) else { continue };
        conn.prepare_cached("DELETE FROM space_vector WHERE space = ?1 AND key = ?2")?
            .execute(params![space, found.key])?;
        slots[slot as usize * SLOT_BYTES..][..SLOT_BYTES].fill(0);
        write_slots(conn, &space, chunk, &slots)?;
    }
    Ok(())
}

fn find_missing(
    store: &Store,
    space: &str,
    after: i64,
    limit: usize,
) -> rusqlite::Result<(Vec<Missing>, Option<i64>)> {
    let mut gaps: Vec<(i64, usize, i64)> = Vec::new();
    let mut done = None;
    each_chunk(&store.conn, space, after, None, |chunk, facets, slots| {
        for ((slot, passage), _) in live(facets).filter(is_wanted) {
            if placed(slots, slot, passage).is_none() {
                if gaps.len() == limit {
                    return Ok(false);
                }
                gaps.push((chunk, slot, passage));
            }
        }
        done = Some(chunk);
        Ok(true)
    })?;
    Ok((with_texts(store, space, gaps)?, done))
}

/// The passages of a memory that lack a vector: chunk, slot and passage.
fn gaps_of(conn: &Connection, space: &str, memory: i64) -> rusqlite::Result<Vec<(i64, usize, i64)>> {
    let (from, to) = passages_of(memory);
    let mut read = conn.prepare_cached(
        "SELECT p.id, p.chunk, p.slot, substr(c.data, 1 + p.slot * ?4, ?4), substr(s.slots, 1 + p.slot * ?4, ?4) \
         FROM passage p JOIN chunk c ON c.id = p.chunk \
         LEFT JOIN space_chunk s ON s.space = ?1 AND s.chunk = p.chunk WHERE p.id >= ?2 AND p.id < ?3 ORDER BY p.id",
    )?;
    let mut rows = read.query(params![space, from, to, SLOT_BYTES as i64])?;
    let mut gaps = Vec::new();
    while let Some(row) = rows.next()? {
        let (passage, chunk, slot): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let facets = live(bytes(row, 3)?).next();
        let slots = bytes(row, 4)?;
        if facets.is_some_and(|facets| is_wanted(&facets)) && placed(slots, 0, passage).is_none() {
            gaps.push((chunk, slot as usize, passage));
        }
    }
    Ok(gaps)
}

/// Passages with what is to be embedded of them.
fn with_texts(store: &Store, space: &str, gaps: Vec<(i64, usize, i64)>) -> rusqlite::Result<Vec<Missing>> {
    let mut missing = Vec::with_capacity(gaps.len());
    let mut read = store.conn.prepare_cached("SELECT doc FROM memory WHERE num = ?1")?;
    let mut known = store.conn.prepare_cached("SELECT 1 FROM space_vector WHERE space = ?1 AND key = ?2")?;
    let mut current: Option<(i64, Memory, Vec<String>)> = None;
    for (chunk, slot, passage) in gaps {
        let num = memory_of(passage);
        if current.as_ref().is_none_or(|(held, ..)| *held != num) {
            let doc: Option<String> = read.query_row([num], |row| row.get(0)).optional()?;
            let memory = doc.and_then(|doc| own::read::<Memory<Raw>>(&doc).ok());
            current = match memory {
                Some(memory) => {
                    let texts = texts(&memory, &phrases::filed(&store.conn, &memory.id)?);
                    Some((num, memory, texts))
                }
                None => None,
            };
        }
        let Some((_, memory, texts)) = &current else { continue };
        let Some(text) = texts.get(ordinal_of(passage)) else { continue };
        let key = key(memory, text);
        let known = known.exists(params![space, key])?;
        missing.push(Missing { passage, chunk, slot, key, text: text.clone(), known });
    }
    Ok(missing)
}

fn put(conn: &Connection, space: &str, vectors: &[(Missing, Option<Vector>)]) -> rusqlite::Result<()> {
    for (missing, vector) in vectors {
        let Missing { passage, chunk, slot, key, .. } = missing;
        // The index may have been rebuilt, or the memory changed, since the text was read.
        let facets: Option<Vec<u8>> = conn
            .prepare_cached("SELECT data FROM chunk WHERE id = ?1")?
            .query_row([chunk], |row| row.get(0))
            .optional()?;
        let still = facets.is_some_and(|data| live(&data).any(|(at, _)| at == (*slot, *passage)));
        if !still || !is_text_of(conn, missing)? {
            continue;
        }
        let mut bits = [0; SIGNS / 8];
        let mut stored = NO_VECTOR;
        if let Some(vector) = vector {
            let bytes: Vec<u8> = vector.values.iter().map(|v| v.cast_unsigned()).collect();
            conn.prepare_cached(
                "INSERT INTO space_vector (space, key, scale, vec) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (space, key) DO UPDATE SET scale = excluded.scale, vec = excluded.vec",
            )?
            .execute(params![space, key, f64::from(vector.scale), bytes])?;
            (bits, stored) = (signs(&vector.values), *key);
        } else if missing.known {
            let bytes: Vec<u8> = conn
                .prepare_cached("SELECT vec FROM space_vector WHERE space = ?1 AND key = ?2")?
                .query_row(params![space, key], |row| row.get(0))?;
            let values: Vec<i8> = bytes.iter().map(|b| b.cast_signed()).collect();
            (bits, stored) = (signs(&values), *key);
        }
        let slots: Option<Vec<u8>> = conn
            .prepare_cached("SELECT slots FROM space_chunk WHERE space = ?1 AND chunk = ?2")?
            .query_row(params![space, chunk], |row| row.get(0))
            .optional()?;
        let mut slots = slots.unwrap_or_default();
        slots.resize(CHUNK_CAPACITY * SLOT_BYTES, 0);
        let place = &mut slots[slot * SLOT_BYTES..][..SLOT_BYTES];
        place[..8].copy_from_slice(&passage.to_le_bytes());
        place[8..16].copy_from_slice(&stored.to_le_bytes());
        place[16..].copy_from_slice(&bits);
        write_slots(conn, space, *chunk, &slots)?;
    }
    Ok(())
}

fn is_text_of(conn: &Connection, missing: &Missing) -> rusqlite::Result<bool> {
    let doc: Option<String> = conn
        .prepare_cached("SELECT doc FROM memory WHERE num = ?1")?
        .query_row([memory_of(missing.passage)], |row| row.get(0))
        .optional()?;
    let Some(memory) = doc.and_then(|doc| own::read::<Memory<Raw>>(&doc).ok()) else { return Ok(false) };
    let texts = texts(&memory, &phrases::filed(conn, &memory.id)?);
    Ok(texts.get(ordinal_of(missing.passage)).is_some_and(|text| key(&memory, text) == missing.key))
}

fn tidy(conn: &Connection, space: &str) -> rusqlite::Result<usize> {
    let mut used = HashSet::new();
    each_chunk(conn, space, 0, None, |_, facets, slots| {
        used.extend(live(facets).filter_map(|(at, _)| placed(slots, at.0, at.1)).map(|slot| slot.key));
        Ok(true)
    })?;
    let mut all = conn.prepare("SELECT key FROM space_vector WHERE space = ?1")?;
    let keys: Vec<i64> = all.query_map([space], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut removed = 0;
    for key in keys.iter().filter(|key| !used.contains(key)) {
        removed += conn
            .prepare_cached("DELETE FROM space_vector WHERE space = ?1 AND key = ?2")?
            .execute(params![space, key])?;
    }
    Ok(removed)
}

/// Calls `each` with every chunk after `after`: its number, facets and the space's slots, until it says `false`.
fn each_chunk(
    conn: &Connection,
    space: &str,
    after: i64,
    projects: Option<&[i64]>,
    mut each: impl FnMut(i64, &[u8], &[u8]) -> rusqlite::Result<bool>,
) -> rusqlite::Result<()> {
    let mut statement = conn.prepare_cached(
        "SELECT c.id, c.project, c.data, s.slots FROM chunk c \
         LEFT JOIN space_chunk s ON s.space = ?1 AND s.chunk = c.id WHERE c.id > ?2 ORDER BY c.id",
    )?;
    let mut rows = statement.query(params![space, after])?;
    while let Some(row) = rows.next()? {
        let project: i64 = row.get(1)?;
        if projects.is_some_and(|projects| !projects.contains(&project)) {
            continue;
        }
        let slots = row.get_ref(3)?.as_blob_or_null()?.unwrap_or_default();
        if !each(row.get(0)?, row.get_ref(2)?.as_blob()?, slots)? {
            break;
        }
    }
    Ok(())
}

/// Passages of long memories get no vector: there are many of them, each costs a while, and what a long text
/// answers is found by the words and the static meaning of its passages just as well.
/// Their phrases are few and short.
fn is_wanted((_, facets): &((usize, i64), Facets)) -> bool {
    !facets.is_long || facets.is_phrase
}

/// Slots that hold a passage, with where and which.
fn live(facets: &[u8]) -> impl Iterator<Item = ((usize, i64), Facets)> {
    let slots = facets.as_chunks::<SLOT_BYTES>().0.iter().enumerate();
    slots.filter_map(|(at, slot)| Facets::decode(slot).map(|facets| ((at, facets.passage), facets)))
}

/// The space's slot for this passage, unless it is out of date.
fn placed(slots: &[u8], slot: usize, passage: i64) -> Option<Slot<'_>> {
    Slot::at(slots, slot).filter(|found| found.passage == passage)
}

fn write_slots(conn: &Connection, space: &str, chunk: i64, slots: &[u8]) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO space_chunk (space, chunk, slots) VALUES (?1, ?2, ?3) \
         ON CONFLICT (space, chunk) DO UPDATE SET slots = excluded.slots",
    )?
    .execute(params![space, chunk, slots])?;
    Ok(())
}

/// A blob; nothing if it is missing or damaged, for vectors can be made again.
fn bytes<'r>(row: &'r rusqlite::Row<'_>, at: usize) -> rusqlite::Result<&'r [u8]> {
    Ok(row.get_ref(at)?.as_blob_or_null().ok().flatten().unwrap_or_default())
}

/// Reads `scale, vec`.
fn vector_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Vector> {
    let scale: f64 = row.get(0)?;
    let values = bytes(row, 1)?.iter().map(|byte| byte.cast_signed()).collect();
    Ok(Vector { scale: scale as f32, values })
}

/// The cosine that a number of differing signs stands for.
fn cosines() -> [f32; SIGNS + 1] {
    std::array::from_fn(|differing| (std::f32::consts::PI * differing as f32 / SIGNS as f32).cos())
}

fn signs(values: &[i8]) -> [u8; SIGNS / 8] {
    let mut bits = [0u8; SIGNS / 8];
    for (byte, values) in bits.iter_mut().zip(values.chunks(8)) {
        *byte = values.iter().enumerate().fold(0, |b, (i, x)| b | (u8::from(*x > 0) << i));
    }
    bits
}

/// Of a memory's own: that another says the same must not keep a forgotten vector alive. Never [`NO_VECTOR`].
fn key(memory: &Memory, text: &str) -> i64 {
    let hash = blake3::Hasher::new().update(memory.id.as_bytes()).update(text.as_bytes()).finalize();
    let key = hash.as_bytes().first_chunk().map_or(1, |bytes| i64::from_le_bytes(*bytes));
    if key == NO_VECTOR { 1 } else { key }
}
