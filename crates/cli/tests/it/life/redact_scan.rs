//! Secrets that were written before a rule knew them are found everywhere and taken out.

use std::fs;

use hark_testkit::{disk, sqlite};
use serde_json::json;

use super::home;

/// Put together here, so that no scanner of sources takes this file for a leak.
fn token() -> String {
    ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn files_history_sessions_rows_and_backups_are_cleaned_and_other_peoples_files_reported() {
    let home = home();
    let token = token();
    let id = home.remember("The deploy key is in the vault");
    home.hark(["edit", &id, "--tag", "keys"]).ok();
    home.hark(["checkpoint", "--session", "own", "--goal", "Rotate the keys", "--done", "asked"]).ok();
    // As if no rule had known it: in each place by hand.
    let note = home.file_of(&id);
    let put = |path: &std::path::Path, from: &str| {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replacen(from, &format!("{from} {token}"), 1)).unwrap();
    };
    put(&note, "in the vault");
    let uuid = home.show(&id)["uuid"].as_str().unwrap().to_owned();
    put(&home.store().join(format!("revisions/{uuid}.jsonl")), "in the vault");
    let session = disk::notes(&home.store().join("sessions")).into_keys().next().unwrap();
    put(&home.store().join("sessions").join(session), "Rotate the keys");
    home.hark(["backup"]).ok();
    sqlite::open(&home.database())
        .execute(
            "INSERT INTO event (session, at, kind, tool, target, ok, via, once, body, tokens) \
             VALUES (1, 1, 'prompt', '', '', 1, '', '', ?1, 1)",
            [format!("use {token} for now")],
        )
        .unwrap();
    let originals = home.store().join("install/originals");
    fs::create_dir_all(&originals).unwrap();
    fs::write(originals.join("abc"), format!("token = {token}\n")).unwrap();

    let dry = home.hark(["redact-scan", "--json"]).ok().json();
    let places = dry["found"].to_string();
    for part in ["memories/", "revisions/", "sessions/", "backups/", "install/originals"] {
        assert!(places.contains(part), "{part} in {dry}");
    }
    assert!(dry["rows"].as_u64().unwrap() >= 1, "{dry}");
    assert!(!places.contains(&token));
    assert!(fs::read_to_string(&note).unwrap().contains(&token), "a rehearsal changes nothing");

    home.hark(["redact-scan", "--apply"]).ok();
    let left = disk::holding(&home.store(), &token);
    assert_eq!(left, [std::path::PathBuf::from("install/originals/abc")]);
    assert!(home.show(&id)["title"].as_str().unwrap().contains("[REDACTED:"));
    assert_eq!(home.hark(["history", &id, "--json"]).ok().json()["revisions"].as_array().unwrap().len(), 1);
    let again = home.hark(["redact-scan", "--json"]).ok().json();
    assert_eq!((again["found"].as_array().unwrap().len(), &again["rows"]), (1, &json!(0)), "{again}");
}

#[test]
fn a_clean_store_has_nothing_to_redact() {
    let home = home();
    home.remember("Nothing secret in here");
    let scan = home.hark(["redact-scan", "--json"]).ok().json();
    assert_eq!((&scan["found"], &scan["rows"]), (&json!([]), &json!(0)));
}
