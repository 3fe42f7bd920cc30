//! Out of one store and into another, from outside: nothing is lost, nothing is doubled, nothing
//! broken comes in half.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::{Home, disk};
use serde_json::Value;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

/// A store with some of everything: links, history, states, an edit by hand, a session.
fn lively() -> Home {
    let mut home = home().at("2026-03-01T10:00:00Z");
    let old = home.remember_with(
        "Sessions live in Redis, see src/cache.rs and #12.",
        &["--kind", "decision", "--project", "acme/shop"],
    );
    home.set_now("2026-03-02T10:00:00Z");
    let new = home.remember_with(
        "Sessions live in PostgreSQL now, told by @ann.",
        &[
            "--kind",
            "decision",
            "--project",
            "acme/shop",
            "--supersedes",
            &old,
            "--tag",
            "db",
            "--why",
            "fewer parts",
            "--importance",
            "5",
        ],
    );
    let blocker = home.remember_with("The CI runner has no disk left.", &["--kind", "blocker", "--global"]);
    home.hark(["resolve", &blocker]).ok();
    let note = home.remember_with("Ünïcode — 設定は TOML です。", &["--project", "acme/docs"]);
    home.hark(["archive", &note]).ok();
    home.hark(["relate", &new, &blocker, "--as", "caused_by"]).ok();
    home.set_now("2026-03-03T10:00:00Z");
    home.hark(["edit", &new, "--title", "Where sessions live"]).ok();
    // As a person writes it: other keys, comments, another name and folder.
    let by_hand = "---\n# mine\nid: 0195a3c0-0000-7000-8000-00000000abcd\nkind: fact\ntitle:   Spaces stay\nmood: sunny\n---\nNo blank line above,\nand none at the end";
    let folder = home.memories().join("my notes");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("By hand.md"), by_hand).unwrap();
    let regretted = home.remember_with("The old password was on a sticky note.", &["--global"]);
    home.hark(["forget", &regretted, "--yes"]).ok();
    home.hark(["checkpoint", "--session", "s1", "--goal", "Move sessions", "--done", "schema"]).ok();
    home
}

fn export(home: &Home, name: &str, flags: &[&str]) -> PathBuf {
    let path = home.root().join(name);
    home.hark([&["export", path.to_str().unwrap()], flags].concat()).ok();
    path
}

fn import(home: &Home, path: &Path, flags: &[&str]) -> Value {
    home.hark([&["import", path.to_str().unwrap(), "--json"], flags].concat()).ok().json()
}

/// Path and bytes of every file that is the truth.
fn truth(home: &Home) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = disk::files(&home.store());
    found.retain(|path, _| ["memories", "sessions", "revisions"].iter().any(|top| path.starts_with(top)));
    found
}

#[test]
fn export_empty_home_import_export_is_the_same_to_the_byte() {
    for format in ["json", "ndjson"] {
        let (here, there) = (lively(), home());
        let first = export(&here, "first", &["--format", format]);
        let told = import(&there, &first, &[]);
        assert_eq!((told["added"].as_u64(), told["sessions_added"].as_u64()), (Some(5), Some(1)), "{told}");
        let second = export(&there, "second", &["--format", format]);
        assert_eq!(fs::read_to_string(&first).unwrap(), fs::read_to_string(&second).unwrap(), "{format}");
        assert_eq!(truth(&here), truth(&there), "{format}");
        assert_eq!(there.findings(), "[]");
    }
}

