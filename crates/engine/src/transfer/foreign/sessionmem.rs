//! sessionmem: memories of five kinds with an importance of 1 to 10, by project.

use std::path::{Path, PathBuf};

use hark_core::Kind;

use super::harvest::{Harvest, Note};
use super::words::{from_ten, kind, list, time};
use super::{Surroundings, Tool, open};
use crate::error::EngineError;

const NAME: &str = "sessionmem";

pub(super) const TOOL: Tool =
    Tool { name: NAME, aliases: &[], about: "decisions, facts, warnings and summaries", places, read };

fn places(around: &Surroundings) -> Vec<PathBuf> {
    around.in_home(&[".sessionmem", "memories.db"])
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    let db = open(NAME, path, "memories.db", "memories")?;
    db.each::<EngineError>("memories", |row| {
        let Some(id) = row.text("id") else { return Ok(()) };
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
        Ok(())
    })?;
    db.each::<EngineError>("session_events", |_| {
        harvest.unmapped("a raw event; import transcripts with `hark ingest`");
        Ok(())
    })
}
