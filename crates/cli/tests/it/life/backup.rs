//! Snapshots: made, rotated, and good for something when files are damaged.

use std::fs;

use hark_testkit::disk;
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
    let path = home.store().join(format!("backups/{name}.hark"));
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
    let path = home.store().join(format!("backups/{name}.hark"));
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
