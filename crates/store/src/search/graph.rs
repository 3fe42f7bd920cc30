//! One hop from what was found: explicit links, and shared entities with hubs damped.

use std::collections::HashMap;

use hark_core::entity::{Asker, Match};
use hark_core::{Entity, Kind, MemoryId, ProjectKey, Status, Timestamp, entity};
use rusqlite::{Connection, Row, params};

use super::filter::{Filter, Sieve};
use super::scan::tagged;
use crate::error::{At, StoreError};
use crate::index::{Facets, leaf};
use crate::projects::ProjectNum;
use crate::store::Store;

/// An entity that everything mentions connects nothing.
const HUB: i64 = 64;
/// How much of a seed's strength a link or a shared entity passes on.
const LINK_SHARE: f32 = 0.6;
const ENTITY_SHARE: f32 = 0.35;
/// Neighbours looked at in the end, the strongest first.
const REACHED: usize = 20;
/// Neighbours read per seed.
const FAN_OUT: i64 = 24;

/// Entities with the same last part that a question looks at.
const SPELLINGS: i64 = 64;

/// A memory reached through the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Activation {
    pub memory: i64,
    pub tie: u32,
    pub strength: f32,
}

impl Store {
    /// Memories linked to the seeds or sharing entities with them, strongest first.
    pub fn activate(&self, seeds: &[(i64, f32)], filter: &Filter) -> Result<Vec<Activation>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Activation>> {
            let mut strength: HashMap<i64, f32> = HashMap::new();
            for (seed, weight) in seeds {
                follow_links(&self.conn, *seed, *weight, &mut strength)?;
                follow_entities(&self.conn, *seed, *weight, &mut strength)?;
            }
            self.keep_visible(strength, filter)
        };
        run().at(self)
    }

    /// Memories that mention an entity which the query names outright (`!12`, `src/auth.rs`).
    pub fn named_in(
        &self,
        text: &str,
        filter: &Filter,
        current: Option<&ProjectKey>,
    ) -> Result<Vec<Activation>, StoreError> {
        let head: String = text.chars().take(2_000).collect();
        let named: Vec<Entity> = entity::extract(&head);
        let run = || -> rusqlite::Result<Vec<Activation>> {
            let mut strength: HashMap<i64, f32> = HashMap::new();
            for entity in named.iter().take(16) {
                let projects = filter.projects.as_deref();
                for meant in matching(&self.conn, entity, projects, current, SPELLINGS)? {
                    let exact = if meant.how == Match::Exact { 1.0 } else { 0.8 };
                    let share = exact / (1.0 + (meant.mentions.max(1) as f32).ln());
                    mentioned(&self.conn, meant.id, share, &mut strength)?;
                }
            }
            self.keep_visible(strength, filter)
        };
        run().at(self)
    }

    fn keep_visible(
        &self,
        strength: HashMap<i64, f32>,
        filter: &Filter,
    ) -> rusqlite::Result<Vec<Activation>> {
        let sieve = Sieve::new(filter, tagged(&self.conn, filter)?);
        let mut read = self.conn.prepare_cached(
            "SELECT id, project, kind, status, created, closed, expires FROM memory WHERE num = ?1",
        )?;
        let mut kept = Vec::new();
        let mut reached: Vec<(i64, f32)> = strength.into_iter().collect();
        reached.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (memory, strength) in reached.into_iter().take(REACHED) {
            let mut rows = read.query([memory])?;
            let Some(row) = rows.next()? else { continue };
            let project = ProjectNum(row.get(1)?);
            let in_project = filter.projects.as_ref().is_none_or(|p| p.contains(&project));
            if let Some(facets) = facets(row)?
                && in_project
                && sieve.passes(&facets, memory)
            {
                kept.push(Activation { memory, tie: facets.tie, strength });
            }
        }
        kept.sort_unstable_by(|a, b| b.strength.total_cmp(&a.strength).then(a.tie.cmp(&b.tie)));
        Ok(kept)
    }
}

/// What a filter looks at, from a memory's row.
fn facets(row: &Row<'_>) -> rusqlite::Result<Option<Facets>> {
    let id = MemoryId::from_slice(row.get_ref(0)?.as_blob()?);
    let kind = row.get_ref(2)?.as_str()?.parse::<Kind>().ok();
    let status = row.get_ref(3)?.as_str()?.parse::<Status>().ok();
    let minutes = |at: usize| -> rusqlite::Result<u32> {
        Ok(row.get::<_, Option<i64>>(at)?.map_or(0, |ms| Timestamp::from_millis(ms).as_minutes()))
    };
    let (created, closed, expires) = (minutes(4)?, minutes(5)?, minutes(6)?);
    Ok(id.zip(kind).zip(status).map(|((id, kind), status)| Facets {
        passage: 0,
        created,
        closed,
        expires,
        tie: id.tie_break(),
        kind: kind.code(),
        status: status.code(),
        has_vector: false,
        is_long: false,
        is_code: false,
        is_phrase: false,
    }))
}

