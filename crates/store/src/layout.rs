//! Where things are inside one data directory.

use std::path::{Path, PathBuf};

use hark_core::Kind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    home: PathBuf,
}

impl Layout {
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Layout { home: home.into() }
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn database(&self) -> PathBuf {
        self.home.join("hark.db")
    }

    pub fn memories(&self) -> PathBuf {
        self.home.join("memories")
    }

    pub fn kind_folder(&self, kind: Kind) -> PathBuf {
        self.memories().join(kind.name())
    }

    /// Former states of memories, one file each; part of the truth, not of the index.
    pub fn revisions(&self) -> PathBuf {
        self.home.join("revisions")
    }

    /// What was forgotten for good: ids and keyed marks, no text; part of the truth.
    pub fn tombstones(&self) -> PathBuf {
        self.home.join("tombstones.jsonl")
    }

    /// Snapshots of the files.
    pub fn backups(&self) -> PathBuf {
        self.home.join("backups")
    }

    /// Sessions, one file each; part of the truth.
    pub fn sessions(&self) -> PathBuf {
        self.home.join("sessions")
    }

    /// Redacted events that could not be stored yet.
    pub fn spool(&self) -> PathBuf {
        self.home.join("spool")
    }

    /// What went wrong in hooks, which have nobody to tell.
    pub fn hook_errors(&self) -> PathBuf {
        self.home.join("hook-errors.jsonl")
    }

    /// Held by the one background worker of this store.
    pub fn worker_lock(&self) -> PathBuf {
        self.home.join("worker.lock")
    }

    /// Held by the one process that reads transcripts into this store.
    pub fn ingest_lock(&self) -> PathBuf {
        self.home.join("ingest.lock")
    }

    /// Files on their way to their place; what is left here by a crash is rubbish.
    pub fn staging(&self) -> PathBuf {
        self.home.join("tmp")
    }

    /// Guards what SQLite cannot: setting a damaged index aside.
    pub fn lock(&self) -> PathBuf {
        self.home.join("hark.lock")
    }

    /// The key that makes redaction placeholders stable in this store.
    pub fn placeholder_key(&self) -> PathBuf {
        self.home.join("placeholder.key")
    }
}
