//! One sweep over the packed facets of the projects in scope: filters, keeps the passages that the
//! lexical tier asked about, and finds those nearest to the query's sign bits.

use std::collections::{BinaryHeap, HashSet};
use std::ops::Range;

use hark_core::Timestamp;
use hark_core::vector::{Level, Signs, signs_within};
use rusqlite::{Connection, Row};

use super::chunk::Chunk;
use super::filter::{Filter, Sieve};
use super::postings::Postings;
use crate::conditions::Conditions;
use crate::index::{CHUNK_CAPACITY, Facets, SLOT_BYTES, memory_of};
use crate::projects::ProjectNum;
use crate::store::Store;

pub(crate) struct Scan {
    /// Passages of the postings that pass the filter.
    pub(crate) allowed: Vec<Allowed>,
    /// Nearest by sign bits, in no order.
    pub(crate) nearest: Vec<Near>,
    /// Nearest among those of the time that is meant.
    pub(crate) timely: Vec<Near>,
    /// Passages of bodies; phrases do not count.
    pub(crate) in_scope: usize,
}

/// What is looked for: passages near to these signs, and among those of some times.
pub(crate) struct Wanted<'a> {
    pub(crate) signs: Option<&'a Signs>,
    pub(crate) nearest: usize,
    pub(crate) times: &'a [Range<Timestamp>],
    pub(crate) timely: usize,
}

pub(crate) struct Allowed {
    pub(crate) facets: Facets,
    pub(crate) weight: f32,
}

