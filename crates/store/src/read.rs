//! Plain questions to the index: one memory, lists, links, entities, counts.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use hark_core::entity::Match;
use hark_core::{
    Entity, IdRef, Kind, Memory, MemoryId, Origin, ProjectKey, Raw, Relation, Status, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;

use crate::conditions::{self, Conditions};
use crate::error::{At, StoreError};
use crate::files::Stamp;
use crate::layers::Layer;
use crate::own;
use crate::projects::{self, ProjectNum};
use crate::revisions::{self, Revision};
use crate::search::{Meant, matching};
use crate::store::Store;

/// A memory with its place in this store.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub num: i64,
    pub memory: Memory,
    /// Its name in the index: relative to the memories folder, behind `@N/` in the store of a project.
    pub file: String,
    pub(crate) stamp: Stamp,
}

impl Stored {
    /// The name of its file in its own memories folder.
    pub fn name(&self) -> &str {
        Layer::split(&self.file).map_or(self.file.as_str(), |(_, inner)| inner)
    }
}

/// Which memories a list shows. Empty lists mean "any".
#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    pub projects: Option<Vec<ProjectNum>>,
    pub kinds: Vec<Kind>,
    pub statuses: Vec<Status>,
    pub tags: Vec<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListOrder {
    #[default]
    NewestChange,
    OldestFirst,
}

/// The memory that precedes another in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preceding {
    pub memory: i64,
    /// It ends with a question mark.
    pub asks: bool,
}

/// The other end of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    pub relation: Relation,
    /// Whether the link starts at the memory that was asked about.
    pub outgoing: bool,
    pub weight: f32,
    pub origin: Origin,
    pub id: MemoryId,
    /// Absent when the link leads to a memory that is no longer there.
    pub memory: Option<Memory>,
}

#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct EntityCount {
    pub kind: String,
    pub name: String,
    pub memories: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Stats {
    pub memories: i64,
    pub by_kind: Vec<(String, i64)>,
    pub by_status: Vec<(String, i64)>,
    pub by_project: Vec<(String, i64)>,
    pub passages: i64,
    pub words: i64,
    pub entities: i64,
    pub links: i64,
    pub unreadable_files: i64,
    pub index_bytes: u64,
    pub sessions: i64,
    pub events: i64,
    /// Tokens of the stored events.
    pub event_tokens: i64,
    /// Tokens that were injected into sessions.
    pub injected_tokens: i64,
}

const COLUMNS: &str = "num, doc, file, mtime, size";
/// Entities with the same last part, such as `mod.rs`, that are compared with a reference.
const MOST_SPELLINGS: i64 = 10_000;

pub(crate) fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored {
        num: row.get(0)?,
        memory: own::column::<Memory<Raw>>(row, 1)?,
        file: row.get(2)?,
        stamp: Stamp { mtime: row.get(3)?, size: row.get(4)? },
    })
}

pub(crate) fn find(conn: &Connection, database: &Path, id: &IdRef) -> Result<Stored, StoreError> {
    let mut found: Vec<Stored> = match id {
        IdRef::Full(id) => conn
            .prepare_cached(&format!("SELECT {COLUMNS} FROM memory WHERE id = ?1"))
            .and_then(|mut s| s.query_map([id.as_bytes().as_slice()], stored)?.collect())
            .at(database)?,
        IdRef::Tail(tail) => conn
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM memory WHERE tail >= ?1 AND tail < ?2 ORDER BY id LIMIT 9"
            ))
            .and_then(|mut s| s.query_map([tail.as_str(), &format!("{tail}~")], stored)?.collect())
            .at(database)?,
    };
    match found.len() {
        0 => Err(StoreError::NotFound { id: id.to_string() }),
        1 => Ok(found.remove(0)),
        _ => Err(StoreError::Ambiguous {
            id: id.to_string(),
            candidates: found.iter().map(|stored| stored.memory.id).collect(),
        }),
    }
}

