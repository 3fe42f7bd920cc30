//! Archives: what is written is read, and what must not be restored is refused by name.

use super::*;

fn packed(parts: &[Vec<u8>]) -> Vec<u8> {
    parts.iter().flat_map(|part| gzip::member(part)).collect()
}

fn names(bytes: &[u8]) -> (Vec<String>, bool) {
    let mut archive = Archive::new(bytes);
    let mut found = Vec::new();
    while let Ok(Some((name, _))) = archive.next() {
        found.push(name);
    }
    (found, archive.ended)
}

/// An entry of another kind.
fn other(name: &str, kind: u8, size: u64) -> Vec<u8> {
    head(name, "", kind, size, 0).to_vec()
}

#[test]
fn every_name_comes_back() {
    let deep = format!("memories/{}/{}.md", "folder/".repeat(12), "n".repeat(90));
    let names = [
        "memories/a.md".to_owned(),
        "memories/größe und 日本.md".to_owned(),
        format!("memories/{}.md", "x".repeat(200)),
        deep,
        "projects/1/memories/b c.md".to_owned(),
    ];
    let content = |n: usize| "walrus ".repeat(n * 200).into_bytes();
    let mut parts: Vec<Vec<u8>> =
        names.iter().enumerate().map(|(n, name)| entry(name, &content(n), 7)).collect();
    parts.push(end());
    // As we write them, and packed again by somebody else: one member, and filled up with zeros.
    let alone = gzip::member(&[parts.concat(), vec![0; 8 * 1024]].concat());
    for bytes in [packed(&parts), alone] {
        let mut archive = Archive::new(&bytes[..]);
        for (n, name) in names.iter().enumerate() {
            assert_eq!(archive.next().unwrap(), Some((name.clone(), content(n))));
        }
        assert_eq!(archive.next().unwrap(), None);
        assert!(archive.ended);
    }
}

#[test]
fn what_gnu_tar_writes_is_read() {
    let long = format!("./memories/{}.md", "x".repeat(150));
    let mut name = other("././@LongLink", b'L', long.len() as u64 + 1);
    name.extend(long.as_bytes());
    name.resize(2 * BLOCK, 0);
    let folders = [other("./", b'5', 0), other("./memories/", b'5', 0)].concat();
    let bytes = packed(&[folders, name, entry("cut short", b"walrus", 0), end()]);
    assert_eq!(names(&bytes), (vec![long["./".len()..].to_owned()], true));
}

#[test]
fn what_leads_elsewhere_is_refused_by_name() {
    for (name, kind, why) in [
        ("/etc/passwd", b'0', "is an absolute path"),
        ("C:/autoexec.bat", b'0', "is an absolute path"),
        ("\\share\\x", b'0', "is an absolute path"),
        ("memories/../../x", b'0', "leads outside the folder"),
        ("..", b'0', "leads outside the folder"),
        ("memories\\..\\x", b'0', "leads outside the folder"),
        ("../", b'5', "leads outside the folder"),
        ("memories/hard.md", b'1', "is a link"),
        ("memories/soft.md", b'2', "is a link"),
        ("memories/tty", b'3', "is a device"),
        ("memories/disk", b'4', "is a device"),
        ("memories/pipe", b'6', "is a pipe"),
        ("memories/sparse", b'S', "is something other than a file"),
        ("", b'0', "is not a valid file name"),
    ] {
        let bytes = packed(&[other(name, kind, 0), entry("memories/good.md", b"walrus", 0), end()]);
        let mut archive = Archive::new(&bytes[..]);
        let error = archive.next().unwrap_err();
        let refused = Refused::of(&error).unwrap_or_else(|| panic!("{name}: {error}"));
        assert_eq!((refused.name.trim_end_matches('/'), refused.why), (name.trim_end_matches('/'), why));
        assert_eq!(archive.next().unwrap().unwrap().0, "memories/good.md", "the rest can be read");
        assert_eq!((archive.next().unwrap(), archive.ended), (None, true));
    }
}

#[test]
fn a_size_beyond_any_file_is_refused_before_it_is_read() {
    let mut binary = other("memories/huge.md", b'0', 0);
    binary[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    let sum = checksum(binary[..].try_into().unwrap());
    binary[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    for head in [other("memories/huge.md", b'0', LARGEST + 1), binary] {
        let bytes = packed(&[head, end()]);
        let mut archive = Archive::new(&bytes[..]);
        let error = archive.next().unwrap_err();
        assert_eq!(error.to_string(), "`memories/huge.md` in it is larger than any file of a store");
        assert_eq!((archive.next().unwrap(), archive.ended), (None, false));
    }
}

/// Every entry has a checksum of its own: damage costs the entries from there on, and those before are right.
#[test]
fn damage_is_noticed_and_costs_nothing_before_it() {
    let entries = [("memories/a.md", "The walrus sleeps."), ("memories/b.md", "The penguin does not.")];
    let parts: Vec<Vec<u8>> = entries.iter().map(|(name, text)| entry(name, text.as_bytes(), 0)).collect();
    let whole = packed(&[parts[0].clone(), parts[1].clone(), end()]);
    let ends = [packed(&parts[..1]).len(), packed(&parts).len()];
    for length in 0..whole.len() {
        let (found, ended) = names(&whole[..length]);
        assert_eq!(found.len(), ends.iter().filter(|end| **end <= length).count(), "cut at {length}");
        assert!(!ended, "cut at {length}");
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x04;
        let mut archive = Archive::new(&changed[..]);
        while let Ok(Some((name, content))) = archive.next() {
            let known = entries.iter().find(|(known, _)| *known == name).expect("no name is made up");
            assert_eq!(content, known.1.as_bytes(), "changed at {at}");
        }
    }
}
