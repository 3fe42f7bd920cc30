//! One sweep over the packed facets of the projects in scope: filters, keeps the passages that the
//! lexical tier asked about, and finds those nearest to the query's sign bits.

use std::collections::{BinaryHeap, HashSet};

use hark_core::vector::hamming;
use rusqlite::Connection;

use super::filter::{Filter, Sieve};
use super::postings::Postings;
use crate::index::{CHUNK_CAPACITY, Facets, SIGN_BYTES, SLOT_BYTES, memory_of};
use crate::projects::ProjectNum;
use crate::store::Store;

pub(crate) struct Scan {
    /// Passages of the postings that pass the filter.
    pub(crate) allowed: Vec<Allowed>,
    /// Nearest by sign bits, in no order.
    pub(crate) nearest: Vec<Near>,
    pub(crate) in_scope: usize,
}

pub(crate) struct Allowed {
    pub(crate) passage: i64,
    pub(crate) tie: u32,
    pub(crate) created: u32,
    pub(crate) weight: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Near {
    distance: u32,
    pub(crate) tie: u32,
    pub(crate) passage: i64,
    pub(crate) created: u32,
}

/// Chunks kept in memory by a process that lives longer than one recall. Valid while neither this
/// connection nor another has written.
#[derive(Default)]
pub struct ChunkCache {
    version: Option<i64>,
    reads: u32,
    chunks: Vec<(ProjectNum, Vec<u8>)>,
}

impl ChunkCache {
    pub(crate) fn forget(&mut self) {
        self.version = None;
        self.chunks = Vec::new();
    }
}

pub(crate) fn scan(
    store: &Store,
    filter: &Filter,
    signs: Option<&[u8]>,
    nearest: usize,
    postings: &Postings,
) -> rusqlite::Result<Scan> {
    let sieve = Sieve::new(filter, tagged(&store.conn, filter)?);
    let mut sweep = Sweep {
        sieve,
        signs: signs.filter(|s| s.len() == SIGN_BYTES),
        limit: nearest,
        postings,
        maybe_posted: Sketch::of(postings),
        farthest: u32::MAX,
        heap: BinaryHeap::with_capacity(nearest + 1),
        allowed: Vec::new(),
        in_scope: 0,
    };
    let in_scope = |project: ProjectNum| filter.projects.as_ref().is_none_or(|p| p.contains(&project));

    let mut cache = store.cache.borrow_mut();
    let version: i64 = store.conn.query_row("PRAGMA data_version", [], |row| row.get(0))?;
    if cache.version == Some(version) {
        for (_, data) in cache.chunks.iter().filter(|(project, _)| in_scope(*project)) {
            sweep.chunk(data);
        }
        return Ok(sweep.finish());
    }
    // A one-shot process reads only what it needs; the second recall of a longer-lived one pays
    // for keeping everything at hand.
    cache.reads += 1;
    let keep = cache.reads > 1;
    cache.chunks.clear();
    let sql = match &filter.projects {
        Some(projects) if !keep => {
            let list = crate::read::number_list(projects.iter().map(|p| p.0));
            format!("SELECT project, used, data FROM chunk WHERE project IN ({list}) ORDER BY id")
        }
        _ => "SELECT project, used, data FROM chunk ORDER BY id".to_owned(),
    };
    let mut statement = store.conn.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let project = ProjectNum(row.get(0)?);
        let used = (row.get::<_, i64>(1)?.max(0) as usize).min(CHUNK_CAPACITY);
        let data = row.get_ref(2)?.as_blob()?;
        let data = &data[..(used * SLOT_BYTES).min(data.len())];
        if in_scope(project) {
            sweep.chunk(data);
        }
        if keep {
            cache.chunks.push((project, data.to_vec()));
        }
    }
    if keep {
        cache.version = Some(version);
    }
    Ok(sweep.finish())
}

struct Sweep<'a> {
    sieve: Sieve,
    signs: Option<&'a [u8]>,
    limit: usize,
    postings: &'a Postings,
    maybe_posted: Sketch,
    heap: BinaryHeap<Near>,
    farthest: u32,
    allowed: Vec<Allowed>,
    in_scope: usize,
}

/// A few kilobytes that say "certainly not" for nearly every passage that is not in the postings:
/// cheaper than a hash look-up for each of a hundred thousand.
struct Sketch(Vec<u64>);

impl Sketch {
    const BITS: usize = 1 << 18;

    fn of(postings: &Postings) -> Self {
        let mut bits = vec![0; Self::BITS / 64];
        for passage in postings.keys() {
            let at = Self::place(*passage);
            bits[at / 64] |= 1 << (at % 64);
        }
        Sketch(bits)
    }

    fn place(passage: i64) -> usize {
        memory_of(passage) as usize % Self::BITS
    }

    #[inline]
    fn holds(&self, passage: i64) -> bool {
        let at = Self::place(passage);
        self.0[at / 64] & (1 << (at % 64)) != 0
    }
}

impl Sweep<'_> {
    fn chunk(&mut self, data: &[u8]) {
        for slot in data.as_chunks::<SLOT_BYTES>().0 {
            let Some(facets) = Facets::decode(slot) else { continue };
            if !self.sieve.passes(&facets, memory_of(facets.passage)) {
                continue;
            }
            self.in_scope += 1;
            if self.maybe_posted.holds(facets.passage)
                && let Some(weight) = self.postings.get(&facets.passage)
            {
                self.allowed.push(Allowed {
                    passage: facets.passage,
                    tie: facets.tie,
                    created: facets.created,
                    weight: *weight,
                });
            }
            if let Some(signs) = self.signs
                && facets.has_vector
            {
                let distance = hamming(signs, &slot[32..32 + SIGN_BYTES]);
                // Most are farther than the worst kept so far; that is one comparison.
                if distance <= self.farthest {
                    self.keep(Near {
                        distance,
                        tie: facets.tie,
                        passage: facets.passage,
                        created: facets.created,
                    });
                }
            }
        }
    }

    fn keep(&mut self, near: Near) {
        if self.heap.len() < self.limit {
            self.heap.push(near);
        } else if self.heap.peek().is_some_and(|worst| near < *worst) {
            self.heap.pop();
            self.heap.push(near);
            self.farthest = self.heap.peek().map_or(u32::MAX, |worst| worst.distance);
        }
    }

    fn finish(self) -> Scan {
        Scan { allowed: self.allowed, nearest: self.heap.into_vec(), in_scope: self.in_scope }
    }
}

/// Memories that carry all the tags asked for.
pub(super) fn tagged(conn: &Connection, filter: &Filter) -> rusqlite::Result<Option<HashSet<i64>>> {
    let mut kept: Option<HashSet<i64>> = None;
    for tag in &filter.tags {
        let nums: HashSet<i64> = conn
            .prepare_cached("SELECT memory FROM tag WHERE tag = ?1")?
            .query_map([tag.to_lowercase()], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        kept = Some(match kept {
            Some(kept) => kept.intersection(&nums).copied().collect(),
            None => nums,
        });
    }
    Ok(kept)
}
