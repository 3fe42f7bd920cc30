//! Everything below a folder, byte for byte, without following links.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    Folder { mode: u32 },
    File { mode: u32, bytes: Vec<u8> },
    Link(PathBuf),
    Fifo,
}

pub(crate) fn of(root: &Path, without: &[PathBuf]) -> BTreeMap<PathBuf, Thing> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if without.contains(&path) {
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            let mode = meta.mode() & 0o7777;
            let kind = meta.file_type();
            let thing = if kind.is_symlink() {
                Thing::Link(fs::read_link(&path).unwrap())
            } else if kind.is_dir() {
                open.push(path.clone());
                Thing::Folder { mode }
            } else if kind.is_fifo() {
                Thing::Fifo
            } else {
                Thing::File { mode, bytes: fs::read(&path).unwrap() }
            };
            found.insert(path, thing);
        }
    }
    found
}

/// Says which path differs instead of printing two trees.
pub(crate) fn assert_same(before: &BTreeMap<PathBuf, Thing>, after: &BTreeMap<PathBuf, Thing>) {
    for (path, thing) in before {
        assert_eq!(after.get(path), Some(thing), "{}", path.display());
    }
    for path in after.keys() {
        assert!(before.contains_key(path), "{} is new", path.display());
    }
}
