//! opencode-memory (`opencode-semantic-memory`): categorised memories with entities, links and a
//! resolved state, which its own import lost. Its database, or the JSON that `export_memories` writes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hark_core::{Kind, Relation, Status};
use serde_json::Value;

use super::harvest::{Harvest, Note, Tie};
use super::rows::{Fields, Object, count_the_rest, export, not_an_export};
use super::words::{kind, time};
use super::{Surroundings, Tool, open};
use crate::error::EngineError;

const NAME: &str = "opencode-memory";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    aliases: &["osm", "opencode-semantic-memory"],
    about: "memories with entities and links",
    places,
    read,
};

fn places(around: &Surroundings) -> Vec<PathBuf> {
    around.in_home(&[".local", "share", "opencode-memory", "memory.db"])
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    if let Some(json) = export(NAME, path)? {
        return exported(path, &json, harvest);
    }
    let db = open(NAME, path, "memory.db", "memories")?;
    let mut refs: HashMap<String, String> = HashMap::new();
    db.each::<EngineError>("entities", |row| {
        if let (Some(id), Some(name)) = (row.text("id"), row.text("ref")) {
            refs.insert(id, name);
        }
        Ok(())
    })?;
    let mut entities: HashMap<String, Vec<String>> = HashMap::new();
    db.each::<EngineError>("entity_memories", |row| {
        if let (Some(entity), Some(memory)) = (row.text("entity_id"), row.text("memory_id"))
            && let Some(name) = refs.get(&entity)
        {
            entities.entry(memory).or_default().push(name.clone());
        }
        Ok(())
    })?;
    for table in ["memories", "archived_memories"] {
        db.each::<EngineError>(table, |row| {
            if let Some(note) = note(row, harvest, &entities) {
                harvest.notes.push(note);
            }
            Ok(())
        })?;
    }
    db.each::<EngineError>("memory_links", |row| {
        tie(row, harvest);
        Ok(())
    })?;
    let read = [
        "memories",
        "archived_memories",
        "entities",
        "entity_memories",
        "memory_links",
        "ingest_state",
        "enrichment_queue",
    ];
    let named = [
        ("sessions", "a running session; import transcripts with `hark ingest`"),
        ("entity_relationships", "a relation between entities; hark finds its own"),
        ("indexed_files", "an indexed source file; hark does not index code"),
        ("recall_events", "a note about what was recalled"),
        ("missed_opportunities", "a note about what was not recalled"),
        ("session_metrics", "a measurement of a session"),
        ("background_activity_log", "a line of its log"),
    ];
    count_the_rest(&db, harvest, &read, &named)
}

/// What its `export_memories` writes.
fn exported(path: &Path, json: &Value, harvest: &mut Harvest) -> Result<(), EngineError> {
    let Some(memories) = json["memories"].as_array().or_else(|| json.as_array()) else {
        return Err(not_an_export(NAME, path, "it contains no list `memories`"));
    };
    if memories.iter().any(|memory| Object(memory).text("content").is_none()) {
        return Err(not_an_export(NAME, path, "something in `memories` has no `content`"));
    }
    // An entity is a name, or an object with a name.
    let name = |entity: &Value| entity.as_str().or_else(|| entity["ref"].as_str()).map(str::to_owned);
    let named = |memory: &Value| -> Option<(String, Vec<String>)> {
        let entities = memory["entities"].as_array()?.iter().filter_map(name).collect();
        Some((Object(memory).text("id")?, entities))
    };
    let entities: HashMap<String, Vec<String>> = memories.iter().filter_map(named).collect();
    for memory in memories {
        match note(&Object(memory), harvest, &entities) {
            Some(note) => harvest.notes.push(note),
            None => harvest.unmapped("a memory without an id"),
        }
    }
    for link in json["links"].as_array().into_iter().flatten() {
        tie(&Object(link), harvest);
    }
    Ok(())
}

fn tie(row: &impl Fields, harvest: &mut Harvest) {
    let (Some(from), Some(to)) = (row.text("source_memory_id"), row.text("target_memory_id")) else {
        return;
    };
    let relation = match row.text("link_type").unwrap_or_default().parse() {
        // Found by likeness there, and both go on holding: nothing was replaced.
        Ok(Relation::Supersedes) => {
            harvest.unmapped("a guessed `supersedes` became `related`");
            Relation::Related
        }
        Ok(relation) => relation,
        Err(_) => Relation::Related,
    };
    let weight = row.real("strength").unwrap_or(1.0) as f32;
    harvest.ties.push(Tie { from: ("memories", from), to: ("memories", to), relation, weight });
}

fn note(row: &impl Fields, harvest: &mut Harvest, entities: &HashMap<String, Vec<String>>) -> Option<Note> {
    let id = row.text("id").or_else(|| row.text("original_id"))?;
    let word = row.text("category").unwrap_or_else(|| "fact".to_owned());
    let is_reminder = word == "reminder";
    let found = if is_reminder { Kind::Task } else { kind(harvest, &word, Kind::Fact) };
    let mut note = Note::new(("memories", id.clone()), found, row.text("content").unwrap_or_default());
    if is_reminder || row.text("reminder_at").is_some() {
        harvest.unmapped("the time of a reminder");
    }
    note.title = row.text("what");
    note.why = row.text("why");
    note.learned = row.text("learned");
    note.project = row.text("project");
    note.entities = entities.get(&id).cloned().unwrap_or_default();
    note.created = time(row.text("created_at").as_deref());
    note.expires = time(row.text("expires_at").as_deref());
    if let Some(file) = row.text("source_file") {
        match file.strip_prefix("opencode:") {
            Some(session) => note.session = Some(session.to_owned()),
            None => note.files.push(file),
        }
    }
    if let Some(resolved) = row.text("resolved_at") {
        note.status = Status::Resolved;
        note.closed = time(Some(&resolved));
    }
    if let Some(archived) = row.text("archived_at") {
        note.status = Status::Archived;
        note.closed = time(Some(&archived));
    }
    note.updated = note.closed;
    Some(note)
}
