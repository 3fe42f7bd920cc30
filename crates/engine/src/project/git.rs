//! Facts about a git repository, read from its files; git itself runs only for the root commit, once per
//! folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hark_files::regular;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// The folder with the working files.
    pub(super) work_tree: PathBuf,
    /// The git directory of this worktree.
    git_dir: PathBuf,
    /// The git directory that all worktrees share.
    pub(super) common_dir: PathBuf,
}

pub(super) fn find(folder: &Path) -> Option<Repository> {
    folder.ancestors().find_map(|dir| {
        let dot_git = dir.join(".git");
        let meta = fs::metadata(&dot_git).ok()?;
        let git_dir = if meta.is_dir() { dot_git } else { linked_git_dir(dir, &dot_git)? };
        let common_dir = match read(&git_dir.join("commondir")) {
            Ok(relative) => absolute(&git_dir, relative.trim()),
            Err(_) => main_of(&git_dir).unwrap_or_else(|| git_dir.clone()),
        };
        Some(Repository { work_tree: dir.to_owned(), git_dir, common_dir })
    })
}

/// Worktrees and submodules have a file that points to their directory.
fn linked_git_dir(dir: &Path, dot_git: &Path) -> Option<PathBuf> {
    let text = read(dot_git).ok()?;
    Some(absolute(dir, text.trim().strip_prefix("gitdir:")?.trim()))
}

/// The directory of the repository of a worktree, by its path alone: for one whose repository is gone.
fn main_of(git_dir: &Path) -> Option<PathBuf> {
    let worktrees = git_dir.parent().filter(|parent| parent.ends_with("worktrees"))?;
    worktrees.parent().filter(|_| !git_dir.exists()).map(Path::to_owned)
}

fn absolute(base: &Path, path: &str) -> PathBuf {
    let joined = base.join(path);
    fs::canonicalize(&joined).unwrap_or(joined)
}

/// Reads only regular files: a repository may contain a FIFO in place of one of git's files.
fn read(path: &Path) -> std::io::Result<String> {
    const LARGEST: u64 = 16 * 1024 * 1024;
    regular::read_to_string(path, LARGEST)
}

fn is_commit(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

impl Repository {
    /// The URL of `origin`, or of the first remote.
    pub(super) fn remote(&self) -> Option<String> {
        let config = read(&self.common_dir.join("config")).ok()?;
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

    /// The branch and its commit. A detached head has no branch, a new branch no commit.
    pub(super) fn head(&self) -> (Option<String>, Option<String>) {
        let Ok(head) = read(&self.git_dir.join("HEAD")) else { return (None, None) };
        let head = head.trim();
        let Some(reference) = head.strip_prefix("ref: ") else {
            return (None, is_commit(head).then(|| head.to_owned()));
        };
        let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned();
        let loose = [&self.git_dir, &self.common_dir]
            .iter()
            .find_map(|dir| read(&dir.join(reference)).ok())
            .map(|text| text.trim().to_owned());
        let commit = loose.or_else(|| {
            let packed = read(&self.common_dir.join("packed-refs")).ok()?;
            let line = packed.lines().find(|line| line.split(' ').nth(1) == Some(reference))?;
            line.split(' ').next().map(str::to_owned)
        });
        (Some(branch), commit.filter(|c| is_commit(c)))
    }

    /// Identifies a repository without a remote, even after it moves.
    pub(super) fn root_commit(&self) -> Option<String> {
        let output = Command::new("git")
            .args(super::CAREFULLY)
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