fn raise(strength: &mut HashMap<i64, f32>, memory: i64, by: f32) {
    *strength.entry(memory).or_insert(0.0) += by;
}

fn follow_links(
    conn: &Connection,
    seed: i64,
    weight: f32,
    strength: &mut HashMap<i64, f32>,
) -> rusqlite::Result<()> {
    let mut links = conn.prepare_cached(
        "SELECT far.num, e.weight FROM memory near JOIN edge e ON e.src = near.id JOIN memory far ON far.id = e.dst \
         WHERE near.num = ?1 \
         UNION ALL SELECT far.num, e.weight FROM memory near JOIN edge e ON e.dst = near.id \
         JOIN memory far ON far.id = e.src WHERE near.num = ?1 LIMIT ?2",
    )?;
    let mut rows = links.query(params![seed, FAN_OUT])?;
    while let Some(row) = rows.next()? {
        let link_weight: f64 = row.get(1)?;
        raise(strength, row.get(0)?, weight * LINK_SHARE * link_weight as f32);
    }
    Ok(())
}

fn follow_entities(
    conn: &Connection,
    seed: i64,
    weight: f32,
    strength: &mut HashMap<i64, f32>,
) -> rusqlite::Result<()> {
    let mut shared = conn.prepare_cached(
        "SELECT e.id, e.mentions FROM mention n JOIN entity e ON e.id = n.entity \
         WHERE n.memory = ?1 AND e.mentions BETWEEN 2 AND ?2 ORDER BY e.mentions, e.kind, e.norm LIMIT 8",
    )?;
    let entities: Vec<(i64, i64)> = shared
        .query_map([seed, HUB], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (entity, mentions) in entities {
        let share = weight * ENTITY_SHARE / (1.0 + (mentions as f32).ln());
        let mut others =
            conn.prepare_cached("SELECT memory FROM mention WHERE entity = ?1 AND memory <> ?2 LIMIT ?3")?;
        let mut rows = others.query(params![entity, seed, FAN_OUT])?;
        while let Some(row) = rows.next()? {
            raise(strength, row.get(0)?, share);
        }
    }
    Ok(())
}

/// An entity of the index that a reference means.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meant {
    pub(crate) id: i64,
    pub(crate) mentions: i64,
    pub(crate) how: Match,
}

/// Entities that a reference means, exact ones first.
pub(crate) fn matching(
    conn: &Connection,
    entity: &Entity,
    projects: Option<&[ProjectNum]>,
    current: Option<&ProjectKey>,
    limit: i64,
) -> rusqlite::Result<Vec<Meant>> {
    let asker = Asker { project: current.map(ProjectKey::as_str), everywhere: projects.is_none() };
    let mut find = conn.prepare_cached(
        "SELECT e.id, e.mentions, e.norm, e.project, p.key FROM entity e LEFT JOIN project p ON p.num = e.project \
         WHERE e.leaf = ?1 ORDER BY e.norm = ?2 DESC, e.id LIMIT ?3",
    )?;
    let mut rows = find.query(params![leaf(entity), entity.norm, limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let project = ProjectNum(row.get(3)?);
        let visible = project == ProjectNum::GLOBAL || projects.is_none_or(|p| p.contains(&project));
        let home = row.get_ref(4)?.as_str_or_null()?;
        if visible && let Some(how) = entity.refers_to(row.get_ref(2)?.as_str()?, home, asker) {
            found.push(Meant { id: row.get(0)?, mentions: row.get(1)?, how });
        }
    }
    Ok(found)
}

fn mentioned(
    conn: &Connection,
    entity: i64,
    share: f32,
    strength: &mut HashMap<i64, f32>,
) -> rusqlite::Result<()> {
    let mut who =
        conn.prepare_cached("SELECT memory FROM mention WHERE entity = ?1 ORDER BY memory DESC LIMIT 200")?;
    let mut rows = who.query([entity])?;
    while let Some(row) = rows.next()? {
        raise(strength, row.get(0)?, share);
    }
    Ok(())
}
