//! What can happen to a disk: each time a clear error or a repair, and the files untouched.

use std::fs;
use std::path::Path;
use std::process::Command;

use hark_testkit::{Hark, Home, Seeded, disk, sqlite};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

/// Three memories, and their ids.
fn filled() -> (Home, Vec<String>) {
    let home = home();
    let texts =
        ["The queue is drained by walruses.", "Penguins feed the queue at dawn.", "Otters guard the gate."];
    let ids = texts.iter().map(|text| home.remember(text)).collect();
    (home, ids)
}

fn set_aside(home: &Home) -> usize {
    disk::files(&home.store()).keys().filter(|p| p.to_string_lossy().starts_with("hark.db.damaged-")).count()
}

/// Every command recovers by itself from what `spoil` does to the index.
fn recovers(what: &str, spoil: impl Fn(&Path)) {
    for args in [
        &["recall", "walruses", "--json"][..],
        &["doctor", "--json"],
        &["remember", "--json", "More."],
        &["reindex"],
    ] {
        let (home, ids) = filled();
        let files = disk::notes(&home.memories());
        spoil(&home.database());
        let outcome = home.hark(args).run();
        assert_eq!(outcome.code, Some(0), "{what}: {outcome}");
        for id in &ids {
            home.hark(["show", id]).ok();
        }
        assert_eq!(home.recall_ids("walruses", &[])[0], ids[0], "{what} after {args:?}");
        // A command that never met the damaged page cannot know of it; doctor reads everything.
        home.hark(["doctor"]).ok();
        assert_eq!(sqlite::integrity(&home.database()), "ok", "{what} after {args:?}");
        let now = disk::notes(&home.memories());
        assert!(
            files.iter().all(|(path, bytes)| now.get(path) == Some(bytes)),
            "{what}: files are untouched"
        );
    }
}

#[test]
fn a_garbage_index_is_set_aside_and_rebuilt() {
    recovers("garbage", |db| fs::write(db, "no database, just words ".repeat(1000)).unwrap());
    let (home, _) = filled();
    fs::write(home.database(), "no database, just words ".repeat(1000)).unwrap();
    assert!(home.findings().contains("a damaged index was moved"), "the doctor says what it did");
    assert_eq!(set_aside(&home), 1);
}

#[test]
fn an_empty_index_file_is_filled_again() {
    recovers("empty", |db| fs::write(db, "").unwrap());
}

#[test]
fn an_index_cut_short_anywhere_is_rebuilt() {
    for share in [10, 30, 50, 70, 95] {
        recovers(&format!("cut to {share} %"), |db| {
            let bytes = fs::read(db).unwrap();
            fs::write(db, &bytes[..bytes.len() * share / 100]).unwrap();
        });
    }
}

#[test]
fn an_index_with_overwritten_pages_is_rebuilt() {
    for page in [1, 3, 9, 20] {
        recovers(&format!("page {page} overwritten"), |db| {
            let mut bytes = fs::read(db).unwrap();
            let start = (page * 4096).min(bytes.len() - 4096);
            bytes[start..start + 4096].fill(0xa5);
            fs::write(db, bytes).unwrap();
        });
    }
}

#[test]
fn an_index_that_is_a_folder_or_unreadable_text_gives_a_clear_error() {
    let (home, _) = filled();
    home.remove_index();
    fs::create_dir(home.database()).unwrap();
    let outcome = home.hark(["recall", "walruses"]).fails(3);
    assert!(outcome.stderr().contains("hark.db") && outcome.stderr().contains("hint:"), "{outcome}");
    assert_eq!(disk::notes(&home.memories()).len(), 3);
}

