//! Files that are whole or absent, never half-written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use crate::error::StoreError;

/// What tells an unchanged file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Modification time in nanoseconds.
    pub(crate) mtime: i64,
    pub(crate) size: i64,
}

impl Stamp {
    pub(crate) fn of(meta: &fs::Metadata) -> Self {
        Stamp { mtime: mtime(meta), size: i64::try_from(meta.len()).unwrap_or(i64::MAX) }
    }

    pub(crate) fn read(path: &Path) -> Result<Option<Self>, StoreError> {
        match fs::metadata(path) {
            Ok(meta) => Ok(Some(Self::of(&meta))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(StoreError::io(path, e)),
        }
    }
}

pub(crate) fn mtime(meta: &fs::Metadata) -> i64 {
    let since = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    since.and_then(|d| i64::try_from(d.as_nanos()).ok()).unwrap_or(0)
}

pub(crate) fn create_folder(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(path).map_err(|e| StoreError::io(path, e))
}

/// Memories are private: nobody else on the machine needs to read them.
pub(crate) fn restrict(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    }
    #[cfg(not(unix))]
    let _ = path;
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Writes `bytes` beside the store and moves them to `path` in one step.
pub(crate) fn write_atomic(staging: &Path, path: &Path, bytes: &[u8]) -> Result<Stamp, StoreError> {
    let name = format!("{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
    let draft = staging.join(name);
    let result = write_and_rename(&draft, path, bytes);
    if result.is_err() {
        let _ = fs::remove_file(&draft);
    }
    result
}

fn write_and_rename(draft: &Path, path: &Path, bytes: &[u8]) -> Result<Stamp, StoreError> {
    let mut file = create_private(draft).map_err(|e| StoreError::io(draft, e))?;
    file.write_all(bytes).map_err(|e| StoreError::io(draft, e))?;
    let meta = file.metadata().map_err(|e| StoreError::io(draft, e))?;
    drop(file);
    fs::rename(draft, path).map_err(|e| StoreError::io(path, e))?;
    Ok(Stamp::of(&meta))
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

pub(crate) fn append(path: &Path, bytes: &[u8]) -> Result<u64, StoreError> {
    let fail = |e| StoreError::io(path, e);
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path).map_err(fail)?;
    let before = file.metadata().map_err(fail)?.len();
    // A line that a crash tore must not swallow the next one.
    if before > 0 && !ends_with_newline(path) {
        file.write_all(b"\n").map_err(fail)?;
    }
    file.write_all(bytes).map_err(fail)?;
    Ok(before)
}

fn ends_with_newline(path: &Path) -> bool {
    use std::io::{Read, Seek, SeekFrom};
    let mut last = [0];
    let read = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)
    });
    read.is_ok() && last == *b"\n"
}

/// Removes what killed writers left on the way, once it is an hour old.
pub(crate) fn sweep_staging(staging: &Path) {
    let Ok(entries) = fs::read_dir(staging) else { return };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age.as_secs() > 3_600) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

pub(crate) fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(StoreError::io(path, e)),
    }
}

/// Undoes file changes when the index transaction they belong to fails.
#[derive(Debug, Default)]
pub(crate) struct FileJournal {
    undo: Vec<Undo>,
}

#[derive(Debug)]
enum Undo {
    Remove(PathBuf),
    Restore(PathBuf, Vec<u8>),
    Truncate(PathBuf, u64),
}

impl FileJournal {
    pub(crate) fn created(&mut self, path: &Path) {
        self.undo.push(Undo::Remove(path.to_owned()));
    }

    pub(crate) fn replaced(&mut self, path: &Path, before: Vec<u8>) {
        self.undo.push(Undo::Restore(path.to_owned(), before));
    }

    pub(crate) fn appended(&mut self, path: &Path, length_before: u64) {
        self.undo.push(Undo::Truncate(path.to_owned(), length_before));
    }

    /// Best effort: the caller already has an error to report.
    pub(crate) fn roll_back(self, staging: &Path) {
        for step in self.undo.into_iter().rev() {
            match step {
                Undo::Remove(path) => drop(fs::remove_file(path)),
                Undo::Restore(path, bytes) => drop(write_atomic(staging, &path, &bytes)),
                Undo::Truncate(path, 0) => drop(fs::remove_file(path)),
                Undo::Truncate(path, length) => {
                    drop(File::options().write(true).open(path).and_then(|file| file.set_len(length)));
                }
            }
        }
    }
}
