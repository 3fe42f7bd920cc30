//! An export for people: a folder of markdown files by project and kind, with a table of contents.
//! It can be imported again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hark_core::{Memory, ProjectKey};
use hark_files::{Door, regular};

use super::export::{Selection, Written, io_error, memories};
use super::format::{MemoryRecord, Record, SessionRecord};
use super::read::Place;
use crate::engine::Engine;
use crate::error::EngineError;

const CONTENTS: &str = "index.md";
const GLOBAL: &str = "everywhere";
const SESSIONS: &str = "sessions";
const MOST_FILES: usize = 100_000;

/// Writes a new folder. A folder that is not empty is refused, because outdated files of an earlier export
/// would stay.
pub(super) fn write(engine: &Engine, selection: &Selection, to: &Path) -> Result<Written, EngineError> {
    if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(EngineError::invalid(
            format!("{} is not empty", to.display()),
            "choose a new folder, or empty this one",
        ));
    }
    let mut written = Written::default();
    let mut contents: BTreeMap<String, BTreeMap<&'static str, Vec<String>>> = BTreeMap::new();
    memories(engine, selection, &mut |stored| {
        let Some(text) = engine.store.text_of(stored)? else { return Ok(()) };
        let memory = &stored.memory;
        let project = folder_of(memory.scope.project());
        let name = hark_core::markdown::file_name(memory);
        put(to, &[&project, memory.kind.name(), &name], &text)?;
        contents
            .entry(project.clone())
            .or_default()
            .entry(memory.kind.name())
            .or_default()
            .push(line(memory, &format!("{project}/{}/{name}", memory.kind.name())));
        written.memories += 1;
        written.links += memory.links.len();
        Ok(())
    })?;
    if selection.sessions {
        let chosen = &selection.memories;
        for (_, file) in engine.store.departing_sessions(chosen.projects.as_deref(), chosen.since)? {
            if let Some(text) = engine.store.session_text(&file)? {
                put(to, &[SESSIONS, &file], &text)?;
                written.sessions += 1;
            }
        }
    }
    put(to, &[CONTENTS], &table_of(&contents, written.sessions))?;
    Ok(written)
}

fn put(to: &Path, parts: &[&str], text: &str) -> Result<(), EngineError> {
    let path: PathBuf = parts.iter().collect();
    let door = Door::new(to);
    let fail = |e| io_error(&to.join(&path), e);
    // An export contains the same data as the store, so keep it private.
    door.create_folder(path.parent().unwrap_or(Path::new(""))).map_err(fail)?;
    door.create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(fail)
}

/// A folder that every file system takes.
fn folder_of(project: Option<&ProjectKey>) -> String {
    let Some(key) = project else { return GLOBAL.to_owned() };
    let safe: String = key
        .as_str()
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' })
        .collect();
    let safe = safe.trim_start_matches('.');
    if safe.is_empty() || safe == SESSIONS { format!("project-{safe}") } else { safe.to_owned() }
}

fn line(memory: &Memory, path: &str) -> String {
    let title: String = memory.title.chars().filter(|c| !matches!(c, '[' | ']')).collect();
    let date: String = memory.updated.to_string().chars().take(10).collect();
    let status = if memory.status == hark_core::Status::Active {
        String::new()
    } else {
        format!(", {}", memory.status)
    };
    format!("- [{title}](<{path}>) ({date}{status})")
}

fn table_of(contents: &BTreeMap<String, BTreeMap<&'static str, Vec<String>>>, sessions: usize) -> String {
    let mut text = "# Memories\n".to_owned();
    for (project, kinds) in contents {
        let _ = write!(text, "\n## {project}\n");
        for (kind, lines) in kinds {
            let _ = write!(text, "\n### {kind}\n\n{}\n", lines.join("\n"));
        }
    }
    if sessions > 0 {
        let _ = write!(text, "\n{sessions} sessions are in the folder `{SESSIONS}`.\n");
    }
    text
}

/// Hands over every memory and session file below a folder.
pub(super) fn each(
    root: &Path,
    visit: &mut dyn FnMut(Record, Place) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let mut files = Vec::new();
    gather(root, 0, &mut files)?;
    files.sort();
    let mut ours = 0;
    for path in files {
        let Ok(text) = regular::read_to_string(&path, 64 * 1024 * 1024) else { continue };
        let Some(id) = id_in(&text) else { continue };
        ours += 1;
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let place = Place::File(path.strip_prefix(root).unwrap_or(&path).display().to_string());
        let folder = path.parent().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or_default();
        let is_session = text.lines().take_while(|l| !l.is_empty()).any(|l| l.starts_with("host_session:"));
        let record = if is_session {
            Record::Session(SessionRecord { id, file: Some(name), text })
        } else {
            Record::Memory(MemoryRecord::of_file(id, format!("{folder}/{name}"), text))
        };
        visit(record, place)?;
    }
    if ours == 0 {
        return Err(EngineError::invalid(
            format!("{}: contains no memories of hark", root.display()),
            "import your own notes with `hark migrate obsidian FOLDER` or `hark bootstrap FOLDER`",
        ));
    }
    Ok(())
}

fn gather(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), EngineError> {
    let entries = fs::read_dir(folder).map_err(|e| io_error(folder, e))?;
    for entry in entries {
        let entry = entry.map_err(|e| io_error(folder, e))?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let kind = entry.file_type().map_err(|e| io_error(folder, e))?;
        if hidden || kind.is_symlink() || found.len() >= MOST_FILES {
            continue;
        }
        let path = entry.path();
        if kind.is_dir() && depth < 8 {
            gather(&path, depth + 1, found)?;
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("md")) {
            found.push(path);
        }
    }
    Ok(())
}

/// The id in the front matter of one of our files.
fn id_in(text: &str) -> Option<String> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text).strip_prefix("---")?;
    let front = rest.split("\n---").next()?;
    let id = front.lines().find_map(|line| line.strip_prefix("id:"))?.trim().trim_matches(['"', '\'']);
    uuid::Uuid::parse_str(id).ok().map(|id| id.hyphenated().to_string())
}
