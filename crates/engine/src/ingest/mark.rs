//! Identifies a file by a few bytes at its beginning and before the position up to which it was read. A file
//! that only grew keeps them; one that was truncated, rotated or rewritten does not.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

const WINDOW: u64 = 1024;

/// The mark of a file that was read up to `offset`. `None` if it is shorter than that.
pub(super) fn of(file: &mut File, offset: u64) -> io::Result<Option<String>> {
    if file.metadata()?.len() < offset {
        return Ok(None);
    }
    let mut hash = blake3::Hasher::new();
    for (from, length) in [(0, WINDOW.min(offset)), (offset.saturating_sub(WINDOW), WINDOW.min(offset))] {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Ok(None);
        }
        hash.update(&bytes);
    }
    Ok(Some(hash.finalize().to_hex()[..32].to_owned()))
}

#[cfg(unix)]
pub(super) fn inode(file: &File) -> i64 {
    use std::os::unix::fs::MetadataExt;
    file.metadata().map_or(0, |meta| meta.ino().cast_signed())
}

#[cfg(not(unix))]
pub(super) fn inode(_file: &File) -> i64 {
    0
}
