//! Just enough of the zip format to extract two files from a Python package: the central directory, and
//! stored or deflated entries. The caller verifies the contents.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// No expected file is larger; an archive that unpacks to more is malicious.
const LARGEST: usize = 2048 << 20;

/// The entries of an archive in memory.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    name: &'a [u8],
    method: u16,
    packed: usize,
    size: usize,
    at: usize,
}

pub(super) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

impl<'a> Archive<'a> {
    /// `None` if the central directory is missing or broken.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Self> {
        // The end record has 22 bytes and a comment of at most 65,535.
        let tail = bytes.len().saturating_sub(22 + 65_535);
        let end = bytes.get(tail..)?.windows(4).rposition(|w| w == b"PK\x05\x06")? + tail;
        let count = u16_at(bytes, end + 10)?;
        let mut at = u32_at(bytes, end + 16)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let header = bytes.get(at..)?;
            if !header.starts_with(b"PK\x01\x02") {
                return None;
            }
            let lengths = [28, 30, 32].map(|i| u16_at(header, i).map(usize::from));
            let [Some(name), Some(extra), Some(comment)] = lengths else { return None };
            entries.push(Entry {
                name: header.get(46..46 + name)?,
                method: u16_at(header, 10)?,
                packed: u32_at(header, 20)?,
                size: u32_at(header, 24)?,
                at: u32_at(header, 42)?,
            });
            at += 46 + name + extra + comment;
        }
        Some(Archive { bytes, entries })
    }

    /// The contents of the first file named `name`, or that ends with it if `name` starts with a dot. `None`
    /// if there is none; `Some(None)` if it cannot be unpacked.
    pub(super) fn find(&self, name: &str) -> Option<Option<Vec<u8>>> {
        let last = |entry: &Entry<'a>| entry.name.rsplit(|b| *b == b'/').next().unwrap_or_default();
        let fits = |entry: &Entry<'a>| match name.starts_with('.') {
            true => last(entry).ends_with(name.as_bytes()),
            false => last(entry) == name.as_bytes(),
        };
        self.entries.iter().find(|entry| fits(entry)).map(|entry| self.unpack(entry))
    }

    /// The folder, with a slash at its end, of the first file named `name`.
    pub(super) fn folder_of(&self, name: &str) -> Option<Vec<u8>> {
        let folder = |entry: &Entry<'a>| entry.name.strip_suffix(name.as_bytes()).map(<[u8]>::to_vec);
        let mut folders = self.entries.iter().filter_map(folder);
        folders.find(|folder| folder.is_empty() || folder.ends_with(b"/"))
    }

    /// Like [`Archive::find`], for a path below `folder`.
    pub(super) fn at(&self, folder: &[u8], path: &str) -> Option<Option<Vec<u8>>> {
        let fits = |entry: &&Entry<'a>| entry.name.strip_prefix(folder) == Some(path.as_bytes());
        self.entries.iter().find(fits).map(|entry| self.unpack(entry))
    }

    fn unpack(&self, entry: &Entry<'a>) -> Option<Vec<u8>> {
        let header = self.bytes.get(entry.at..)?;
        let start = 30 + usize::from(u16_at(header, 26)?) + usize::from(u16_at(header, 28)?);
        let packed = header.get(start..)?.get(..entry.packed)?;
        if !header.starts_with(b"PK\x03\x04") || entry.size > LARGEST {
            return None;
        }
        match entry.method {
            0 => Some(packed.to_vec()),
            8 => decompress_to_vec_with_limit(packed, entry.size).ok(),
            _ => None,
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b) as usize)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An archive with these files, deflated if `deflate`.
    pub(in super::super) fn archive(files: &[(&str, &[u8])], deflate: bool) -> Vec<u8> {
        let (mut bytes, mut list) = (Vec::new(), Vec::new());
        for (name, contents) in files {
            let packed = match deflate {
                true => miniz_oxide::deflate::compress_to_vec(contents, 6),
                false => contents.to_vec(),
            };
            let at = bytes.len() as u32;
            let mut common = vec![0u8; 6];
            common[4] = if deflate { 8 } else { 0 };
            common.extend([0; 8]);
            common.extend((packed.len() as u32).to_le_bytes());
            common.extend((contents.len() as u32).to_le_bytes());
            common.extend((name.len() as u16).to_le_bytes());
            common.extend([0; 2]);
            bytes.extend(b"PK\x03\x04");
            bytes.extend(&common);
            bytes.extend(name.as_bytes());
            bytes.extend(&packed);
            list.extend(b"PK\x01\x02\0\0");
            list.extend(&common);
            list.extend([0; 10]);
            list.extend(at.to_le_bytes());
            list.extend(name.as_bytes());
        }
        let at = bytes.len() as u32;
        bytes.extend(&list);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend([files.len() as u8, 0, files.len() as u8, 0]);
        bytes.extend((list.len() as u32).to_le_bytes());
        bytes.extend(at.to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    }

    #[test]
    fn files_are_extracted_unchanged() {
        let long = b"weights ".repeat(500);
        for deflate in [false, true] {
            let bytes = archive(&[("a/vocab.txt", b"one\ntwo"), ("a/model.bin", &long)], deflate);
            assert!(is_zip(&bytes));
            let archive = Archive::open(&bytes).expect("an archive");
            assert_eq!(archive.find("vocab.txt"), Some(Some(b"one\ntwo".to_vec())));
            assert_eq!(archive.find(".bin"), Some(Some(long.clone())));
            assert_eq!(archive.find("ocab.txt"), None);
        }
    }

    proptest! {
        #[test]
        fn a_broken_archive_is_refused_without_panic(at in 0usize..150, value: u8, cut in 0usize..150) {
            let mut bytes = archive(&[("vocab.txt", b"one\ntwo\nthree")], true);
            let len = bytes.len();
            bytes[at % len] = value;
            for bytes in [&bytes[..], &bytes[..len - cut % len]] {
                if let Some(archive) = Archive::open(bytes) {
                    let _ = archive.find("vocab.txt");
                }
            }
        }
    }
}
