//! Snapshots of the source files, one archive each in `backups/`. The oldest are removed first.
//!
//! They exclude the index, which can be rebuilt, models, installed files, and transcripts in `archive/`,
//! which are copies. Forgotten memories are removed from every snapshot. Memories in trusted project
//! stores are included as `projects/<store>/…`.

mod gzip;
mod old;
mod pack;
mod restore;
mod tar;

use std::io;
use std::path::{Path, PathBuf};

use hark_core::{Timestamp, markdown};
use hark_files::Door;
use serde::Serialize;

pub use restore::Restored;

pub(crate) use pack::any_entry;

use crate::erase::everything;
use crate::error::{At, StoreError};
use crate::files::Stamp;
use crate::layers::Layer;
use crate::layout::Layout;
use crate::store::Store;
use crate::traces::{Place, Traces};
use pack::{Packer, Verdict, rewrite};

/// A format that every system can unpack.
const EXTENSION: &str = ".tar.gz";
/// The extension of snapshots from older versions.
const OLD_EXTENSION: &str = ".hark";
/// Where memories of projects are in a snapshot.
const PROJECTS: &str = "projects/";

/// Folders that are not backed up: derived, copied or temporary files.
const LEFT_OUT: &[&str] = &["backups", "tmp", "models", "install", "plugins", "archive", "spool"];

/// One snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Snapshot {
    /// The name to restore it by.
    pub name: String,
    pub made: String,
    pub files: usize,
    pub bytes: u64,
    /// Whether it is complete.
    pub whole: bool,
}

impl Store {
    /// Makes a snapshot and removes the oldest until `keep` are left. Returns `None` if nothing changed
    /// since the newest one.
    pub fn back_up(&self, keep: usize, now: Timestamp, always: bool) -> Result<Option<Snapshot>, StoreError> {
        let sources = sources(&self.layout);
        let digest = digest(&self.layout, &sources);
        let folder = self.layout.backups();
        let door = self.layout.door();
        if !always
            && newest(&self.layout)
                .is_some_and(|path| pack::digest_of(door, &path).as_deref() == Some(digest.as_str()))
        {
            return Ok(None);
        }
        self.layout.create_folder(&folder)?;
        self.layout.create_folder(&self.layout.staging())?;
        let before = paths(&self.layout);
        let number = before.iter().map(|path| pack::number_of(door, path)).max().unwrap_or(0) + 1;
        let lost_most = !always && has_lost_most(&self.layout, &sources, &before);
        let name = free_name(&self.layout, now);
        let path = folder.join(format!("{name}{EXTENSION}"));
        let draft = pack::draft(&self.layout);
        let outcome = pack_all(&self.layout, &sources, &draft, &digest, now, number)
            .and_then(|()| door.rename(&draft, &path).at(&path));
        if let Err(e) = outcome {
            let _ = door.remove(&draft);
            return Err(e);
        }
        let mut all = paths(&self.layout);
        while !lost_most && all.len() > keep.max(1) {
            self.layout.remove(&all.remove(0))?;
        }
        Ok(Some(look_at(door, &path)))
    }

