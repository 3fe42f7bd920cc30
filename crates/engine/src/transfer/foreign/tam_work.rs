//! What total-agent-memory keeps about work: skills and workflows, which are procedures here; sessions with their
//! summaries; observations. And the count of everything that has no place here.

use std::collections::HashMap;

use hark_core::session::SessionStatus;
use hark_core::{Kind, Status, Timestamp};
use hark_store::foreign::{Database, Record};

use super::harvest::{Harvest, Note, Run};
use super::rows::count_the_rest;
use super::total_agent_memory::{NAME, note, project};
use super::words::{list, time};
use crate::error::EngineError;

pub(super) fn read(db: &Database, harvest: &mut Harvest) -> Result<(), EngineError> {
    procedures(db, harvest)?;
    sessions(db, harvest)?;
    db.each::<EngineError>("observations", |row| {
        let Some(mut note) = note(row, "observations", Kind::Observation, "summary") else { return Ok(()) };
        note.files = list(row.text("files_affected").as_deref());
        note.tags.extend(row.text("observation_type"));
        note.tags.extend(row.text("tool_name"));
        // It kept one for every tool call, and threw them away after a month.
        note.importance = 2;
        harvest.notes.push(note);
        Ok(())
    })?;
    count_the_rest(db, harvest, READ, NAMED)
}

/// Imported, or made by the tool from what was imported.
const READ: &[&str] = &[
    "knowledge",
    "relations",
    "errors",
    "insights",
    "rules",
    "episodes",
    "skills",
    "workflows",
    "sessions",
    "session_summaries",
    "observations",
    "embeddings",
    "knowledge_nodes",
    "triple_extraction_queue",
    "deep_enrichment_queue",
    "representations_queue",
    "enrichment_queue",
    "embedding_pending",
    "write_intents",
];

/// Not imported, and why.
const NAMED: &[(&str, &str)] = &[
    ("fact_assertions", "a derived fact triple"),
    ("graph_nodes", "a node of its graph; hark finds entities itself"),
    ("graph_edges", "an edge of its graph; hark finds entities itself"),
    ("workflow_runs", "a run of a workflow; only how often it succeeded is kept"),
    ("skill_uses", "a use of a skill; only how often it succeeded is kept"),
    ("competencies", "a self-assessment"),
    ("blind_spots", "a self-assessment"),
    ("user_model", "a guess about the user"),
    ("pending_proposals", "a proposal that nobody decided"),
    ("reflection_reports", "a report of its reflection"),
    ("intents", "a prompt; import transcripts with `hark ingest`"),
    ("agent_actions", "a tool call; import transcripts with `hark ingest`"),
    ("timeline", "an entry of its timeline"),
    ("task_phases", "a phase of a task"),
    ("exploration_memos", "an exploration memo"),
    ("exploration_memo_files", "a file of an exploration memo"),
    ("rule_surfaces", "a note about when a rule was shown"),
];

fn procedures(db: &Database, harvest: &mut Harvest) -> Result<(), EngineError> {
    db.each::<EngineError>("skills", |row| {
        let Some(mut note) = procedure(row, "skills", row.int("times_used")) else { return Ok(()) };
        let avoid = list(row.text("anti_patterns").as_deref());
        if !avoid.is_empty() {
            note.body.push_str(&format!("\n\nAvoid:\n{}", bullets(&avoid)));
        }
        let projects = list(row.text("projects").as_deref());
        // A skill of several projects holds everywhere.
        note.project = projects.first().filter(|_| projects.len() == 1).and_then(|name| project(name));
        note.tags = list(row.text("stack").as_deref());
        note.updated = time(row.text("last_refined_at").as_deref());
        note.created = note.created.or(note.updated);
        harvest.notes.push(note);
        Ok(())
    })?;
    db.each::<EngineError>("workflows", |row| {
        let Some(note) = procedure(row, "workflows", row.int("times_run")) else { return Ok(()) };
        harvest.notes.push(note);
        Ok(())
    })
}

