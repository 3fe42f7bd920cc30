//! Paths inside the user's store, access to them, and the project stores next to it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use hark_core::Kind;
use hark_files::{Door, Look};

use crate::error::StoreError;
use crate::files::{self, Stamp};
use crate::layers::Layer;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    door: Door,
    /// Stores of projects whose memories are in the index.
    pub(crate) layers: Vec<Layer>,
    /// The one that somebody works in now.
    pub(crate) here: Option<i64>,
}

/// Where the file of a memory is.
pub(crate) struct Located<'l> {
    pub(crate) door: &'l Door,
    pub(crate) path: PathBuf,
    /// The store of a project; `None` for the user's own.
    pub(crate) layer: Option<&'l Layer>,
}

impl Located<'_> {
    pub(crate) fn stamp(&self) -> Result<Option<Stamp>, StoreError> {
        Stamp::read(self.door, &self.path)
    }

    pub(crate) fn is_file(&self) -> bool {
        self.door.has_file(&self.path)
    }

    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        self.door.read(&self.path, files::LARGEST)
    }
}

impl Layout {
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Layout { door: Door::new(home), layers: Vec::new(), here: None }
    }

    pub fn home(&self) -> &Path {
        self.door.root()
    }

    /// The only way to files of the user's store.
    pub fn door(&self) -> &Door {
        &self.door
    }

    /// The file of a memory by its name in the index: `decision/x.md` in the user's store, `@3/decision/x.md` in
    /// the store of a project. `None` if that store is not known.
    pub(crate) fn locate(&self, file: &str) -> Option<Located<'_>> {
        let Some((num, inner)) = Layer::split(file) else {
            return Some(Located { door: &self.door, path: self.memories().join(file), layer: None });
        };
        let layer = self.layers.iter().find(|layer| layer.num == num)?;
        Some(Located { door: layer.door(), path: layer.memories().join(inner), layer: Some(layer) })
    }

    /// Reads a file of the user's store; `None` if it is not there.
    pub(crate) fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
        match self.door.read(path, files::LARGEST) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(StoreError::reading(path, e)),
        }
    }

    /// The text of a file of the user's store; `None` if it is not there. What is not UTF-8 is replaced.
    pub(crate) fn read_text(&self, path: &Path) -> Result<Option<String>, StoreError> {
        let text = |bytes: Vec<u8>| match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
        };
        Ok(self.read(path)?.map(text))
    }

    /// Writes a file of the user's store in one step.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<Stamp, StoreError> {
        files::write_atomic(&self.door, &self.staging(), path, bytes)
    }

    pub(crate) fn append(&self, path: &Path, bytes: &[u8]) -> Result<u64, StoreError> {
        files::append(&self.door, path, bytes)
    }

    pub(crate) fn remove(&self, path: &Path) -> Result<(), StoreError> {
        files::remove(&self.door, path)
    }

    pub(crate) fn stamp(&self, path: &Path) -> Result<Option<Stamp>, StoreError> {
        Stamp::read(&self.door, path)
    }

    pub(crate) fn create_folder(&self, path: &Path) -> Result<(), StoreError> {
        files::create_folder(&self.door, path)
    }

    /// Regular files in a folder of the user's store, by name.
    pub(crate) fn files_in(&self, folder: &Path) -> Vec<(PathBuf, Look)> {
        let listed = self.door.list(folder).unwrap_or_default();
        let mut found: Vec<(PathBuf, Look)> = listed
            .into_iter()
            .filter(|(_, look)| look.is_file())
            .map(|(name, look)| (folder.join(name), look))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }

    /// A file to lock, made if it is missing.
    pub fn lock_file(&self, path: &Path) -> io::Result<File> {
        self.door.open_or_create(path)
    }

    /// What the user trusted, and since when; part of the truth.
    pub fn trust(&self) -> PathBuf {
        self.home().join("trust.json")
    }

    /// Which projects were merged, and what they are called; part of the truth.
    pub fn projects(&self) -> PathBuf {
        self.home().join("projects.json")
    }

    pub fn database(&self) -> PathBuf {
        self.home().join("hark.db")
    }

    pub fn memories(&self) -> PathBuf {
        self.home().join("memories")
    }

    pub fn kind_folder(&self, kind: Kind) -> PathBuf {
        self.memories().join(kind.name())
    }

    /// Former states of memories, one file each; part of the truth, not of the index.
    pub fn revisions(&self) -> PathBuf {
        self.home().join("revisions")
    }

    /// What was forgotten for good: ids and keyed marks, no text; part of the truth.
    pub fn tombstones(&self) -> PathBuf {
        self.home().join("tombstones.jsonl")
    }

    /// Phrases that use has taught, with the ids of their memories; part of the truth.
    pub fn phrases(&self) -> PathBuf {
        self.home().join("phrases.jsonl")
    }

    /// Exports that tools made for a model.
    pub fn exports(&self) -> PathBuf {
        self.home().join("exports")
    }

    /// Snapshots of the files.
    pub fn backups(&self) -> PathBuf {
        self.home().join("backups")
    }

    /// Sessions, one file each; part of the truth.
    pub fn sessions(&self) -> PathBuf {
        self.home().join("sessions")
    }

    /// Redacted events that could not be stored yet.
    pub fn spool(&self) -> PathBuf {
        self.home().join("spool")
    }

    /// Errors of hooks, which cannot report them to anyone.
    pub fn hook_errors(&self) -> PathBuf {
        self.home().join("hook-errors.jsonl")
    }

    /// Held by the one background worker of this store.
    pub fn worker_lock(&self) -> PathBuf {
        self.home().join("worker.lock")
    }

    /// Held by the one process that reads transcripts into this store.
    pub fn ingest_lock(&self) -> PathBuf {
        self.home().join("ingest.lock")
    }

    /// How far long work is, a small file for each process that does some.
    pub fn activity(&self) -> PathBuf {
        self.home().join("activity")
    }

    /// What the watcher of this store last said about itself.
    pub fn service_state(&self) -> PathBuf {
        self.home().join("service.json")
    }

    /// Which documents were read into memories, so that they can be read again.
    pub fn documents(&self) -> PathBuf {
        self.home().join("documents.json")
    }

    /// Writes a small file of operational state in one step.
    pub fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.create_folder(&self.staging())?;
        self.write(path, bytes).map(drop)
    }

    /// Staging files; anything that a crash leaves here can be deleted.
    pub fn staging(&self) -> PathBuf {
        self.home().join("tmp")
    }

    /// Guards what SQLite cannot: moving a damaged index aside.
    pub fn lock(&self) -> PathBuf {
        self.home().join("hark.lock")
    }

    /// The key that makes redaction placeholders stable in this store.
    /// There while a rule is about tools other than editors and shells.
    pub fn tool_rules(&self) -> PathBuf {
        self.home().join("tool-rules")
    }

    pub fn placeholder_key(&self) -> PathBuf {
        self.home().join("placeholder.key")
    }

    /// The token for callers of `hark serve`; only in the user's own store.
    pub fn serve_token(&self) -> PathBuf {
        self.home().join("serve.token")
    }

    /// Where the last `hark serve` of this store listens, for programs on this machine.
    pub fn serve_address(&self) -> PathBuf {
        self.home().join("serve.address")
    }
}
