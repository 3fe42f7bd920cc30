//! Homes and files that cannot be written or read: what can be read is read, and `hark doctor` says what is
//! wrong and what to do.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use hark_testkit::{Hark, Home, disk, sqlite};
use serde_json::Value;

/// Nobody in particular; root may read everything, so what root runs proves nothing here.
const NOBODY: u32 = 65_534;

struct Place {
    home: Home,
    ids: Vec<String>,
    /// Whom commands run as, if not as whoever runs the tests.
    user: Option<u32>,
}

impl Place {
    fn new() -> Self {
        let home = Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-01T00:00:00Z");
        let texts = [
            "The queue is drained by walruses.",
            "Penguins feed the queue at dawn.",
            "Otters guard the gate.",
        ];
        let ids = texts.iter().map(|text| home.remember(text)).collect();
        let user = (fs::metadata(home.root()).unwrap().uid() == 0).then_some(NOBODY);
        if let Some(user) = user {
            each(home.root(), &|path| chown(path, Some(user), Some(user)).unwrap());
        }
        Place { home, ids, user }
    }

    fn hark(&self, args: &[&str]) -> Hark {
        let hark = self.home.hark(args);
        match self.user {
            Some(user) => hark.by_user(user),
            None => hark,
        }
    }

    fn findings(&self) -> String {
        self.hark(&["doctor", "--json"]).run().json()["findings"].to_string()
    }

    fn found(&self, query: &str) -> Vec<String> {
        let answer: Value = self.hark(&["recall", "--json", query]).ok().json();
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Takes the write permission from everything in the store.
    fn shut(&self) {
        each(&self.home.store(), &|path| {
            let mode = fs::metadata(path).unwrap().permissions().mode();
            fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o555)).unwrap();
        });
    }

    fn reads_everything(&self) {
        assert_eq!(self.found("walruses")[0], self.ids[0]);
        let listed = self.hark(&["list", "--json"]).ok().json();
        assert_eq!(listed["total"], 3, "{listed}");
        for id in &self.ids {
            self.hark(&["show", id]).ok();
        }
        self.hark(&["stats"]).ok();
        self.hark(&["sessions"]).ok();
    }
}

impl Drop for Place {
    /// So that the folder can be removed.
    fn drop(&mut self) {
        each(&self.home.store(), &|path| {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
        });
    }
}

/// The folder and everything in it, innermost first.
fn each(folder: &Path, act: &dyn Fn(&Path)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { each(&path, act) } else { act(&path) }
    }
    act(folder);
}

#[test]
fn a_home_that_cannot_be_written_can_be_read() {
    let place = Place::new();
    place.shut();
    let before = disk::files(&place.home.store());
    place.reads_everything();
    let refused = place.hark(&["remember", "Something new"]).fails(3).stderr();
    assert!(refused.contains("cannot be written") && refused.contains("hint"), "{refused}");
    let said = place.findings();
    assert!(said.contains("cannot be written") && said.contains("chmod -R u+rwX"), "{said}");
    assert_eq!(disk::files(&place.home.store()), before, "nothing was changed");
}

/// Files were changed after the index, or the index has a log that nobody can fold in.
#[test]
fn also_when_its_index_is_behind_or_gone() {
    let place = Place::new();
    let file = place.home.file_of(&place.ids[1]);
    let text = fs::read_to_string(&file).unwrap().replace("dawn", "midnight among lanterns");
    fs::write(&file, text).unwrap();
    place.shut();
    place.reads_everything();
    assert_eq!(place.found("lanterns at midnight")[0], place.ids[1]);

    let place = Place::new();
    let other = sqlite::open(&place.home.database());
    other.execute_batch("UPDATE meta SET value = value; BEGIN; SELECT count(*) FROM memory;").unwrap();
    if let Some(user) = place.user {
        each(&place.home.store(), &|path| chown(path, Some(user), Some(user)).unwrap());
    }
    place.shut();
    place.reads_everything();
    drop(other);

    let place = Place::new();
    place.home.remove_index();
    place.shut();
    place.reads_everything();
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_comes_back() {
    let place = Place::new();
    let file = place.home.file_of(&place.ids[0]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let said = place.findings();
    assert!(said.contains(&format!("{}: cannot be read (permission denied)", file.display())), "{said}");
    assert!(said.contains(&format!("chmod u+rX {}", file.display())), "{said}");
    // An index made without it does not know it; the others are there.
    place.hark(&["reindex"]).ok();
    assert_eq!(place.found("penguins at dawn")[0], place.ids[1]);
    assert!(place.findings().contains("cannot be read"), "{}", place.findings());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(place.found("walruses")[0], place.ids[0]);
    assert!(!place.findings().contains("cannot be read"), "{}", place.findings());
}

#[test]
fn a_folder_that_cannot_be_read_is_not_taken_for_empty() {
    for mode in [0o000, 0o400] {
        let place = Place::new();
        let folder = place.home.file_of(&place.ids[0]).parent().unwrap().to_owned();
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        let said = place.findings();
        assert!(said.contains("cannot be read (permission denied)"), "{mode:o}: {said}");
        assert_eq!(place.hark(&["list", "--json"]).ok().json()["total"], 3, "{mode:o}");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        place.reads_everything();
    }
}

#[test]
fn a_memories_folder_or_index_that_cannot_be_read_is_said_with_its_path() {
    let place = Place::new();
    let memories = place.home.memories();
    fs::set_permissions(&memories, fs::Permissions::from_mode(0o000)).unwrap();
    let refused = place.hark(&["list"]).fails(3).stderr();
    assert!(refused.contains(&format!("{}: cannot be read", memories.display())), "{refused}");
    assert!(refused.contains("chmod u+rX"), "{refused}");
    fs::set_permissions(&memories, fs::Permissions::from_mode(0o700)).unwrap();

    fs::set_permissions(place.home.database(), fs::Permissions::from_mode(0o000)).unwrap();
    place.reads_everything();
    let said = place.findings();
    assert!(said.contains("cannot be written"), "{said}");
}
