//! Failures in a session's events, and warnings before they happen again.
//!
//! `observe` follows each session one event at a time, inside the transaction that files the event, whether
//! it comes from a hook, the spool or an import. `alert` only looks things up.

pub(crate) mod alert;
pub(crate) mod observe;
pub(crate) mod sort;
mod trails;
pub(crate) mod words;

pub(crate) use trails::Trails;

use std::path::Path;

use hark_core::failure::Place;

use crate::project;

/// The folders that paths in tool output are relative to.
pub(crate) fn place_of(folder: Option<&Path>) -> Place {
    let Some(folder) = folder else { return Place::default() };
    let root = project::work_tree(folder);
    Place::new(&root.to_string_lossy(), &folder.to_string_lossy())
}

/// A source file is never larger.
const MOST_BYTES: u64 = 2 * 1024 * 1024;

/// A fingerprint of a file's content; empty if it cannot be read.
pub(crate) fn mark_of(root: &Path, path: &str) -> String {
    hark_files::regular::read(&root.join(path), MOST_BYTES)
        .ok()
        .map(|b| blake3::hash(&b).to_hex()[..16].to_owned())
        .unwrap_or_default()
}
