//! The models in one data directory: which are installed, how to install one, whether it is intact.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hark_files::Door;

use serde::{Deserialize, Serialize};

use super::minilm::{MiniLm, ModelError, PINNED, Pinned, obtain};

/// The model used in addition to the static table, which gives every passage and question a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// None.
    Static,
    /// The encoder inside the binary.
    #[default]
    Encoder,
    /// The same encoder with finer weights, from a file.
    MiniLm,
}

impl Choice {
    pub fn name(self) -> &'static str {
        match self {
            Choice::Static => "static",
            Choice::Encoder => "encoder",
            Choice::MiniLm => "minilm",
        }
    }
}

/// `models/` in a data directory.
#[derive(Debug, Clone)]
pub struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    pub fn of(home: &Path) -> Self {
        Shelf { folder: home.join("models") }
    }

    pub fn path(&self, model: &Pinned) -> PathBuf {
        self.folder.join(format!("{}.hark", model.name))
    }

    /// The encoder that is chosen, loaded once per process, on first use. `None` when none is chosen, or when its file
    /// is missing or damaged: `hark model verify` says which.
    pub fn shared(&self, choice: Choice) -> Option<Arc<MiniLm>> {
        let folder = match choice {
            Choice::Static => return None,
            Choice::Encoder => None,
            Choice::MiniLm => Some(&self.folder),
        };
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = loaded.iter().find(|(of, _)| of.as_ref() == folder) {
            return Some(model.clone());
        }
        let model = match folder {
            None => MiniLm::inside(),
            Some(_) => self.open_minilm().ok().flatten()?,
        };
        let model = Arc::new(model);
        loaded.push((folder.cloned(), model.clone()));
        Some(model)
    }

    /// The optional encoder, if it is installed.
    pub fn open_minilm(&self) -> Result<Option<MiniLm>, ModelError> {
        let Some(model) = pinned(Choice::MiniLm.name()) else { return Ok(None) };
        let path = self.path(model);
        if path.exists() { MiniLm::open(&path).map(Some) } else { Ok(None) }
    }

    /// Creates a model file from what is at `from` and installs it, completely or not at all.
    pub fn get(&self, model: &Pinned, from: &Path) -> Result<PathBuf, ModelError> {
        let obtained = obtain(model, from)?;
        let path = self.path(model);
        let draft = self.folder.join(format!(".{}.{}", model.name, std::process::id()));
        let door = Door::new(&self.folder);
        let placed = door
            .create_folder(Path::new(""))
            .and_then(|()| door.create_new(&draft))
            .and_then(|mut file| file.write_all(&obtained.bytes))
            .and_then(|()| door.rename(&draft, &path));
        placed.map_err(|source| {
            let _ = door.remove(&draft);
            ModelError::Io { path: path.clone(), source }
        })?;
        Ok(path)
    }
}

/// Encoders of this process, by the folder they came from; none for the one inside the binary.
static LOADED: Mutex<Vec<(Option<PathBuf>, Arc<MiniLm>)>> = Mutex::new(Vec::new());

/// Drops the encoders that no call uses, to return their memory. The next call loads them again.
pub fn release_models() {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// A model by name.
pub fn pinned(name: &str) -> Option<&'static Pinned> {
    PINNED.iter().find(|model| model.name == name)
}
