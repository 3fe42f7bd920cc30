//! The file of a snapshot: a gzipped tar archive that can be unpacked without hark. Its first entry is the header; the
//! others are the files under their names in the data directory. It is written and read as a stream, one entry in memory
//! at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use hark_core::Timestamp;
use hark_files::Door;
use serde::{Deserialize, Serialize};

use super::tar::{Archive, Refused};
use super::{bad, gzip, old, tar};
use crate::error::{At, StoreError};
use crate::files;
use crate::layout::Layout;
use crate::leftovers;

const FORMAT: u32 = 2;
/// The first entry.
const HEAD: &str = "hark-backup.json";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) hark_backup: u32,
    pub(super) made: Timestamp,
    pub(super) digest: String,
    /// Increases with each snapshot, regardless of the clock. Snapshots of older versions have none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) number: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

pub(super) struct Packer<'p> {
    path: &'p Path,
    out: BufWriter<File>,
    seconds: u64,
}

impl<'p> Packer<'p> {
    pub(super) fn create(
        door: &Door,
        path: &'p Path,
        digest: &str,
        now: Timestamp,
        number: u64,
    ) -> Result<Self, StoreError> {
        let file = door.create_new(path).at(path)?;
        leftovers::claim(&file);
        let seconds = u64::try_from(now.as_millis() / 1_000).unwrap_or_default();
        let mut packer = Packer { path, out: BufWriter::new(file), seconds };
        let head = Head { hark_backup: FORMAT, made: now, digest: digest.to_owned(), number };
        let mut text = serde_json::to_vec(&head).unwrap_or_default();
        text.push(b'\n');
        packer.add(HEAD, &text)?;
        Ok(packer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.out.write_all(&gzip::member(bytes)).at(self.path)
    }

    pub(super) fn add(&mut self, name: &str, content: &[u8]) -> Result<(), StoreError> {
        self.put(&tar::entry(name, content, self.seconds))
    }

    /// Finishes the archive and syncs it to disk.
    pub(super) fn finish(mut self) -> Result<(), StoreError> {
        self.put(&tar::end())?;
        let file = self.out.into_inner().map_err(|e| StoreError::io(self.path, e.into_error()))?;
        file.sync_all().at(self.path)
    }
}

/// Reads entries one after another.
pub(super) struct Unpacker {
    source: Source,
    head: Head,
}

enum Source {
    Archive(Archive<BufReader<File>>),
    Old(old::Entries),
}

impl Unpacker {
    /// Detects the format by the first bytes: a rewritten snapshot of an older version kept its name.
    pub(super) fn open(door: &Door, path: &Path) -> io::Result<Self> {
        let mut input = BufReader::new(door.open(path)?);
        let (head, source, newest) = if input.fill_buf()?.starts_with(&gzip::MAGIC) {
            let mut archive = Archive::new(input);
            let first = archive.next()?.filter(|(name, _)| name == HEAD);
            let text = first
                .ok_or_else(|| bad("it is not a backup by hark: it does not begin with hark-backup.json"))?;
            let head = serde_json::from_slice(&text.1).map_err(|_| bad("it is not a backup by hark"))?;
            (head, Source::Archive(archive), FORMAT)
        } else {
            let (head, entries) = old::Entries::open(input)?;
            (head, Source::Old(entries), old::FORMAT)
        };
        if head.hark_backup > newest {
            return Err(bad("it was made by a newer version"));
        }
        Ok(Unpacker { source, head })
    }

    /// Whether it was read to its end and is complete.
    pub(super) fn ended(&self) -> bool {
        match &self.source {
            Source::Archive(archive) => archive.ended,
            Source::Old(entries) => entries.ended,
        }
    }

    /// The next entry; `None` at the end, or an error if the file is damaged or an entry is refused.
    fn next(&mut self) -> io::Result<Option<(String, Vec<u8>)>> {
        match &mut self.source {
            Source::Archive(archive) => archive.next(),
            Source::Old(entries) => entries.next(),
        }
    }

    /// The next usable entry. Damage ends the archive; the entries before it are still used.
    pub(super) fn next_good(&mut self) -> Option<(String, Vec<u8>)> {
        loop {
            match self.next() {
                Ok(entry) => return entry,
                Err(e) if Refused::of(&e).is_some() => {}
                Err(_) => return None,
            }
        }
    }