/// A name, when it applies, and numbered steps.
fn procedure(row: &Record<'_>, table: &'static str, uses: Option<i64>) -> Option<Note> {
    let mut note = note(row, table, Kind::Procedure, "description")?;
    note.title = row.text("name");
    let mut parts: Vec<String> = Vec::new();
    parts.extend(Some(std::mem::take(&mut note.body)).filter(|text| !text.trim().is_empty()));
    parts.extend(row.text("trigger_pattern").map(|trigger| format!("When: {trigger}")));
    let steps = list(row.text("steps").as_deref());
    let numbered = steps.iter().enumerate().map(|(n, step)| format!("{}. {}", n + 1, text_of(step)));
    parts.extend(Some(numbered.collect::<Vec<_>>().join("\n")).filter(|steps| !steps.is_empty()));
    // Only a name is left: that is still more than nothing.
    note.body = if parts.is_empty() { note.title.clone()? } else { parts.join("\n\n") };
    note.updated = time(row.text("updated_at").as_deref());
    if uses.is_some_and(|uses| uses > 0) {
        note.confidence = row.real("success_rate").unwrap_or(0.6) as f32;
    }
    if row.text("status").is_some_and(|status| status == "deprecated") {
        note.status = Status::Archived;
    }
    Some(note)
}

/// A step is a sentence, or an object with one.
fn text_of(step: &str) -> String {
    let object = serde_json::from_str::<serde_json::Value>(step).ok();
    let words = object.as_ref().and_then(|step| {
        ["description", "action", "step", "text", "name"].iter().find_map(|key| step[*key].as_str())
    });
    words.unwrap_or(step).to_owned()
}

fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

/// Its sessions, each with all summaries of it. One that says nothing is counted.
fn sessions(db: &Database, harvest: &mut Harvest) -> Result<(), EngineError> {
    let mut runs: Vec<Run> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    db.each::<EngineError>("sessions", |row| {
        let Some(id) = row.text("id") else { return Ok(()) };
        known.insert(id.clone(), runs.len());
        let mut run = run(row, id, "started_at");
        run.summary = row.text("summary");
        runs.push(run);
        Ok(())
    })?;
    db.each::<EngineError>("session_summaries", |row| {
        let Some(id) = row.text("session_id") else { return Ok(()) };
        let at = *known.entry(id.clone()).or_insert_with(|| {
            runs.push(run(row, id, "created_at"));
            runs.len() - 1
        });
        let run = &mut runs[at];
        let summary = row.text("summary").unwrap_or_default();
        match &mut run.summary {
            Some(told) if *told == summary => {}
            Some(told) => told.push_str(&format!("\n\n{summary}")),
            None => run.summary = Some(summary),
        }
        let lines = |column: &str| list(row.text(column).as_deref());
        run.done.extend(lines("highlights"));
        run.pending.extend(lines("next_steps"));
        run.pending.extend(lines("open_questions").into_iter().map(|line| format!("Open question: {line}")));
        run.work.extend(lines("pitfalls").into_iter().map(|line| format!("Pitfall: {line}")));
        run.work.extend(row.text("context_blob"));
        run.project = run.project.take().or_else(|| row.text("project").and_then(|name| project(&name)));
        run.branch = run.branch.take().or_else(|| row.text("branch"));
        let ended = time(row.text("ended_at").as_deref());
        run.updated = run.updated.max(ended.unwrap_or_default());
        run.ended = run.ended.max(ended);
        Ok(())
    })?;
    for run in runs {
        let says_something = run.summary.as_ref().is_some_and(|text| !text.trim().is_empty());
        if says_something || !run.done.is_empty() || !run.pending.is_empty() {
            harvest.runs.push(run);
        } else {
            harvest.unmapped("a session without a summary");
        }
    }
    Ok(())
}

fn run(row: &Record<'_>, id: String, started: &str) -> Run {
    let ended = time(row.text("ended_at").as_deref());
    let started = time(row.text("started_at").or_else(|| row.text(started)).as_deref());
    let started: Timestamp = started.or(ended).unwrap_or_default();
    Run {
        project: row.text("project").and_then(|name| project(&name)),
        branch: row.text("branch"),
        // It leaves sessions open for good; nobody goes on with one here.
        status: SessionStatus::Closed,
        updated: ended.unwrap_or(started).max(started),
        ended,
        ..Run::new(id, NAME.to_owned(), started)
    }
}
