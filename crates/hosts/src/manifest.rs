//! What hark has put where, and what was there before. `hark uninstall` relies on it.
//!
//! `install/manifest.json` lists every file and every edit; `install/originals/` contains the bytes of files
//! before hark's first edit, by hash. Both are private, because other programs' settings contain keys.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use hark_files::Door;
use serde::{Deserialize, Serialize};

use crate::edit::atomic::{self, Mode};
use crate::edit::{Edit, Trace};
use crate::host::{Hooks, Scope};

const VERSION: u32 = 1;

/// An assistant in a scope, on whose behalf an edit exists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Owner {
    pub host: String,
    /// The project's folder; `None` for the user's own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
}

impl Owner {
    pub fn scope(&self) -> Scope {
        if self.project.is_some() { Scope::Project } else { Scope::User }
    }
}

/// How an assistant was last set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    pub owner: Owner,
    pub hooks: Hooks,
    #[serde(default)]
    pub plugin: bool,
    /// Whether read-only tools may be called without asking.
    #[serde(default)]
    pub allow_reads: bool,
    /// Whether it has hooks that only rules that refuse or ask need.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binding_rules: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The address of the server that it calls; `None` if it starts one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
    /// The version of hark that did it.
    pub hark: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EditRecord {
    pub edit: Edit,
    #[serde(default)]
    pub trace: Trace,
    pub owners: Vec<Owner>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    pub path: PathBuf,
    /// Hash of the bytes without hark; `None` if there was no file.
    pub original: Option<String>,
    /// Hash of the bytes as hark left them.
    pub after: String,
    pub edits: Vec<EditRecord>,
}

impl FileRecord {
    /// Whether nobody changed the file since hark did.
    pub fn is_as_left(&self, bytes: &[u8]) -> bool {
        hash(bytes) == self.after
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub version: u32,
    #[serde(default)]
    pub setups: Vec<Setup>,
    #[serde(default)]
    pub files: Vec<FileRecord>,
    /// Folders that hark created.
    #[serde(default)]
    pub folders: Vec<PathBuf>,
}

impl Default for Manifest {
    fn default() -> Self {
        Manifest { version: VERSION, setups: Vec::new(), files: Vec::new(), folders: Vec::new() }
    }
}

impl Manifest {
    pub fn file(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|record| record.path == path)
    }

    pub fn setup(&self, owner: &Owner) -> Option<&Setup> {
        self.setups.iter().find(|setup| setup.owner == *owner)
    }
}

/// Where the manifest is stored. Locked as long as it exists, so that two installs take turns.
#[derive(Debug)]
pub struct Vault {
    folder: PathBuf,
    pub manifest: Manifest,
    _lock: File,
}

#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("{path}: {what}")]
    Unreadable { path: PathBuf, what: String },
}

/// The current manifest, read without locking or creating folders.
pub fn look(data: &Path) -> Result<Manifest, VaultError> {
    let path = data.join("install").join("manifest.json");
    let io = |error| VaultError::Io { path: path.clone(), error };
    let Some(bytes) = atomic::read(&path).map_err(io)? else { return Ok(Manifest::default()) };
    let unreadable = |what: String| VaultError::Unreadable { path: path.clone(), what };
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|e| unreadable(e.to_string()))?;
    if manifest.version > VERSION {
        return Err(unreadable("it was written by a newer hark".to_owned()));
    }
    Ok(manifest)
}

impl Vault {
    pub fn open(data: &Path) -> Result<Vault, VaultError> {
        let folder = data.join("install");
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| VaultError::Io { path, error }
        };
        let door = Door::new(data);
        door.create_folder(&folder).map_err(io(&folder))?;
        let lock_path = folder.join("lock");
        let lock = door.open_or_create(&lock_path).map_err(io(&lock_path))?;
        lock.lock().map_err(io(&lock_path))?;
        let manifest = look(data)?;
        Ok(Vault { folder, manifest, _lock: lock })
    }

    pub(crate) fn save(&self) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(&self.manifest)?;
        text.push('\n');
        atomic::write(&self.folder.join("manifest.json"), text.as_bytes(), Mode::Private)
    }

    /// Saves bytes and returns their name.
    pub(crate) fn keep(&self, bytes: &[u8]) -> io::Result<String> {
        let name = hash(bytes);
        let path = self.original_path(&name);
        if !path.exists() {
            Door::new(&self.folder).create_folder(Path::new("originals"))?;
            atomic::write(&path, bytes, Mode::Private)?;
        }
        Ok(name)
    }

    fn original_path(&self, name: &str) -> PathBuf {
        self.folder.join("originals").join(name)
    }

    /// Removes saved bytes that no record names, and the folders once nothing is installed.
    pub(crate) fn tidy(&self) {
        let (door, folder) = (Door::new(&self.folder), Path::new("originals"));
        for (name, look) in door.list(folder).unwrap_or_default() {
            let text = name.to_string_lossy();
            let is_ours = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
            let is_named = self.manifest.files.iter().any(|file| file.original.as_deref() == Some(&text));
            if look.is_file() && is_ours && !is_named {
                let _ = door.remove(&folder.join(&name));
            }
        }
    }
}

/// Saved bytes by name.
pub(crate) fn original(data: &Path, name: &str) -> io::Result<Vec<u8>> {
    let bytes = Door::new(data).read(&Path::new("install/originals").join(name), atomic::LARGEST)?;
    if hash(&bytes) == name { Ok(bytes) } else { Err(io::Error::other("the saved original is damaged")) }
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
