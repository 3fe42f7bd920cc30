//! Forgotten means gone: no file, row, page, log, history, quote or backup holds it.

use hark_testkit::transcripts::Claude;
use hark_testkit::{Home, Seeded, disk};
use serde_json::{Value, json};

use super::home;

/// A word that nobody uses.
fn odd_word(seeded: &mut Seeded) -> String {
    (0..5)
        .map(|_| {
            format!(
                "{}{}",
                seeded.pick(&["kr", "zw", "pl", "vr", "gn", "qu", "dz"]),
                seeded.pick(&["a", "o", "u", "y"])
            )
        })
        .collect()
}

struct Written {
    id: String,
    sentence: String,
    /// Words that stand nowhere else.
    words: Vec<String>,
}

fn id_in(answer: &Value) -> String {
    let text = answer.to_string();
    let at = text.find("m-").unwrap_or_else(|| panic!("{text}"));
    text[at..at + 10].to_owned()
}

/// Memories as they are made over time: edited, linked, quoted by sessions, backed up.
fn write_many(home: &Home, count: usize) -> Vec<Written> {
    let mut seeded = Seeded::new(42);
    let mut mcp = home.mcp();
    let mut written: Vec<Written> = Vec::new();
    for at in 0..count {
        let mut words: Vec<String> = (0..4).map(|_| odd_word(&mut seeded)).collect();
        let sentence =
            format!("The {} {} of {} holds its {} in order", words[0], words[1], words[2], words[3]);
        let file = format!("src/{}.rs", odd_word(&mut seeded));
        words.push(file[4..file.len() - 3].to_owned());
        let body = if at % 3 == 0 {
            format!("{sentence}.\n\n{}", format!("More about the {}. ", words[2]).repeat(150))
        } else {
            sentence.clone()
        };
        let said = mcp.call(
            "memory_remember",
            &json!({ "text": body, "why": format!("because of {}", words[0]), "tags": [words[1]], "files": [file] }),
        );
        let id = id_in(&said);
        if at % 4 == 0 {
            let more = odd_word(&mut seeded);
            mcp.call(
                "memory_update",
                &json!({ "ids": [id], "action": "edit", "text": format!("{sentence}, and the {more}") }),
            );
            words.push(more);
        }
        if let Some(other) = written.last().filter(|_| at % 5 == 0) {
            mcp.call("memory_update", &json!({ "ids": [id], "action": "relate", "to": other.id }));
        }
        written.push(Written { id, sentence, words });
    }
    for quoted in written.iter().step_by(17) {
        let event = json!({
            "session_id": "one", "cwd": home.work(), "hook_event_name": "UserPromptSubmit",
            "prompt": format!("I said: {}. Right?", quoted.sentence),
        });
        home.hook("claude-code", "UserPromptSubmit", &event);
        home.hark(["checkpoint", "--session", "own", "--goal", &quoted.sentence, "--done", "asked"]).ok();
    }
    written
}

/// Everything on disk, backups unpacked.
fn bytes(home: &Home) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = disk::files(&home.store())
        .into_iter()
        .map(|(path, bytes)| {
            (path.display().to_string(), [path.as_os_str().as_encoded_bytes(), &bytes].concat())
        })
        .collect();
    for name in home.hark(["backup", "list", "--json"]).ok().json()["snapshots"].as_array().unwrap() {
        // Unpacked by restoring it elsewhere.
        let name = name["name"].as_str().unwrap();
        let other = Home::new(home.binary());
        std::fs::create_dir_all(other.store().join("backups")).unwrap();
        let file = format!("backups/{name}.tar.gz");
        std::fs::copy(home.store().join(&file), other.store().join(&file)).unwrap();
        other.hark(["backup", "restore", name, "--yes"]).ok();
        for (path, bytes) in disk::notes(&other.store()) {
            all.push((
                format!("{file}: {}", path.display()),
                [path.as_os_str().as_encoded_bytes(), &bytes].concat(),
            ));
        }
        for (path, bytes) in disk::files(&other.store().join("revisions")) {
            all.push((format!("{file}: {}", path.display()), bytes));
        }
    }
    all
}

