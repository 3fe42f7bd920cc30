//! Where things are: the workspace, build results, throw-away folders.

use std::fs;
use std::path::{Path, PathBuf};

use super::failure::{Failure, Outcome};
use super::process;

/// The folder that holds the workspace. Asked for when running, not when compiling: build results are moved and copied.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").is_file());
    root.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// The product as tests use it. Selecting the packages that the tests select keeps cargo from
/// building dependencies a second time with other features.
pub fn debug_binary() -> Outcome<PathBuf> {
    let build = ["build", "--locked", "--workspace", "--exclude", "xtask"];
    process::run(&mut process::cargo(&build))?;
    Ok(target().join("debug").join(binary_name()))
}

pub fn release_binary() -> Outcome<PathBuf> {
    process::run(&mut process::cargo(&["build", "--locked", "--release", "--package", "hark-cli"]))?;
    Ok(target().join("release").join(binary_name()))
}

fn binary_name() -> String {
    format!("hark{}", std::env::consts::EXE_SUFFIX)
}

pub fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|e| Failure::io(path, &e))
}

pub fn write(path: &Path, text: &str) -> Outcome {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| Failure::io(folder, &e))?;
    }
    fs::write(path, text).map_err(|e| Failure::io(path, &e))
}

/// Every file below a folder that ends in `.extension`, in order.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A folder that is gone when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(purpose: &str) -> Outcome<Self> {
        let path = std::env::temp_dir().join(format!("hark-{purpose}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(|e| Failure::io(&path, &e))?;
        Ok(Scratch(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
