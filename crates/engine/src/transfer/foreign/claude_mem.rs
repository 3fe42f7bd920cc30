//! claude-mem: observations that a second model wrote about each tool call, and summaries of sessions.

use std::path::{Path, PathBuf};

use hark_core::Kind;

use super::harvest::{Harvest, Note};
use super::rows::count_the_rest;
use super::words::{list, plain, time};
use super::{Surroundings, Tool, open};
use crate::error::EngineError;

const NAME: &str = "claude-mem";

pub(super) const TOOL: Tool =
    Tool { name: NAME, aliases: &["claudemem"], about: "observations and session summaries", places, read };

fn places(around: &Surroundings) -> Vec<PathBuf> {
    around.in_home(&[".claude-mem", "claude-mem.db"])
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    let db = open(NAME, path, "claude-mem.db", "observations")?;
    db.each::<EngineError>("observations", |row| {
        let Some(id) = row.text("id") else { return Ok(()) };
        let word = row.text("type").unwrap_or_default();
        let kind = match word.as_str() {
            "decision" => Kind::Decision,
            "bugfix" => Kind::Fix,
            "feature" | "refactor" | "change" => Kind::Event,
            "discovery" => Kind::Observation,
            other => {
                harvest.unmapped(format!("kind `{}` became observation", plain(other)));
                Kind::Observation
            }
        };
        let parts = [row.text("subtitle"), row.text("narrative").or_else(|| row.text("text"))];
        let mut body: Vec<String> = parts.into_iter().flatten().collect();
        let facts = list(row.text("facts").as_deref());
        if !facts.is_empty() {
            body.push(facts.iter().map(|fact| format!("- {fact}")).collect::<Vec<_>>().join("\n"));
        }
        let title = row.text("title");
        let body = if body.is_empty() { title.clone().unwrap_or_default() } else { body.join("\n\n") };
        let mut note = Note::new(("observations", id), kind, body);
        note.title = title;
        note.project = row.text("merged_into_project").or_else(|| row.text("project"));
        note.session = row.text("memory_session_id").or_else(|| row.text("sdk_session_id"));
        note.tags = list(row.text("concepts").as_deref());
        note.files = list(row.text("files_modified").as_deref());
        note.files.extend(list(row.text("files_read").as_deref()));
        note.created = time(row.text("created_at_epoch").or_else(|| row.text("created_at")).as_deref());
        harvest.notes.push(note);
        Ok(())
    })?;
    db.each::<EngineError>("session_summaries", |row| {
        let Some(id) = row.text("id") else { return Ok(()) };
        let parts = [
            ("Asked", "request"),
            ("Looked at", "investigated"),
            ("Done", "completed"),
            ("Next", "next_steps"),
            ("Notes", "notes"),
        ];
        let told = parts.iter().filter_map(|(label, column)| Some(format!("{label}: {}", row.text(column)?)));
        let mut note =
            Note::new(("session_summaries", id), Kind::Summary, told.collect::<Vec<_>>().join("\n\n"));
        note.title = row.text("request");
        note.learned = row.text("learned");
        note.project = row.text("merged_into_project").or_else(|| row.text("project"));
        note.session = row.text("memory_session_id").or_else(|| row.text("sdk_session_id"));
        note.files = list(row.text("files_edited").as_deref());
        note.created = time(row.text("created_at_epoch").or_else(|| row.text("created_at")).as_deref());
        harvest.notes.push(note);
        Ok(())
    })?;
    let named = [
        ("user_prompts", "a prompt; import transcripts with `hark ingest`"),
        ("sdk_sessions", "a session; import transcripts with `hark ingest`"),
    ];
    count_the_rest(&db, harvest, &["observations", "session_summaries"], &named)
}
