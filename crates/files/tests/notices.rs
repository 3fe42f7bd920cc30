//! Changes below watched folders, as the system reports them.
#![cfg(target_os = "linux")]

use std::fs::{self, OpenOptions};
use std::io::Write;

use hark_files::Notices;

#[test]
fn changed_files_and_files_in_new_folders_are_noticed_once() {
    let folder = tempfile::tempdir().unwrap();
    let (root, deep) = (folder.path(), folder.path().join("a/b"));
    fs::create_dir_all(&deep).unwrap();
    let old = deep.join("old.jsonl");
    fs::write(&old, "1\n").unwrap();
    let mut notices = Notices::new().unwrap();
    notices.watch(root, 4).unwrap();
    assert_eq!(notices.len(), 3);
    assert_eq!(notices.take().unwrap(), Vec::<std::path::PathBuf>::new());

    OpenOptions::new().append(true).open(&old).unwrap().write_all(b"2\n").unwrap();
    assert_eq!(notices.take().unwrap(), [old]);
    assert!(notices.take().unwrap().is_empty(), "each change is told once");

    let new = root.join("a/new");
    fs::create_dir(&new).unwrap();
    fs::write(new.join("early.jsonl"), "1\n").unwrap();
    assert!(notices.take().unwrap().contains(&new), "what was in it before it was watched counts");
    fs::write(new.join("late.jsonl"), "1\n").unwrap();
    assert_eq!(notices.take().unwrap(), [new.join("late.jsonl")]);

    fs::remove_dir_all(&new).unwrap();
    notices.take().unwrap();
    assert_eq!(notices.len(), 3, "what is gone is watched no more");
    assert!(notices.watch(&root.join("never"), 1).is_ok(), "what is not there is no error");
}

#[test]
fn a_single_file_can_be_watched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.md");
    fs::write(&file, "1\n").unwrap();
    let mut notices = Notices::new().unwrap();
    notices.watch(&file, 3).unwrap();
    OpenOptions::new().append(true).open(&file).unwrap().write_all(b"2\n").unwrap();
    assert_eq!(notices.take().unwrap(), [file]);
}
