//! CodeMemory (`codememory-for-claude`): nodes with tags, relations and states. It knows no projects.

use std::path::{Path, PathBuf};

use hark_core::{Kind, Relation, Status};

use super::harvest::{Harvest, Note, Tie};
use super::rows::count_the_rest;
use super::store::replaces;
use super::words::{kind, plain, time};
use super::{Surroundings, Tool, open};
use crate::error::EngineError;

const NAME: &str = "codememory";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    aliases: &["codememory-for-claude"],
    about: "decisions, constraints, failures and fix attempts",
    places,
    read,
};

fn places(around: &Surroundings) -> Vec<PathBuf> {
    around.in_home(&[".claude", "codememory.db"])
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    let db = open(NAME, path, "codememory.db", "memory_nodes")?;
    let mut replaced = Vec::new();
    db.each::<EngineError>("memory_nodes", |row| {
        let Some(id) = row.text("nodeId") else { return Ok(()) };
        let found = kind(harvest, &row.text("kind").unwrap_or_default(), Kind::Fact);
        let mut note = Note::new(("memory_nodes", id), found, row.text("content").unwrap_or_default());
        note.status = match row.text("status").unwrap_or_default().as_str() {
            "resolved" => Status::Resolved,
            "superseded" => Status::Superseded,
            "stale" => Status::Archived,
            _ => Status::Active,
        };
        note.confidence = row.real("confidence").unwrap_or(0.6) as f32;
        note.session = row.text("sessionId");
        note.created = time(row.text("createdAt").as_deref());
        note.updated = time(row.text("updatedAt").as_deref());
        if let Some(older) = row.text("supersedesNodeId") {
            replaced.push((note.key.clone(), ("memory_nodes", older)));
        }
        harvest.notes.push(note);
        Ok(())
    })?;
    db.each::<EngineError>("memory_tags", |row| {
        let (Some(id), Some(value)) = (row.text("nodeId"), row.text("tagValue")) else { return Ok(()) };
        let sort = row.text("tagType").unwrap_or_default();
        let Some(note) = harvest.notes.iter_mut().find(|note| note.key.1 == id) else { return Ok(()) };
        match sort.as_str() {
            // `<hash of the workspace>:<path>`
            "file" => note.files.push(without_workspace(&value).to_owned()),
            "symbol" => note.entities.push(value),
            "command" | "topic" | "package" => note.tags.push(value),
            // What these say is in the memory itself.
            "kind" | "status" | "signature" | "source" => {}
            other => harvest.unmapped(format!("a tag of type `{}`", plain(other))),
        }
        Ok(())
    })?;
    db.each::<EngineError>("memory_relations", |row| {
        let (Some(from), Some(to)) = (row.text("fromNodeId"), row.text("toNodeId")) else { return Ok(()) };
        let (from, to) = (("memory_nodes", from), ("memory_nodes", to));
        let relation = match row.text("relationType").unwrap_or_default().as_str() {
            "supersedes" => {
                replaced.push((from, to));
                return Ok(());
            }
            "supersededBy" => {
                replaced.push((to, from));
                return Ok(());
            }
            "resolves" | "attemptedFixFor" => Relation::Fixes,
            "causedBy" => Relation::CausedBy,
            "conflictsWith" => Relation::Contradicts,
            "derivedFromSummary" | "evidenceOf" => Relation::Context,
            "relatedTo" => Relation::Related,
            other => {
                harvest.unmapped(format!("relation `{}` became `related`", plain(other)));
                Relation::Related
            }
        };
        let weight = row.real("confidence").unwrap_or(1.0) as f32;
        harvest.ties.push(Tie { from, to, relation, weight });
        Ok(())
    })?;
    for (newer, older) in replaced {
        replaces(harvest, newer, &older);
    }
    db.each::<EngineError>("summaries", |row| {
        let Some(id) = row.text("summaryId") else { return Ok(()) };
        let mut note = Note::new(("summaries", id), Kind::Summary, row.text("content").unwrap_or_default());
        note.created = time(row.text("createdAt").as_deref());
        harvest.notes.push(note);
        Ok(())
    })?;
    let read = ["memory_nodes", "memory_tags", "memory_relations", "summaries"];
    count_the_rest(&db, harvest, &read, &[("messages", "a message; import transcripts with `hark ingest`")])
}

fn without_workspace(file: &str) -> &str {
    match file.split_once(':') {
        Some((mark, path)) if mark.len() == 8 && mark.bytes().all(|b| b.is_ascii_hexdigit()) => path,
        _ => file,
    }
}
