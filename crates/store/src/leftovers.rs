//! Cleans up what killed processes left in `tmp/`: drafts of files, and partial snapshots, which contain memories.
//!
//! It removes only files with hark's own names, and only if no process is still writing them.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use crate::connection;
use crate::error::StoreError;
use crate::files;
use crate::store::Store;
use crate::traces::Traces;

/// A draft exists only for a moment. No process is writing a draft older than this.
const ABANDONED: Duration = Duration::from_secs(10 * 60);

/// Keeps other processes from removing this draft until it is closed. On a file system without locks,
/// only the age counts.
pub(crate) fn claim(draft: &File) {
    let _ = draft.try_lock();
}

impl Store {
    /// Removes what killed processes left behind; returns the number of files.
    pub fn remove_leftovers(&self) -> Result<usize, StoreError> {
        self.sweep(&|_| false)
    }

    /// The same, and drafts of any age that hold one of the texts.
    pub fn remove_leftovers_of(&self, traces: &Traces) -> Result<usize, StoreError> {
        let door = self.layout.door();
        self.sweep(&|path| door.read(path, files::LARGEST).is_ok_and(|bytes| traces.found_in(&bytes)))
    }

    fn sweep(&self, must_go: &dyn Fn(&Path) -> bool) -> Result<usize, StoreError> {
        let mut drafts = self.layout.files_in(&self.layout.staging());
        drafts.retain(|(path, _)| files::is_draft(&name_of(path)));
        if drafts.is_empty() {
            return Ok(0);
        }
        // Drafts are written under this lock: while we hold it, none is on its way.
        let lock = connection::begin(&self.conn, &self.layout.database(), self.patience)?;
        let mut count = 0;
        for (path, _) in drafts {
            let is_snapshot = name_of(&path).starts_with("backup-");
            let rubbish = if is_snapshot {
                self.is_unclaimed(&path)
            } else {
                self.is_abandoned(&path) || must_go(&path)
            };
            if rubbish {
                self.layout.remove(&path)?;
                count += 1;
            }
        }
        drop(lock);
        Ok(count)
    }

    /// Whether no process holds its lock.
    fn is_unclaimed(&self, path: &Path) -> bool {
        match self.layout.door().open(path).map(|file| file.try_lock()) {
            Ok(Ok(())) => true,
            Ok(Err(TryLockError::WouldBlock)) => false,
            _ => self.is_abandoned(path),
        }
    }

    fn is_abandoned(&self, path: &Path) -> bool {
        let opened = self.layout.door().open(path);
        let modified = opened.and_then(|file| file.metadata()).and_then(|meta| meta.modified());
        modified.ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > ABANDONED)
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
