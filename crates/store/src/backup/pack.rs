//! The file of a snapshot: a first line that says what it is, then entries, each a line of JSON and
//! its compressed bytes, then a line that says how many there were. Written and read as a stream:
//! one entry in memory at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use hark_core::Timestamp;
use hark_files::Door;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};

use crate::error::{At, StoreError};
use crate::files;
use crate::layout::Layout;
use crate::leftovers;

const FORMAT: u32 = 1;
const LEVEL: u8 = 6;
/// No entry is larger; a damaged length must not take all memory.
const LARGEST: usize = 64 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    hark_backup: u32,
    made: Timestamp,
    digest: String,
    /// Counts up from one snapshot to the next, whatever the clock says. Older ones have none.
    #[serde(default, skip_serializing_if = "is_zero")]
    number: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Debug, Serialize, Deserialize)]
struct EntryHead {
    path: String,
    size: usize,
    packed: usize,
    hash: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct End {
    end: usize,
}

pub(super) struct Packer<'p> {
    path: &'p Path,
    out: BufWriter<File>,
    count: usize,
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
        let mut packer = Packer { path, out: BufWriter::new(file), count: 0 };
        packer.line(&Head { hark_backup: FORMAT, made: now, digest: digest.to_owned(), number })?;
        Ok(packer)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), StoreError> {
        let mut line = serde_json::to_vec(value).unwrap_or_default();
        line.push(b'\n');
        self.out.write_all(&line).at(self.path)
    }

    pub(super) fn add(&mut self, name: &str, content: &[u8]) -> Result<(), StoreError> {
        let packed = compress_to_vec(content, LEVEL);
        let head = EntryHead {
            path: name.to_owned(),
            size: content.len(),
            packed: packed.len(),
            hash: blake3::hash(content).to_hex()[..32].to_owned(),
        };
        self.line(&head)?;
        self.out.write_all(&packed).at(self.path)?;
        self.count += 1;
        Ok(())
    }

    /// The last line, and on disk before anybody relies on it.
    pub(super) fn finish(mut self) -> Result<(), StoreError> {
        let count = self.count;
        self.line(&End { end: count })?;
        let file = self.out.into_inner().map_err(|e| StoreError::io(self.path, e.into_error()))?;
        file.sync_all().at(self.path)
    }
}

/// Reads entries one after another.
pub(super) struct Unpacker {
    input: BufReader<File>,
    head: Head,
    pub(super) ended: bool,
}

impl Unpacker {
    pub(super) fn open(door: &Door, path: &Path) -> io::Result<Self> {
        let mut input = BufReader::new(door.open(path)?);
        let head: Head = read_line(&mut input)?.ok_or_else(|| bad("it is empty"))?;
        if head.hark_backup > FORMAT {
            return Err(bad("it was made by a newer version"));
        }
        Ok(Unpacker { input, head, ended: false })
    }

    /// The name of the next entry, whose content is passed over.
    fn skip(&mut self) -> io::Result<Option<String>> {
        let Some(head) = self.entry()? else { return Ok(None) };
        self.input.seek_relative(i64::try_from(head.packed).unwrap_or(i64::MAX))?;
        Ok(Some(head.path))
    }

    fn entry(&mut self) -> io::Result<Option<EntryHead>> {
        let mut line = Vec::new();
        self.input.by_ref().take(64 * 1024).read_until(b'\n', &mut line)?;
        if serde_json::from_slice::<End>(&line).is_ok() {
            self.ended = true;
            return Ok(None);
        }
        if line.is_empty() {
            return Ok(None);
        }
        let head: EntryHead = serde_json::from_slice(&line).map_err(|_| bad("an entry is damaged"))?;
        if head.packed > LARGEST || head.size > LARGEST {
            return Err(bad("an entry is damaged"));
        }
        Ok(Some(head))
    }

    /// The next entry; nothing at the end, or an error where the file is damaged.
    pub(super) fn next(&mut self) -> io::Result<Option<(String, Vec<u8>)>> {
        let Some(head) = self.entry()? else { return Ok(None) };
        let mut packed = vec![0; head.packed];
        self.input.read_exact(&mut packed)?;
        let content =
            decompress_to_vec_with_limit(&packed, head.size).map_err(|_| bad("an entry is damaged"))?;
        if blake3::hash(&content).to_hex()[..32] != head.hash {
            return Err(bad("an entry is damaged"));
        }
        Ok(Some((head.path, content)))
    }
}

fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

fn read_line<T: for<'de> Deserialize<'de>>(input: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    input.take(64 * 1024).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&line).map(Some).map_err(|_| bad("it is no backup of hark"))
}

/// A snapshot on its way. Leftovers are known by this name.
pub(super) fn draft(layout: &Layout) -> PathBuf {
    let unique = files::draft_name(Path::new(""));
    layout.staging().join(format!("backup-{}", unique.display()))
}

/// What becomes of an entry.
pub(super) enum Verdict {
    Keep,
    Drop,
    /// By this, under another name if there is one.
    Replace(Option<String>, Vec<u8>),
}

/// What became of a snapshot.
pub(super) struct Rewritten {
    pub(super) changed: bool,
    /// It could be read to its end.
    pub(super) whole: bool,
}

/// Writes a snapshot again without, or with other, entries. A damaged one keeps what can be read of it,
/// if anything has to change; else it stays as it is.
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
    while let Ok(Some((name, content))) = from.next() {
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
    // What was written again ends where it can be read.
    Ok(Rewritten { changed, whole: from.ended || changed })
}

/// Whether any entry, unpacked, is like that.
pub(crate) fn any_entry(door: &Door, path: &Path, mut is: impl FnMut(&[u8]) -> bool) -> bool {
    let Ok(mut from) = Unpacker::open(door, path) else { return false };
    while let Ok(Some((_, content))) = from.next() {
        if is(&content) {
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

/// How many memories a snapshot holds, by the names of its entries.
pub(super) fn memories_in(door: &Door, path: &Path) -> usize {
    let Ok(mut from) = Unpacker::open(door, path) else { return 0 };
    let mut count = 0;
    while let Ok(Some(name)) = from.skip() {
        count += usize::from(name.starts_with("memories/"));
    }
    count
}

pub(super) fn made(door: &Door, path: &Path) -> Option<Timestamp> {
    Unpacker::open(door, path).ok().map(|from| from.head.made)
}

/// How many entries can be read, and whether the file is whole.
pub(super) fn count(door: &Door, path: &Path) -> (usize, bool) {
    let Ok(mut from) = Unpacker::open(door, path) else { return (0, false) };
    let mut count = 0;
    while let Ok(Some(_)) = from.next() {
        count += 1;
    }
    (count, from.ended)
}
