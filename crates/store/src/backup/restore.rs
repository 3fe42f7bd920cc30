//! Restores files from a snapshot: missing or unreadable ones, or the exact state.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use hark_core::{Raw, markdown};
use hark_files::Door;
use serde::Serialize;

use super::pack::{self, Unpacker};
use super::{PROJECTS, id_of, paths, relative, sources, stem};
use crate::error::{At, StoreError};
use crate::files;
use crate::store::Store;
use crate::tombstones;
use crate::write::Writer;

/// What a restore did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Restored {
    pub name: String,
    /// Restored files.
    pub missing: Vec<String>,
    /// Files that were unreadable, or that differed in an exact restore.
    pub replaced: Vec<String>,
    /// Files newer than the snapshot that an exact restore removed.
    pub removed: Vec<String>,
    /// Entries that were forgotten since the snapshot and are not restored.
    pub forgotten: usize,
    pub unchanged: usize,
    /// Whether the snapshot could be read to its end.
    pub whole: bool,
}

impl Store {
    /// The snapshot of that name, or the newest.
    pub fn snapshot_path(&self, name: Option<&str>) -> Option<std::path::PathBuf> {
        match name {
            Some(name) => paths(&self.layout).into_iter().find(|path| stem(path) == name),
            None => paths(&self.layout).pop(),
        }
    }
}

impl Writer<'_> {
    /// Restores files from a snapshot: with `exact` their exact state, otherwise only missing or unreadable
    /// ones. Without `apply` it changes nothing. Rebuild the index afterwards.
    pub fn restore(&mut self, snapshot: &Path, exact: bool, apply: bool) -> Result<Restored, StoreError> {
        pack::check(self.layout.door(), snapshot)?;
        let mut from = Unpacker::open(self.layout.door(), snapshot).at(snapshot)?;
        let mut report = Restored { name: stem(snapshot), ..Restored::default() };
        let mut seen = HashSet::new();
        // Use what a damaged snapshot still contains.
        while let Some((name, content)) = from.next_good() {
            seen.insert(name.clone());
            if let Some(id) = id_of(&content).filter(|_| is_note(&name))
                && tombstones::passing(&self.tx, &id).at(self)?.is_some()
            {
                report.forgotten += 1;
                continue;
            }
            let Some((door, staging, path)) = self.place_of(&name) else { continue };
            match door.read(&path, crate::files::LARGEST) {
                Ok(now) if now == content => report.unchanged += 1,
                // Never replace keys and tombstones with older ones.
                Ok(_) if !name.contains('/') => report.unchanged += 1,
                Ok(now) if exact || self.is_damaged(&name, &now) => {
                    report.replaced.push(name);
                    self.put_back(&door, &staging, &path, &content, apply)?;
                }
                Ok(_) => report.unchanged += 1,
                Err(_) => {
                    report.missing.push(name);
                    self.put_back(&door, &staging, &path, &content, apply)?;
                }
            }
        }
        report.whole = from.ended();
        if exact && report.whole {
            self.remove_newer(&seen, &mut report, apply)?;
        }
        Ok(report)
    }

    fn remove_newer(
        &mut self,
        seen: &HashSet<String>,
        report: &mut Restored,
        apply: bool,
    ) -> Result<(), StoreError> {
        for path in sources(self.layout) {
            let name = relative(self.layout, &path);
            if is_note(&name) && !seen.contains(&name) {
                if apply {
                    self.journal_file(&path);
                    self.layout.remove(&path)?;
                }
                report.removed.push(name);
            }
        }
        Ok(())
    }

    /// Where an entry belongs: in the user's own store, or in the trusted store of a project that is still there.
    fn place_of(&self, name: &str) -> Option<(Door, PathBuf, PathBuf)> {
        let layout = self.layout;
        let Some(inner) = name.strip_prefix(PROJECTS) else {
            return Some((layout.door().clone(), layout.staging(), layout.home().join(name)));
        };
        let (id, file) = inner.split_once('/')?;
        let layer = layout.layers.iter().find(|layer| layer.store_id() == id && layer.is_trusted())?;
        file.starts_with("memories/")
            .then(|| (layer.door().clone(), layer.staging(), layer.path().join(file)))
    }

    fn put_back(
        &mut self,
        door: &Door,
        staging: &Path,
        path: &Path,
        content: &[u8],
        apply: bool,
    ) -> Result<(), StoreError> {
        if !apply {
            return Ok(());
        }
        for folder in [path.parent(), Some(staging)].into_iter().flatten() {
            files::create_folder(door, folder)?;
        }
        self.journal_at(door, staging, path);
        files::write_atomic(door, staging, path, content).map(drop)
    }

    fn is_damaged(&self, name: &str, bytes: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(bytes) else { return true };
        let clean = |raw: Raw| self.redactor.clean(raw);
        if name.starts_with("memories/") || name.starts_with(PROJECTS) {
            markdown::parse(text, &clean).is_err()
        } else if name.starts_with("sessions/") {
            markdown::session::parse(text, &clean).is_err()
        } else {
            bytes.is_empty() || bytes.contains(&0)
        }
    }
}

fn is_note(name: &str) -> bool {
    ["memories/", "sessions/", PROJECTS].iter().any(|folder| name.starts_with(folder))
}
