//! Finds the files of a repository that differ from the last or an earlier commit: for assistants that do not
//! report changes, and for changes that commands made without tools.
//!
//! Asks git, with a deadline, and reads its machine-readable formats, in which no file name is ambiguous.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use hark_core::session::FileOp;

use crate::program::{self, Asked};

/// More changed files than this are a checkout or a build, not someone's work.
const MOST_FILES: usize = 300;
const MOST_OUTPUT: u64 = 4 * 1024 * 1024;

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) op: FileOp,
    pub(crate) from: Option<String>,
}

/// Uncommitted changes, or `None` if git does not answer in time.
pub(crate) fn uncommitted(folder: &Path, deadline: Duration) -> Option<Vec<Change>> {
    Uncommitted::ask(folder, deadline)?.answer()
}

/// The same query for callers that do something else meanwhile.
#[derive(Debug)]
pub(crate) struct Uncommitted(Asked);

impl Uncommitted {
    pub(crate) fn ask(folder: &Path, deadline: Duration) -> Option<Self> {
        let args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--find-renames"];
        program::ask(&mut git(folder, &args), None, MOST_OUTPUT, deadline).map(Uncommitted)
    }

    pub(crate) fn answer(self) -> Option<Vec<Change>> {
        Some(parse_status(&self.0.answer()?))
    }
}

/// Where a baseline records that git was asked: no file has this name.
pub(crate) const ASKED: &str = "";

/// What was committed since `commit`.
pub(crate) fn committed(folder: &Path, commit: Option<&str>, deadline: Duration) -> Option<Vec<Change>> {
    let commit = commit.filter(|c| c.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let args = ["diff", "--name-status", "-z", "--find-renames", commit, "HEAD", "--"];
    let told = program::answer(&mut git(folder, &args), None, MOST_OUTPUT, deadline);
    let mut changes = parse_diff(&told?);
    changes.truncate(MOST_FILES);
    Some(changes)
}

/// What changed since `commit`, committed or not.
pub(crate) fn since(folder: &Path, commit: Option<&str>, deadline: Duration) -> Option<Vec<Change>> {
    let uncommitted = Uncommitted::ask(folder, deadline);
    let mut changes = committed(folder, commit, deadline).unwrap_or_default();
    for change in uncommitted?.answer()? {
        match changes.iter_mut().find(|known| known.path == change.path) {
            // A file that was created and then modified still counts as created; a deleted file counts as
            // deleted.
            Some(known) if known.op == FileOp::Created && change.op == FileOp::Modified => {}
            Some(known) => *known = change,
            None => changes.push(change),
        }
    }
    changes.truncate(MOST_FILES);
    Some(changes)
}

/// How many bytes to read for the fingerprints of all files together; the rest are recognised by time and size.
const MOST_HASHED: u64 = 8 * 1024 * 1024;
/// The prefix of a fingerprint that is a hash of the content.
const HASHED: &str = "b3 ";

/// A fingerprint that shows whether a file changed again: its content, or its time and size, or that it is gone. Git
/// sets the time of a file that it stashes and restores, so the time alone says too little.
fn mark(folder: &Path, path: &str, by_content: bool) -> String {
    let path = folder.join(path);
    let Ok(meta) = std::fs::symlink_metadata(&path) else { return "gone".to_owned() };
    if by_content
        && meta.is_file()
        && let Ok(bytes) = std::fs::read(&path)
    {
        return format!("{HASHED}{}", &blake3::hash(&bytes).to_hex()[..32]);
    }
    let time = meta.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    format!("{} {}", time.map_or(0, |t| t.as_nanos()), meta.len())
}

/// Whether a file is still as it was when the mark `known` was taken.
fn is_unchanged(folder: &Path, path: &str, known: &str) -> bool {
    mark(folder, path, known.starts_with(HASHED)) == known
}

/// The marks of files that had already changed, including the old names of renamed ones.
pub(crate) fn baseline(folder: &Path, changes: &[Change]) -> Vec<(String, String)> {
    let mut room = MOST_HASHED;
    let names = changes.iter().flat_map(|change| change.from.iter().chain([&change.path]));
    let marked = names.map(|path| {
        let length = std::fs::symlink_metadata(folder.join(path)).map_or(0, |meta| meta.len());
        let fits = length <= room;
        room -= if fits { length } else { 0 };
        (path.clone(), mark(folder, path, fits))
    });
    marked.collect()
}

/// Drops files that had changed before and have not changed since. A file that existed before was not created.
pub(crate) fn without_baseline(
    folder: &Path,
    changes: Vec<Change>,
    baseline: &[(String, String)],
) -> Vec<Change> {
    let before: HashMap<&str, &str> = baseline.iter().map(|(p, m)| (p.as_str(), m.as_str())).collect();
    let ours = |mut change: Change| match before.get(change.path.as_str()) {
        None => Some(change),
        Some(known) if is_unchanged(folder, &change.path, known) => None,
        Some(known) => {
            if *known != "gone" && matches!(change.op, FileOp::Created | FileOp::Renamed) {
                (change.op, change.from) = (FileOp::Modified, None);
            }
            Some(change)
        }
    };
    changes.into_iter().filter_map(ours).collect()
}

fn git(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "--no-optional-locks"])
        .args(args)
        .current_dir(folder);
    command
}

