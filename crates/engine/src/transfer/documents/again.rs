//! Remembers which documents were read, so that a running service reads them again when they change.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hark_core::ProjectKey;
use hark_store::Layout;
use serde::{Deserialize, Serialize};

use super::{Chosen, Reading};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::project_store::may_be_written_down;

/// More projects than anybody works in; the oldest go.
const MOST: usize = 200;
const LARGEST: u64 = 8 * 1024 * 1024;
/// A file that changed this lately may still be being written.
const SETTLED: Duration = Duration::from_secs(1);

/// What one `hark bootstrap` read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Source {
    root: PathBuf,
    path: PathBuf,
    everything: bool,
    project: Option<String>,
    files: Vec<Stamp>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Stamp {
    path: PathBuf,
    size: u64,
    modified: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let meta = fs::metadata(path).ok()?;
        let modified = meta.modified().unwrap_or(UNIX_EPOCH).duration_since(UNIX_EPOCH).unwrap_or_default();
        let modified = u64::try_from(modified.as_millis()).unwrap_or(0);
        Some(Stamp { path: path.to_owned(), size: meta.len(), modified })
    }

    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Duration::from_millis(self.modified) + SETTLED < now
    }
}

/// Notes what was read, and in which state. A file that changed a moment ago may have changed after it was read, so it is
/// read once more.
pub(crate) fn note(
    engine: &mut Engine,
    chosen: &Chosen<'_>,
    project: Option<&ProjectKey>,
    files: &[PathBuf],
) -> Result<(), EngineError> {
    let redactor = engine.redactor();
    let stamps = files.iter().filter_map(|file| Stamp::of(file));
    let files: Vec<Stamp> =
        stamps.map(|stamp| if stamp.is_settled() { stamp } else { Stamp { modified: 0, ..stamp } }).collect();
    if !files.iter().all(|file| may_be_written_down(&file.path, &redactor)) {
        return Ok(());
    }
    let source = Source {
        root: chosen.root.to_owned(),
        path: chosen.path.to_owned(),
        everything: chosen.everything,
        project: project.map(ToString::to_string),
        files,
    };
    // Under the lock of the store: a command and a service may note something at the same time.
    let (now, layout) = (engine.now(), engine.store.layout().clone());
    engine.store.write(now, |_| {
        let mut sources = sources(&layout);
        sources.retain(|other| other.path != source.path);
        sources.push(source);
        let extra = sources.len().saturating_sub(MOST);
        put(&layout, &sources[extra..])
    })
}

/// Reads the documents that changed since. Returns how many memories changed.
pub(crate) fn read_changed(engine: &mut Engine) -> Result<usize, EngineError> {
    let mut changed = 0;
    for source in sources(engine.store.layout()) {
        // A project that is gone, or a drive that is not there, says nothing about its documents.
        if !source.path.exists() {
            continue;
        }
        let now: Vec<Option<Stamp>> = source.files.iter().map(|file| Stamp::of(&file.path)).collect();
        let is_same = now.iter().zip(&source.files).all(|(now, then)| now.as_ref() == Some(then));
        if is_same || now.iter().flatten().any(|file| !file.is_settled()) {
            continue;
        }
        let project = source.project.as_deref().and_then(|key| ProjectKey::new(&engine.clean(key)));
        let chosen = Chosen { root: &source.root, path: &source.path, everything: source.everything };
        let Reading { added, updated, archived, files, .. } =
            super::read(engine, &chosen, project.as_ref(), false)?;
        changed += added + updated + archived;
        note(engine, &chosen, project.as_ref(), &files)?;
    }
    Ok(changed)
}

fn sources(layout: &Layout) -> Vec<Source> {
    let bytes = layout.door().read(&layout.documents(), LARGEST).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn put(layout: &Layout, sources: &[Source]) -> Result<(), EngineError> {
    Ok(layout.put(&layout.documents(), &serde_json::to_vec(sources).unwrap_or_default())?)
}
