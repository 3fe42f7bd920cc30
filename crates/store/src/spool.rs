//! What hooks leave behind when the index cannot be written: redacted events that wait for the next
//! ordinary opening, and a short list of what went wrong. Plain files, no database.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hark_core::event::Arrival;
use hark_core::{Clean, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::files;
use crate::layout::Layout;

/// More events than this wait for nobody: something has been broken for long.
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
    if !folder.is_dir() {
        for folder in [layout.home(), &folder] {
            files::create_folder(folder)?;
            files::restrict(folder);
        }
    }
    let line = serde_json::to_vec(arrival).unwrap_or_default();
    let name = format!("{:015}-{unique}.json", arrival.event.at.as_millis());
    // Written under a name that nobody reads, then renamed: a reader never sees half of it.
    files::write_atomic(&folder, &folder.join(name), &line).map(drop)
}

/// Waiting events, oldest first, with their files. What cannot be read is removed: it is ours, and
/// nothing can be done about it.
pub fn waiting(layout: &Layout) -> Vec<(PathBuf, Arrival)> {
    let Ok(entries) = fs::read_dir(layout.spool()) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    paths.truncate(MOST_WAITING);
    let mut found = Vec::new();
    for path in paths {
        match fs::read(&path).ok().map(|bytes| serde_json::from_slice::<Arrival>(&bytes)) {
            Some(Ok(mut arrival)) => {
                // If we die between storing it and removing the file, it must not be stored twice.
                if arrival.once.is_none()
                    && let Some(name) = path.file_stem().and_then(|s| s.to_str())
                {
                    arrival.once = Some(Clean::already_redacted(format!("spool {name}")));
                }
                found.push((path, arrival));
            }
            Some(Err(_)) => drop(fs::remove_file(&path)),
            None => {}
        }
    }
    found
}

pub fn is_empty(layout: &Layout) -> bool {
    fs::read_dir(layout.spool()).map_or(true, |mut entries| {
        entries.all(|e| e.is_ok_and(|e| e.path().extension().is_none_or(|ext| ext != "json")))
    })
}

/// Adds to the list of errors in `file`.
pub fn record_error(file: &Path, error: &HookError) -> io::Result<()> {
    if let Some(parent) = file.parent().filter(|p| !p.is_dir()) {
        fs::create_dir_all(parent)?;
        files::restrict(parent);
    }
    if fs::metadata(file).is_ok_and(|meta| meta.len() > MOST_ERROR_BYTES) {
        let text = fs::read_to_string(file).unwrap_or_default();
        let half: String = text.lines().skip(text.lines().count() / 2).map(|l| format!("{l}\n")).collect();
        fs::write(file, half)?;
    }
    let mut line = serde_json::to_vec(error).unwrap_or_default();
    line.push(b'\n');
    files::append(file, &line).map(drop).map_err(|e| io::Error::other(e.to_string()))
}

/// The errors in `file`, oldest first.
pub fn errors(file: &Path) -> Vec<HookError> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