#[test]
fn a_document_is_json_with_a_section_for_everything() {
    let home = lively();
    let document: Value = serde_json::from_slice(&fs::read(export(&home, "all.json", &[])).unwrap()).unwrap();
    assert_eq!((document["format"].as_str(), document["version"].as_u64()), (Some("hark-export"), Some(1)));
    let count = |section: &str| document[section].as_array().unwrap_or_else(|| panic!("{section}")).len();
    assert_eq!((count("memories"), count("sessions"), count("links")), (5, 1, 2));
    assert!(count("history") >= 4 && count("entities") >= 3, "{document}");
    let shown = home.hark(["export"]).ok().stdout();
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), document);
    // Whatever the order of keys and the layout.
    let there = self::home();
    let mut sorted = serde_json::Map::new();
    for key in ["sessions", "memories", "version", "links", "history", "format"] {
        sorted.insert(key.to_owned(), document[key].clone());
    }
    let path = there.root().join("pretty.json");
    fs::write(&path, serde_json::to_string_pretty(&sorted).unwrap()).unwrap();
    assert_eq!(import(&there, &path, &[])["added"], 5);
}

#[test]
fn what_was_forgotten_here_is_refused_there_too() {
    let here = home();
    let id = here.remember_with("The staging door code is kept in the vault.", &["--global"]);
    let before = export(&here, "before.json", &[]);
    here.hark(["forget", &id, "--yes"]).ok();
    let after = export(&here, "after.json", &[]);
    assert!(!fs::read_to_string(&after).unwrap().contains("door code"));

    let there = home();
    assert_eq!(import(&there, &after, &["--from-others"])["tombstones"], 0, "others do not decide");
    assert_eq!(import(&there, &after, &["--dry-run"])["tombstones"], 1);
    assert_eq!(import(&there, &after, &[])["tombstones"], 1);
    assert_eq!(import(&there, &after, &[])["tombstones"], 0, "known by now");
    let told = import(&there, &before, &[]);
    assert_eq!((told["added"].as_u64(), told["refused"].as_u64()), (Some(0), Some(1)), "{told}");

    let other = home();
    import(&other, &before, &[]);
    assert_eq!(import(&other, &after, &[])["tombstones"], 0, "an import takes nothing away");
    assert_eq!(other.show(&id)["id"], id.as_str());
}

#[test]
fn a_second_import_changes_nothing_and_a_dry_run_neither() {
    let (here, there) = (lively(), home());
    let path = export(&here, "all.ndjson", &["--format", "ndjson"]);
    let dry = import(&there, &path, &["--dry-run"]);
    assert_eq!((dry["added"].as_u64(), dry["dry_run"].as_bool()), (Some(5), Some(true)));
    assert!(truth(&there).is_empty());
    import(&there, &path, &[]);
    let before = truth(&there);
    for flags in [&[][..], &["--dry-run"]] {
        let again = import(&there, &path, flags);
        let changed =
            ["added", "updated", "refused", "sessions_added", "revisions"].map(|key| again[key].as_u64());
        assert_eq!(changed, [Some(0); 5], "{again}");
        assert_eq!(again["unchanged"], 5);
    }
    assert_eq!(truth(&there), before);
}

