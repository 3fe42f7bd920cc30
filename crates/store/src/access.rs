//! Files and folders of a store that this user may not read. Their memories are not lost: the index keeps
//! them, and `hark doctor` lists the files.

use std::io;
use std::path::{Path, PathBuf};

use hark_files::Door;

use crate::inspect::{Finding, Severity};
use crate::store::Store;

/// The reason for an unreadable file, here and in the list of unread files.
pub(crate) const CANNOT_BE_READ: &str = "cannot be read (permission denied)";

pub(crate) fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// Everything below a folder that may not be read.
fn denied_below(door: &Door, folder: &Path, found: &mut Vec<PathBuf>) {
    let listed = match door.list(folder) {
        Ok(listed) => listed,
        Err(e) => {
            if is_denied(&e) {
                found.push(folder.to_owned());
            }
            return;
        }
    };
    for (name, look) in listed {
        let path = folder.join(name);
        if look.is_folder() {
            denied_below(door, &path, found);
        } else if look.is_file() && door.open(&path).is_err_and(|e| is_denied(&e)) {
            found.push(path);
        }
    }
}

impl Store {
    /// What cannot be read, and how to fix it.
    pub(crate) fn denied(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        let layout = &self.layout;
        for folder in [layout.memories(), layout.sessions(), layout.revisions(), layout.backups()] {
            denied_below(layout.door(), &folder, &mut found);
        }
        found.sort();
        found
            .into_iter()
            .map(|path| Finding {
                severity: Severity::Problem,
                what: format!("{}: {CANNOT_BE_READ}", path.display()),
                mend: Some(format!("check its owner, then run: chmod u+rX {}", path.display())),
            })
            .collect()
    }
}
