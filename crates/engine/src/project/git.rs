//! Facts about a git repository, read from its files; git itself is asked only for the root
//! commit, once per folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// Where the files are.
    pub(super) work_tree: PathBuf,
    /// What all worktrees share.
    pub(super) common_dir: PathBuf,
}

pub(super) fn find(folder: &Path) -> Option<Repository> {
    folder.ancestors().find_map(|dir| {
        let dot_git = dir.join(".git");
        let meta = fs::metadata(&dot_git).ok()?;
        let git_dir = if meta.is_dir() { dot_git } else { linked_git_dir(dir, &dot_git)? };
        let common_dir = match fs::read_to_string(git_dir.join("commondir")) {
            Ok(relative) => absolute(&git_dir, relative.trim()),
            Err(_) => git_dir,
        };
        Some(Repository { work_tree: dir.to_owned(), common_dir })
    })
}

/// Worktrees and submodules have a file that points to their directory.
fn linked_git_dir(dir: &Path, dot_git: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(dot_git).ok()?;
    Some(absolute(dir, text.trim().strip_prefix("gitdir:")?.trim()))
}

fn absolute(base: &Path, path: &str) -> PathBuf {
    let joined = base.join(path);
    fs::canonicalize(&joined).unwrap_or(joined)
}

impl Repository {
    /// The URL of `origin`, or of the first remote.
    pub(super) fn remote(&self) -> Option<String> {
        let config = fs::read_to_string(self.common_dir.join("config")).ok()?;
        let mut section = String::new();
        let mut first = None;
        for line in config.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line.to_owned();
            } else if let Some((key, value)) = line.split_once('=')
                && key.trim() == "url"
                && section.starts_with("[remote ")
            {
                let url = value.trim().to_owned();
                if section.starts_with("[remote \"origin\"") {
                    return Some(url);
                }
                first.get_or_insert(url);
            }
        }
        first
    }

    /// Identifies a repository that has no remote, wherever it is moved.
    pub(super) fn root_commit(&self) -> Option<String> {
        let output = Command::new("git")
            .args(["rev-list", "--max-parents=0", "HEAD"])
            .current_dir(&self.work_tree)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let last = text.split_whitespace().last()?;
        (output.status.success() && last.len() >= 8).then(|| last.to_owned())
    }
}