#[test]
fn what_is_asked_for_is_what_is_exported() {
    let home = lively();
    let titles = |flags: &[&str]| -> Vec<String> {
        let text = home.hark([&["export"], flags].concat()).ok().stdout();
        let document: Value = serde_json::from_str(&text).unwrap();
        document["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["title"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(titles(&["--project", "shop"]).len(), 2);
    assert_eq!(titles(&["--kind", "blocker"]), ["The CI runner has no disk left"]);
    assert_eq!(titles(&["--since", "2026-03-03"]), ["Where sessions live"]);
    assert!(titles(&["--project", "acme/docs"]).is_empty(), "a part leaves archived ones out");
    assert_eq!(titles(&["--project", "acme/docs", "--archived"]).len(), 1);
    home.hark(["export", "--project", "nowhere"]).fails(1);
}

#[test]
fn the_newer_state_wins_importance_stays_high_tags_unite_and_history_keeps_the_rest() {
    let mut here = home().at("2026-03-01T10:00:00Z");
    let id = here.remember_with("Port is 8080.", &["--importance", "5", "--tag", "old", "--global"]);
    let early = export(&here, "early.json", &[]);
    let there = home().at("2026-03-05T10:00:00Z");
    import(&there, &early, &[]);
    here.set_now("2026-03-04T10:00:00Z");
    here.hark(["edit", &id, "--text", "Port is 9090.", "--importance", "2", "--tag", "new"]).ok();
    let late = export(&here, "late.json", &[]);

    let told = import(&there, &late, &[]);
    assert_eq!(told["updated"], 1, "{told}");
    let merged = there.show(&id);
    assert_eq!((merged["body"].as_str(), merged["importance"].as_u64()), (Some("Port is 9090."), Some(5)));
    let tags = merged["tags"].as_array().unwrap();
    assert!(tags.contains(&Value::from("old")) && tags.contains(&Value::from("new")), "{merged}");
    let history = there.hark(["history", &id, "--json"]).ok().json();
    assert!(history["revisions"].to_string().contains("8080"), "{history}");

    // The older one comes again: it changes nothing, and is in the history once.
    let again = import(&there, &early, &[]);
    assert_eq!((again["updated"].as_u64(), again["unchanged"].as_u64()), (Some(0), Some(1)), "{again}");
    assert_eq!(there.show(&id), merged);
    import(&there, &late, &[]);
    assert_eq!(there.show(&id), merged);
}

#[test]
fn secrets_in_an_export_do_not_come_in() {
    let home = home();
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let text = format!(
        "---\nid: 0195a3c0-0000-7000-8000-000000000001\nkind: fact\nproject: {token}\n{token}: x\ntitle: t\n# {token}\n---\n\nuse {token}\n"
    );
    let comment = format!(
        "---\nid: 0195a3c0-0000-7000-8000-000000000002\nkind: fact\ntitle: t\n# {token}\n---\n\nfine\n"
    );
    let record = |id: u8, text: &str| serde_json::json!({ "type": "memory", "id": format!("0195a3c0-0000-7000-8000-00000000000{id}"), "file": format!("fact/{token}.md"), "text": text });
    let before = serde_json::json!({
        "at": "2026-01-01T00:00:00.000Z", "change": "edited",
        "before": { "id": "0195a3c0-0000-7000-8000-000000000001", "kind": "fact", "status": "active", "scope": "global",
            "title": "t", "body": token, "importance": 3, "confidence": 0.8, "origin": "user",
            "created": "2026-01-01T00:00:00.000Z", "updated": "2026-01-01T00:00:00.000Z", "revision": 1 } });
    let history = serde_json::json!({ "type": "history", "id": "0195a3c0-0000-7000-8000-000000000001", "revisions": [before] });
    let lines = [
        "{\"format\":\"hark-export\",\"version\":1}".to_owned(),
        record(1, &text).to_string(),
        record(2, &comment).to_string(),
        history.to_string(),
    ];
    let path = home.root().join("leaky.ndjson");
    fs::write(&path, lines.join("\n")).unwrap();
    let told = import(&home, &path, &[]);
    assert_eq!(
        (told["added"].as_u64(), told["revisions"].as_u64(), told["redacted"].as_u64()),
        (Some(2), Some(1), Some(2)),
        "{told}"
    );
    assert_eq!(disk::holding(&home.store(), token), Vec::<PathBuf>::new());
}

#[test]
fn somebody_elses_directives_are_not_the_users() {
    let (here, there) = (home(), home());
    let id = here.remember_with("Always deploy on Fridays.", &["--kind", "directive", "--global", "--pin"]);
    let path = export(&here, "theirs.json", &[]);
    import(&there, &path, &["--from-others"]);
    let kept = there.show(&id);
    let facts = ["kind", "origin"].map(|key| kept[key].as_str().unwrap().to_owned());
    assert_eq!(facts, ["convention", "teammate"]);
    assert_eq!(kept["pinned"], false);
    // And they do not replace what a user has said.
    let mut there = home().at("2026-01-01T00:00:00Z");
    import(&there, &path, &[]);
    there.set_now("2027-01-01T00:00:00Z");
    here.hark(["edit", &id, "--text", "Never mind."]).now("2027-06-01T00:00:00Z").ok();
    let newer = export(&here, "newer.json", &[]);
    let told = import(&there, &newer, &["--from-others"]);
    assert_eq!(told["refused"], 1, "{told}");
    assert_eq!(there.show(&id)["body"], "Always deploy on Fridays.");
}

#[test]
fn a_broken_export_changes_nothing_and_says_where() {
    let (here, home) = (lively(), home());
    let lines = fs::read_to_string(export(&here, "all.ndjson", &["--format", "ndjson"])).unwrap();
    let document = fs::read_to_string(export(&here, "all.json", &[])).unwrap();
    let wrong_type = lines.replacen("\"text\":\"", "\"text\":7,\"x\":\"", 1);
    let newer = lines.replacen("\"version\":1", "\"version\":9", 1);
    let cases: &[(&str, String, &str)] = &[
        ("torn.ndjson", lines[..lines.len() - 30].to_owned(), "line"),
        ("torn.json", document[..document.len() / 2].to_owned(), "line"),
        ("type.ndjson", wrong_type, "line 2"),
        ("newer.ndjson", newer, "version 9"),
        ("empty.json", String::new(), "not an export"),
        ("list.json", "[1, 2]".to_owned(), "not an export"),
        ("other.json", "{\"memories\": [], \"version\": 1}".to_owned(), "not an export"),
        ("junk.json", "\u{1}\u{2}junk".to_owned(), "not an export"),
    ];
    for (name, text, says) in cases {
        let path = home.root().join(name);
        fs::write(&path, text).unwrap();
        let outcome = home.hark(["import", path.to_str().unwrap()]).fails(1);
        assert!(outcome.stderr().contains(says) && outcome.stderr().contains(name), "{outcome}");
        assert!(truth(&home).is_empty(), "{name}: something came in");
    }
    home.hark(["import", "/no/such/file.json"]).fails(1);
    home.hark(["import", home.root().to_str().unwrap()]).fails(1);
}

#[test]
fn a_record_that_is_no_memory_is_named_and_the_others_come_in() {
    let (here, there) = (lively(), home());
    let text = fs::read_to_string(export(&here, "all.ndjson", &["--format", "ndjson"])).unwrap();
    let broken = text.replacen("kind: blocker", "kind: walrus", 1);
    let path = there.root().join("broken.ndjson");
    fs::write(&path, broken).unwrap();
    let outcome = there.hark(["import", path.to_str().unwrap(), "--json"]).fails(1);
    let told = outcome.json();
    assert_eq!((told["added"].as_u64(), told["unreadable"].as_u64()), (Some(4), Some(1)), "{told}");
    assert!(told["problems"][0].as_str().unwrap().starts_with("line "), "{told}");
}

#[test]
fn a_folder_for_people_has_contents_and_can_be_imported() {
    let (here, there) = (lively(), home());
    let folder = here.root().join("out");
    here.hark(["export", "--format", "markdown", folder.to_str().unwrap()]).ok();
    let contents = fs::read_to_string(folder.join("index.md")).unwrap();
    assert!(contents.contains("## acme-shop") && contents.contains("[Where sessions live]"), "{contents}");
    assert_eq!(import(&there, &folder, &[])["added"], 5);
    here.hark(["export", "--format", "markdown", folder.to_str().unwrap()]).fails(1);
    here.hark(["export", "--format", "markdown"]).fails(1);
}

#[test]
fn an_export_replaces_a_former_export_and_nothing_else() {
    let home = lively();
    export(&home, "all.json", &[]);
    export(&home, "all.json", &[]);
    let precious = home.root().join("thesis.tex");
    fs::write(&precious, "\\documentclass{book}").unwrap();
    home.hark(["export", precious.to_str().unwrap()]).fails(1);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "\\documentclass{book}");
    let leftovers = fs::read_dir(home.root())
        .unwrap()
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().ends_with(".part"));
    assert_eq!(leftovers.count(), 0);
}

