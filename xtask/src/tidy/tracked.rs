//! What git keeps: text and the two models, nothing that was downloaded or built.

use std::fs;
use std::process::Command;

use crate::failure::Outcome;
use crate::{process, workspace};

/// The larger of the compiled-in models has nearly eleven megabytes; everything else is far smaller.
const MOST_BYTES: u64 = 11_000_000;
const ARCHIVES: &[&str] =
    &[".tgz", ".tar", ".gz", ".zip", ".zst", ".whl", ".deb", ".db", ".sqlite", ".profraw"];

pub(super) fn check() -> Outcome<Vec<String>> {
    let root = workspace::root();
    if !root.join(".git").exists() {
        return Ok(Vec::new());
    }
    let listed = process::capture(Command::new("git").args(["ls-files", "-z"]).current_dir(&root))?;
    let mut complaints = Vec::new();
    let mut archives = Vec::new();
    for name in listed.split('\0').filter(|name| !name.is_empty()) {
        let size = fs::metadata(root.join(name)).map_or(0, |meta| meta.len());
        if ARCHIVES.iter().any(|ending| name.ends_with(ending)) {
            archives.push(name);
        } else if size > MOST_BYTES {
            complaints.push(format!("{name}: has {size} bytes, more than a tracked file may"));
        }
    }
    if let Some(first) = archives.first() {
        let count = archives.len();
        complaints.push(format!(
            "{count} tracked file(s) are archives or build results ({first} …); take them out with `git rm`"
        ));
    }
    Ok(complaints)
}
