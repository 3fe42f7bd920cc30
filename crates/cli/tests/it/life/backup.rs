//! Snapshots: made, rotated, and good for something when files are damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hark_testkit::{Home, disk, skip};
use serde_json::json;

use super::home;

#[test]
fn damaged_and_missing_files_come_back_and_newer_work_stays() {
    let home = home();
    let ids: Vec<String> =
        ["The ledger is append-only", "Invoices are numbered per year", "The importer reads in batches"]
            .map(|text| home.remember(text))
            .into();
    home.hark(["edit", &ids[0], "--text", "The ledger is append-only and signed"]).ok();
    home.hark(["checkpoint", "--session", "own", "--goal", "Feed the walruses", "--done", "bought fish"])
        .ok();
    let before = disk::notes(&home.store());
    home.hark(["backup"]).ok();
    let newer = home.remember("This came after the backup");

    // A bad disk: one file cut, one full of zeros, one gone, history gone, the index gone.
    let paths: Vec<_> = ids.iter().map(|id| home.file_of(id)).collect();
    fs::write(&paths[0], &fs::read(&paths[0]).unwrap()[..30]).unwrap();
    fs::write(&paths[1], [0; 200]).unwrap();
    fs::remove_file(&paths[2]).unwrap();
    fs::remove_dir_all(home.store().join("sessions")).unwrap();
    fs::remove_dir_all(home.store().join("revisions")).unwrap();
    home.remove_index();

    let dry = home.hark(["backup", "restore", "--json"]).ok().json();
    assert_eq!(dry["applied"], false);
    assert_eq!(dry["replaced"].as_array().unwrap().len(), 2, "{dry}");
    assert!(!paths[2].exists());
    let done = home.hark(["backup", "restore", "--yes", "--json"]).ok().json();
    assert_eq!((&done["whole"], &done["memories"]), (&json!(true), &json!(4)));

    let mut after = disk::notes(&home.store());
    after.retain(|path, _| before.contains_key(path));
    assert_eq!(after, before);
    assert_eq!(home.show(&newer)["status"], "active");
    assert_eq!(home.recall_ids("how does the importer read", &["--limit", "1"]), [ids[2].as_str()]);
    let history = home.hark(["history", &ids[0], "--json"]).ok().json();
    assert_eq!(history["revisions"].as_array().unwrap().len(), 1);
    assert_eq!(home.hark(["sessions", "--json"]).ok().json()["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn exactly_as_it_was_and_back_again() {
    let home = home();
    let one = home.remember("The ledger is append-only");
    home.hark(["backup"]).ok();
    home.hark(["edit", &one, "--text", "The ledger can be rewritten"]).ok();
    let two = home.remember("A second thought");
    let done = home.hark(["backup", "restore", "--exact", "--yes", "--json"]).ok().json();
    assert_eq!(home.show(&one)["body"], "The ledger is append-only");
    home.hark(["show", &two]).fails(1);
    home.hark(["backup", "restore", done["before"].as_str().unwrap(), "--exact", "--yes"]).ok();
    assert_eq!(home.show(&one)["body"], "The ledger can be rewritten");
    assert_eq!(home.show(&two)["status"], "active");
}

#[test]
fn what_was_forgotten_does_not_come_back_from_a_backup() {
    let home = home();
    let id = home.remember("The walrus password is on the fridge");
    let kept = home.remember("Penguins are fine");
    home.hark(["backup"]).ok();
    // A snapshot that we do not control: copied away and put back.
    let name = home.hark(["backup", "list", "--json"]).ok().json()["snapshots"][0]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = home.store().join(format!("backups/{name}.tar.gz"));
    let copy = fs::read(&path).unwrap();
    let done = home.hark(["forget", &id, "--yes", "--json"]).ok().json();
    assert_eq!((&done["backups"], &done["remaining"]), (&json!(1), &json!([])));
    fs::write(&path, copy).unwrap();
    let restored = home.hark(["backup", "restore", &name, "--exact", "--yes", "--json"]).ok().json();
    assert_eq!(restored["forgotten"], 1, "{restored}");
    home.hark(["show", &id]).fails(1);
    assert_eq!(home.show(&kept)["status"], "active");
}

#[test]
fn snapshots_rotate_and_the_worker_makes_one_a_day_if_something_changed() {
    let mut home = home().at("2026-01-01T12:00:00Z");
    home.remember("Something to keep");
    for day in 1..=9 {
        home.set_now(&format!("2026-01-0{day}T13:00:00Z"));
        let first = home.hark(["work", "--json"]).ok().json();
        assert_eq!(first["backed_up"], day == 1 || day % 2 == 0, "day {day}");
        assert_eq!(home.hark(["work", "--json"]).ok().json()["backed_up"], false);
        if day % 2 == 1 {
            home.remember(&format!("Note {day} of the diary about topic {day}"));
        }
    }
    for hour in 10..20 {
        home.set_now(&format!("2026-01-10T{hour}:00:00Z"));
        home.hark(["backup"]).ok();
    }
    let listed = home.hark(["backup", "list", "--json"]).ok().json();
    let snapshots = listed["snapshots"].as_array().unwrap();
    assert_eq!(snapshots.len(), 7);
    assert!(snapshots.iter().all(|snapshot| snapshot["whole"] == true));
    assert_eq!(snapshots[0]["made"], "2026-01-10T19:00:00.000Z");
}

#[test]
fn a_damaged_or_foreign_snapshot_is_no_disaster() {
    let home = home();
    let id = home.remember("The ledger is append-only");
    home.hark(["backup", "restore", "--yes"]).fails(1);
    home.hark(["backup"]).ok();
    let name = home.hark(["backup", "list", "--json"]).ok().json()["snapshots"][0]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = home.store().join(format!("backups/{name}.tar.gz"));
    let whole = fs::read(&path).unwrap();
    for length in [0, 10, whole.len() / 2, whole.len() - 3] {
        fs::write(&path, &whole[..length]).unwrap();
        let _ = home.hark(["backup", "restore", &name, "--exact", "--yes"]).run();
        assert_eq!(home.show(&id)["body"], "The ledger is append-only");
        let listed = home.hark(["backup", "list", "--json"]).ok().json();
        let damaged = listed["snapshots"]
            .as_array()
            .unwrap()
            .iter()
            .find(|s| s["name"] == name.as_str())
            .unwrap()
            .clone();
        assert_eq!(damaged["whole"], false);
    }
    home.hark(["backup", "restore", "../../etc", "--yes"]).fails(1);
}

/// The file of the newest snapshot.
fn newest(home: &Home) -> PathBuf {
    let listed = home.hark(["backup", "list", "--json"]).ok().json();
    let name = listed["snapshots"][0]["name"].as_str().unwrap().to_owned();
    home.store().join(format!("backups/{name}.tar.gz"))
}

/// Runs the system's tar; nothing where there is none.
fn tar(arguments: &[&str], folder: &Path) -> Option<()> {
    let Ok(output) = Command::new("tar").args(arguments).current_dir(folder).output() else {
        skip("tar is not installed");
        return None;
    };
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "without a word");
    Some(())
}

#[test]
fn a_snapshot_can_be_unpacked_without_hark() {
    let home = home();
    home.remember("The ledger is append-only");
    home.remember(&format!("Größe und 日本: {}", "a title that goes on and on ".repeat(8)));
    let long = home.memories().join(format!("{}.md", "a-name-of-my-own-".repeat(12)));
    fs::write(&long, "Walruses sleep on the northern beach.\n").unwrap();
    home.hark(["checkpoint", "--session", "own", "--goal", "Feed the walruses", "--done", "bought fish"])
        .ok();
    home.hark(["backup"]).ok();
    let before = disk::notes(&home.store());
    assert!(before.len() >= 4, "{before:?}");
    let path = newest(&home);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let there = home.root().join("unpacked");
    fs::create_dir_all(&there).unwrap();
    if tar(&["xzf", path.to_str().unwrap()], &there).is_none() {
        return;
    }
    assert_eq!(disk::notes(&there), before);
    #[cfg(unix)]
    for file in disk::files(&there).keys() {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(there.join(file)).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Packed again by somebody, in another way, it is still a snapshot.
    let again = home.store().join("backups/2020-01-01T00-00-00.000Z.tar.gz");
    let again = again.to_str().unwrap();
    if tar(&["czf", again, "hark-backup.json", "memories", "sessions"], &there).is_some() {
        fs::remove_dir_all(home.memories()).unwrap();
        home.hark(["backup", "restore", "2020-01-01T00-00-00.000Z", "--yes"]).ok();
        assert_eq!(disk::notes(&home.store()), before);
    }
}

#[cfg(unix)]
#[test]
fn a_snapshot_with_a_link_in_it_is_refused_by_name_and_changes_nothing() {
    let home = home();
    let id = home.remember("The ledger is append-only");
    home.hark(["backup"]).ok();
    let (path, there) = (newest(&home), home.root().join("unpacked"));
    fs::create_dir_all(&there).unwrap();
    if tar(&["xzf", path.to_str().unwrap()], &there).is_none() {
        return;
    }
    std::os::unix::fs::symlink("/etc/passwd", there.join("sessions-of-mine")).unwrap();
    let path = path.to_str().unwrap();
    tar(&["czf", path, "hark-backup.json", "memories", "sessions-of-mine"], &there);
    fs::remove_file(home.file_of(&id)).unwrap();
    let refused = home.hark(["backup", "restore", "--yes"]).run();
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr().contains("`sessions-of-mine` in it is a link"), "{refused}");
    assert!(refused.stderr().contains("nothing was restored"), "{refused}");
    assert!(disk::notes(&home.store()).is_empty(), "not even what is before it");
}

/// The fixture was made by the last version that wrote them so.
#[test]
fn a_snapshot_of_an_older_version_is_listed_restored_and_forgotten_from() {
    const NAME: &str = "2026-01-01T12-00-00.000Z";
    let home = home();
    let file = home.store().join(format!("backups/{NAME}.hark"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, include_bytes!("../../fixtures/2026-01-01T12-00-00.000Z.hark")).unwrap();
    let listed = home.hark(["backup", "list", "--json"]).ok().json()["snapshots"][0].clone();
    assert_eq!(
        (&listed["name"], &listed["files"], &listed["whole"]),
        (&json!(NAME), &json!(4), &json!(true))
    );
    home.hark(["backup", "restore", NAME, "--yes"]).ok();
    assert_eq!(home.show("m-n0hmhvrs")["body"], "The ledger is append-only.");

    let done = home.hark(["forget", "m-n0hmhvrs", "--yes", "--json"]).ok().json();
    assert_eq!(done["remaining"], json!([]), "{done}");
    let files = |name: &str| {
        let listed = home.hark(["backup", "list", "--json"]).ok().json();
        let found = listed["snapshots"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
        found.unwrap()["files"].clone()
    };
    assert_eq!(files(NAME), 3, "it was written again");
    fs::remove_dir_all(home.memories()).unwrap();
    home.hark(["backup", "restore", NAME, "--yes"]).ok();
    assert_eq!(disk::notes(&home.store()).len(), 1);
}