#[cfg(unix)]
#[test]
fn an_export_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let home = lively();
    let mode = fs::metadata(export(&home, "all.json", &[])).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Memories by the thousand, as another store would export them.
fn many(count: usize) -> String {
    let mut text = "{\"format\":\"hark-export\",\"version\":1}\n".to_owned();
    for n in 0..count {
        let id = format!("0195a3c0-{:04x}-7000-8000-{n:012x}", n % 65_536);
        let file = format!(
            "---\nid: {id}\nkind: fact\ntitle: Fact number {n}\nstatus: active\nconfidence: 0.8\norigin: user\ncreated: 2026-01-01T00:00:00.000Z\nupdated: 2026-01-01T00:00:00.000Z\nrevision: 1\n---\n\nShelf {n} holds jar {}.\n",
            n * 7
        );
        let record = serde_json::json!({ "type": "memory", "id": id, "file": format!("fact/fact-{n}.md"), "text": file });
        text.push_str(&record.to_string());
        text.push('\n');
    }
    text
}

/// A predecessor stopped at a thousand records.
#[test]
fn a_thousand_and_one_records_come_in() {
    let home = home();
    let path = home.root().join("many.ndjson");
    fs::write(&path, many(1_001)).unwrap();
    let told = import(&home, &path, &[]);
    assert_eq!(told["added"], 1_001);
    assert!(told["per_second"].as_u64().unwrap() > 0);
    assert_eq!(home.hark(["stats", "--json"]).ok().json()["memories"], 1_001);
}

