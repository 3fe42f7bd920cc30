//! Applies a plan. The manifest records a change before the file changes, so that a crash leaves nothing
//! behind that hark does not know of.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Before, Change, Plan};
use crate::edit::atomic;
use crate::manifest::{FileRecord, Manifest, Vault, hash};

/// The outcome of a plan.
#[derive(Debug, Default)]
pub struct Applied {
    pub trouble: Vec<Trouble>,
}

/// A file that could not be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub path: PathBuf,
    pub what: String,
    pub fix: String,
}

impl Plan {
    /// Continues with the other files if one fails.
    pub fn apply(self, vault: &mut Vault) -> Applied {
        let mut outcome = Applied::default();
        for change in self.changes {
            if let Err(error) = apply_one(vault, &change) {
                outcome.trouble.push(trouble(change.path.clone(), &error));
            }
        }
        vault.manifest.setups.retain(|setup| {
            !self.leaving.contains(&setup.owner) && !self.setups.iter().any(|new| new.owner == setup.owner)
        });
        vault.manifest.setups.extend(self.setups);
        remove_folders(&mut vault.manifest);
        if let Err(error) = vault.save() {
            outcome.trouble.push(trouble(PathBuf::from("install/manifest.json"), &error));
        }
        vault.tidy();
        outcome
    }
}

fn trouble(path: PathBuf, error: &io::Error) -> Trouble {
    let fix = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "make it writable, then run the command again"
        }
        _ => "run the command again",
    };
    Trouble { path, what: error.to_string(), fix: fix.to_owned() }
}

fn apply_one(vault: &mut Vault, change: &Change) -> io::Result<()> {
    if atomic::read(&change.path)? != change.before {
        return Err(io::Error::other("it changed in the meantime"));
    }
    let visible = change.is_visible();
    let former = vault.manifest.clone();
    note(vault, change)?;
    vault.save()?;
    if !visible {
        return Ok(());
    }
    let done = match &change.after {
        Some(bytes) => atomic::write(&change.path, bytes, change.mode),
        None => atomic::target(&change.path).and_then(fs::remove_file),
    };
    if done.is_err() {
        vault.manifest = former;
        vault.save()?;
    }
    done
}

/// Records the change in the manifest.
fn note(vault: &mut Vault, change: &Change) -> io::Result<()> {
    vault.manifest.files.retain(|file| file.path != change.path);
    if change.record.edits.is_empty() {
        return Ok(());
    }
    let original = match &change.record.before {
        Before::Kept(name) => name.clone(),
        Before::Bytes(Some(bytes)) => Some(vault.keep(bytes)?),
        Before::Bytes(None) => None,
    };
    let after = hash(change.after.as_deref().unwrap_or_default());
    let record =
        FileRecord { path: change.path.clone(), original, after, edits: change.record.edits.clone() };
    vault.manifest.files.push(record);
    let target = atomic::target(&change.path)?;
    let missing =
        target.ancestors().skip(1).take_while(|folder| !folder.exists() && !folder.as_os_str().is_empty());
    let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    vault.manifest.folders.extend(missing);
    Ok(())
}

/// Removes folders that were created for hark's files and are empty again.
fn remove_folders(manifest: &mut Manifest) {
    manifest.folders.sort();
    manifest.folders.dedup();
    let files: Vec<PathBuf> = manifest.files.iter().map(|file| file.path.clone()).collect();
    // Deepest first.
    let mut left: Vec<PathBuf> = Vec::new();
    for folder in manifest.folders.drain(..).rev() {
        let used = files.iter().any(|file| file.starts_with(&folder));
        if used || (fs::remove_dir(&folder).is_err() && folder.exists()) {
            left.push(folder);
        }
    }
    left.reverse();
    manifest.folders = left;
}
