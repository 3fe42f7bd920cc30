//! Nothing leads a door outside its folder, and it handles only regular files.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use hark_files::{Door, Kind, Refusal, refusal_of, regular};

const MOST: u64 = 1024;

fn place() -> (tempfile::TempDir, Door) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("store")).unwrap();
    fs::write(folder.path().join("outside.txt"), "precious").unwrap();
    let door = Door::to_stranger(folder.path().join("store"));
    (folder, door)
}

fn fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn links_are_refused_wherever_they_stand() {
    let (folder, door) = place();
    let store = folder.path().join("store");
    symlink("..", store.join("up")).unwrap();
    symlink(folder.path().join("outside.txt"), store.join("file")).unwrap();
    symlink(folder.path().join("new.txt"), store.join("dangling")).unwrap();
    for path in ["file", "up/outside.txt", "up", "dangling"] {
        let path = Path::new(path);
        assert!(door.read(path, MOST).is_err(), "read {path:?}");
        assert!(door.append_to(path).is_err(), "append {path:?}");
        assert!(door.open_or_create(path).is_err(), "open {path:?}");
        assert!(door.remove(path).is_err(), "remove {path:?}");
        assert!(!door.has_file(path), "{path:?}");
    }
    assert!(door.create_new(Path::new("up/new.txt")).is_err());
    assert!(door.create_new(Path::new("dangling")).is_err());
    assert!(door.create_folder(Path::new("up/folder")).is_err());
    fs::write(store.join("mine"), "x").unwrap();
    assert!(door.rename(Path::new("mine"), Path::new("up/mine")).is_err());
    assert!(door.rename(Path::new("mine"), Path::new("file")).is_err());
    assert!(door.rename(Path::new("up/outside.txt"), Path::new("stolen")).is_err());
    assert!(door.list(Path::new("up")).is_err());
    let error = door.read(Path::new("file"), MOST).unwrap_err();
    assert_eq!(refusal_of(&error), Some(Refusal::Is(Kind::Link, Kind::File)));
    assert_eq!(error.to_string(), "is a link, which hark does not follow here");
    assert_eq!(fs::read_to_string(folder.path().join("outside.txt")).unwrap(), "precious");
    assert!(!folder.path().join("new.txt").exists());
}

#[test]
fn a_strangers_folder_may_not_be_a_link_itself() {
    let (folder, _) = place();
    symlink(folder.path().join("store"), folder.path().join("alias")).unwrap();
    fs::write(folder.path().join("store/x"), "1").unwrap();
    assert!(Door::to_stranger(folder.path().join("alias")).read(Path::new("x"), MOST).is_err());
    assert_eq!(Door::new(folder.path().join("alias")).read(Path::new("x"), MOST).unwrap(), b"1");
}

#[test]
fn paths_out_of_the_folder_are_refused() {
    let (folder, door) = place();
    for path in ["../outside.txt", "a/../../outside.txt", "/etc/passwd"] {
        let error = door.read(Path::new(path), MOST).unwrap_err();
        assert_eq!(refusal_of(&error), Some(Refusal::Outside), "{path}");
    }
    assert!(door.read(&folder.path().join("outside.txt"), MOST).is_err());
}

#[test]
fn fifos_sockets_and_devices_are_refused_at_once() {
    let (folder, door) = place();
    let store = folder.path().join("store");
    fifo(&store.join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(store.join("socket")).unwrap();
    for (name, words) in [("pipe", "is a FIFO"), ("socket", "is a socket")] {
        let path = Path::new(name);
        assert!(door.read(path, MOST).unwrap_err().to_string().starts_with(words), "{name}");
        assert!(door.append_to(path).is_err());
        assert!(door.remove(path).is_err());
        assert!(store.join(name).exists());
    }
    assert!(regular::read(&store.join("pipe"), MOST).unwrap_err().to_string().starts_with("is a FIFO"));
    assert!(regular::read(Path::new("/dev/null"), MOST).unwrap_err().to_string().starts_with("is a device"));
    assert!(regular::open(folder.path()).unwrap_err().to_string().starts_with("is a folder"));
}

#[test]
fn large_files_are_refused_by_size() {
    let (folder, door) = place();
    fs::write(folder.path().join("store/big"), vec![b'x'; 2048]).unwrap();
    let error = door.read(Path::new("big"), 1024).unwrap_err();
    assert_eq!(error.to_string(), "is larger than 1 kB");
    assert_eq!(door.read(Path::new("big"), 2048).unwrap().len(), 2048);
}

#[test]
fn what_is_made_is_private_and_what_is_loose_is_tightened() {
    let (folder, door) = place();
    let store = folder.path().join("store");
    door.create_folder(Path::new("a/b")).unwrap();
    door.create_new(Path::new("a/b/new")).unwrap().write_all(b"1").unwrap();
    door.append_to(Path::new("a/log")).unwrap().write_all(b"1").unwrap();
    door.open_or_create(Path::new("a/lock")).unwrap();
    for (path, wanted) in
        [("a", 0o700), ("a/b", 0o700), ("a/b/new", 0o600), ("a/log", 0o600), ("a/lock", 0o600)]
    {
        assert_eq!(mode(&store.join(path)), wanted, "{path}");
    }
    for path in ["a", "a/b", "a/b/new", "a/log"] {
        fs::set_permissions(store.join(path), fs::Permissions::from_mode(0o777)).unwrap();
    }
    fs::set_permissions(&store, fs::Permissions::from_mode(0o755)).unwrap();
    symlink(folder.path().join("outside.txt"), store.join("a/link")).unwrap();
    let outside = mode(&folder.path().join("outside.txt"));
    door.tighten_all(Path::new("")).unwrap();
    for (path, wanted) in [("", 0o700), ("a", 0o700), ("a/b", 0o700), ("a/b/new", 0o600), ("a/log", 0o600)] {
        assert_eq!(mode(&store.join(path)), wanted, "{path}");
    }
    assert_eq!(mode(&folder.path().join("outside.txt")), outside);
}

#[test]
fn a_missing_store_is_made_on_demand() {
    let (folder, _) = place();
    let door = Door::new(folder.path().join("x/y/store"));
    assert_eq!(door.look(Path::new("")).unwrap(), None);
    assert!(door.list(Path::new("memories")).unwrap().is_empty());
    door.create_folder(Path::new("memories")).unwrap();
    assert!(door.has_folder(&folder.path().join("x/y/store/memories")));
    assert_eq!(mode(&folder.path().join("x/y/store")), 0o700);
}