fn holds(bytes: &[u8], needle: &str) -> bool {
    let lower: Vec<u8> = bytes.to_ascii_lowercase();
    let needle = needle.to_ascii_lowercase();
    lower.windows(needle.len()).any(|window| window == needle.as_bytes())
}

#[test]
fn two_hundred_random_memories_leave_no_byte_behind() {
    let home = home();
    let written = write_many(&home, 240);
    home.hark(["backup"]).ok();
    let (gone, kept) = written.split_at(200);
    // They are there before: a test that finds nothing must be able to find something.
    let before = bytes(&home);
    for memory in written.iter().step_by(40) {
        assert!(before.iter().any(|(name, bytes)| name == "hark.db" && holds(bytes, &memory.words[0])));
        assert!(
            before.iter().any(|(name, bytes)| name.starts_with("backups") && holds(bytes, &memory.words[0]))
        );
    }
    for batch in gone.chunks(50) {
        let ids: Vec<&str> = batch.iter().map(|memory| memory.id.as_str()).collect();
        let dry = home.hark([&["forget", "--json"], &ids[..]].concat()).ok().json();
        assert_eq!(
            (&dry["forgotten"], dry["memories"].as_array().unwrap().len()),
            (&json!(false), ids.len())
        );
        let done = home.hark([&["forget", "--yes", "--json"], &ids[..]].concat()).ok().json();
        assert_eq!(done["remaining"], json!([]), "{done}");
    }
    for (name, bytes) in bytes(&home) {
        let lower = bytes.to_ascii_lowercase();
        let text = String::from_utf8_lossy(&lower).into_owned();
        for memory in gone {
            for word in &memory.words {
                assert!(
                    !text.contains(&word.to_ascii_lowercase()),
                    "{name} holds {word} of {}",
                    memory.sentence
                );
            }
        }
    }
    for memory in kept {
        assert_eq!(home.recall_ids(&memory.sentence, &["--limit", "1"]), [memory.id.as_str()]);
    }
    assert!(!home.findings().contains("problem"), "{}", home.findings());
    home.hark(["reindex"]).ok();
    assert_eq!(home.hark(["list", "--json"]).ok().json()["total"], kept.len());
}

