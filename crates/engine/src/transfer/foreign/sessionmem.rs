//! sessionmem: memories of five kinds with an importance of 1 to 10, by project. Its database, or the JSON that
//! `sessionmem export` writes.

use std::path::{Path, PathBuf};

use hark_core::Kind;
use serde_json::Value;

use super::harvest::{Harvest, Note};
use super::rows::{Fields, Object, count_the_rest, export, not_an_export};
use super::words::{from_ten, kind, list, time};
use super::{Surroundings, Tool, open};
use crate::error::EngineError;

const NAME: &str = "sessionmem";

pub(super) const TOOL: Tool =
    Tool { name: NAME, aliases: &[], about: "decisions, facts, warnings and summaries", places, read };

/// Its database; without one, the newest export beside it.
fn places(around: &Surroundings) -> Vec<PathBuf> {
    let database = around.in_home(&[".sessionmem", "memories.db"]);
    if database.iter().any(|path| path.exists()) {
        return database;
    }
    let folder = around.in_home(&[".sessionmem"]).pop();
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let is_export = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("export-") && name.ends_with(".json")
    };
    entries.map(|entry| entry.path()).filter(is_export).max().into_iter().collect()
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    if let Some(json) = export(NAME, path)? {
        return exported(path, &json, harvest);
    }
    let db = open(NAME, path, "memories.db", "memories")?;
    db.each::<EngineError>("memories", |row| {
        note(row, harvest);
        Ok(())
    })?;
    let named = [
        ("session_events", "a raw event; import transcripts with `hark ingest`"),
        ("memory_feedback", "a note about how often a memory was used"),
        ("summarization_failures", "a summary that failed there"),
    ];
    count_the_rest(&db, harvest, &["memories", "_migrations"], &named)
}

/// A list of memories, or an object with such a list.
fn exported(path: &Path, json: &Value, harvest: &mut Harvest) -> Result<(), EngineError> {
    let listed = json.as_array().or_else(|| json["memories"].as_array());
    let Some(memories) = listed else {
        return Err(not_an_export(NAME, path, "it contains no list of memories"));
    };
    if memories.iter().any(|memory| Object(memory).text("content").is_none()) {
        return Err(not_an_export(NAME, path, "something in its list has no `content`"));
    }
    for memory in memories {
        note(&Object(memory), harvest);
    }
    Ok(())
}

fn note(row: &impl Fields, harvest: &mut Harvest) {
    let Some(id) = row.text("id") else { return harvest.unmapped("a memory without an id") };
    let project = row.text("project_id");
    let found = kind(harvest, &row.text("kind").unwrap_or_default(), Kind::Fact);
    // Ids are chosen by assistants, so they may repeat from project to project.
    let key = ("memories", format!("{}/{id}", project.as_deref().unwrap_or_default()));
    let mut note = Note::new(key, found, row.text("content").unwrap_or_default());
    note.importance = from_ten(row.int("importance"));
    note.project = project;
    note.session = row.text("session_id");
    note.author = row.text("author");
    note.tags = list(row.text("tags").as_deref());
    note.created = time(row.text("created_at").as_deref());
    note.updated = time(row.text("updated_at").as_deref());
    note.expires = time(row.text("expires_at").as_deref());
    harvest.notes.push(note);
}
