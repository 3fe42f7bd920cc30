//! One hop from what was found: explicit links, and shared entities with hubs damped.

use std::collections::HashMap;

use hark_core::{Entity, Kind, MemoryId, Status, Timestamp, entity};
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
    pub fn named_in(&self, text: &str, filter: &Filter) -> Result<Vec<Activation>, StoreError> {
        let head: String = text.chars().take(2_000).collect();
        let named: Vec<Entity> = entity::extract(&head);
        let run = || -> rusqlite::Result<Vec<Activation>> {
            let mut strength: HashMap<i64, f32> = HashMap::new();
            for entity in named.iter().take(16) {
                for (id, mentions, exact) in matching(&self.conn, entity, filter.projects.as_deref())? {
                    let share = if exact { 1.0 } else { 0.8 } / (1.0 + (mentions.max(1) as f32).ln());
                    mentioned(&self.conn, id, share, &mut strength)?;
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

/// Entities that a reference means: exact ones, or those that end in it.
fn matching(
    conn: &Connection,
    entity: &Entity,
    projects: Option<&[ProjectNum]>,
) -> rusqlite::Result<Vec<(i64, i64, bool)>> {
    let mut find =
        conn.prepare_cached("SELECT id, mentions, norm, project FROM entity WHERE leaf = ?1 LIMIT 64")?;
    let mut rows = find.query([leaf(entity)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let norm: String = row.get(2)?;
        let project = ProjectNum(row.get(3)?);
        let visible = project == ProjectNum::GLOBAL || projects.is_none_or(|p| p.contains(&project));
        if visible && (norm.ends_with(&entity.norm) || entity.norm.ends_with(&norm)) {
            found.push((row.get(0)?, row.get(1)?, norm == entity.norm));
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
