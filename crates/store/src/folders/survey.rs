//! What is on disk: the folders of a store's memories and the files in them, without reading any.

use std::path::Path;

use hark_files::Door;

use crate::access::is_denied;
use crate::error::StoreError;
use crate::files::Stamp;
use crate::layers::Layer;
use crate::layout::Layout;
use crate::transfer::is_safe_place;

/// The limit for an untrusted store.
const MOST_UNTRUSTED_FILES: usize = 2_000;
const MOST_UNTRUSTED_FOLDERS: usize = 64;

/// The memories of one store: the user's own, or a project's.
pub(crate) struct Root<'l> {
    door: &'l Door,
    layer: Option<&'l Layer>,
}

/// Files and folders as found on disk, by their names in the index.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Folder and its modification time.
    pub(super) folders: Vec<(String, i64)>,
    pub(super) files: Vec<(String, Stamp)>,
}

impl<'l> Root<'l> {
    pub(crate) fn of_user(layout: &'l Layout) -> Self {
        Root { door: layout.door(), layer: None }
    }

    pub(crate) fn of_layer(layer: &'l Layer) -> Self {
        Root { door: layer.door(), layer: Some(layer) }
    }

    /// Whether a folder in the index belongs to this store.
    pub(super) fn owns(&self, folder: &str) -> bool {
        match (self.layer, Layer::split(folder)) {
            (Some(layer), Some((num, _))) => layer.num == num,
            (None, None) => true,
            _ => false,
        }
    }

    /// The name in the index of a folder in the memories folder; of that folder itself with an empty name.
    fn key(&self, name: &str) -> String {
        match self.layer {
            Some(layer) if name.is_empty() => layer.prefix(),
            Some(layer) => format!("{}/{name}", layer.prefix()),
            None => name.to_owned(),
        }
    }

    /// The memories folder itself and each folder in it. Nothing if a project's store cannot be read.
    pub(super) fn folders(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let memories = Path::new("memories");
        let fail = |e| StoreError::reading(&self.door.root().join(memories), e);
        let itself = match (self.door.look(memories), self.layer) {
            (Ok(Some(look)), _) if look.is_folder() => look,
            (_, Some(_)) | (Ok(None), None) => return Ok(Vec::new()),
            // Says what it is instead.
            (Ok(Some(_)), None) => return self.door.list(memories).map(|_| Vec::new()).map_err(fail),
            (Err(e), None) => return Err(fail(e)),
        };
        let mut folders = vec![(self.key(""), itself.mtime)];
        for (name, look) in self.door.list(memories).map_err(fail)? {
            let Some(name) = name.to_str().filter(|n| !n.starts_with(['.', '@'])) else { continue };
            let is_usual = self.layer.is_none() || is_safe_place(&format!("{name}/x.md"));
            if look.is_folder() && is_usual {
                folders.push((self.key(name), look.mtime));
            }
        }
        if self.is_bounded() {
            folders.sort();
            folders.truncate(MOST_UNTRUSTED_FOLDERS);
        }
        Ok(folders)
    }

    /// The files in these folders.
    pub(super) fn survey(&self, folders: &[(String, i64)]) -> Result<Survey, StoreError> {
        let mut found = Survey { folders: folders.to_vec(), files: Vec::new() };
        for (folder, _) in folders {
            let inner = Layer::split(folder).map_or(folder.as_str(), |(_, inner)| inner);
            let path = Path::new("memories").join(inner);
            let listed = match (self.door.list(&path), self.layer) {
                (Ok(listed), _) => listed,
                (Err(_), Some(_)) => continue,
                // An unreadable file is not deleted: the index keeps its memory.
                (Err(e), None) if is_denied(&e) => {
                    found.folders.retain(|(name, _)| name != folder);
                    continue;
                }
                (Err(e), None) => return Err(StoreError::io(&self.door.root().join(&path), e)),
            };
            for (name, look) in listed {
                let Some(name) = name.to_str() else { continue };
                let is_note = Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("md"));
                let strange = self.layer.is_some() && !is_safe_place(name);
                if name.starts_with('.') || !is_note || strange {
                    continue;
                }
                let file = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                // What is not a regular file is read in vain, and named by its reason.
                if !look.is_folder() {
                    if look.is_file() && self.layer.is_none() && look.mode & 0o077 != 0 {
                        let _ = self.door.tighten(&path.join(name));
                    }
                    found.files.push((file, Stamp::of(&look)));
                }
            }
        }
        if self.is_bounded() {
            found.files.sort_by(|a, b| a.0.cmp(&b.0));
            found.files.truncate(MOST_UNTRUSTED_FILES);
        }
        Ok(found)
    }

    fn is_bounded(&self) -> bool {
        self.layer.is_some_and(|layer| !layer.is_trusted())
    }
}