pub(crate) fn by_num(conn: &Connection, num: i64) -> rusqlite::Result<Option<Stored>> {
    conn.prepare_cached(&format!("SELECT {COLUMNS} FROM memory WHERE num = ?1"))?
        .query_row([num], stored)
        .optional()
}

pub(crate) fn tail_exists(conn: &Connection, tail: &str) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM memory WHERE tail = ?1")?.exists([tail])
}

pub(crate) fn linked_from(conn: &Connection, id: &MemoryId) -> rusqlite::Result<Vec<MemoryId>> {
    let mut statement = conn.prepare_cached("SELECT DISTINCT src FROM edge WHERE dst = ?1")?;
    let ids = statement.query_map([id.as_bytes().as_slice()], |row| row.get::<_, Vec<u8>>(0))?;
    ids.filter_map(|bytes| bytes.map(|b| MemoryId::from_slice(&b)).transpose()).collect()
}

impl Store {
    /// Where a memory stands on disk, for people: relative to the memories folder, or the whole path in the store of
    /// a project.
    pub fn shown_file(&self, stored: &Stored) -> String {
        match self.layout.locate(&stored.file) {
            Some(located) if located.layer.is_some() => located.path.display().to_string(),
            _ => stored.file.clone(),
        }
    }

    pub fn find(&self, id: &IdRef) -> Result<Stored, StoreError> {
        find(&self.conn, &self.layout.database(), id)
    }

    /// The memory of an id, with its file looked at once more.
    pub fn find_fresh(&mut self, id: &IdRef, now: Timestamp) -> Result<Stored, StoreError> {
        let stored = self.find(id)?;
        if self.recheck_file(&stored.file, now)? {
            self.find(&IdRef::Full(stored.memory.id))
        } else {
            Ok(stored)
        }
    }

    /// Reads a file again if it changed on disk.
    pub fn recheck_file(&mut self, file: &str, now: Timestamp) -> Result<bool, StoreError> {
        crate::folders::recheck(self, file, now)
    }

    /// Memories by number; those that vanished are left out.
    pub fn load(&self, nums: &[i64]) -> Result<Vec<Stored>, StoreError> {
        let mut statement =
            self.conn.prepare_cached(&format!("SELECT {COLUMNS} FROM memory WHERE num = ?1")).at(self)?;
        let mut found = Vec::with_capacity(nums.len());
        for num in nums {
            found.extend(statement.query_row([num], stored).optional().at(self)?);
        }
        Ok(found)
    }

    /// What precedes memories in their session, for those of one passage.
    pub fn preceding(&self, nums: &[i64]) -> Result<HashMap<i64, Preceding>, StoreError> {
        let run = || -> rusqlite::Result<HashMap<i64, Preceding>> {
            let mut read = self.conn.prepare_cached(
                "SELECT p.num, rtrim(json_extract(p.doc, '$.body')) LIKE '%?' FROM memory m \
                 JOIN memory p ON p.num = m.num - 1 AND p.project = m.project \
                 WHERE m.num = ?1 AND m.passages = 1 AND p.passages = 1 \
                 AND CASE WHEN json_valid(m.doc) AND json_valid(p.doc) \
                 THEN json_extract(m.doc, '$.session') = json_extract(p.doc, '$.session') END",
            )?;
            let mut found = HashMap::new();
            for num in nums {
                let before =
                    read.query_row([num], |row| Ok(Preceding { memory: row.get(0)?, asks: row.get(1)? }));
                found.extend(before.optional()?.map(|before| (*num, before)));
            }
            Ok(found)
        };
        run().at(self)
    }