/// `git status --porcelain=v2 -z`: records end with NUL, and the old name of a rename is a separate record.
fn parse_status(bytes: &[u8]) -> Vec<Change> {
    let mut fields = bytes.split(|b| *b == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut found = Vec::new();
    while let Some(record) = fields.next() {
        let change = match record.as_bytes().first() {
            Some(b'1') => ordinary(&record),
            Some(b'2') => {
                let from = fields.next();
                nth_field(&record, 9).map(|path| Change { path, op: FileOp::Renamed, from })
            }
            Some(b'u') => {
                nth_field(&record, 10).map(|path| Change { path, op: FileOp::Modified, from: None })
            }
            Some(b'?') => {
                record.get(2..).map(|path| Change { path: path.to_owned(), op: FileOp::Created, from: None })
            }
            _ => None,
        };
        found.extend(change);
        if found.len() >= MOST_FILES {
            break;
        }
    }
    found
}

/// `1 XY sub mH mI mW hH hI path`: X is the index, Y the work tree.
fn ordinary(record: &str) -> Option<Change> {
    let state = record.get(2..4)?;
    let op = match state {
        s if s.contains('D') => FileOp::Deleted,
        s if s.starts_with('A') => FileOp::Created,
        _ => FileOp::Modified,
    };
    Some(Change { path: nth_field(record, 8)?, op, from: None })
}

/// The rest of the record from its nth blank-separated field on; paths may contain blanks.
fn nth_field(record: &str, n: usize) -> Option<String> {
    record.splitn(n + 1, ' ').nth(n).map(str::to_owned)
}

/// `git diff --name-status -z`: a letter, then one path, or two for renames and copies.
fn parse_diff(bytes: &[u8]) -> Vec<Change> {
    let mut fields = bytes.split(|b| *b == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut found = Vec::new();
    while let Some(letter) = fields.next().filter(|f| !f.is_empty()) {
        let Some(path) = fields.next() else { break };
        found.push(match letter.as_bytes()[0] {
            b'R' => {
                let Some(to) = fields.next() else { break };
                Change { path: to, op: FileOp::Renamed, from: Some(path) }
            }
            b'C' => {
                let Some(to) = fields.next() else { break };
                Change { path: to, op: FileOp::Created, from: None }
            }
            b'A' => Change { path, op: FileOp::Created, from: None },
            b'D' => Change { path, op: FileOp::Deleted, from: None },
            _ => Change { path, op: FileOp::Modified, from: None },
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_of_record_is_read() {
        let status = b"1 .M N... 100644 100644 100644 a a src/a b.rs\0\
            1 A. N... 000000 100644 100644 0 b new.rs\x001 .D N... 100644 100644 000000 c c gone.rs\0\
            2 R. N... 100644 100644 100644 d d R100 to.rs\0from.rs\0? un tracked.rs\0! ignored\0";
        let found: Vec<(String, FileOp, Option<String>)> =
            parse_status(status).into_iter().map(|c| (c.path, c.op, c.from)).collect();
        let expected = [
            ("src/a b.rs", FileOp::Modified, None),
            ("new.rs", FileOp::Created, None),
            ("gone.rs", FileOp::Deleted, None),
            ("to.rs", FileOp::Renamed, Some("from.rs".to_owned())),
            ("un tracked.rs", FileOp::Created, None),
        ];
        assert_eq!(found, expected.map(|(path, op, from)| (path.to_owned(), op, from)));
        let diff = b"M\0a\0R100\0old\0new\0D\0gone\0A\0made\0";
        let ops: Vec<FileOp> = parse_diff(diff).iter().map(|c| c.op).collect();
        assert_eq!(ops, [FileOp::Modified, FileOp::Renamed, FileOp::Deleted, FileOp::Created]);
    }
}
