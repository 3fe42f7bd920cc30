//! total-agent-memory: knowledge with states and relations, errors, insights, rules, episodes; the rest is in
//! `tam_work.rs`.

use std::path::{Path, PathBuf};

use hark_core::{Kind, Relation, Status};
use hark_store::foreign::{Database, Record};

use super::harvest::{Harvest, Note, Tie};
use super::store::replaces;
use super::words::{from_ten, kind, list, plain, time};
use super::{Surroundings, Tool, open};
use crate::error::EngineError;

pub(super) const NAME: &str = "total-agent-memory";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    aliases: &["tam", "claude-total-memory"],
    about: "knowledge, errors, insights, rules, episodes, procedures and sessions",
    places,
    read,
};

fn places(around: &Surroundings) -> Vec<PathBuf> {
    let tam = around.in_home(&[".tam", "memory.db"]);
    // The old folder is a link to the new one where both are there.
    if tam.iter().any(|path| path.exists()) { tam } else { around.in_home(&[".claude-memory", "memory.db"]) }
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    let db = open(NAME, path, "memory.db", "knowledge")?;
    knowledge(&db, harvest)?;
    learned(&db, harvest)?;
    db.each::<EngineError>("episodes", |row| {
        let Some(mut note) = note(row, "episodes", Kind::Episode, "narrative") else { return Ok(()) };
        note.learned = row.text("key_insight");
        note.created = time(row.text("timestamp").as_deref()).or(note.created);
        note.tags = list(row.text("concepts").as_deref());
        note.tags.extend(row.text("outcome"));
        harvest.notes.push(note);
        Ok(())
    })?;
    super::tam_work::read(&db, harvest)
}

fn knowledge(db: &Database, harvest: &mut Harvest) -> Result<(), EngineError> {
    let mut replaced = Vec::new();
    db.each::<EngineError>("knowledge", |row| {
        let word = row.text("type").unwrap_or_default();
        let found = match word.as_str() {
            "reflection" | "synthesized_fact" => Kind::Insight,
            other => kind(harvest, other, Kind::Fact),
        };
        let Some(mut note) = note(row, "knowledge", found, "content") else { return Ok(()) };
        note.why = row.text("context");
        note.updated = time(row.text("last_confirmed").as_deref());
        note.importance = match row.text("importance").as_deref() {
            Some("critical") => 5,
            Some("high") => 4,
            Some("low") => 2,
            _ => 3,
        };
        note.status = match row.text("status").unwrap_or_default().as_str() {
            "" | "active" => Status::Active,
            "superseded" | "consolidated" => Status::Superseded,
            "archived" => Status::Archived,
            gone => {
                harvest.unmapped(format!("knowledge that was `{}` there", plain(gone)));
                return Ok(());
            }
        };
        if let Some(by) = row.text("superseded_by") {
            replaced.push((("knowledge", by), note.key.clone()));
        }
        harvest.notes.push(note);
        Ok(())
    })?;
    for (newer, older) in replaced {
        replaces(harvest, newer, &older);
    }
    db.each::<EngineError>("relations", |row| {
        let (Some(from), Some(to)) = (row.text("from_id"), row.text("to_id")) else { return Ok(()) };
        let word = row.text("type").unwrap_or_default();
        let relation = word.parse().unwrap_or_else(|_| {
            harvest.unmapped(format!("relation `{}` became `related`", plain(&word)));
            Relation::Related
        });
        let tie = Tie { from: ("knowledge", from), to: ("knowledge", to), relation, weight: 1.0 };
        harvest.ties.push(tie);
        Ok(())
    })
}

/// Errors, what was learned from them, and the rules that came of it.
fn learned(db: &Database, harvest: &mut Harvest) -> Result<(), EngineError> {
    db.each::<EngineError>("errors", |row| {
        let Some(mut note) = note(row, "errors", Kind::Failure, "description") else { return Ok(()) };
        note.why = row.text("context");
        note.learned = row.text("fix");
        note.tags.extend(row.text("category"));
        // An error that taught something is not yet one that was fixed.
        let is_fixed = match row.text("status").as_deref() {
            None | Some("open") => false,
            Some("insight_extracted") => note.learned.is_some(),
            Some(_) => true,
        };
        if is_fixed {
            note.status = Status::Resolved;
            note.closed = time(row.text("resolved_at").as_deref());
        }
        harvest.notes.push(note);
        Ok(())
    })?;
    db.each::<EngineError>("insights", |row| {
        let Some(mut note) = note(row, "insights", Kind::Insight, "content") else { return Ok(()) };
        note.why = row.text("context");
        note.importance = from_ten(row.int("importance"));
        note.updated = time(row.text("updated_at").as_deref());
        if row.text("status").is_some_and(|status| status == "archived") {
            note.status = Status::Archived;
        }
        for error in list(row.text("source_error_ids").as_deref()) {
            let tie = Tie {
                from: note.key.clone(),
                to: ("errors", error),
                relation: Relation::CausedBy,
                weight: 1.0,
            };
            harvest.ties.push(tie);
        }
        harvest.notes.push(note);
        Ok(())
    })?;
    db.each::<EngineError>("rules", |row| {
        let found = kind(harvest, "rule", Kind::Convention);
        let Some(mut note) = note(row, "rules", found, "content") else { return Ok(()) };
        note.why = row.text("context");
        note.importance = from_ten(row.int("priority"));
        note.updated = time(row.text("updated_at").as_deref());
        if row.text("scope").is_some_and(|scope| scope == "global") {
            note.project = None;
        }
        if row.text("status").is_some_and(|status| status != "active") {
            note.status = Status::Archived;
        }
        if let Some(insight) = row.text("source_insight_id") {
            let tie = Tie {
                from: note.key.clone(),
                to: ("insights", insight),
                relation: Relation::Extends,
                weight: 1.0,
            };
            harvest.ties.push(tie);
        }
        harvest.notes.push(note);
        Ok(())
    })
}

/// What all of its tables have in common.
pub(super) fn note(row: &Record<'_>, table: &'static str, kind: Kind, text: &str) -> Option<Note> {
    let mut note = Note::new((table, row.text("id")?), kind, row.text(text).unwrap_or_default());
    note.project = row.text("project").and_then(|name| project(&name));
    note.session = row.text("session_id");
    note.tags = list(row.text("tags").as_deref());
    note.confidence = row.real("confidence").unwrap_or(0.6) as f32;
    note.created = time(row.text("created_at").as_deref());
    Some(note)
}

/// `general` is its word for "no project".
pub(super) fn project(name: &str) -> Option<String> {
    (name != "general").then(|| name.to_owned())
}
