//! Files of snapshots: of this version and of older ones.

use std::fs;

use super::*;

const ENTRIES: &[(&str, &[u8])] =
    &[("config.toml", b"[backup]\n"), ("memories/a.md", b"The walrus sleeps."), ("sessions/s.md", b"Asked.")];

fn head(format: u32) -> Head {
    let made = Timestamp::parse_absolute("2026-11-16T04:23:01.123Z").unwrap();
    Head { hark_backup: format, made, digest: "d".to_owned(), number: 3 }
}

fn folder() -> (tempfile::TempDir, Door, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (door, path) = (Door::new(folder.path()), folder.path().join("snapshot"));
    (folder, door, path)
}

fn all(door: &Door, path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut from = Unpacker::open(door, path).unwrap();
    std::iter::from_fn(|| from.next_good()).collect()
}

fn expected() -> Vec<(String, Vec<u8>)> {
    ENTRIES.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec())).collect()
}

#[test]
fn a_snapshot_is_what_was_packed() {
    let (_folder, door, path) = folder();
    let mut packer = Packer::create(&door, &path, "d", head(FORMAT).made, 3).unwrap();
    for (name, content) in ENTRIES {
        packer.add(name, content).unwrap();
    }
    packer.finish().unwrap();
    assert_eq!(all(&door, &path), expected());
    assert_eq!((count(&door, &path), memories_in(&door, &path)), ((3, true), 1));
    assert_eq!((digest_of(&door, &path).as_deref(), number_of(&door, &path)), (Some("d"), 3));
    assert_eq!(made(&door, &path), Some(head(FORMAT).made));
    assert!(any_entry(&door, &path, |bytes| bytes == b"sessions/s.md"), "names are looked at too");
}

#[test]
fn a_snapshot_of_an_older_version_is_read() {
    let (_folder, door, path) = folder();
    fs::write(&path, old::write(&head(1), ENTRIES)).unwrap();
    check(&door, &path).unwrap();
    assert_eq!(all(&door, &path), expected());
    assert_eq!((count(&door, &path), memories_in(&door, &path)), ((3, true), 1));
    assert_eq!((made(&door, &path), number_of(&door, &path)), (Some(head(1).made), 3));
}

#[test]
fn one_of_a_newer_version_or_of_somebody_else_is_not() {
    let (_folder, door, path) = folder();
    let text = serde_json::to_vec(&head(FORMAT + 1)).unwrap();
    for bytes in [
        old::write(&head(2), ENTRIES),
        [gzip::member(&tar::entry(HEAD, &text, 0)), gzip::member(&tar::end())].concat(),
        [gzip::member(&tar::entry("README", b"", 0)), gzip::member(&tar::end())].concat(),
        b"rubbish".to_vec(),
        Vec::new(),
    ] {
        fs::write(&path, bytes).unwrap();
        assert!(Unpacker::open(&door, &path).is_err());
        assert_eq!(count(&door, &path), (0, false));
    }
}

/// In both formats, wherever it is.
#[test]
fn one_that_leads_elsewhere_is_refused_as_a_whole() {
    let (_folder, door, path) = folder();
    let text = serde_json::to_vec(&head(FORMAT)).unwrap();
    let new = [(HEAD, &text[..]), ENTRIES[1], ("../x", b"harm")];
    let new: Vec<u8> =
        new.iter().flat_map(|(name, content)| gzip::member(&tar::entry(name, content, 0))).collect();
    for bytes in [new, old::write(&head(1), &[ENTRIES[1], ("../x", b"harm")])] {
        fs::write(&path, bytes).unwrap();
        let said = check(&door, &path).unwrap_err().to_string();
        assert!(said.contains("`../x` in it leads outside the folder; nothing was restored"), "{said}");
    }
}
