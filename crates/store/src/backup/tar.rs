//! POSIX tar (ustar, and pax for long names): enough to write archives that every tool can unpack, and to read those
//! and repacked ones. All other entry types are refused by name: a store does not need them, and links and paths that
//! lead outside are a known attack.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::{Component, Path};

use super::{bad, gzip};
use crate::files::LARGEST;

const BLOCK: usize = 512;
/// A private file, like everything in a store.
const MODE: u64 = 0o600;
/// The longest name, so that a damaged length does not exhaust memory.
const LONGEST_NAME: u64 = 64 * 1024;
/// Tools pad the end with zeros.
const MOST_FILLING: u64 = 1024 * 1024;

/// A file in the archive: head, content, and zeros up to the next block.
pub(super) fn entry(name: &str, content: &[u8], seconds: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + 2 * BLOCK);
    let mut put = |name: &str, prefix: &str, kind: u8, content: &[u8]| {
        out.extend(head(name, prefix, kind, content.len() as u64, seconds));
        out.extend(content);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    };
    match split(name) {
        Some((prefix, rest)) => put(rest, prefix, b'0', content),
        None => {
            let short: String = name.chars().map(|c| if c.is_ascii() { c } else { '_' }).take(100).collect();
            put("pax", "", b'x', record("path", name).as_bytes());
            put(&short, "", b'0', content);
        }
    }
    out
}

/// What an archive ends with.
pub(super) fn end() -> Vec<u8> {
    vec![0; 2 * BLOCK]
}

/// A name as ustar has room for it, in two parts; beyond ASCII it does not say what the bytes mean.
fn split(name: &str) -> Option<(&str, &str)> {
    if !name.is_ascii() {
        return None;
    }
    if name.len() <= 100 {
        return Some(("", name));
    }
    let fits = |(prefix, rest): &(&str, &str)| prefix.len() <= 155 && (1..=100).contains(&rest.len());
    name.match_indices('/').map(|(at, _)| (&name[..at], &name[at + 1..])).find(fits)
}

/// `27 path=memories/größe.md`: the length counts itself.
fn record(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}")
}

fn head(name: &str, prefix: &str, kind: u8, size: u64, seconds: u64) -> [u8; BLOCK] {
    let mut head = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name.as_bytes());
    put(100, format!("{MODE:07o}").as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{size:011o}").as_bytes());
    put(136, format!("{seconds:011o}").as_bytes());
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    put(329, b"0000000");
    put(337, b"0000000");
    put(345, prefix.as_bytes());
    let sum = checksum(&head);
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head
}

/// The sum of all bytes, the checksum itself as if it were blanks.
fn checksum(head: &[u8; BLOCK]) -> u64 {
    let summed =
        head.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { b' ' } else { *byte });
    summed.map(u64::from).sum()
}

/// An entry that is not restored, and why.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) name: String,
    pub(super) why: &'static str,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in it {}", self.name.escape_debug(), self.why)
    }
}

impl std::error::Error for Refused {}

impl Refused {
    fn error(name: &str, why: &'static str) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, Refused { name: name.to_owned(), why })
    }

    pub(super) fn of(error: &io::Error) -> Option<&Refused> {
        error.get_ref()?.downcast_ref()
    }
}

/// Fails unless a name stays inside the folder it is joined to.
pub(super) fn check_name(name: &str) -> io::Result<()> {
    // Check for every system: archives are copied between systems.
    let has_drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with(['/', '\\']) || has_drive {
        return Err(Refused::error(name, "is an absolute path"));
    }
    if name.split(['/', '\\']).any(|part| part == "..") {
        return Err(Refused::error(name, "leads outside the folder"));
    }
    let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || name.contains('\0') || !is_plain {
        return Err(Refused::error(name, "is not a valid file name"));
    }
    Ok(())
}

/// Reads files one after another.
pub(super) struct Archive<R> {
    input: gzip::Reader<R>,
    /// Whether it is complete.
    pub(super) ended: bool,
    /// Nothing more can be read.
    stuck: bool,
}

impl<R: BufRead> Archive<R> {
    pub(super) fn new(input: R) -> Self {
        Archive { input: gzip::Reader::new(input), ended: false, stuck: false }
    }

    /// The next file; nothing at the end, or an error where the archive is damaged or an entry is refused. After a
    /// refusal, the rest can still be read.
    pub(super) fn next(&mut self) -> io::Result<Option<(String, Vec<u8>)>> {
        if self.stuck || self.ended {
            return Ok(None);
        }
        let found = self.find();
        self.stuck |= matches!(&found, Err(e) if Refused::of(e).is_none());
        found
    }

