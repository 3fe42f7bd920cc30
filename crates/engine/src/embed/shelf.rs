//! The models in one data directory: which are installed, how to install one, whether it is intact.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hark_files::Door;

use serde::{Deserialize, Serialize};

use super::minilm::{MiniLm, ModelError, PINNED, Pinned, Reranker, Taken, Taking, obtain, take};

/// The model used in addition to the static table, which gives every passage and question a vector.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Choice {
    /// None.
    Static,
    /// The encoder inside the binary.
    #[default]
    Encoder,
    /// The same encoder with finer weights, from a file.
    MiniLm,
    /// An encoder that the user installed under this name.
    Named(String),
}

impl Choice {
    pub fn name(&self) -> &str {
        match self {
            Choice::Static => "static",
            Choice::Encoder => "encoder",
            Choice::MiniLm => "minilm",
            Choice::Named(name) => name,
        }
    }

    /// Whether it is a file rather than part of the binary.
    pub fn is_file(&self) -> bool {
        !matches!(self, Choice::Static | Choice::Encoder)
    }
}

impl TryFrom<String> for Choice {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match name.as_str() {
            "static" => Ok(Choice::Static),
            "encoder" => Ok(Choice::Encoder),
            "minilm" => Ok(Choice::MiniLm),
            _ if is_name(&name) => Ok(Choice::Named(name)),
            _ => Err(format!("`{name}` cannot be the name of a model: {NAMES}")),
        }
    }
}

impl From<Choice> for String {
    fn from(choice: Choice) -> String {
        choice.name().to_owned()
    }
}

/// What a name may consist of; it becomes the name of a file.
pub const NAMES: &str =
    "use up to 40 lower-case letters, digits, dots, dashes and underscores, starting with a letter or digit";

/// Whether a model may have this name.
pub fn is_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
    name.len() <= 40
        && name.bytes().all(allowed)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
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

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.hark"))
    }

    /// The checksum that a model had when it was installed.
    pub fn pin(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.pin_path(name)).ok().map(|pin| pin.trim().to_owned())
    }

    fn pin_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.pin"))
    }

    /// The names of the models that the user chose and installed, in order.
    pub fn names(&self) -> Vec<String> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let name =
            |file: std::fs::DirEntry| file.file_name().to_str()?.strip_suffix(".hark").map(str::to_owned);
        let mut names: Vec<String> = files.filter_map(name).collect();
        names.retain(|name| is_name(name) && pinned(name).is_none());
        names.sort();
        names
    }

    /// The encoder that is chosen, loaded once per process, on first use. `None` when none is chosen, or when its file
    /// is missing or damaged: `hark model verify` says which.
    pub fn shared(&self, choice: &Choice) -> Option<Arc<MiniLm>> {
        let path = match choice {
            Choice::Static => return None,
            Choice::Encoder => None,
            Choice::MiniLm | Choice::Named(_) => Some(self.path(choice.name())),
        };
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = loaded.encoders.iter().find(|(of, _)| *of == path) {
            return Some(model.clone());
        }
        let model = match &path {
            None => MiniLm::inside(),
            Some(_) => self.open(choice).ok().flatten()?,
        };
        let model = Arc::new(model);
        loaded.encoders.push((path, model.clone()));
        Some(model)
    }

    /// An encoder from a file, if it is installed.
    pub fn open(&self, choice: &Choice) -> Result<Option<MiniLm>, ModelError> {
        let path = self.path(choice.name());
        if path.exists() { MiniLm::open(&path).map(Some) } else { Ok(None) }
    }

    /// The reranker of this name, loaded once per process. `None` without a name, or when its file is missing or
    /// damaged: `hark model verify` says which.
    pub fn reranker(&self, name: &str) -> Option<Arc<Reranker>> {
        if !is_name(name) {
            return None;
        }
        let path = self.path(name);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = loaded.rerankers.iter().find(|(of, _)| *of == path) {
            return Some(model.clone());
        }
        let model = Arc::new(Reranker::open(&path).ok()?);
        loaded.rerankers.push((path, model.clone()));
        Some(model)
    }

    /// Creates the file of a known model from what is at `from` and installs it, completely or not at all.
    pub fn get(&self, model: &Pinned, from: &Path) -> Result<PathBuf, ModelError> {
        let obtained = obtain(model, from)?;
        let path = self.path(model.name);
        self.place(&path, &obtained.bytes)?;
        Ok(path)
    }

    /// The same for a model that the user chose. Its checksum is noted beside it.
    pub fn take(&self, taking: &Taking<'_>) -> Result<(PathBuf, Taken), ModelError> {
        let taken = take(taking)?;
        let path = self.path(taking.name);
        self.place(&path, &taken.bytes)?;
        self.place(&self.pin_path(taking.name), format!("{}\n", taken.checksum).as_bytes())?;
        release_models();
        Ok((path, taken))
    }

    fn place(&self, path: &Path, bytes: &[u8]) -> Result<(), ModelError> {
        let draft = self.folder.join(format!(".draft.{}", std::process::id()));
        let door = Door::new(&self.folder);
        let placed = door
            .create_folder(Path::new(""))
            .and_then(|()| door.create_new(&draft))
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| door.rename(&draft, path));
        placed.map_err(|source| {
            let _ = door.remove(&draft);
            ModelError::Io { path: path.to_owned(), source }
        })
    }
}

/// Models of this process, by their files; the encoder inside the binary has none.
struct Loaded {
    encoders: Vec<(Option<PathBuf>, Arc<MiniLm>)>,
    rerankers: Vec<(PathBuf, Arc<Reranker>)>,
}

static LOADED: Mutex<Loaded> = Mutex::new(Loaded { encoders: Vec::new(), rerankers: Vec::new() });

/// Drops the models that no call uses, to return their memory. The next call loads them again.
pub fn release_models() {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    loaded.encoders.clear();
    loaded.rerankers.clear();
}

/// A known model by name.
pub fn pinned(name: &str) -> Option<&'static Pinned> {
    PINNED.iter().find(|model| model.name == name)
}