    /// Memories that were stored in a session, oldest first. `names` are the ids under which it is known; none of
    /// them is older than `since`.
    pub fn learned_in(
        &self,
        names: &[&str],
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            let mut read = self.conn.prepare_cached(
                "SELECT num, json_extract(doc, '$.session') FROM memory WHERE created >= ?1 \
                 AND status <> 'proposed' ORDER BY created, num",
            )?;
            let mut rows = read.query([since.as_millis()])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let by: Option<String> = row.get(1)?;
                if by.is_some_and(|by| names.contains(&by.as_str())) {
                    found.push(row.get(0)?);
                }
                if found.len() >= limit {
                    break;
                }
            }
            Ok(found)
        };
        self.load(&run().at(self)?)
    }

    pub fn list(
        &self,
        filter: &ListFilter,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        let (sql, conditions) = listing(filter, order, limit);
        let run = || -> rusqlite::Result<Vec<Stored>> {
            self.conn.prepare(&sql)?.query_map(conditions.params(), stored)?.collect()
        };
        run().at(self)
    }

    pub fn count(&self, filter: &ListFilter) -> Result<i64, StoreError> {
        let conditions = conditions(filter);
        let sql = format!("SELECT count(*) FROM memory WHERE {}", conditions.sql());
        self.conn.query_row(&sql, conditions.params(), |row| row.get(0)).at(self)
    }

    /// Nearness of two texts in meaning.
    pub fn cosine(&self, a: &str, b: &str) -> Option<f32> {
        Some(self.embedder.embed(a)?.cosine(&self.embedder.embed(b)?))
    }

    pub fn project_num(&self, key: &ProjectKey) -> Result<Option<ProjectNum>, StoreError> {
        projects::find(&self.conn, key).at(self)
    }

    pub fn history(&self, id: &MemoryId) -> Result<Vec<Revision>, StoreError> {
        revisions::read(&self.layout, id)
    }

    /// Links of a memory, outgoing first.
    pub fn neighbours(&self, id: &MemoryId) -> Result<Vec<Neighbour>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Neighbour>> {
            let mut statement = self.conn.prepare_cached(
                "SELECT rel, dst, weight, origin, 1 FROM edge WHERE src = ?1 \
                 UNION ALL SELECT rel, src, weight, origin, 0 FROM edge WHERE dst = ?1",
            )?;
            let rows = statement.query_map([id.as_bytes().as_slice()], |row| {
                let rel: String = row.get(0)?;
                let far: Vec<u8> = row.get(1)?;
                let origin: String = row.get(3)?;
                Ok((rel, far, row.get::<_, f64>(2)?, origin, row.get::<_, bool>(4)?))
            })?;
            let mut found = Vec::new();
            for row in rows {
                let (rel, far, weight, origin, outgoing) = row?;
                let (Ok(relation), Some(id)) = (rel.parse(), MemoryId::from_slice(&far)) else { continue };
                let origin = origin.parse().unwrap_or(Origin::Import);
                found.push(Neighbour { relation, outgoing, weight: weight as f32, origin, id, memory: None });
            }
            Ok(found)
        };
        let mut found = run().at(self)?;
        for neighbour in &mut found {
            neighbour.memory = self.find(&IdRef::Full(neighbour.id)).ok().map(|stored| stored.memory);
        }
        Ok(found)
    }

    /// Memories that mention an entity, most recently changed first. A bare name finds every
    /// entity that ends in it: `auth.rs` finds `src/auth.rs`. Those that mention only a part of the
    /// name come last.
    pub fn mentioning(
        &self,
        entity: &Entity,
        projects: Option<&[ProjectNum]>,
        current: Option<&ProjectKey>,
        limit: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        self.finish_memories()?;
        let run = || -> rusqlite::Result<Vec<Stored>> {
            let meant = matching(&self.conn, entity, projects, current, MOST_SPELLINGS)?;
            let (partly, wholly): (Vec<Meant>, Vec<Meant>) =
                meant.into_iter().partition(|m| m.how == Match::Partial);
            let mut found = Vec::new();
            for entities in [wholly, partly] {
                let known: HashSet<i64> = found.iter().map(|stored: &Stored| stored.num).collect();
                let mut scope = in_projects(projects);
                let ids = entities.iter().map(|m| m.id);
                scope.and_one_of("m.num IN (SELECT memory FROM mention WHERE entity", ids, ")");
                scope.and("m.status <> 'proposed'");
                let most = scope.mark(conditions::limit(limit));
                let sql = format!(
                    "SELECT m.num, m.doc, m.file, m.mtime, m.size FROM memory m WHERE {} \
                     ORDER BY m.updated DESC, m.id DESC LIMIT {most}",
                    scope.sql()
                );
                let rows: Vec<Stored> = self
                    .conn
                    .prepare(&sql)?
                    .query_map(scope.params(), stored)?
                    .collect::<rusqlite::Result<_>>()?;
                found.extend(rows.into_iter().filter(|stored| !known.contains(&stored.num)));
            }
            found.truncate(limit);
            Ok(found)
        };
        run().at(self)
    }

    pub fn entities_of(&self, num: i64) -> Result<Vec<EntityCount>, StoreError> {
        self.finish_memories()?;
        let run = || -> rusqlite::Result<Vec<EntityCount>> {
            self.conn
                .prepare_cached(
                    "SELECT e.kind, e.name, e.mentions FROM mention n JOIN entity e ON e.id = n.entity \
                     WHERE n.memory = ?1 ORDER BY e.kind, e.norm",
                )?
                .query_map([num], |row| {
                    Ok(EntityCount { kind: row.get(0)?, name: row.get(1)?, memories: row.get(2)? })
                })?
                .collect()
        };
        run().at(self)
    }

    pub fn tags(&self, projects: Option<&[ProjectNum]>) -> Result<Vec<(String, i64)>, StoreError> {
        let scope = in_projects(projects);
        let sql = format!(
            "SELECT t.tag, count(*) FROM tag t JOIN memory m ON m.num = t.memory \
             WHERE {} AND m.status = 'active' GROUP BY t.tag ORDER BY count(*) DESC, t.tag",
            scope.sql()
        );
        let run = || -> rusqlite::Result<Vec<(String, i64)>> {
            self.conn
                .prepare(&sql)?
                .query_map(scope.params(), |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        };
        run().at(self)
    }

    pub fn stats(&self) -> Result<Stats, StoreError> {
        self.stats_of(None)
    }

    /// Counts of one project, or of all. What the index contains is counted as a whole.
    pub fn stats_of(&self, project: Option<ProjectNum>) -> Result<Stats, StoreError> {
        self.finish_memories()?;
        // Below zero: every project.
        let of = project.map_or(-1, |project| project.0);
        let one = |sql: &str| self.conn.query_row(sql, [], |row| row.get::<_, i64>(0));
        let count = |sql: &str| self.conn.query_row(sql, [of], |row| row.get::<_, i64>(0));
        let many = |sql: &str| -> rusqlite::Result<Vec<(String, i64)>> {
            self.conn.prepare(sql)?.query_map([of], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let run = || -> rusqlite::Result<Stats> {
            let (events, event_tokens) = self.conn.query_row(
                "SELECT count(*), coalesce(sum(e.tokens), 0) FROM event e WHERE ?1 < 0 \
                 OR e.session IN (SELECT num FROM session WHERE project = ?1)",
                [of],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            Ok(Stats {
                memories: count("SELECT count(*) FROM memory WHERE ?1 < 0 OR project = ?1")?,
                by_kind: many(
                    "SELECT kind, count(*) FROM memory WHERE ?1 < 0 OR project = ?1 \
                     GROUP BY kind ORDER BY count(*) DESC, kind",
                )?,
                by_status: many(
                    "SELECT status, count(*) FROM memory WHERE ?1 < 0 OR project = ?1 \
                     GROUP BY status ORDER BY count(*) DESC, status",
                )?,
                by_project: many(
                    "SELECT coalesce(p.key, 'global'), count(*) FROM memory m LEFT JOIN project p ON p.num = m.project \
                     WHERE ?1 < 0 OR m.project = ?1 GROUP BY m.project ORDER BY count(*) DESC, 1",
                )?,
                passages: one("SELECT passages FROM corpus WHERE id = 1")?,
                words: one("SELECT count(*) FROM word")?,
                entities: one("SELECT count(*) FROM entity")?,
                links: one("SELECT count(*) FROM edge")?,
                unreadable_files: one("SELECT count(*) FROM unread")?,
                index_bytes: 0,
                sessions: count("SELECT count(*) FROM session WHERE ?1 < 0 OR project = ?1")?,
                events,
                event_tokens,
                injected_tokens: count(
                    "SELECT coalesce(sum(l.tokens), 0) FROM ledger l WHERE ?1 < 0 \
                     OR l.session IN (SELECT num FROM session WHERE project = ?1)",
                )?,
            })
        };
        let mut stats = run().at(self)?;
        stats.index_bytes = ["hark.db", "hark.db-wal"]
            .iter()
            .filter_map(|name| self.layout.door().look(Path::new(name)).ok().flatten())
            .map(|look| look.size)
            .sum();
        Ok(stats)
    }
}

/// The question of a list, and what it is bound to.
fn listing(filter: &ListFilter, order: ListOrder, limit: usize) -> (String, Conditions) {
    let mut conditions = conditions(filter);
    let order = match order {
        ListOrder::NewestChange => "updated DESC, id DESC",
        ListOrder::OldestFirst => "created ASC, id ASC",
    };
    let limit = conditions.mark(conditions::limit(limit));
    let sql =
        format!("SELECT {COLUMNS} FROM memory WHERE {} ORDER BY {order} LIMIT {limit}", conditions.sql());
    (sql, conditions)
}

fn conditions(filter: &ListFilter) -> Conditions {
    let mut conditions = Conditions::new("1");
    if let Some(projects) = &filter.projects {
        conditions.and_one_of("project", projects.iter().map(|p| p.0), "");
    }
    if !filter.kinds.is_empty() {
        conditions.and_one_of("kind", filter.kinds.iter().map(|kind| kind.name().to_owned()), "");
    }
    if !filter.statuses.is_empty() {
        conditions.and_one_of("status", filter.statuses.iter().map(|status| status.name().to_owned()), "");
    }
    for tag in &filter.tags {
        conditions.and_bound("num IN (SELECT memory FROM tag WHERE tag = ", tag.to_lowercase(), ")");
    }
    if let Some(since) = filter.since {
        conditions.and_bound("created >= ", since.as_millis(), "");
    }
    if let Some(until) = filter.until {
        conditions.and_bound("created <= ", until.as_millis(), "");
    }
    conditions
}

/// Memories in these projects, or in all.
fn in_projects(projects: Option<&[ProjectNum]>) -> Conditions {
    let mut conditions = Conditions::new("1");
    if let Some(projects) = projects {
        conditions.and_one_of("m.project", projects.iter().map(|p| p.0), "");
    }
    conditions
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::connection;
    use crate::migrate::migrate;

    /// How SQLite looks for what a list shows, without any statistics, as in every store.
    fn plan(statuses: &[Status], order: ListOrder) -> String {
        let path = Path::new("hark.db");
        let conn = connection::open_in_memory(path).unwrap();
        migrate(&conn, path, Duration::ZERO).unwrap();
        let filter = ListFilter { statuses: statuses.to_vec(), ..ListFilter::default() };
        let (sql, conditions) = listing(&filter, order, 50);
        let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = statement.query_map(conditions.params(), |row| row.get::<_, String>(3)).unwrap();
        steps.map(|step| step.unwrap()).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn lists_by_status_read_only_what_they_show() {
        let inbox = plan(&[Status::Proposed], ListOrder::OldestFirst);
        assert!(inbox.starts_with("SEARCH memory USING INDEX memory_status (status=?)"), "{inbox}");
        let newest = plan(&[Status::Active], ListOrder::NewestChange);
        assert!(newest.starts_with("SEARCH memory USING INDEX memory_status (status=?)"), "{newest}");
        // In the order of the index: only memories of the same moment are sorted.
        assert!(!newest.contains("B-TREE FOR ORDER BY"), "{newest}");
    }
}
