//! Finds places that still contain forgotten words, and how to remove each. This is the last step of
//! forgetting: it searches everything byte by byte.

use std::collections::HashSet;
use std::path::Path;

use aho_corasick::AhoCorasick;
use hark_core::{IdRef, Memory, MemoryId, Raw, Session};
use serde::Serialize;

use crate::backup;
use crate::erase::everything;
use crate::error::{At, StoreError};
use crate::own;
use crate::revisions::Revision;
use crate::store::Store;
use crate::traces::{Place, Traces};

/// Transcripts larger than this are not searched.
const LARGEST_TRANSCRIPT: u64 = 256 * 1024 * 1024;

/// A place that still contains the words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Remains {
    /// A path inside the data directory, or a whole path outside of it.
    pub place: String,
    pub why: String,
    /// What to do about it.
    pub fix: String,
}

impl Store {
    /// The texts to search for: those that no other memory contains.
    pub fn traces(&self, gone: Vec<(&Memory, Vec<Revision>)>) -> Result<Traces, StoreError> {
        let ids: HashSet<MemoryId> = gone.iter().map(|(memory, _)| memory.id).collect();
        let mut failure = None;
        let traces = Traces::of(gone, |parts| {
            self.said_by_others(parts, &ids).unwrap_or_else(|e| {
                failure = Some(e);
                HashSet::new()
            })
        });
        failure.map_or(Ok(traces), Err)
    }

    /// Which of the texts stand in a memory that stays.
    fn said_by_others(
        &self,
        texts: &[String],
        gone: &HashSet<MemoryId>,
    ) -> Result<HashSet<usize>, StoreError> {
        let mut found = HashSet::new();
        let matcher = AhoCorasick::builder().ascii_case_insensitive(true).build(texts);
        let Ok(matcher) = matcher else { return Ok(found) };
        let mut run = || -> rusqlite::Result<()> {
            let mut read = self.conn.prepare("SELECT doc FROM memory")?;
            let mut rows = read.query([])?;
            while let Some(row) = rows.next()? {
                let memory = own::column::<Memory<Raw>>(row, 0)?;
                if gone.contains(&memory.id) {
                    continue;
                }
                let said = [&*memory.title, &memory.searchable_body()].join("\n");
                found.extend(matcher.find_overlapping_iter(&said).map(|hit| hit.pattern().as_usize()));
            }
            Ok(())
        };
        run().at(self)?;
        Ok(found)
    }

    /// Places that still contain one of the texts. `torn` are snapshots that cannot be read to their end.
    pub fn remains(&self, traces: &Traces, torn: &[String]) -> Result<Vec<Remains>, StoreError> {
        let mut found = Vec::new();
        let mut copies = Vec::new();
        for path in everything(self.layout.door(), &["models"]) {
            let place = path.strip_prefix(self.layout.home()).unwrap_or(&path);
            let is_backup = path.starts_with(self.layout.backups());
            let door = self.layout.door();
            let Ok(bytes) = door.read(&path, u64::MAX - 1) else { continue };
            let holds = traces.found_in(&bytes)
                || (is_backup && backup::any_entry(door, &path, |content| traces.found_in(content)));
            if !holds {
                continue;
            }
            let place = place.display().to_string();
            match self.explain(&path, &bytes) {
                Some((why, fix)) => found.push(Remains { place, why, fix }),
                None => copies.push((place, is_backup)),
            }
        }
        found.extend(self.projects_holding(traces)?);
        // The index and snapshots are copies: with the memory that says the same they go too.
        if found.is_empty() {
            found.extend(copies.into_iter().map(|(place, is_backup)| copy(place, is_backup)));
        }
        for name in torn {
            let fix = format!("delete {}", self.layout.home().join(name).display());
            let why = "is damaged; the unreadable part may contain it".to_owned();
            found.push(Remains { place: name.clone(), why, fix });
        }
        found.extend(self.transcripts_holding(traces)?);
        Ok(found)
    }