#[test]
fn a_session_goes_with_its_events_checkpoints_and_memories() {
    let home = home();
    let event = |name: &str, more: &Value| {
        let mut event = json!({ "session_id": "secret-one", "cwd": home.work(), "hook_event_name": name });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    home.hook("claude-code", "SessionStart", &event("SessionStart", &json!({ "source": "startup" })));
    home.hook(
        "claude-code",
        "UserPromptSubmit",
        &event("UserPromptSubmit", &json!({ "prompt": "build the zwordofax exporter" })),
    );
    home.hook("claude-code", "Stop", &event("Stop", &json!({})));
    let listed = home.hark(["sessions", "--json"]).ok().json();
    let id = listed["sessions"][0]["id"].as_str().unwrap().to_owned();
    assert!(!disk::holding(&home.store(), "zwordofax").is_empty());

    let dry = home.hark(["forget", "--session", &id, "--json"]).ok().json();
    assert_eq!(dry["sessions"][0]["id"], id.as_str());
    home.hark(["forget", "--session", &id, "--yes"]).ok();
    let left = disk::holding(&home.store(), "zwordofax");
    assert!(left.is_empty(), "{left:?}");
    assert!(home.hark(["sessions", "--json"]).ok().json()["sessions"].as_array().unwrap().is_empty());
    assert!(
        home.hark(["sessions", "search", "zwordofax", "--json"]).ok().json()["sessions"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn by_query_and_by_project() {
    let home = home();
    let one = home.remember_with("The walrus feeds on clams", &["--project", "zoo/app"]);
    let two = home.remember_with("Penguins march on thursdays", &["--project", "zoo/app"]);
    let other = home.remember_with("The walrus logo is blue", &["--project", "zoo/site"]);
    let dry = home
        .hark(["forget", "--query", "what does the walrus feed on", "--project", "zoo/app", "--json"])
        .ok()
        .json();
    assert_eq!(dry["memories"][0]["id"], one.as_str());
    assert_eq!(home.show(&two)["status"], "active");
    home.hark(["forget", "--project", "zoo/app", "--yes"]).ok();
    for id in [&one, &two] {
        home.hark(["show", id]).fails(1);
    }
    assert_eq!(home.show(&other)["status"], "active");
    assert!(disk::holding(&home.store(), "zoo/app").is_empty());
    home.hark(["forget", "--project", "zoo/app"]).fails(1);
    home.hark(["forget"]).fails(2);
}

#[test]
fn what_others_say_too_is_named_and_not_touched() {
    let home = home();
    let one = home.remember("The exporter of the billing service writes to disk");
    let other = home.remember_with(
        "A long note. The exporter of the billing service writes to disk. And more.",
        &["--kind", "lesson"],
    );
    let done = home.hark(["forget", &one, "--yes", "--json"]).ok().json();
    let left = done["remaining"].as_array().unwrap();
    assert_eq!(left.len(), 1, "the index is a copy of that memory: {done}");
    assert!(left[0]["place"].as_str().unwrap().starts_with("memories/lesson/"), "{done}");
    assert_eq!(left[0]["fix"], format!("hark forget {other}"));
    assert!(home.show(&other)["body"].as_str().unwrap().contains("writes to disk"));
}

/// What a session's transcript holds after everything was forgotten that came from it.
#[test]
fn reading_the_transcript_again_brings_nothing_back() {
    const SAID: &str =
        "We decided to keep the krazwoply ledger in Postgres because the zwunydza importer needs it.";
    let home = home();
    let project = hark_testkit::git::repository(&home, "shop");
    let mut file = Claude::new("told", &project.display().to_string());
    file.prompt("Please look at the importer.").says("It reads every file twice.");
    file.prompt(SAID).says("I moved the ledger.");
    let path = home.user().join(".claude/projects/-shop/told.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, file.text()).unwrap();

    let read = |home: &Home| {
        home.hark(["ingest", "--json"]).ok();
        home.hark(["distil"]).ok();
        home.hark(["work", "--until-idle"]).ok();
    };
    read(&home);
    let found = home.hark(["list", "--json"]).within(&project).ok().json();
    let made: Vec<&str> =
        found["memories"].as_array().unwrap().iter().filter_map(|m| m["id"].as_str()).collect();
    assert_eq!(made.len(), 1, "{found}");
    home.hark(["forget", made[0], "--yes"]).within(&project).ok();

    let nothing = |home: &Home, when: &str| {
        let left = disk::notes(&home.memories());
        assert!(left.is_empty(), "{when}: {left:?}");
        for (name, bytes) in bytes(home) {
            for word in ["krazwoply", "zwunydza"] {
                assert!(!holds(&bytes, word), "{when}: {name} holds {word}");
            }
        }
    };
    nothing(&home, "forgotten");
    read(&home);
    nothing(&home, "read again");
    home.remove_index();
    home.hark(["reindex"]).ok();
    read(&home);
    nothing(&home, "read again by an empty index");

    // The whole session, by another way of saying it.
    let id = home.hark(["sessions", "--json"]).within(&project).ok().json()["sessions"][0]["id"].clone();
    home.hark(["forget", "--session", id.as_str().unwrap(), "--yes"]).within(&project).ok();
    for index in ["kept", "removed"] {
        if index == "removed" {
            home.remove_index();
            home.hark(["reindex"]).ok();
        }
        read(&home);
        let sessions = home.hark(["sessions", "--all-projects", "--json"]).ok().json();
        assert_eq!(sessions["sessions"], json!([]), "index {index}");
        assert!(disk::holding(&home.store(), "every file twice").is_empty(), "index {index}");
    }
}

/// What sessions show of themselves, as one text.
fn told(home: &Home, session: &str) -> String {
    let shown = home.hark(["sessions", "show", session, "--json"]).ok().stdout();
    let events = home.hark(["grep", "tests", "--json"]).ok().stdout();
    shown + &events
}

#[test]
fn a_phrase_that_others_say_too_stays_where_they_said_it() {
    let home = home();
    let id =
        home.remember("Run the tests first. The zwunydza exporter needs four krazwoply workers to start up.");
    for (name, prompt) in [
        ("one", "Please run the tests first, then look at the importer."),
        ("two", "Run the tests first. Then commit."),
    ] {
        let event = json!({ "session_id": name, "cwd": home.work(), "hook_event_name": "UserPromptSubmit",
            "prompt": prompt });
        home.hook("claude-code", "UserPromptSubmit", &event);
        home.hark(["checkpoint", "--session", name, "--goal", "Run the tests first", "--done", prompt]).ok();
    }
    let quoting = json!({ "session_id": "three", "cwd": home.work(), "hook_event_name": "UserPromptSubmit",
        "prompt": "You told me: The zwunydza exporter needs four krazwoply workers to start up. Why?" });
    home.hook("claude-code", "UserPromptSubmit", &quoting);
    let before: Vec<String> = ["one", "two"].iter().map(|name| told(&home, name)).collect();
    assert!(before[0].contains("run the tests first") && before[1].contains("Run the tests first"));

    let done = home.hark(["forget", &id, "--yes", "--json"]).ok().json();
    assert_eq!(done["remaining"], json!([]), "{done}");
    let after: Vec<String> = ["one", "two"].iter().map(|name| told(&home, name)).collect();
    assert_eq!(after, before);
    for word in ["zwunydza", "krazwoply"] {
        assert_eq!(disk::holding(&home.store(), word), Vec::<std::path::PathBuf>::new(), "a quote is a copy");
    }
}

/// The same words in another memory are no reason to change a session, and are named.
#[test]
fn a_sentence_of_another_memory_is_not_taken_from_sessions() {
    let home = home();
    const SHARED: &str = "Migrations run before the new version gets any traffic at all";
    let id = home.remember(&format!("The krazwoply deploy has two steps.\n\n{SHARED}."));
    let other = home.remember_with(&format!("{SHARED}, also on staging."), &["--kind", "lesson"]);
    home.hark(["checkpoint", "--session", "one", "--goal", SHARED]).ok();
    home.hark(["forget", &id, "--yes"]).ok();
    assert!(home.hark(["sessions", "show", "one"]).ok().stdout().contains(SHARED));
    assert!(home.show(&other)["body"].as_str().unwrap().contains(SHARED));
}

#[test]
fn the_session_that_a_memory_came_from_is_cleaned_of_short_sentences_too() {
    let home = home();
    let project = hark_testkit::git::repository(&home, "shop");
    let mut file = Claude::new("source", &project.display().to_string());
    file.prompt("From now on always use krazwo tabs.").says("I will.");
    let path = home.user().join(".claude/projects/-shop/source.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, file.text()).unwrap();
    home.hark(["ingest"]).ok();
    home.hark(["distil"]).ok();
    let found = home.hark(["list", "--json"]).within(&project).ok().json();
    let id = found["memories"][0]["id"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned();
    let done = home.hark(["forget", &id, "--yes", "--json"]).within(&project).ok().json();
    let left = disk::holding(&home.store(), "krazwo");
    assert!(left.is_empty(), "{left:?}");
    // The transcript is the assistant's; that it is there, and what to do, is said.
    let place = &done["remaining"][0];
    assert_eq!(place["place"], path.display().to_string(), "{done}");
    assert_eq!(place["fix"], format!("delete {}", path.display()));
}

/// A backup that was killed leaves half a snapshot in `tmp/`.
fn leave_half_a_snapshot(home: &Home) -> std::path::PathBuf {
    home.hark(["backup"]).ok();
    let name = home.hark(["backup", "list", "--json"]).ok().json()["snapshots"][0]["name"].clone();
    let whole = home.store().join(format!("backups/{}.tar.gz", name.as_str().unwrap()));
    let bytes = std::fs::read(whole).unwrap();
    let half = home.store().join("tmp/backup-4194304");
    std::fs::write(&half, &bytes[..bytes.len() - 10]).unwrap();
    half
}

#[test]
fn half_a_snapshot_in_tmp_goes_too() {
    let home = home();
    let id = home.remember("The krazwoply walrus sleeps on the northern beach until noon");
    let half = leave_half_a_snapshot(&home);
    let mine = home.store().join("tmp/notes of mine.txt");
    std::fs::write(&mine, "not hark's").unwrap();
    let done = home.hark(["forget", &id, "--yes", "--json"]).ok().json();
    assert_eq!(done["remaining"], json!([]));
    assert!(!half.exists(), "a killed backup holds memories");
    assert!(mine.exists(), "only files of our own making are removed");
}

#[test]
fn worker_and_doctor_remove_what_killed_processes_left() {
    let home = home();
    home.remember("The krazwoply walrus sleeps on the northern beach until noon");
    let half = leave_half_a_snapshot(&home);
    // Somebody is still at it: then it is no leftover.
    let held = std::fs::File::open(&half).unwrap();
    held.lock().unwrap();
    home.hark(["work", "--until-idle"]).ok();
    assert!(!home.findings().contains("tmp/"), "{}", home.findings());
    assert!(half.exists());
    drop(held);
    home.hark(["work", "--until-idle"]).ok();
    assert!(!half.exists());
    let half = leave_half_a_snapshot(&home);
    assert!(home.findings().contains("removed 1 unfinished file"), "{}", home.findings());
    assert!(!half.exists());
}

#[test]
fn what_is_left_is_named_with_what_to_do_about_it() {
    let home = home();
    const TEXT: &str = "The krazwoply walrus sleeps on the northern beach until noon";
    let id = home.remember(TEXT);
    home.hark(["backup"]).ok();
    let torn = home.store().join("backups/2020-01-01T00-00-00.000Z.hark");
    std::fs::write(
        &torn,
        "{\"hark_backup\":1,\"made\":\"2020-01-01T00:00:00.000Z\",\"digest\":\"x\"}\nrubbish",
    )
    .unwrap();
    let mine = home.store().join("notes of mine.txt");
    std::fs::write(&mine, TEXT).unwrap();
    let outcome = home.hark(["forget", &id, "--yes", "--json"]).ok();
    let left = outcome.json()["remaining"].clone();
    let fix = |place: &str| {
        let all = left.as_array().unwrap();
        let found = all.iter().find(|left| left["place"] == place).unwrap_or_else(|| panic!("{left}"));
        found["fix"].as_str().unwrap().to_owned()
    };
    assert_eq!(fix("notes of mine.txt"), format!("edit or delete {}", mine.display()));
    assert_eq!(fix("backups/2020-01-01T00-00-00.000Z.hark"), format!("delete {}", torn.display()));
    assert_eq!(left.as_array().unwrap().len(), 2, "{left}");
}

#[test]
fn what_a_search_finds_is_confirmed_by_ids_or_by_number() {
    let home = home();
    let one = home.remember("The walrus feeds on clams in the morning");
    let two = home.remember("The walrus feeds on squid in the evening");
    let query = ["forget", "--query", "what does the walrus feed on"];
    let list = home.hark([&query[..], &["--json"]].concat()).ok().json();
    assert_eq!((list["forgotten"].as_bool(), list["memories"].as_array().unwrap().len()), (Some(false), 2));
    let confirm = list["confirm"].as_str().unwrap();
    assert!(confirm.contains(&one) && confirm.contains(&two) && confirm.ends_with("--yes"), "{confirm}");
    let said = home.hark(query).ok().stderr();
    assert!(said.contains("to confirm, run: hark forget m-") && said.contains("--confirm 2"), "{said}");

    // A third comes after the list was read: then neither way takes it along.
    let three = home.remember("The walrus feeds on crabs at night");
    let refused = home.hark([&query[..], &["--yes"]].concat()).fails(1).stderr();
    assert!(refused.contains("--yes does not confirm"), "{refused}");
    let refused = home.hark([&query[..], &["--confirm", "2"]].concat()).fails(1).stderr();
    assert!(refused.contains("now finds 3, not 2"), "{refused}");
    for id in [&one, &two, &three] {
        assert_eq!(home.show(id)["status"], "active");
    }
    let words: Vec<&str> = confirm.split(' ').skip(1).collect();
    home.hark(words).ok();
    assert_eq!(home.show(&three)["status"], "active");
    let done = home.hark([&query[..], &["--confirm", "1", "--json"]].concat()).ok().json();
    assert_eq!(done["memories"][0]["id"], three.as_str());
    home.hark(["show", &three]).fails(1);
    home.hark(["forget", &one, "--confirm", "1"]).fails(2);
}
