//! Atomic file operations: a file is complete or absent. All go through the [`Door`] of their store, which
//! follows no link out of it.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use hark_files::{Door, Look};

use crate::error::{At, StoreError};

/// The largest file in a store; a larger one could exhaust memory.
pub(crate) const LARGEST: u64 = 256 * 1024 * 1024;

/// Detects an unchanged file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Modification time in nanoseconds.
    pub(crate) mtime: i64,
    pub(crate) size: i64,
}

impl Stamp {
    pub(crate) fn of(look: &Look) -> Self {
        Stamp { mtime: look.mtime, size: i64::try_from(look.size).unwrap_or(i64::MAX) }
    }

    /// `None` if there is no such file.
    pub(crate) fn read(door: &Door, path: &Path) -> Result<Option<Self>, StoreError> {
        let found = door.look(path).map_err(|e| StoreError::reading(path, e))?;
        Ok(found.filter(Look::is_file).as_ref().map(Self::of))
    }
}

pub(crate) fn create_folder(door: &Door, path: &Path) -> Result<(), StoreError> {
    door.create_folder(path).at(path)
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A unique name in `staging`. [`sweep_staging`] recognizes such names.
pub(crate) fn draft_name(staging: &Path) -> PathBuf {
    staging.join(format!("{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)))
}

/// Writes `bytes` to a staging file and renames it to `path`.
pub(crate) fn write_atomic(
    door: &Door,
    staging: &Path,
    path: &Path,
    bytes: &[u8],
) -> Result<Stamp, StoreError> {
    let draft = draft_name(staging);
    let result = write_and_rename(door, &draft, path, bytes);
    if result.is_err() {
        let _ = door.remove(&draft);
    }
    result
}

fn write_and_rename(door: &Door, draft: &Path, path: &Path, bytes: &[u8]) -> Result<Stamp, StoreError> {
    let mut file = match door.create_new(draft) {
        // A killed process with the same number left this draft.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            door.remove(draft).and_then(|()| door.create_new(draft)).at(draft)?
        }
        made => made.at(draft)?,
    };
    file.write_all(bytes).at(draft)?;
    let look = hark_files::look_at(&file).at(draft)?;
    drop(file);
    door.rename(draft, path).at(path)?;
    Ok(Stamp::of(&look))
}

/// Adds to the end of a file, and says how long it was before.
pub(crate) fn append(door: &Door, path: &Path, bytes: &[u8]) -> Result<u64, StoreError> {
    let mut file = door.append_to(path).at(path)?;
    let before = file.metadata().at(path)?.len();
    // A partial line left by a crash must not corrupt the next one.
    let mut last = [0];
    let torn = before > 0
        && (file.seek(SeekFrom::End(-1)).is_err() || file.read_exact(&mut last).is_err() || last != *b"\n");
    if torn {
        file.write_all(b"\n").at(path)?;
    }
    file.write_all(bytes).at(path)?;
    Ok(before)
}

/// Removes staging files of killed writers after an hour. Only hark's own file names match.
pub(crate) fn sweep_staging(door: &Door, staging: &Path) {
    const OLD: i64 = 3_600 * 1_000_000_000;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    for (name, look) in door.list(staging).unwrap_or_default() {
        if look.is_file() && is_draft(&name.to_string_lossy()) && now.saturating_sub(look.mtime) > OLD {
            let _ = door.remove(&staging.join(name));
        }
    }
}

/// `812-3`, `backup-812`, `backup-812-3`: names of hark's staging files.
pub(crate) fn is_draft(name: &str) -> bool {
    let numbers = name.strip_prefix("backup-").unwrap_or(name);
    !numbers.is_empty() && numbers.split('-').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Deletes a file; a missing file is not an error.
pub(crate) fn remove(door: &Door, path: &Path) -> Result<(), StoreError> {
    match door.remove(path) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(StoreError::io(path, e)),
    }
}

/// Undoes file changes when the index transaction they belong to fails.
#[derive(Debug, Default)]
pub(crate) struct FileJournal {
    undo: Vec<(Door, PathBuf, Undo)>,
}

#[derive(Debug)]
enum Undo {
    Remove,
    /// The bytes from before, and where to stage them.
    Restore(PathBuf, Vec<u8>),
    Truncate(u64),
}

impl FileJournal {
    pub(crate) fn created(&mut self, door: &Door, path: &Path) {
        self.undo.push((door.clone(), path.to_owned(), Undo::Remove));
    }

    pub(crate) fn replaced(&mut self, door: &Door, staging: PathBuf, path: &Path, before: Vec<u8>) {
        self.undo.push((door.clone(), path.to_owned(), Undo::Restore(staging, before)));
    }

    pub(crate) fn appended(&mut self, door: &Door, path: &Path, length_before: u64) {
        self.undo.push((door.clone(), path.to_owned(), Undo::Truncate(length_before)));
    }

    /// Best effort: the caller already has an error to report.
    pub(crate) fn roll_back(self) {
        for (door, path, step) in self.undo.into_iter().rev() {
            match step {
                Undo::Remove | Undo::Truncate(0) => drop(door.remove(&path)),
                Undo::Restore(staging, bytes) => drop(write_atomic(&door, &staging, &path, &bytes)),
                Undo::Truncate(length) => {
                    drop(door.open_or_create(&path).and_then(|file| file.set_len(length)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_draft;

    #[test]
    fn only_names_of_our_own_are_drafts() {
        for ours in ["812-3", "backup-812", "backup-812-3"] {
            assert!(is_draft(ours), "{ours}");
        }
        for other in ["package.json", "notes-1", "-", "1-", "a", "", "backup-", "tsconfig.json", "1-2.md"] {
            assert!(!is_draft(other), "{other}");
        }
    }
}
