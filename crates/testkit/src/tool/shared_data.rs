//! The shared test and retrieval sets: where they are, and how they get there.

use std::path::PathBuf;
use std::process::Command;

use super::failure::Outcome;
use super::{process, workspace};

/// Where the sets are looked for: `HARK_DATA`, or `target/shared-data`.
pub fn folder() -> PathBuf {
    std::env::var_os("HARK_DATA").map_or_else(usual, PathBuf::from)
}

fn usual() -> PathBuf {
    workspace::root().join("target/shared-data")
}

fn script() -> PathBuf {
    workspace::root().join("../shared/data/unpack")
}

/// Whether the folder with their archives is beside the workspace, or somebody says where they are.
pub fn can_be_had() -> bool {
    script().is_file() || std::env::var_os("HARK_DATA").is_some()
}

/// Unpacks the sets into the usual folder, if the folder with their archives is beside the workspace.
pub fn unpack() -> Outcome<bool> {
    if !script().is_file() {
        return Ok(false);
    }
    process::run(Command::new("bash").arg(script()).arg(usual()))?;
    Ok(true)
}