    fn find(&mut self) -> io::Result<Option<(String, Vec<u8>)>> {
        let mut long_name = None;
        loop {
            let Some(head) = self.head()? else { return Ok(None) };
            let Some(size) = octal(&head[124..136]) else { return Err(self.too_large(&name_in(&head))) };
            let kind = head[156];
            match kind {
                b'x' => long_name = pax_path(&self.text(size)?).or(long_name),
                b'L' => long_name = Some(until_zero(&self.text(size)?)),
                b'g' | b'K' => drop(self.text(size)?),
                _ => {
                    let name = long_name.take().unwrap_or_else(|| name_in(&head));
                    let name = String::from_utf8(name).map_err(|e| {
                        let name = String::from_utf8_lossy(e.as_bytes()).into_owned();
                        self.stuck = true;
                        Refused::error(&name, "is not a valid file name")
                    })?;
                    if let Some(found) = self.file(&name, kind, size)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
    }

    /// A file, or nothing if it is a folder.
    fn file(&mut self, name: &str, kind: u8, size: u64) -> io::Result<Option<(String, Vec<u8>)>> {
        let is_folder = kind == b'5' || name.ends_with('/');
        let what = match kind {
            b'0' | b'7' | 0 | b'5' => None,
            b'1' | b'2' => Some("is a link"),
            b'3' | b'4' => Some("is a device"),
            b'6' => Some("is a pipe"),
            _ => Some("is something other than a file"),
        };
        if size > LARGEST {
            return Err(self.too_large(name.as_bytes()));
        }
        let content = self.content(size)?;
        if let Some(what) = what {
            return Err(Refused::error(name, what));
        }
        // As `tar czf x.tar.gz .` names them.
        let name = name.trim_start_matches("./").trim_end_matches('/');
        if is_folder {
            return if name.is_empty() || name == "." { Ok(None) } else { check_name(name).map(|()| None) };
        }
        check_name(name)?;
        Ok(Some((name.to_owned(), content)))
    }

    fn too_large(&mut self, name: &[u8]) -> io::Error {
        self.stuck = true;
        Refused::error(&String::from_utf8_lossy(name), "is larger than any file of a store")
    }

    /// The next header; `None` at the end, which is checked too.
    fn head(&mut self) -> io::Result<Option<[u8; BLOCK]>> {
        let mut head = [0; BLOCK];
        let read = read_up_to(&mut self.input, &mut head)?;
        if read == 0 {
            return Ok(None);
        }
        if read < BLOCK {
            return Err(bad("it is truncated"));
        }
        if head.iter().all(|byte| *byte == 0) {
            io::copy(&mut self.input.by_ref().take(MOST_FILLING), &mut io::sink())?;
            self.ended = true;
            return Ok(None);
        }
        if octal(&head[148..156]) != Some(checksum(&head)) {
            return Err(bad("an entry is damaged"));
        }
        Ok(Some(head))
    }

    /// Reads metadata entries: the name and other attributes of the next entry.
    fn text(&mut self, size: u64) -> io::Result<Vec<u8>> {
        if size > LONGEST_NAME {
            return Err(bad("an entry is damaged"));
        }
        self.content(size)
    }

    fn content(&mut self, size: u64) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.input.by_ref().take(size).read_to_end(&mut content)?;
        let filling = size.next_multiple_of(BLOCK as u64) - size;
        let filled = io::copy(&mut self.input.by_ref().take(filling), &mut io::sink())?;
        if content.len() as u64 != size || filled != filling {
            return Err(bad("it is truncated"));
        }
        self.input.settle()?;
        Ok(content)
    }
}

fn read_up_to(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

fn until_zero(bytes: &[u8]) -> Vec<u8> {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default().to_vec()
}

/// The name in a head, its prefix before it. GNU tar has something else where the prefix would be.
fn name_in(head: &[u8; BLOCK]) -> Vec<u8> {
    let (name, prefix) = (until_zero(&head[..100]), until_zero(&head[345..500]));
    let is_posix = head[257..263] == *b"ustar\0";
    if is_posix && !prefix.is_empty() { [prefix, name].join(&b'/') } else { name }
}

/// A number in a head; nothing if it is written in the way that large ones are.
fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}

/// The last `path` among the records of a pax head.
fn pax_path(mut records: &[u8]) -> Option<Vec<u8>> {
    let mut found = None;
    while let Some(blank) = records.iter().position(|byte| *byte == b' ') {
        let length: usize = std::str::from_utf8(&records[..blank]).ok()?.parse().ok()?;
        let record = records.get(blank + 1..length)?;
        if let Some(path) = record.strip_prefix(b"path=") {
            found = Some(path.strip_suffix(b"\n")?.to_vec());
        }
        records = &records[length..];
    }
    found
}

#[cfg(test)]
mod tests;
