//! Files that hooks write when the index is not writable: redacted events for the next regular opening,
//! and a short list of errors. No database is involved.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hark_core::event::Arrival;
use hark_core::{Clean, Raw, Timestamp};
use hark_files::Door;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::files;
use crate::layout::Layout;
use crate::own;

/// The most waiting events; beyond this, something has been broken for a long time.
const MOST_WAITING: usize = 20_000;
/// The list of errors is cut when it reaches this size.
const MOST_ERROR_BYTES: u64 = 64 * 1024;

/// Something that went wrong in a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookError {
    pub at: Timestamp,
    pub host: String,
    pub event: String,
    pub error: String,
    /// Whether the event itself was kept and will be stored later.
    pub kept: bool,
}

/// Keeps an event for later. The name orders it and makes it unique.
pub fn keep(layout: &Layout, arrival: &Arrival, unique: &str) -> Result<(), StoreError> {
    let folder = layout.spool();
    layout.create_folder(&folder)?;
    let line = serde_json::to_vec(arrival).unwrap_or_default();
    let name = format!("{:015}-{unique}.json", arrival.event.at.as_millis());
    // Written under a name that nobody reads, then renamed: a reader never sees half of it.
    files::write_atomic(layout.door(), &folder, &folder.join(name), &line).map(drop)
}

/// Waiting events, oldest first, with their files. What cannot be read as an event is removed if its name says
/// that it is ours: nothing can be done about it.
pub fn waiting(layout: &Layout) -> Vec<(PathBuf, Arrival)> {
    let mut paths = events(layout);
    paths.truncate(MOST_WAITING);
    let mut found = Vec::new();
    for path in paths {
        let Ok(bytes) = layout.door().read(&path, files::LARGEST) else { continue };
        match own::read::<Arrival<Raw>>(&String::from_utf8_lossy(&bytes)) {
            Ok(mut arrival) => {
                // If we die between storing it and removing the file, it must not be stored twice.
                if arrival.once.is_none()
                    && let Some(name) = path.file_stem().and_then(|s| s.to_str())
                {
                    arrival.once = Some(Clean::already_redacted(format!("spool {name}")));
                }
                found.push((path, arrival));
            }
            Err(_) => drop(layout.door().remove(&path)),
        }
    }
    found
}

/// Removes a stored event from the spool.
pub fn done(layout: &Layout, path: &Path) {
    let _ = layout.door().remove(path);
}

pub fn is_empty(layout: &Layout) -> bool {
    events(layout).is_empty()
}

/// Files that [`keep`] made, by their names: nothing else in the folder is ours to read or to delete.
fn events(layout: &Layout) -> Vec<PathBuf> {
    let is_ours = |path: &Path| {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let mut parts = name.strip_suffix(".json").unwrap_or_default().split('-');
        let at = parts.next().unwrap_or_default();
        at.len() >= 15
            && at.bytes().all(|b| b.is_ascii_digit())
            && parts.clone().count() == 2
            && parts.all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
    };
    let listed = layout.files_in(&layout.spool());
    listed.into_iter().map(|(path, _)| path).filter(|path| is_ours(path)).collect()
}

/// Adds to the list of errors in `file`, which lies directly in a folder of ours.
pub fn record_error(file: &Path, error: &HookError) -> io::Result<()> {
    let (door, name) = door_to(file)?;
    door.create_folder(Path::new(""))?;
    if door.look(&name)?.is_some_and(|look| look.size > MOST_ERROR_BYTES) {
        let text = door.read_to_string(&name, MOST_ERROR_BYTES * 16).unwrap_or_default();
        let half: String = text.lines().skip(text.lines().count() / 2).map(|l| format!("{l}\n")).collect();
        let shortened = door.open_or_create(&name)?;
        shortened.set_len(0)?;
        (&shortened).write_all(half.as_bytes())?;
    }
    let mut line = serde_json::to_vec(error).unwrap_or_default();
    line.push(b'\n');
    files::append(&door, &name, &line).map(drop).map_err(|e| io::Error::other(e.to_string()))
}

/// The errors in `file`, oldest first.
pub fn errors(file: &Path) -> Vec<HookError> {
    let text = door_to(file).and_then(|(door, name)| door.read_to_string(&name, MOST_ERROR_BYTES * 16));
    text.unwrap_or_default().lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn door_to(file: &Path) -> io::Result<(Door, PathBuf)> {
    match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) => Ok((Door::new(folder), PathBuf::from(name))),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}
