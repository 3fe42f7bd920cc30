//! Files that someone named on purpose. Follows links, but refuses anything except a regular file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::kind::Refusal;
use crate::system;

/// Opens a regular file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    system::open_regular(path)
}

/// Reads a regular file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, most)
}

/// Reads a regular text file of at most `most` bytes.
pub fn read_to_string(path: &Path, most: u64) -> io::Result<String> {
    text(read(path, most)?)
}

/// Creates or truncates a file that only the user can read.
pub fn create_private(path: &Path) -> io::Result<File> {
    system::create_private(path)
}

pub(crate) fn read_all(file: File, most: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    if length > most {
        return Err(Refusal::TooLarge { most }.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0) + 1);
    // A file that grows while it is read must not exhaust memory.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Refusal::TooLarge { most }.into());
    }
    Ok(bytes)
}

pub(crate) fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "is not UTF-8 text"))
}