#[test]
fn an_import_that_was_killed_goes_on() {
    let home = home();
    let path = home.root().join("many.ndjson");
    fs::write(&path, many(3_000)).unwrap();
    let mut child = home.hark(["import", path.to_str().unwrap()]).spawn();
    let folder = home.memories().join("fact");
    hark_testkit::eventually("some files are there", || {
        fs::read_dir(&folder).is_ok_and(|entries| entries.count() > 700)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let told = import(&home, &path, &[]);
    assert_eq!(told["added"].as_u64().unwrap() + told["unchanged"].as_u64().unwrap(), 3_000, "{told}");
    assert!(told["unchanged"].as_u64().unwrap() >= 500, "{told}");
    assert_eq!(home.hark(["stats", "--json"]).ok().json()["memories"], 3_000);
    assert_eq!(home.findings(), "[]");
}

#[test]
fn an_encrypted_export_opens_with_its_passphrase_only() {
    let (here, there) = (lively(), home());
    let word = here.root().join("word");
    fs::write(&word, "correct horse battery staple\n").unwrap();
    let path = export(&here, "all.sealed", &["--encrypt", "--passphrase-file", word.to_str().unwrap()]);
    let bytes = fs::read(&path).unwrap();
    assert!(!bytes.windows(10).any(|w| w == b"PostgreSQL"), "it can be read");
    let file = path.to_str().unwrap();
    let without = there.hark(["import", file]).fails(1);
    assert!(
        without.stderr().contains("is encrypted") && without.stderr().contains("HARK_PASSPHRASE"),
        "{without}"
    );
    let wrong = there.hark(["import", file]).env("HARK_PASSPHRASE", "wrong horse").fails(1);
    assert!(
        wrong.stderr().contains("all.sealed") && wrong.stderr().contains("passphrase is wrong"),
        "{wrong}"
    );
    assert!(truth(&there).is_empty());
    there.hark(["import", file]).env("HARK_PASSPHRASE", "correct horse battery staple").ok();
    assert_eq!(truth(&here), truth(&there));
    here.hark(["export", "--encrypt"]).fails(1);
}
