//! Snapshots in the format of older versions: a header line, then entries, each a line of JSON and its compressed bytes,
//! then a line with their count. Hark reads this format but no longer writes it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};

use super::bad;
use super::pack::Head;
use super::tar::check_name;

pub(super) const FORMAT: u32 = 1;
/// The size limit of an entry, so that a damaged length does not exhaust memory.
const LARGEST: usize = 64 * 1024 * 1024;
const LONGEST_LINE: u64 = 64 * 1024;

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

pub(super) struct Entries {
    input: BufReader<File>,
    pub(super) ended: bool,
}

impl Entries {
    pub(super) fn open(mut input: BufReader<File>) -> io::Result<(Head, Self)> {
        let mut line = Vec::new();
        input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Err(bad("it is empty"));
        }
        let head = serde_json::from_slice(&line).map_err(|_| bad("it is not a backup by hark"))?;
        Ok((head, Entries { input, ended: false }))
    }

    /// The name of the next entry, whose content is passed over.
    pub(super) fn next_name(&mut self) -> io::Result<Option<String>> {
        let Some(head) = self.entry()? else { return Ok(None) };
        self.input.seek_relative(i64::try_from(head.packed).unwrap_or(i64::MAX))?;
        Ok(Some(head.path))
    }

    fn entry(&mut self) -> io::Result<Option<EntryHead>> {
        let mut line = Vec::new();
        self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
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

    pub(super) fn next(&mut self) -> io::Result<Option<(String, Vec<u8>)>> {
        let Some(head) = self.entry()? else { return Ok(None) };
        let mut packed = vec![0; head.packed];
        self.input.read_exact(&mut packed)?;
        let content =
            decompress_to_vec_with_limit(&packed, head.size).map_err(|_| bad("an entry is damaged"))?;
        if blake3::hash(&content).to_hex()[..32] != head.hash {
            return Err(bad("an entry is damaged"));
        }
        check_name(&head.path)?;
        Ok(Some((head.path, content)))
    }
}

/// As older versions wrote them, for tests.
#[cfg(test)]
pub(super) fn write(head: &Head, entries: &[(&str, &[u8])]) -> Vec<u8> {
    fn line(out: &mut Vec<u8>, value: &impl Serialize) {
        out.extend(serde_json::to_vec(value).unwrap());
        out.push(b'\n');
    }
    let mut out = Vec::new();
    line(&mut out, head);
    for (path, content) in entries {
        let packed = miniz_oxide::deflate::compress_to_vec(content, 6);
        let hash = blake3::hash(content).to_hex()[..32].to_owned();
        line(
            &mut out,
            &EntryHead { path: (*path).to_owned(), size: content.len(), packed: packed.len(), hash },
        );
        out.extend(packed);
    }
    line(&mut out, &End { end: entries.len() });
    out
}
