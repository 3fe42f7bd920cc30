//! The store inside a project: its `.hark` folder.
//!
//! Assistants run hooks in every folder a person opens, so its content is untrusted until the user trusts it.
//! The search goes up to the root of the repository at most, and never into the home folder, a shared place
//! such as `/tmp`, or a folder of another user.

use std::fs;
use std::path::{Path, PathBuf};

use hark_core::Raw;
use hark_core::redact::Redactor;
use hark_files::Door;
use hark_store::{Layout, Trust};

pub const FOLDER: &str = ".hark";

/// What a project contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// A store owned by this user, trusted or not.
    Store(PathBuf),
    /// Something that is never used.
    Refused {
        path: PathBuf,
        why: &'static str,
    },
}

impl Found {
    pub fn store(self) -> Option<PathBuf> {
        match self {
            Found::Store(path) => Some(path),
            _ => None,
        }
    }
}

/// Searches from `folder` upwards. `own` is the user's own store, which is not a project's.
pub fn find(folder: &Path, own: &Path) -> Found {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let own = fs::canonicalize(own).unwrap_or_else(|_| own.to_owned());
    let home = std::env::home_dir().map(|home| fs::canonicalize(&home).unwrap_or(home));
    for dir in folder.ancestors() {
        if Some(dir) == home.as_deref() || dir.parent().is_none() || is_shared(dir) {
            break;
        }
        let store = dir.join(FOLDER);
        if let Ok(meta) = fs::symlink_metadata(&store)
            && store != own
        {
            if !is_own(dir) {
                return Found::Refused { path: store, why: "its folder belongs to another user" };
            }
            if meta.file_type().is_symlink() {
                return Found::Refused { path: store, why: "it is a link" };
            }
            if meta.is_dir() && looks_like_a_store(&store) {
                let why = "it belongs to another user";
                return if is_own(&store) {
                    Found::Store(store)
                } else {
                    Found::Refused { path: store, why }
                };
            }
        }
        if !is_own(dir) || fs::symlink_metadata(dir.join(".git")).is_ok() {
            break;
        }
    }
    Found::Nothing
}

/// The settings of a project's store, which count only if the user trusts it.
pub fn settings(cwd: Option<&Path>, layout: &Layout) -> Option<Door> {
    let store = find(cwd?, layout.home()).store()?;
    let trusted = Trust::read(layout).is_ok_and(|trust| trust.covers(&store));
    trusted.then(|| Door::to_stranger(store))
}

/// Whether hark may record a path of a store or transcript. Paths are stored verbatim, so one that contains a
/// secret may not be; nor one that does with dashes for underscores and dots, as in the folder names that
/// assistants make.
pub(crate) fn may_be_written_down(path: &Path, redactor: &Redactor) -> bool {
    let is_plain = |text: &str| *redactor.clean(Raw::new(text)) == *text;
    let spelt = |text: &str| ["-", "_", "."].iter().all(|sign| is_plain(&text.replace('-', sign)));
    path.to_str().is_some_and(spelt)
}

fn looks_like_a_store(store: &Path) -> bool {
    let door = Door::to_stranger(store);
    ["memories", "store-id", "sessions", "hark.db"]
        .iter()
        .any(|name| door.look(Path::new(name)).is_ok_and(|found| found.is_some()))
}

#[cfg(unix)]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).is_ok_and(|meta| Some(meta.uid()) == hark_files::user())
}

/// A folder in which every user may create files.
#[cfg(unix)]
fn is_shared(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    const EVERYBODY_AND_STICKY: u32 = 0o1002;
    let mode = fs::symlink_metadata(path).map_or(0, |meta| meta.permissions().mode());
    mode & EVERYBODY_AND_STICKY == EVERYBODY_AND_STICKY
}

#[cfg(not(unix))]
fn is_own(_path: &Path) -> bool {
    true
}

#[cfg(not(unix))]
fn is_shared(_path: &Path) -> bool {
    false
}