impl Allowed {
    fn new(facets: &Facets, weight: f32) -> Self {
        Allowed { facets: *facets, weight }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Near {
    distance: u32,
    pub(crate) facets: Facets,
}

impl Near {
    fn key(&self) -> (u32, u32, i64) {
        (self.distance, self.facets.tie, self.facets.passage)
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Chunks kept in memory by a process that lives longer than one recall. Valid while neither this
/// connection nor another has written; after that those are read again whose mark has changed.
#[derive(Default)]
pub struct ChunkCache {
    version: Option<i64>,
    reads: u32,
    /// In the order of their numbers.
    chunks: Vec<Kept>,
}

struct Kept {
    id: i64,
    mark: i64,
    project: ProjectNum,
    chunk: Chunk,
}

impl ChunkCache {
    /// Something was written, perhaps to a chunk.
    pub(crate) fn doubt(&mut self) {
        self.version = None;
    }

    /// Gives the memory back.
    pub(crate) fn forget(&mut self) {
        self.version = None;
        self.chunks = Vec::new();
    }

    /// Brings the chunks to where the database is.
    fn freshen(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let mut marks = conn.prepare_cached("SELECT chunk, mark FROM chunk_mark ORDER BY chunk")?;
        let mut read = conn.prepare_cached("SELECT project, used, data FROM chunk WHERE id = ?1")?;
        let mut known = std::mem::take(&mut self.chunks).into_iter().peekable();
        let mut rows = marks.query([])?;
        while let Some(row) = rows.next()? {
            let (id, mark) = (row.get(0)?, row.get(1)?);
            while known.next_if(|kept| kept.id < id).is_some() {}
            let same = known.next_if(|kept| kept.id == id).filter(|kept| kept.mark == mark);
            let kept = match same {
                Some(kept) => kept,
                None => read.query_row([id], |row| {
                    let mut chunk = Chunk::default();
                    let project = fill(&mut chunk, row)?;
                    Ok(Kept { id, mark, project, chunk })
                })?,
            };
            self.chunks.push(kept);
        }
        Ok(())
    }
}

/// Reads `project, used, data` of a chunk.
fn fill(chunk: &mut Chunk, row: &Row<'_>) -> rusqlite::Result<ProjectNum> {
    let used = (row.get::<_, i64>(1)?.max(0) as usize).min(CHUNK_CAPACITY);
    let data = row.get_ref(2)?.as_blob()?;
    chunk.fill(&data[..(used * SLOT_BYTES).min(data.len())]);
    Ok(ProjectNum(row.get(0)?))
}

/// Pages that a process keeps at hand once it has recalled twice: it will do so again.
const LASTING_PAGES: &str = "PRAGMA cache_size = -12000";

pub(crate) fn scan(
    store: &Store,
    filter: &Filter,
    wanted: &Wanted<'_>,
    postings: &Postings,
) -> rusqlite::Result<Scan> {
    let minutes = |times: &Range<Timestamp>| times.start.as_minutes()..times.end.as_minutes();
    let mut sweep = Sweep {
        sieve: Sieve::new(filter, tagged(&store.conn, filter)?),
        signs: wanted.signs,
        level: Level::new(),
        within: Vec::with_capacity(CHUNK_CAPACITY + 1),
        postings,
        nearest: Nearest::new(wanted.nearest),
        times: wanted.times.iter().map(minutes).collect(),
        timely: Nearest::new(wanted.timely),
        allowed: Vec::new(),
        in_scope: 0,
    };
    let in_scope = |project: ProjectNum| filter.projects.as_ref().is_none_or(|p| p.contains(&project));

    let mut cache = store.cache.borrow_mut();
    let version: i64 = store.conn.query_row("PRAGMA data_version", [], |row| row.get(0))?;
    // A one-shot process reads only what it needs; the second recall of a longer-lived one pays
    // for keeping everything at hand.
    cache.reads = cache.reads.saturating_add(1);
    if cache.reads > 1 {
        if cache.reads == 2 {
            store.conn.execute_batch(LASTING_PAGES)?;
        }
        if cache.version != Some(version) {
            cache.freshen(&store.conn)?;
            cache.version = Some(version);
        }
        for kept in cache.chunks.iter().filter(|kept| in_scope(kept.project)) {
            sweep.chunk(&kept.chunk);
        }
        return Ok(sweep.finish());
    }
    let mut conditions = Conditions::new("1");
    if let Some(projects) = &filter.projects {
        conditions.and_one_of("project", projects.iter().map(|p| p.0), "");
    }
    let sql = format!("SELECT project, used, data FROM chunk WHERE {} ORDER BY id", conditions.sql());
    let mut statement = store.conn.prepare_cached(&sql)?;
    let mut rows = statement.query(conditions.params())?;
    let mut chunk = Chunk::default();
    while let Some(row) = rows.next()? {
        if in_scope(fill(&mut chunk, row)?) {
            sweep.chunk(&chunk);
        }
    }
    Ok(sweep.finish())
}

struct Sweep<'a> {
    sieve: Sieve,
    signs: Option<&'a Signs>,
    level: Level,
    /// Places in a chunk, and distances.
    within: Vec<(u32, u32)>,
    postings: &'a Postings,
    nearest: Nearest,
    times: Vec<Range<u32>>,
    timely: Nearest,
    allowed: Vec<Allowed>,
    in_scope: usize,
}

impl Sweep<'_> {
    fn chunk(&mut self, chunk: &Chunk) {
        if chunk.all_signed && chunk.passes_whole(&self.sieve) {
            self.whole(chunk);
        } else {
            self.slot_by_slot(chunk);
        }
    }

    fn whole(&mut self, chunk: &Chunk) {
        self.in_scope += chunk.bodies;
        let allowed = &mut self.allowed;
        let met = chunk.meet(self.postings.in_order(), |at, weight| {
            allowed.push(Allowed::new(&chunk.facets[at], weight));
        });
        if !met {
            for facets in &chunk.facets {
                self.allowed.extend(self.postings.weight(facets.passage).map(|w| Allowed::new(facets, w)));
            }
        }
        let Some(signs) = self.signs else { return };
        let farthest = if self.times.is_empty() { self.nearest.farthest } else { u32::MAX };
        signs_within(self.level, signs, &chunk.signs, farthest, &mut self.within);
        let within = std::mem::take(&mut self.within);
        for (at, distance) in &within {
            self.compare(*distance, &chunk.facets[*at as usize]);
        }
        self.within = within;
    }

    fn slot_by_slot(&mut self, chunk: &Chunk) {
        if let Some(signs) = self.signs {
            signs_within(self.level, signs, &chunk.signs, u32::MAX, &mut self.within);
        }
        for (at, facets) in chunk.facets.iter().enumerate() {
            if !self.sieve.passes(facets, memory_of(facets.passage)) {
                continue;
            }
            self.in_scope += usize::from(!facets.is_phrase);
            self.allowed.extend(self.postings.weight(facets.passage).map(|w| Allowed::new(facets, w)));
            if self.signs.is_some() && facets.has_vector {
                self.compare(self.within[at].1, facets);
            }
        }
    }

    #[inline]
    fn compare(&mut self, distance: u32, facets: &Facets) {
        self.nearest.offer(distance, facets);
        if self.times.iter().any(|times| times.contains(&facets.created)) {
            self.timely.offer(distance, facets);
        }
    }

    fn finish(self) -> Scan {
        Scan {
            allowed: self.allowed,
            nearest: self.nearest.heap.into_vec(),
            timely: self.timely.heap.into_vec(),
            in_scope: self.in_scope,
        }
    }
}

/// The few nearest of many.
struct Nearest {
    limit: usize,
    farthest: u32,
    heap: BinaryHeap<Near>,
}

impl Nearest {
    fn new(limit: usize) -> Self {
        Nearest { limit, farthest: u32::MAX, heap: BinaryHeap::with_capacity(limit + 1) }
    }

    /// Most are farther than the worst kept so far; that is one comparison.
    #[inline]
    fn offer(&mut self, distance: u32, facets: &Facets) {
        if distance <= self.farthest {
            self.keep(Near { distance, facets: *facets });
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
}

/// Memories that carry all the tags asked for.
pub(crate) fn tagged(conn: &Connection, filter: &Filter) -> rusqlite::Result<Option<HashSet<i64>>> {
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
