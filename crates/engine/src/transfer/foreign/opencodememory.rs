//! openCodeMemory (`ocm-session-memory`): sessions with goals, work, decisions and files. Sessions stay
//! sessions; each decision becomes a memory as well, because it is worth finding by itself.

use std::path::{Path, PathBuf};

use hark_core::Kind;
use hark_core::session::{FileOp, SessionStatus};

use super::harvest::{Harvest, Note, Run};
use super::rows::count_the_rest;
use super::words::time;
use super::{Surroundings, Tool, open};
use crate::error::EngineError;

const NAME: &str = "openCodeMemory";
const FOLDER: &str = ".openCodeMemory";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    aliases: &["ocm", "ocm-session-memory"],
    about: "sessions with their decisions",
    places,
    read,
};

fn places(around: &Surroundings) -> Vec<PathBuf> {
    let mut found = around.in_home(&[FOLDER, "memory.db"]);
    // Every project that was set up is registered with the database it has.
    let registry = around.in_home(&[FOLDER, "registry.json"]).pop();
    let text = registry
        .and_then(|path| hark_files::regular::read_to_string(&path, 16 * 1024 * 1024).ok())
        .unwrap_or_default();
    if let Ok(serde_json::Value::Array(projects)) = serde_json::from_str(&text) {
        found.extend(projects.iter().filter_map(|p| p["db_path"].as_str()).map(PathBuf::from));
    }
    if let Some(folder) = &around.folder {
        found.extend(
            folder.ancestors().map(|up| up.join(FOLDER).join("memory.db")).find(|path| path.exists()),
        );
    }
    found.sort();
    found
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    let inner = path.join(FOLDER);
    let path = if inner.is_dir() { inner } else { path.to_owned() };
    let db = open(NAME, &path, "memory.db", "sessions")?;
    // A project's own database lies in its folder.
    let project = db.path().parent().filter(|p| p.ends_with(FOLDER)).and_then(Path::parent);
    let project = project.filter(|root| !is_home(root)).map(|root| root.display().to_string());

    db.each::<EngineError>("sessions", |row| {
        let Some(id) = row.text("id") else { return Ok(()) };
        let started = time(row.text("started_at").as_deref()).unwrap_or_default();
        let ended = time(row.text("ended_at").as_deref());
        let status = row.text("status").unwrap_or_default();
        let host = row.text("tool").unwrap_or_else(|| "claude-code".to_owned());
        harvest.runs.push(Run {
            project: project.clone().or_else(|| row.text("project")),
            title: row.text("slug"),
            goal: row.text("goal"),
            // Anything may stand there; what has an end is over.
            status: status.parse().unwrap_or(if ended.is_some() {
                SessionStatus::Closed
            } else {
                SessionStatus::Expired
            }),
            updated: ended.unwrap_or(started),
            ended,
            head_start: row.text("git_sha_start"),
            head_end: row.text("git_sha_end"),
            ..Run::new(id, host, started)
        });
        Ok(())
    })?;
    db.each::<EngineError>("session_files", |row| {
        let (Some(session), Some(file)) = (row.text("session_id"), row.text("file_path")) else {
            return Ok(());
        };
        let op =
            row.text("change_type").and_then(|word| FileOp::from_name(&word)).unwrap_or(FileOp::Modified);
        // A renamed file was stored as two names with a tab between them.
        let file = file.rsplit('\t').next().unwrap_or(&file).to_owned();
        if let Some(run) = harvest.runs.iter_mut().find(|run| run.id == session) {
            run.files.push((file, op));
        }
        Ok(())
    })?;
    db.each::<EngineError>("session_chunks", |row| {
        let (Some(session), Some(content)) = (row.text("session_id"), row.text("content")) else {
            return Ok(());
        };
        let sort = row.text("chunk_type").unwrap_or_default();
        let at = time(row.text("created_at").as_deref());
        let Some(run) = harvest.runs.iter_mut().find(|run| run.id == session) else {
            harvest.unmapped("a part of a missing session");
            return Ok(());
        };
        run.updated = run.updated.max(at.unwrap_or_default());
        match sort.as_str() {
            "work_completed" => run.done.push(content),
            "work_pending" => run.pending.push(content),
            "work_summary" => run.work.push(content),
            "plan_file" => run.plans.extend(pair(&content, "path", "header")),
            "reference" => run.references.extend(pair(&content, "url", "title")),
            "decision" => {
                run.decisions.push(content.clone());
                let key = ("session_chunks", row.text("id").unwrap_or_default());
                let mut note = Note::new(key, Kind::Decision, content);
                note.project.clone_from(&run.project);
                note.session = Some(session);
                note.created = at;
                harvest.notes.push(note);
            }
            other => harvest.unmapped(format!("a `{}` of a session", super::words::plain(other))),
        }
        Ok(())
    })?;
    count_the_rest(&db, harvest, &["sessions", "session_files", "session_chunks"], &[])
}

fn is_home(path: &Path) -> bool {
    etcetera::home_dir().is_ok_and(|home| home == path)
}

/// `{"path": …, "header": …}`, or the text itself.
fn pair(text: &str, to: &str, label: &str) -> Option<(String, Option<String>)> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => Some((value[to].as_str()?.to_owned(), value[label].as_str().map(str::to_owned))),
        Err(_) => Some((text.to_owned(), None)),
    }
}