    /// Newest first.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        paths(&self.layout).iter().rev().map(|path| look_at(self.layout.door(), path)).collect()
    }

    /// When the newest snapshot was made.
    pub fn last_backup(&self) -> Option<Timestamp> {
        newest(&self.layout).and_then(|path| pack::made(self.layout.door(), &path))
    }

    /// The snapshot with the most memories (the newest of those), and their number.
    pub fn fullest_backup(&self) -> Option<(String, usize)> {
        let all = paths(&self.layout);
        let counted = all.iter().map(|path| (stem(path), pack::memories_in(self.layout.door(), path)));
        counted.max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 0)
    }

    /// Removes memories and sessions, and quotes of them, from every snapshot. Returns the number of
    /// rewritten snapshots, and those that could not be read to the end.
    pub fn erase_from_backups(
        &self,
        ids: &[String],
        traces: &Traces,
    ) -> Result<(usize, Vec<String>), StoreError> {
        let (mut changed, mut torn) = (0, Vec::new());
        for path in paths(&self.layout) {
            let judge = |name: &str, content: &[u8]| -> Verdict {
                let is_history =
                    name.starts_with("revisions/") && ids.iter().any(|id| name.contains(id.as_str()));
                let is_file =
                    ["memories/", "sessions/", PROJECTS].iter().any(|folder| name.starts_with(folder));
                if is_history || (is_file && id_of(content).is_some_and(|id| ids.contains(&id))) {
                    return Verdict::Drop;
                }
                // Leave other memories unchanged.
                if name.starts_with("memories/") || name.starts_with("revisions/") {
                    return Verdict::Keep;
                }
                let Ok(text) = std::str::from_utf8(content) else { return Verdict::Keep };
                let place = self.place_in_backup(traces, name, text);
                let scrubbed = match name.ends_with(".md") {
                    true => traces.scrubbed_note(text, place),
                    false => traces.scrubbed(text, place),
                };
                if scrubbed.is_none() && !traces.named_in(name) {
                    return Verdict::Keep;
                }
                let text = scrubbed.unwrap_or_else(|| text.to_owned());
                Verdict::Replace(self.session_name(name, &text), text.into_bytes())
            };
            let done = rewrite(&self.layout, &path, judge)?;
            changed += usize::from(done.changed);
            if !done.whole {
                torn.push(relative(&self.layout, &path));
            }
        }
        Ok((changed, torn))
    }

    fn place_in_backup(&self, traces: &Traces, name: &str, text: &str) -> Place {
        if traces.scrubbed(text, Place::Source).is_none() {
            return Place::Elsewhere;
        }
        let session = name
            .strip_prefix("sessions/")
            .and_then(|_| markdown::session::parse(text, &|raw| self.redactor.clean(raw)).ok());
        session.map_or(Place::Elsewhere, |session| {
            traces.place_of(&[session.host_session.as_str(), &session.id.full(), &session.id.short()])
        })
    }

    /// The new file name of a session whose text changed.
    fn session_name(&self, name: &str, text: &str) -> Option<String> {
        name.strip_prefix("sessions/")?;
        let session = markdown::session::parse(text, &|raw| self.redactor.clean(raw)).ok()?;
        Some(format!("sessions/{}", markdown::session::file_name(&session)))
    }

    /// Runs `clean` over every text in every snapshot, and rewrites what it changes unless this is a dry
    /// run. Returns the snapshot, the entry and the result of `clean`.
    pub fn sweep_backups<T>(
        &self,
        apply: bool,
        clean: impl Fn(&str, &str) -> Option<(String, T)>,
    ) -> Result<Vec<(String, String, T)>, StoreError> {
        let mut found = Vec::new();
        for path in paths(&self.layout) {
            let snapshot = stem(&path);
            let mut here = Vec::new();
            let judge = |name: &str, content: &[u8]| -> Verdict {
                let changed = std::str::from_utf8(content).ok().and_then(|text| clean(name, text));
                let Some((text, said)) = changed else { return Verdict::Keep };
                here.push((snapshot.clone(), name.to_owned(), said));
                if apply { Verdict::Replace(None, text.into_bytes()) } else { Verdict::Keep }
            };
            rewrite(&self.layout, &path, judge)?;
            found.append(&mut here);
        }
        Ok(found)
    }
}

/// The id in the front matter of a file.
pub(crate) fn id_of(content: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(content.get(..4_096).unwrap_or(content));
    let line =
        text.lines().skip(1).take_while(|line| *line != "---").find_map(|line| line.strip_prefix("id:"))?;
    Some(line.trim().to_owned())
}

fn pack_all(
    layout: &Layout,
    sources: &[PathBuf],
    draft: &Path,
    digest: &str,
    now: Timestamp,
    number: u64,
) -> Result<(), StoreError> {
    let mut packer = Packer::create(layout.door(), draft, digest, now, number)?;
    for path in sources {
        // A file may vanish while this runs; then it is not part of the snapshot.
        if let Ok(content) = layout.door().read(path, crate::files::LARGEST) {
            packer.add(&relative(layout, path), &content)?;
        }
    }
    for (name, layer, path) in of_projects(layout) {
        if let Ok(content) = layer.door().read(&path, crate::files::LARGEST) {
            packer.add(&name, &content)?;
        }
    }
    packer.finish()
}