#[test]
fn a_database_of_another_program_is_named_refused_and_untouched() {
    let home = home();
    fs::create_dir_all(home.store()).unwrap();
    sqlite::open(&home.database())
        .execute_batch("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('https://example.org'); PRAGMA user_version = 42;")
        .unwrap();
    let before = fs::read(home.database()).unwrap();
    for args in
        [&["recall", "x"][..], &["remember", "x y z"], &["doctor"], &["reindex"], &["list"], &["stats"]]
    {
        let outcome = home.hark(args).fails(3);
        assert!(outcome.stderr().contains("hark.db") && outcome.stderr().contains("HARK_HOME"), "{outcome}");
        let json = home.hark([args, &["--json"]].concat()).fails(3).json();
        assert!(json["error"]["message"].as_str().unwrap().contains("another program"), "{json}");
    }
    assert!(fs::read(home.database()).unwrap() == before, "not a byte of it changed");
    let left = disk::files(&home.store());
    assert!(!left.contains_key(Path::new("hark.db-wal")), "{:?}", left.keys());
    assert_eq!(disk::notes(&home.memories()).len(), 0, "a refused remember leaves no file");
}

#[test]
fn a_home_below_a_regular_file_is_an_error_that_names_it() {
    let home = home();
    let file = home.root().join("occupied");
    fs::write(&file, "I was here first").unwrap();
    for args in [&["remember", "x y z"][..], &["recall", "x"], &["doctor"]] {
        let outcome = home.hark(args).env("HARK_HOME", file.join("store")).fails(3);
        assert!(outcome.stderr().contains("occupied") && outcome.stderr().contains("hint:"), "{outcome}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "I was here first");
}

#[test]
fn a_memories_folder_that_is_a_file_is_an_error_that_names_it() {
    let home = home();
    fs::create_dir_all(home.store()).unwrap();
    fs::write(home.memories(), "I was here first").unwrap();
    let outcome = home.hark(["remember", "x y z"]).fails(3);
    assert!(outcome.stderr().contains("memories"), "{outcome}");
    assert_eq!(fs::read_to_string(home.memories()).unwrap(), "I was here first");
}

/// Runs a shell script in a mount namespace of its own, or says why it cannot.
fn in_private_mounts(home: &Home, script: &str) -> Option<Hark> {
    let probe = Command::new("unshare").args(["-m", "sh", "-c", "mount -t tmpfs none /mnt"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        hark_testkit::skip("no private mounts here (needs root or user namespaces)");
        return None;
    }
    let mut command = home.program("unshare");
    command.args(["-m", "sh", "-c", script]).env("HARK", home.binary());
    Some(Hark::new(command))
}

#[test]
fn a_read_only_home_gives_a_clear_error_for_writes_and_changes_nothing() {
    let (home, ids) = filled();
    let before = disk::files(&home.store());
    let remount = r#"mount --bind "$HARK_HOME" "$HARK_HOME" && mount -o remount,ro,bind "$HARK_HOME" &&"#;
    let Some(write) =
        in_private_mounts(&home, &format!(r#"{remount} exec "$HARK" remember --json "More walruses.""#))
    else {
        return;
    };
    let outcome = write.fails(3);
    let error = outcome.json()["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("store"), "names a path: {error}");
    assert!(error["hint"].as_str().unwrap().contains("HARK_HOME"), "a way out: {error}");

    let edit =
        in_private_mounts(&home, &format!(r#"{remount} exec "$HARK" edit {} --tag zoo"#, ids[0])).unwrap();
    edit.fails(3);
    let after = disk::files(&home.store());
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    assert_eq!(disk::notes(&home.store()).len(), 3);
}

#[test]
fn a_read_only_home_can_still_be_recalled_from() {
    let (home, ids) = filled();
    let remount = r#"mount --bind "$HARK_HOME" "$HARK_HOME" && mount -o remount,ro,bind "$HARK_HOME" &&"#;
    let Some(read) = in_private_mounts(&home, &format!(r#"{remount} exec "$HARK" recall --json walruses"#))
    else {
        return;
    };
    let outcome = read.run();
    // Either an answer, or a clear error: never an empty answer.
    match outcome.code {
        Some(0) => assert_eq!(outcome.json()["hits"][0]["id"], ids[0].as_str(), "{outcome}"),
        Some(3) => assert!(outcome.json()["error"]["hint"].is_string(), "{outcome}"),
        _ => panic!("{outcome}"),
    }
}

#[test]
fn a_full_disk_gives_a_clear_error_and_what_was_acknowledged_stays() {
    let home = home();
    // Fills a small file system with memories until one is refused, then copies the store out.
    let script = r#"
        mkdir -p "$HARK_HOME" && mount -t tmpfs -o size=2m tmpfs "$HARK_HOME" || exit 99
        n=0; text=$(head -c 20000 /dev/zero | tr '\0' 'w')
        while [ $n -lt 400 ]; do
            "$HARK" remember --json "Note $n: $text" > "$TMPDIR/said" 2> "$TMPDIR/err"; code=$?
            if [ $code -ne 0 ]; then break; fi
            grep -o 'm-[0-9a-z]*' "$TMPDIR/said" | head -1; n=$((n+1))
        done
        "$HARK" recall "note" > /dev/null 2>> "$TMPDIR/err.recall"; echo "recall $?" >&2
        cat "$TMPDIR/err" >&2
        mkdir -p "$TMPDIR/out" && cp -r "$HARK_HOME/memories" "$TMPDIR/out/"
        exit $code
    "#;
    let Some(fill) = in_private_mounts(&home, script) else { return };
    let outcome = fill.fails(3);
    let acknowledged: Vec<String> = outcome.stdout().lines().map(str::to_owned).collect();
    assert!(acknowledged.len() >= 3, "{outcome}");
    assert!(outcome.stderr().contains("full"), "{outcome}");
    let saved = disk::notes(&home.root().join("tmp/out/memories"));
    for id in &acknowledged {
        let tail = id.trim_start_matches("m-");
        let file = saved.iter().find(|(path, _)| path.to_string_lossy().contains(tail));
        let (_, bytes) = file.unwrap_or_else(|| panic!("{id} was acknowledged and is gone"));
        assert!(bytes.ends_with(b"w\n"), "{id} is whole");
    }
    assert_eq!(saved.len(), acknowledged.len(), "a refused memory leaves no file");

    fs::create_dir_all(home.store()).unwrap();
    fs::rename(home.root().join("tmp/out/memories"), home.memories()).unwrap();
    assert_eq!(home.doctor()["memories"], acknowledged.len());
}

#[test]
fn a_limit_on_file_size_is_an_error_that_leaves_no_half_written_memory() {
    let (home, ids) = filled();
    let before = disk::notes(&home.memories());
    // `ulimit -f` counts blocks of 512 or 1024 bytes; the text is larger than either.
    let mut command = home.program("sh");
    command.env("HARK", home.binary()).args([
        "-c",
        r#"trap '' XFSZ; ulimit -f 4; head -c 60000 /dev/zero | tr '\0' 'w' | "$HARK" remember --json -"#,
    ]);
    let outcome = Hark::new(command).run();
    assert_ne!(outcome.code, Some(0), "{outcome}");
    assert_eq!(disk::notes(&home.memories()), before);
    assert_eq!(home.recall_ids("walruses", &[]), [ids[0].as_str()]);
    assert_eq!(home.doctor()["healthy"], true);
}

#[test]
fn a_clock_that_jumps_back_loses_nothing_and_is_mentioned() {
    let mut home = home().at("2026-06-01T12:00:00Z");
    let late = home.remember("The queue is drained by walruses.");
    home.set_now("2020-01-01T00:00:00Z");
    let early = home.remember("Walruses came before the queue.");
    assert_ne!(late, early);
    let found = home.recall_ids("walruses", &[]);
    assert!(found.contains(&late) && found.contains(&early), "{found:?}");
    let findings = home.findings();
    assert!(findings.contains("clock"), "{findings}");
    home.hark(["edit", &early, "--tag", "zoo"]).ok();
    let listed = home.hark(["list", "--json"]).ok().json();
    assert_eq!(listed["total"], 2);
    let found = home.recall_ids("walruses", &[]);
    assert!(found.contains(&late) && found.contains(&early), "{found:?}");
    home.hark(["reindex"]).ok();
    assert_eq!(home.recall_ids("walruses", &[]), found);
}

#[test]
fn a_change_under_a_clock_that_jumped_back_is_not_older_than_the_memory() {
    let mut home = home().at("2026-06-01T12:00:00Z");
    let id = home.remember("The queue is drained by walruses.");
    home.set_now("2020-01-01T00:00:00Z");
    home.hark(["edit", &id, "--tag", "zoo"]).ok();
    home.hark(["resolve", &id]).ok();
    let memory = home.show(&id);
    for field in ["updated", "closed"] {
        assert!(memory[field].as_str() >= memory["created"].as_str(), "{field}: {memory}");
    }
}

#[test]
fn an_index_of_a_newer_schema_is_used_and_written() {
    let (home, ids) = filled();
    sqlite::open(&home.database())
        .execute_batch(
            "ALTER TABLE memory ADD COLUMN mood TEXT; ALTER TABLE memory ADD COLUMN heat INTEGER NOT NULL DEFAULT 7;
             CREATE TABLE dream (id INTEGER PRIMARY KEY, memory INTEGER); CREATE INDEX dream_memory ON dream (memory);
             ALTER TABLE passage ADD COLUMN extra BLOB; PRAGMA user_version = 99;",
        )
        .unwrap();
    assert_eq!(home.recall_ids("walruses", &[]), [ids[0].as_str()]);
    let new = home.remember("Walruses may write to newer stores.");
    home.hark(["edit", &ids[1], "--tag", "zoo"]).ok();
    home.hark(["resolve", &ids[2]]).ok();
    home.hark(["forget", &ids[2], "--yes"]).ok();
    assert!(home.recall_ids("walruses newer stores", &[]).contains(&new));
    assert_eq!(home.doctor()["healthy"], true);
    let version: i64 =
        sqlite::open(&home.database()).query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 99, "an older binary does not turn the version back");
}

#[test]
fn an_index_that_says_older_writers_must_stop_is_refused_with_a_way_out() {
    let (home, _) = filled();
    sqlite::open(&home.database())
        .execute("INSERT INTO meta (key, value) VALUES ('min_writer', '999')", [])
        .unwrap();
    let files = disk::notes(&home.memories());
    for args in [&["remember", "x y z"][..], &["recall", "x"], &["doctor"], &["reindex"]] {
        let outcome = home.hark(args).fails(3);
        assert!(
            outcome.stderr().contains("newer version") && outcome.stderr().contains("update hark"),
            "{outcome}"
        );
    }
    assert_eq!(disk::notes(&home.memories()), files);
}

#[test]
fn an_index_whose_rows_were_tampered_with_is_a_problem_the_doctor_can_mend() {
    let (home, ids) = filled();
    sqlite::open(&home.database()).execute_batch("DELETE FROM passage;").unwrap();
    let outcome = home.hark(["doctor", "--json"]).fails(3);
    let said = outcome.stdout();
    assert!(said.contains("hark reindex"), "{outcome}");
    home.hark(["reindex"]).ok();
    assert_eq!(home.doctor()["healthy"], true);
    assert_eq!(home.recall_ids("walruses", &[]), [ids[0].as_str()]);
}

#[test]
fn a_torn_line_in_a_history_does_not_hide_the_rest() {
    let (home, ids) = filled();
    home.hark(["edit", &ids[0], "--tag", "one"]).ok();
    let file = fs::read_dir(home.store().join("revisions")).unwrap().next().unwrap().unwrap().path();
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("{\"at\":\"2026-01-0");
    fs::write(&file, text).unwrap();
    home.hark(["edit", &ids[0], "--tag", "two"]).ok();
    home.hark(["edit", &ids[0], "--tag", "three"]).ok();
    let history = home.hark(["history", &ids[0], "--json"]).ok().json();
    let states: Vec<String> =
        history["revisions"].as_array().unwrap().iter().map(|r| r["before"]["tags"].to_string()).collect();
    assert_eq!(
        states,
        ["[]", "[\"one\"]", "[\"one\",\"two\"]"],
        "a change after a torn one is in the history"
    );
}

#[test]
fn a_store_that_vanishes_under_a_running_server_comes_back() {
    let (home, ids) = filled();
    let mut mcp = home.mcp();
    mcp.remember("Stored before the index vanished.");
    home.remove_index();
    let id = mcp.remember("Stored after the index vanished.");
    drop(mcp);
    assert_eq!(home.doctor()["healthy"], true);
    home.hark(["show", &id, &ids[0]]).ok();
}

/// One session with events, which only the index knows, and a file.
fn with_session() -> (Home, Vec<String>) {
    let (home, ids) = filled();
    let event = serde_json::json!({ "session_id": "one", "cwd": home.work(),
        "hook_event_name": "UserPromptSubmit", "prompt": "count the walruses" });
    home.hook("claude-code", "UserPromptSubmit", &event);
    home.hark(["checkpoint", "--session", "one", "--goal", "Count all walruses", "--done", "began"]).ok();
    (home, ids)
}

fn events(home: &Home) -> Vec<String> {
    sqlite::rows(&home.database(), "SELECT session, kind, body FROM event ORDER BY seq")
}

#[test]
fn a_damaged_row_is_made_again_from_its_file_and_the_rest_stays() {
    let damages = [
        "UPDATE memory SET doc = substr(doc, 1, 40)",
        "UPDATE memory SET doc = replace(doc, '{', '!') WHERE num = 2",
        "UPDATE memory SET doc = CAST(x'fffe00ff' AS TEXT) WHERE num = 1",
        "UPDATE session SET doc = 'not json'",
        "UPDATE session SET doc = CAST(x'fffe00ff' AS TEXT)",
    ];
    for damage in damages {
        for args in [
            &["recall", "walruses queue gate", "--json"][..],
            &["list", "--json"],
            &["sessions", "--json"],
            &["doctor", "--json"],
            &["reindex"],
        ] {
            let (home, ids) = with_session();
            let (files, known) = (disk::notes(&home.store()), events(&home));
            assert!(!known.is_empty());
            sqlite::open(&home.database()).execute_batch(damage).unwrap();
            let outcome = home.hark(args).run();
            assert_eq!(outcome.code, Some(0), "{damage}: {outcome}");
            // A command that does not meet the row cannot know of it; doctor looks at all of them.
            home.hark(["doctor"]).ok();
            for id in &ids {
                home.hark(["show", id]).ok();
            }
            let shown = home.hark(["sessions", "show", "one"]).ok().stdout();
            assert!(shown.contains("Count all walruses"), "{damage}: {shown}");
            assert_eq!(home.recall_ids("walruses", &[])[0], ids[0], "{damage} after {args:?}");
            assert_eq!(events(&home), known, "{damage}: what only the index knows stays");
            assert_eq!(set_aside(&home), 0, "{damage}: the index is whole otherwise");
            assert_eq!(disk::notes(&home.store()), files, "{damage}: files are untouched");
        }
    }
}

/// Bytes of a text, flipped in the file of the index itself.
#[test]
fn flipped_bytes_inside_a_row_are_noticed_by_doctor() {
    let (home, ids) = with_session();
    home.hark(["doctor"]).ok();
    let mut bytes = fs::read(home.database()).unwrap();
    let needle = b"\"body\":\"The queue is drained";
    let places: Vec<usize> =
        bytes.windows(needle.len()).enumerate().filter(|(_, w)| *w == needle).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "the text is in the index");
    for at in places {
        bytes[at + 12] ^= 0x02;
    }
    fs::write(home.database(), bytes).unwrap();
    home.hark(["doctor"]).ok();
    assert!(home.show(&ids[0])["body"].as_str().unwrap().starts_with("The queue"));
    assert_eq!(
        sqlite::number(&home.database(), "SELECT count(*) FROM memory WHERE doc LIKE '%The queue is%'"),
        1
    );
}

/// Numbers inside blobs say something else: an answer may be off, but nothing fails, and a rebuilt index
/// is right again.
#[test]
fn damaged_blobs_fail_nothing() {
    let columns = [
        ("chunk", "data"),
        ("passage", "vec"),
        ("passage", "record"),
        ("passage", "words"),
        ("document", "record"),
        ("memory", "hash"),
        ("space_chunk", "slots"),
        ("space_vector", "vec"),
    ];
    let mut seeded = Seeded::new(8);
    let noise: Vec<u8> = (0..32_768).map(|_| seeded.below(256) as u8).collect();
    // A home for each, for all its damage: every case ends with an index made anew, and is compared with the first.
    let (plain, ids) = filled();
    // Of several passages: only such a memory has a record of the whole.
    let long: String = (0..80)
        .map(|n| format!("On day {n} the harbour master counted {n} boats at the quay.\n\n"))
        .collect();
    plain.remember(&long);
    // The encoder is slow to load, and has a say only where its vectors are damaged.
    fs::create_dir_all(plain.user_config().parent().unwrap()).unwrap();
    fs::write(plain.user_config(), "[embedding]\nmodel = \"static\"\n").unwrap();
    let (encoded, encoded_ids) = filled();
    encoded.hark(["model", "embed"]).ok();
    let asked = |home: &Home| home.recall_ids("who drains the queue", &[]);
    let (before, encoded_before) = (asked(&plain), asked(&encoded));
    for (table, column) in columns {
        let (home, ids, before) = match table.starts_with("space_") {
            true => (&encoded, &encoded_ids, &encoded_before),
            false => (&plain, &ids, &before),
        };
        for value in [
            format!("substr(?1, 1, length({column}))"),
            format!("zeroblob(length({column}) + 0 * length(?1))"),
            format!("substr({column}, 1, 3 + 0 * length(?1))"),
            "substr(?1, 1, 0)".to_owned(),
        ] {
            let changed = sqlite::open(&home.database())
                .execute(&format!("UPDATE {table} SET {column} = {value}"), [&noise])
                .unwrap();
            assert!(changed > 0, "{table}.{column} is there to be damaged");
            for args in [
                &["recall", "who drains the queue"][..],
                &["list"],
                &["remember", "Seals sleep."],
                &["doctor"],
            ] {
                let outcome = home.hark(args).run();
                assert_eq!(outcome.code, Some(0), "{table}.{column} = {value}: {outcome}");
            }
            home.hark(["forget", &home.recall_ids("seals sleep", &["--limit", "1"])[0], "--yes"]).ok();
            home.remove_index();
            home.hark(["reindex"]).ok();
            assert_eq!(asked(home), *before, "{table}.{column}");
            home.hark(["show", &ids[0]]).ok();
        }
    }
}

#[test]
fn a_memories_folder_that_is_gone_is_noticed_and_comes_back_from_a_snapshot() {
    let (home, ids) = filled();
    home.hark(["backup"]).ok();
    fs::remove_dir_all(home.memories()).unwrap();
    assert_eq!(home.hark(["list", "--json"]).ok().json()["total"], 0);
    let doctor = home.doctor();
    assert_eq!(doctor["healthy"], false, "{doctor}");
    let said = home.findings();
    assert!(said.contains("memories are missing") && said.contains("hark backup restore"), "{said}");
    // The command that it names brings them back.
    let fix = doctor["findings"][0]["mend"].as_str().unwrap().to_owned();
    let words: Vec<&str> = fix.split("hark ").nth(1).unwrap().split(' ').collect();
    home.hark(words).ok();
    for id in &ids {
        home.hark(["show", id]).ok();
    }
    assert_eq!(home.doctor()["healthy"], true, "{}", home.findings());
}

#[test]
fn without_a_snapshot_it_is_said_too_and_the_loss_of_both_is_noticed() {
    let (home, _) = filled();
    fs::remove_dir_all(home.memories()).unwrap();
    let said = home.findings();
    assert!(said.contains("3 memories are missing") && said.contains("your own backup"), "{said}");

    let (home, _) = filled();
    home.hark(["backup"]).ok();
    fs::remove_dir_all(home.memories()).unwrap();
    home.remove_index();
    let said = home.findings();
    assert!(said.contains("contains no memories, but the snapshot"), "{said}");
}

/// Snapshots of an empty store must not push out the last one that holds memories.
#[test]
fn after_a_loss_no_snapshot_makes_room() {
    let (mut home, _) = filled();
    for n in 0..4 {
        home.remember(&format!("Seal number {n} sleeps on the northern beach"));
    }
    home.set_now("2026-06-01T12:00:00Z");
    home.hark(["backup"]).ok();
    fs::remove_dir_all(home.memories()).unwrap();
    for day in 2..20 {
        home.set_now(&format!("2026-06-{day:02}T12:00:00Z"));
        if day == 5 {
            home.remember("A new beginning after the great loss");
        }
        if day == 9 {
            home.remember("Penguins are told about it as well");
        }
        home.hark(["work"]).ok();
    }
    let said = home.findings();
    assert!(said.contains("restore 7 memories"), "{said}");
}
