//! Finds the files to read: those that were named, or all files in the assistants' default places.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hark_core::Timestamp;
use hark_hosts::Surroundings;
use hark_hosts::transcript::{self, Shape, TRANSCRIPTS, Transcripts};

/// A file and the assistant that wrote it.
pub(super) struct Job {
    pub(super) path: PathBuf,
    pub(super) transcripts: &'static Transcripts,
    pub(super) size: u64,
    pub(super) mtime: i64,
}

#[derive(Default)]
pub(super) struct Found {
    pub(super) jobs: Vec<Job>,
    /// Files that are not transcripts, as far as anybody knows.
    pub(super) unrecognised: Vec<PathBuf>,
    /// Named, but missing.
    pub(super) missing: Vec<PathBuf>,
}

/// The maximum folder depth.
const DEEPEST: usize = 12;
/// How much of a file is read to recognise its format.
const HEAD: u64 = 64 * 1024;

/// All transcripts on this machine, of one host or of all.
pub(super) fn usual(around: &Surroundings, wanted: &dyn Fn(&str) -> bool) -> Found {
    usual_among(around, wanted, &|place| files(place))
}

/// Those that are, or are inside, `changed`.
pub(super) fn usual_changed(around: &Surroundings, changed: &[PathBuf]) -> Found {
    usual_among(around, &|_| true, &|place| below(place, changed))
}

fn usual_among(
    around: &Surroundings,
    wanted: &dyn Fn(&str) -> bool,
    files: &dyn Fn(&Path) -> Vec<PathBuf>,
) -> Found {
    let mut found = Found::default();
    for transcripts in TRANSCRIPTS.iter().copied().filter(|t| wanted(t.host)) {
        for place in transcripts.places(around) {
            for path in files(&place) {
                // Several assistants share the place of second-hand transcripts.
                let is_theirs = || recognise(&path).is_some_and(|t| t.host == transcripts.host);
                if transcripts.is_named(&path) && (!transcripts.secondhand || is_theirs()) {
                    found.add(path, transcripts);
                }
            }
        }
    }
    found.sorted()
}

/// What of `changed` is in a place.
pub(super) fn below(place: &Path, changed: &[PathBuf]) -> Vec<PathBuf> {
    changed.iter().filter(|path| path.starts_with(place)).flat_map(|path| files(path)).collect()
}

/// Where assistants store transcripts on this machine. Databases are left out: what changes in them is in other files
/// first.
pub(crate) fn places(around: &Surroundings) -> Vec<PathBuf> {
    let files = TRANSCRIPTS.iter().filter(|transcripts| transcripts.shape != Shape::Database);
    let mut places: Vec<PathBuf> = files.flat_map(|transcripts| transcripts.places(around)).collect();
    places.sort();
    places.dedup();
    places
}

/// The named files, and everything in the named folders.
pub(super) fn named(paths: &[PathBuf], wanted: &dyn Fn(&str) -> bool) -> Found {
    let mut found = Found::default();
    for path in paths {
        if !path.exists() {
            found.missing.push(path.clone());
            continue;
        }
        for file in files(path) {
            match recognise(&file) {
                Some(transcripts) if wanted(transcripts.host) => found.add(file, transcripts),
                Some(_) => {}
                None if is_companion(&file) => {}
                None => found.unrecognised.push(file),
            }
        }
    }
    found.sorted()
}

/// One file of a known assistant.
pub(super) fn one(path: PathBuf, host: &str) -> Option<Job> {
    let transcripts = recognise(&path).filter(|t| t.host == host)?;
    let mut found = Found::default();
    found.add(path, transcripts);
    found.jobs.pop()
}

fn recognise(path: &Path) -> Option<&'static Transcripts> {
    let mut head = Vec::new();
    hark_files::regular::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    transcript::recognise(path, &head)
}

impl Found {
    /// Takes in further files. Sorts in an order that does not depend on the file system, and removes duplicates.
    /// Second-hand transcripts come last, so that the assistants' own ones count.
    pub(super) fn join(&mut self, other: Found) {
        self.jobs.extend(other.jobs);
        let key = |job: &Job| (job.transcripts.secondhand, job.path.clone());
        self.jobs.sort_by_key(key);
        self.jobs.dedup_by(|a, b| a.path == b.path);
    }

    fn add(&mut self, path: PathBuf, transcripts: &'static Transcripts) {
        let path = std::path::absolute(&path).unwrap_or(path);
        let Ok(meta) = fs::metadata(&path) else { return };
        let (mut size, mut mtime) = (meta.len(), modified(&meta));
        if transcripts.shape == Shape::Database {
            // New data is in the write-ahead log first.
            let mut log = path.clone().into_os_string();
            log.push("-wal");
            if let Ok(meta) = fs::metadata(log) {
                size += meta.len();
                mtime = mtime.max(modified(&meta));
            }
        }
        self.jobs.push(Job { path, transcripts, size, mtime });
    }

    fn sorted(mut self) -> Self {
        self.join(Found::default());
        self
    }
}

/// In milliseconds, as in events; not every copy preserves nanoseconds.
fn modified(meta: &fs::Metadata) -> i64 {
    let time = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    time.and_then(|time| i64::try_from(time.as_millis()).ok()).unwrap_or(0)
}

/// When an assistant was last used in each of its sessions, as its transcripts show. Databases do not tell.
pub(crate) fn times(host: &str, around: &Surroundings) -> Vec<Timestamp> {
    let known = TRANSCRIPTS.iter().filter(|t| t.host == host && t.shape != Shape::Database);
    let named = known.flat_map(|transcripts| {
        let files = transcripts.places(around).into_iter().flat_map(|place| files(&place));
        let is_part = |file: &Path| file.components().any(|part| part.as_os_str() == "subagents");
        files.filter(move |file| transcripts.is_named(file) && !is_part(file))
    });
    named.filter_map(|file| fs::metadata(file).ok()).map(|m| Timestamp::from_millis(modified(&m))).collect()
}

fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    let mut folders = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            match kind {
                Ok(kind) if kind.is_dir() && depth < DEEPEST => folders.push((path, depth + 1)),
                Ok(kind) if kind.is_file() && is_candidate(&path) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Whether an assistant stores this file next to a transcript: it describes one and is none.
fn is_companion(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = |suffix: &str| name.strip_suffix(suffix).map(|stem| path.with_file_name(stem));
    let exists = |path: Option<PathBuf>, extension: &str| {
        path.is_some_and(|path| PathBuf::from(format!("{}{extension}", path.display())).is_file())
    };
    // Cline's description of a session, and Claude Code's of a subagent.
    exists(beside(".json"), ".messages.json") || exists(beside(".meta.json"), ".jsonl")
}

fn is_candidate(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["jsonl", "json", "md", "db"].iter().any(|known| e == *known))
}