/// Everything that is part of the truth, in a fixed order.
fn sources(layout: &Layout) -> Vec<PathBuf> {
    let mut found = everything(layout.door(), LEFT_OUT);
    found.retain(|path| {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let is_top = path.parent() == Some(layout.home());
        // Learned phrases would outlive a memory that is forgotten later.
        let is_ours = name.starts_with("hark.")
            || name.ends_with(".lock")
            || ["hook-errors.jsonl", "phrases.jsonl"].contains(&name);
        !(is_top && (is_ours || name.starts_with('.')))
    });
    found
}

/// Memories in the trusted stores of projects, by their names in a snapshot.
fn of_projects(layout: &Layout) -> Vec<(String, &Layer, PathBuf)> {
    let mut found = Vec::new();
    for layer in layout.layers.iter().filter(|layer| layer.is_trusted()) {
        for path in everything(layer.door(), &["tmp"]) {
            if let Ok(inner) = path.strip_prefix(layer.memories()) {
                let name = format!("{PROJECTS}{}/memories/{}", layer.store_id(), inner.to_string_lossy());
                found.push((name, layer, path));
            }
        }
    }
    found
}

fn relative(layout: &Layout, path: &Path) -> String {
    let relative = path.strip_prefix(layout.home()).unwrap_or(path);
    relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Names, times and sizes: what tells whether anything changed.
fn digest(layout: &Layout, sources: &[PathBuf]) -> String {
    let mut hasher = blake3::Hasher::new();
    for path in sources {
        if let Ok(Some(stamp)) = layout.stamp(path) {
            hasher.update(format!("{}\n{} {}\n", relative(layout, path), stamp.mtime, stamp.size).as_bytes());
        }
    }
    for (name, layer, path) in of_projects(layout) {
        if let Ok(Some(stamp)) = Stamp::read(layer.door(), &path) {
            hasher.update(format!("{name}\n{} {}\n", stamp.mtime, stamp.size).as_bytes());
        }
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// `2026-11-16T04-23-01.123Z`: a name for every file system, in the order of time.
fn free_name(layout: &Layout, now: Timestamp) -> String {
    let base = now.to_string().replace(':', "-");
    let mut name = base.clone();
    let mut number = 1;
    let is_there =
        |name: &str, ending: &str| layout.door().has_file(&layout.backups().join(format!("{name}{ending}")));
    let taken = |name: &str| is_there(name, EXTENSION) || is_there(name, OLD_EXTENSION);
    while taken(&name) {
        number += 1;
        name = format!("{base}+{number}");
    }
    name
}

/// The name of a snapshot: its file's, without the ending.
fn stem(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    [EXTENSION, OLD_EXTENSION]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or_default()
        .to_owned()
}

/// A snapshot that cannot be read.
fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Whether most memories of some snapshot are missing now. They were not forgotten, else the snapshot
/// would lack them too; then no old snapshot is removed until the user makes a new one.
fn has_lost_most(layout: &Layout, sources: &[PathBuf], snapshots: &[PathBuf]) -> bool {
    let now = sources.iter().filter(|path| path.starts_with(layout.memories())).count();
    snapshots.iter().any(|path| pack::memories_in(layout.door(), path) > 2 * now)
}

/// Snapshots in the order of creation, regardless of the clock. Other files in the folder are ignored.
fn paths(layout: &Layout) -> Vec<PathBuf> {
    let listed = layout.files_in(&layout.backups());
    let mut found: Vec<PathBuf> =
        listed.into_iter().map(|(path, _)| path).filter(|path| is_name(&stem(path))).collect();
    found.sort_by_cached_key(|path| (pack::number_of(layout.door(), path), path.clone()));
    found
}

/// `2026-11-16T04-23-01.123Z`, with `+2` behind it if it is the second of its moment.
fn is_name(name: &str) -> bool {
    let base = name.split_once('+').map_or(name, |(base, _)| base);
    base.ends_with('Z')
        && base.len() >= 20
        && base.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'T' | b'.' | b'Z'))
}

fn newest(layout: &Layout) -> Option<PathBuf> {
    paths(layout).pop()
}

fn look_at(door: &Door, path: &Path) -> Snapshot {
    let (files, whole) = pack::count(door, path);
    Snapshot {
        name: stem(path),
        made: pack::made(door, path).map(|at| at.to_string()).unwrap_or_default(),
        files,
        bytes: door.look(path).ok().flatten().map_or(0, |look| look.size),
        whole,
    }
}