    /// Why a file holds the words, if it is not a copy of others.
    fn explain(&self, path: &Path, bytes: &[u8]) -> Option<(String, String)> {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let short = |id: &str| match id.parse::<IdRef>() {
            Ok(IdRef::Full(id)) => id.short(),
            _ => id.to_owned(),
        };
        if path.starts_with(self.layout.memories()) {
            let id = backup::id_of(bytes).map(|id| short(&id));
            let id = id.unwrap_or_else(|| path.display().to_string());
            return Some((format!("the memory {id} says the same"), format!("hark forget {id}")));
        }
        if path.starts_with(self.layout.revisions()) {
            let id = short(name);
            return Some((
                format!("the memory {id} said the same before it was changed"),
                format!("hark forget {id}"),
            ));
        }
        if path.starts_with(self.layout.sessions()) {
            let id = backup::id_of(bytes).unwrap_or_else(|| name.to_owned());
            let fix = format!("hark forget --session {id}");
            return Some(("a session quotes it and could not be changed".to_owned(), fix));
        }
        let is_index = name == "hark" && path.parent()? == self.layout.home();
        if is_index || path.starts_with(self.layout.backups()) {
            return None;
        }
        let why = "is a file that hark does not change".to_owned();
        Some((why, format!("edit or delete {}", path.display())))
    }

    /// Memories in stores of projects that say the same.
    fn projects_holding(&self, traces: &Traces) -> Result<Vec<Remains>, StoreError> {
        let mut found = Vec::new();
        let run = || -> rusqlite::Result<Vec<(String, Memory)>> {
            let mut read =
                self.conn.prepare("SELECT file, doc FROM memory WHERE file >= '@' AND file < 'A'")?;
            let rows = read.query_map([], |row| Ok((row.get(0)?, own::column::<Memory<Raw>>(row, 1)?)))?;
            rows.collect()
        };
        for (file, memory) in run().at(self)? {
            let said = [&*memory.title, &memory.searchable_body()].join("\n");
            if traces.found_in(said.as_bytes()) {
                let place =
                    self.layout.locate(&file).map_or(file.clone(), |at| at.path.display().to_string());
                let id = memory.id.short();
                let why = format!("the memory {id} of a project's store says the same");
                found.push(Remains { place, why, fix: format!("hark forget {id}, or delete the file") });
            }
        }
        Ok(found)
    }

    /// Transcripts of assistants that the memories came from. They are not ours, and not read again.
    fn transcripts_holding(&self, traces: &Traces) -> Result<Vec<Remains>, StoreError> {
        let mut found = Vec::new();
        let sessions: Vec<Session> = {
            let run = || -> rusqlite::Result<Vec<Session>> {
                let mut read = self.conn.prepare("SELECT doc FROM session")?;
                let rows = read.query_map([], |row| own::column::<Session<Raw>>(row, 0))?;
                rows.collect()
            };
            run().at(self)?
        };
        for session in sessions {
            let names = [session.host_session.as_str(), &session.id.full(), &session.id.short()];
            let Some(path) = session.transcript.as_deref().map(Path::new) else { continue };
            if traces.place_of(&names) == Place::Elsewhere {
                continue;
            }
            let text = hark_files::regular::read(path, LARGEST_TRANSCRIPT);
            if text.is_ok_and(|bytes| traces.found_at_source(&bytes)) {
                found.push(Remains {
                    place: path.display().to_string(),
                    why: format!("is a transcript of {}; hark does not read it again", session.host),
                    fix: format!("delete {}", path.display()),
                });
            }
        }
        Ok(found)
    }
}

/// A copy that is left although what it is a copy of has gone.
fn copy(place: String, is_backup: bool) -> Remains {
    let (why, fix) = if is_backup {
        ("is a snapshot that could not be changed", format!("delete {place} in the data directory"))
    } else {
        ("still contains it", "delete hark.db in the data directory, then run: hark reindex".to_owned())
    };
    Remains { place, why: why.to_owned(), fix }
}
