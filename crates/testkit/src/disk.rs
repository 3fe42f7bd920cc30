//! Inspects the bytes in a folder: which files exist, and whether something leaked into them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file below `folder`, by path relative to it.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

/// The markdown files below `folder`.
pub fn notes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = files(folder);
    found.retain(|path, _| path.extension().is_some_and(|e| e == "md"));
    found
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map_while(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, found);
        } else if let Ok(bytes) = fs::read(&path) {
            let relative = path.strip_prefix(root).map(Path::to_owned).unwrap_or(path);
            found.insert(relative, bytes);
        }
    }
}

/// Files below `folder` whose name or bytes contain `needle`, in any format.
pub fn holding(folder: &Path, needle: &str) -> Vec<PathBuf> {
    let needle = needle.as_bytes();
    let has = |bytes: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    let hit = |(path, bytes): &(PathBuf, Vec<u8>)| has(bytes) || has(path.as_os_str().as_encoded_bytes());
    files(folder).into_iter().filter(hit).map(|(path, _)| path).collect()
}
