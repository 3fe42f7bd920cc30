//! opencode-memory (`opencode-semantic-memory`): categorised memories with entities, links and a
//! resolved state, which its own import lost.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hark_core::{Kind, Relation, Status};
use hark_store::foreign::Record;

use super::harvest::{Harvest, Note, Tie};
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
        let (Some(from), Some(to)) = (row.text("source_memory_id"), row.text("target_memory_id")) else {
            return Ok(());
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
        Ok(())
    })
}

fn note(row: &Record<'_>, harvest: &mut Harvest, entities: &HashMap<String, Vec<String>>) -> Option<Note> {
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
