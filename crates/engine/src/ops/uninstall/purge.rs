//! Deletes the user's store. Only what hark made is deleted, and never the store of a project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hark_hosts::Surroundings;
use hark_store::{Layout, Trust};

use crate::error::EngineError;
use crate::machine::Machine;
use crate::operation::Call;
use crate::operation::text::count;
use crate::project_store;
use crate::voice::ASK_USER;

/// Everything that hark keeps in a store. The index has companions with longer names.
const OWN: &[&str] = &[
    "activity",
    "backups",
    "config.toml",
    "documents.json",
    "hark.lock",
    "hook-errors.jsonl",
    "hook-times",
    "hook-times.old",
    "ingest.lock",
    "install",
    "logs",
    "memories",
    "models",
    "phrases.jsonl",
    "placeholder.key",
    "plugins",
    "projects.json",
    "revisions",
    "serve.address",
    "serve.token",
    "service.json",
    "sessions",
    "spool",
    "tmp",
    "tombstones.jsonl",
    "tool-rules",
    "trust.json",
    "worker.lock",
];

/// A store that is about to go.
pub(super) struct Doomed {
    home: PathBuf,
    /// Its name for people.
    shown: String,
    memories: usize,
    sessions: usize,
    /// Stores of projects, which stay.
    projects: Vec<String>,
    settings: Option<String>,
}

pub(super) fn look(machine: &Machine, around: &Surroundings) -> Result<Doomed, EngineError> {
    let home = around.data.clone();
    let shown = around.short(&home);
    let is_project = home.file_name().is_some_and(|name| name == project_store::FOLDER);
    if is_project || home == around.home || home.parent().is_none() {
        return Err(EngineError::invalid(
            format!("{shown} is not a store of yours alone, so it is not deleted"),
            "run `hark uninstall` without --purge, and delete the folder yourself",
        ));
    }
    let layout = Layout::new(&home);
    let trusted = Trust::read(&layout).map(|trust| trust.stores).unwrap_or_default();
    let settings = machine.user_config.as_ref().filter(|file| file.exists());
    Ok(Doomed {
        memories: markdown(&layout.memories()),
        sessions: markdown(&layout.sessions()),
        projects: trusted.iter().filter(|s| s.path.exists()).map(|s| around.short(&s.path)).collect(),
        settings: settings.map(|file| around.short(file)),
        home,
        shown,
    })
}

/// The number of markdown files in a folder and below.
fn markdown(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let counted = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => markdown(&entry.path()),
        Ok(_) => usize::from(entry.path().extension().is_some_and(|extension| extension == "md")),
        Err(_) => 0,
    });
    counted.sum()
}

impl Doomed {
    /// Only a person may agree.
    pub(super) fn confirm(&self, call: &mut Call<'_>, yes: bool) -> Result<(), EngineError> {
        if !call.caller.is_user() {
            return Err(EngineError::invalid("only the user may delete the store", ASK_USER));
        }
        let question =
            format!("Delete {} with {}? This cannot be undone. [y/N] ", self.shown, self.content());
        match yes || (call.ask)(&question).unwrap_or(false) {
            true => Ok(()),
            false => Err(EngineError::invalid(
                "nothing was changed",
                "to delete your store, run `hark uninstall --purge --yes`",
            )),
        }
    }

    fn content(&self) -> String {
        let memories = count(self.memories, "memory", "memories");
        let sessions = count(self.sessions, "session", "sessions");
        format!("{memories}, {sessions} and all backups")
    }

    /// What is deleted and what stays.
    pub(super) fn words(&self, verb: &str) -> Vec<String> {
        let mut words = vec![format!("{verb} {}: {}", self.shown, self.content())];
        let stays = |what: &str| format!("{what} stays");
        words.extend(self.projects.iter().map(|store| stays(store)));
        words.extend(self.settings.iter().map(|file| stays(file)));
        words
    }

    pub(super) fn delete(self) -> Result<Vec<String>, EngineError> {
        let failed = |path: &Path, error: &io::Error| EngineError::File {
            path: path.to_owned(),
            message: error.to_string(),
        };
        let mut words = self.words("deleted");
        let entries = match fs::read_dir(&self.home) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(words),
            Err(error) => return Err(failed(&self.home, &error)),
        };
        let mut strangers = Vec::new();
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let own = OWN.contains(&name.as_str())
                || name.starts_with("hark.db")
                || name.starts_with(".placeholder.key.");
            if !own {
                strangers.push(name);
                continue;
            }
            // A link is removed, not what it leads to.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let done = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            done.map_err(|error| failed(&path, &error))?;
        }
        if strangers.is_empty() {
            let _ = fs::remove_dir(&self.home);
        } else {
            strangers.sort();
            words.push(format!("{} stays, because hark did not make: {}", self.shown, strangers.join(", ")));
        }
        Ok(words)
    }
}
