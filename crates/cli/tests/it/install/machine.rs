//! A machine for one test: a home folder and a project with other people's settings in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::{Hark, Home};
use serde_json::Value;

/// Every assistant whose files are edited.
pub(crate) const HOSTS: &[&str] = &[
    "claude-code",
    "codex",
    "opencode",
    "gemini-cli",
    "cursor",
    "copilot-cli",
    "vscode",
    "cline",
    "continue",
    "windsurf",
    "zed",
    "qwen-code",
    "kilo",
    "droid",
    "antigravity",
    "aider",
    "claude-desktop",
];

pub(crate) const SCOPES: &[&str] = &["user", "project"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Folder,
    File(String, u32),
    Link(PathBuf),
}

pub(crate) struct Machine {
    pub(crate) home: Home,
}

impl Machine {
    pub(crate) fn new() -> Machine {
        let home = Home::new(env!("CARGO_BIN_EXE_hark"));
        fs::create_dir_all(home.work().join(".git")).unwrap();
        Machine { home }
    }

    /// `hark ARGS…` in the project. No programs of this machine are on its path.
    pub(crate) fn hark(&self, args: &[&str]) -> Hark {
        self.home.hark(args).env("PATH", "")
    }

    pub(crate) fn install(&self, hosts: &[&str], scope: &str) -> Value {
        self.hark(&[&["install", "--json", "--scope", scope], hosts].concat()).ok().json()
    }

    pub(crate) fn uninstall(&self, hosts: &[&str], scope: &str) -> Value {
        self.hark(&[&["uninstall", "--json", "--scope", scope], hosts].concat()).ok().json()
    }

    /// A path as reports name it.
    pub(crate) fn path(&self, shown: &str) -> PathBuf {
        match shown.strip_prefix("~/") {
            Some(below) => self.home.user().join(below),
            None => PathBuf::from(shown),
        }
    }

    /// Files that an install of these would change, by asking it.
    pub(crate) fn would_change(&self, hosts: &[&str], scope: &str) -> Vec<PathBuf> {
        let args = [&["install", "--json", "--dry-run", "--scope", scope], hosts].concat();
        changed(&self.hark(&args).ok().json()).into_iter().map(|shown| self.path(&shown)).collect()
    }

    /// Everything below the folder, hark's own store left out.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Entry> {
        let mut tree = BTreeMap::new();
        collect(self.home.root(), self.home.root(), &mut tree);
        tree.retain(|path, _| !path.starts_with("store") && !path.starts_with("tmp"));
        tree
    }

    pub(crate) fn read(&self, path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }
}

pub(crate) fn changed(report: &Value) -> Vec<String> {
    let assistants = report["assistants"].as_array().expect("assistants");
    let mut all: Vec<String> = assistants
        .iter()
        .flat_map(|assistant| assistant["changed"].as_array().expect("changed"))
        .map(|file| file.as_str().expect("a path").to_owned())
        .collect();
    all.sort();
    all.dedup();
    all
}

pub(crate) fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Whether a file is one that hark makes whole, so that nobody has one before.
pub(crate) fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let folder = path.parent().unwrap().file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.contains("hark") || name.ends_with(".sh") || folder.starts_with("hark-")
}

fn collect(root: &Path, folder: &Path, tree: &mut BTreeMap<PathBuf, Entry>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let kind = fs::symlink_metadata(&path).unwrap();
        let found = if kind.is_symlink() {
            Entry::Link(fs::read_link(&path).unwrap())
        } else if kind.is_dir() {
            collect(root, &path, tree);
            Entry::Folder
        } else {
            let bytes = fs::read(&path).unwrap();
            Entry::File(String::from_utf8_lossy(&bytes).into_owned(), mode(&kind))
        };
        tree.insert(path.strip_prefix(root).unwrap().to_owned(), found);
    }
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode(_metadata: &fs::Metadata) -> u32 {
    0
}
