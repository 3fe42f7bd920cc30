//! Entities of a memory: named ones, its files, and those found in its text.

use std::collections::BTreeSet;

use hark_core::{Entity, EntityKind, Memory, entity};
use rusqlite::{Connection, OptionalExtension, params};

use crate::projects::ProjectNum;

pub(super) fn entities_of(memory: &Memory) -> BTreeSet<Entity> {
    let named = memory.entities.iter().filter_map(|text| Entity::from_reference(text));
    let files = memory.files.iter().map(|path| Entity::new(EntityKind::File, path));
    // A tag such as `!12` is about that merge request; other tags are labels.
    let numbered = |e: &Entity| {
        matches!(e.kind, EntityKind::Issue | EntityKind::MergeRequest | EntityKind::Epic | EntityKind::Person)
    };
    let tags = memory.tags.iter().filter_map(|tag| Entity::from_reference(tag)).filter(numbered);
    let text = format!("{}\n{}", memory.title, memory.searchable_body());
    named.chain(files).chain(tags).chain(entity::extract(&text)).filter(|e| !e.norm.is_empty()).collect()
}

/// Whose an entity is: `#12` of one project is not `#12` of another.
pub(super) fn home_of(entity: &Entity, project: ProjectNum) -> ProjectNum {
    if entity.kind.belongs_to_project() { project } else { ProjectNum::GLOBAL }
}

pub(super) fn find(conn: &Connection, home: ProjectNum, entity: &Entity) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached("SELECT id FROM entity WHERE project = ?1 AND kind = ?2 AND norm = ?3")?
        .query_row(params![home.0, entity.kind.name(), entity.norm], |row| row.get(0))
        .optional()
}

pub(super) fn create(conn: &Connection, home: ProjectNum, entity: &Entity) -> rusqlite::Result<i64> {
    conn.prepare_cached(
        "INSERT INTO entity (project, kind, norm, leaf, name, mentions) VALUES (?1, ?2, ?3, ?4, ?5, 0)",
    )?
    .execute(params![home.0, entity.kind.name(), entity.norm, leaf(entity), entity.name])?;
    Ok(conn.last_insert_rowid())
}

/// Notes which memories mention an entity. Some may be noted already.
pub(super) fn mention(conn: &Connection, id: i64, memories: &[i64]) -> rusqlite::Result<()> {
    let mut insert =
        conn.prepare_cached("INSERT INTO mention (entity, memory) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    let mut fresh = 0;
    for num in memories {
        fresh += insert.execute([id, *num])?;
    }
    if fresh > 0 {
        conn.prepare_cached("UPDATE entity SET mentions = mentions + ?2 WHERE id = ?1")?
            .execute(params![id, fresh as i64])?;
    }
    Ok(())
}

pub(super) fn clear(conn: &Connection, num: i64) -> rusqlite::Result<()> {
    let ids: Vec<i64> = conn
        .prepare_cached("SELECT entity FROM mention WHERE memory = ?1")?
        .query_map([num], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for id in ids {
        conn.prepare_cached("DELETE FROM mention WHERE entity = ?1 AND memory = ?2")?.execute([id, num])?;
        conn.prepare_cached("UPDATE entity SET mentions = mentions - 1 WHERE id = ?1")?.execute([id])?;
        conn.prepare_cached("DELETE FROM entity WHERE id = ?1 AND mentions <= 0")?.execute([id])?;
    }
    Ok(())
}

/// The last part of a name, by which people call it: `auth.rs`, `!12`, `getUser`.
pub(crate) fn leaf(entity: &Entity) -> String {
    let norm = entity.norm.as_str();
    match entity.kind {
        EntityKind::File => norm.rsplit('/').next().unwrap_or(norm).to_owned(),
        EntityKind::Symbol => {
            norm.rsplit("::").next().unwrap_or(norm).rsplit('.').next().unwrap_or(norm).to_owned()
        }
        EntityKind::Issue | EntityKind::MergeRequest | EntityKind::Epic => {
            let at = norm.rfind(['#', '!', '&']).unwrap_or(0);
            norm[at..].to_owned()
        }
        _ => norm.to_owned(),
    }
}