    fn next_name(&mut self) -> Option<String> {
        match &mut self.source {
            Source::Archive(_) => self.next_good().map(|(name, _)| name),
            Source::Old(entries) => entries.next_name().ok().flatten(),
        }
    }
}

/// Fails if a snapshot contains anything but files below its own folder. Runs before anything is restored: a link or
/// `../` in a snapshot is an attack, so none of it can be trusted.
pub(super) fn check(door: &Door, path: &Path) -> Result<(), StoreError> {
    let mut from = Unpacker::open(door, path).map_err(|e| strange(path, e))?;
    loop {
        match from.next() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(e) if Refused::of(&e).is_some() => return Err(strange(path, e)),
            // Damage is reported afterwards, with the entries that could be used.
            Err(_) => return Ok(()),
        }
    }
}

fn strange(path: &Path, error: io::Error) -> StoreError {
    match Refused::of(&error) {
        Some(refused) => StoreError::StrangeBackup { path: path.to_owned(), detail: refused.to_string() },
        None => StoreError::io(path, error),
    }
}

/// An unfinished snapshot. Leftovers are recognized by this name.
pub(super) fn draft(layout: &Layout) -> PathBuf {
    let unique = files::draft_name(Path::new(""));
    layout.staging().join(format!("backup-{}", unique.display()))
}

/// What to do with an entry.
pub(super) enum Verdict {
    Keep,
    Drop,
    /// Replace it with this content, under a new name if given.
    Replace(Option<String>, Vec<u8>),
}

/// The outcome for a snapshot.
pub(super) struct Rewritten {
    pub(super) changed: bool,
    /// Whether it could be read to its end.
    pub(super) whole: bool,
}

/// Rewrites a snapshot with entries removed or replaced. If anything changes, a damaged one keeps only its
/// readable entries; otherwise it stays unchanged.
pub(super) fn rewrite(
    layout: &Layout,
    path: &Path,
    mut judge: impl FnMut(&str, &[u8]) -> Verdict,
) -> Result<Rewritten, StoreError> {
    let door = layout.door();
    let Ok(mut from) = Unpacker::open(door, path) else {
        return Ok(Rewritten { changed: false, whole: false });
    };
    let draft = draft(layout);
    let mut to = Packer::create(door, &draft, &from.head.digest, from.head.made, from.head.number)?;
    let mut changed = false;
    while let Some((name, content)) = from.next_good() {
        match judge(&name, &content) {
            Verdict::Keep => to.add(&name, &content)?,
            Verdict::Drop => changed = true,
            Verdict::Replace(other, content) => {
                changed = true;
                to.add(other.as_deref().unwrap_or(&name), &content)?;
            }
        }
    }
    to.finish()?;
    let outcome = if changed { door.rename(&draft, path) } else { door.remove(&draft) };
    outcome.at(path)?;
    // A rewritten snapshot ends at the last readable entry.
    Ok(Rewritten { changed, whole: from.ended() || changed })
}

/// Whether the name or the content of any entry, unpacked, is like that.
pub(crate) fn any_entry(door: &Door, path: &Path, mut is: impl FnMut(&[u8]) -> bool) -> bool {
    let Ok(mut from) = Unpacker::open(door, path) else { return false };
    while let Some((name, content)) = from.next_good() {
        if is(name.as_bytes()) || is(&content) {
            return true;
        }
    }
    false
}

pub(super) fn digest_of(door: &Door, path: &Path) -> Option<String> {
    Unpacker::open(door, path).ok().map(|from| from.head.digest)
}

pub(super) fn number_of(door: &Door, path: &Path) -> u64 {
    Unpacker::open(door, path).map_or(0, |from| from.head.number)
}

/// The number of memories in a snapshot, by the names of its entries.
pub(super) fn memories_in(door: &Door, path: &Path) -> usize {
    let Ok(mut from) = Unpacker::open(door, path) else { return 0 };
    let mut count = 0;
    while let Some(name) = from.next_name() {
        count += usize::from(name.starts_with("memories/"));
    }
    count
}

pub(super) fn made(door: &Door, path: &Path) -> Option<Timestamp> {
    Unpacker::open(door, path).ok().map(|from| from.head.made)
}

/// The number of readable entries, and whether the file is complete.
pub(super) fn count(door: &Door, path: &Path) -> (usize, bool) {
    let Ok(mut from) = Unpacker::open(door, path) else { return (0, false) };
    let mut count = 0;
    while from.next_good().is_some() {
        count += 1;
    }
    (count, from.ended())
}

#[cfg(test)]
mod tests;
