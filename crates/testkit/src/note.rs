//! Memory files as a person would write or edit them.

use std::fs;
use std::path::{Path, PathBuf};

/// A file with front matter; `number` determines its id.
pub fn text(number: u32, title: &str, body: &str) -> String {
    format!("---\nid: {}\nkind: fact\ntitle: {title}\n---\n\n{body}\n", id(number))
}

/// A full id, always the same for the same number. The last eight characters, which people see, differ.
pub fn id(number: u32) -> String {
    format!("019d0000-0000-7000-8000-0000{number:08x}")
}

/// The short form of [`id`].
pub fn short(number: u32) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let tail: String =
        (0..8u32).rev().map(|at| ALPHABET[((u64::from(number) >> (5 * at)) & 31) as usize] as char).collect();
    format!("m-{tail}")
}

/// Writes a file into a memories folder.
pub fn drop_in(memories: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = memories.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, bytes).expect("a file");
    path
}

/// Edits a file in place.
pub fn edit(path: &Path, change: impl FnOnce(String) -> String) {
    let before = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let after = change(before.clone());
    assert_ne!(before, after, "the edit changes nothing");
    fs::write(path, after).expect("written");
}

/// Edits a file as most editors do: writes a new file and moves it over the old one.
pub fn edit_by_rename(path: &Path, change: impl FnOnce(String) -> String) {
    let before = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let draft = path.with_extension("swp");
    fs::write(&draft, change(before)).expect("written");
    fs::rename(&draft, path).expect("moved");
}
