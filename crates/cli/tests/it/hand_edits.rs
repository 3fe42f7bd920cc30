//! The files are the truth, and people edit them: every way of doing so is picked up, and nothing
//! they wrote is lost.

use std::fs;

use hark_testkit::{Home, disk, note};
use proptest::prelude::*;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

#[test]
fn an_edit_in_place_is_found_and_the_old_words_are_not() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    note::edit(&home.file_of(&id), |text| text.replace("walruses", "penguins"));
    assert_eq!(home.recall_ids("penguins", &[]), [id.as_str()]);
    assert!(home.show(&id)["body"].as_str().unwrap().contains("penguins"));
    assert!(
        home.recall("walruses", &[])["hits"]
            .as_array()
            .unwrap()
            .iter()
            .all(|h| !h["text"].to_string().contains("walrus"))
    );
}

#[test]
fn an_edit_of_the_same_length_is_found() {
    let home = home();
    let id = home.remember("Backups run at noon on Tuesdays.");
    note::edit(&home.file_of(&id), |text| text.replace("Backups run at noon", "Exports run at noon"));
    assert_eq!(home.recall_ids("exports", &[]), [id]);
}

#[test]
fn an_edit_by_rename_is_found() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    note::edit_by_rename(&home.file_of(&id), |text| text.replace("walruses", "penguins"));
    assert_eq!(home.recall_ids("penguins", &[]), [id]);
}

#[test]
fn an_edit_is_seen_by_a_server_that_was_already_running() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let mut mcp = home.mcp();
    let ask = |mcp: &mut hark_testkit::Mcp, query: &str| {
        mcp.data("memory_recall", &serde_json::json!({ "query": query }))
    };
    assert_eq!(ask(&mut mcp, "walruses")["hits"][0]["id"], id.as_str());
    note::edit(&home.file_of(&id), |text| text.replace("walruses", "penguins"));
    hark_testkit::eventually("the server sees the edit", || {
        ask(&mut mcp, "penguins")["hits"][0]["text"].to_string().contains("penguins")
    });
    // A hit is looked at on disk before it is given, however recently the folder was.
    note::edit(&home.file_of(&id), |text| text.replace("penguins", "puffins"));
    let text = ask(&mut mcp, "queue drained by penguins")["hits"].to_string();
    assert!(!text.contains("penguins"), "{text}");
}

#[test]
fn a_new_file_with_little_in_it_is_a_memory() {
    let home = home();
    home.remember("Something so that the store exists.");
    note::drop_in(&home.memories(), "fact/by-hand.md", note::text(7, "Otters guard the gate", "They bite."));
    note::drop_in(
        &home.memories(),
        "loose.md",
        format!("---\nid: {}\n---\nA badger sleeps in the root folder.\n", note::id(8)),
    );
    note::drop_in(
        &home.memories(),
        "my own folder/x.md",
        note::text(9, "A marmot in a folder of its own", "It whistles."),
    );
    assert_eq!(home.recall_ids("otters gate", &[]), [note::short(7)]);
    assert_eq!(home.recall_ids("badger", &[]), [note::short(8)]);
    assert_eq!(home.recall_ids("marmot", &[]), [note::short(9)]);
    assert_eq!(home.show(&note::short(8))["title"], "A badger sleeps in the root folder");
}

#[test]
fn a_deleted_file_is_forgotten() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    fs::remove_file(home.file_of(&id)).unwrap();
    assert_eq!(home.recall_ids("walruses", &[]), Vec::<String>::new());
    home.hark(["show", &id]).fails(1);
}

#[test]
fn a_deleted_folder_is_forgotten() {
    let home = home();
    let gone = home.remember_with("The queue is drained by walruses.", &["--kind", "decision"]);
    let kept = home.remember("Penguins feed the queue.");
    fs::remove_dir_all(home.memories().join("decision")).unwrap();
    assert_eq!(home.recall_ids("queue", &[]), [kept]);
    home.hark(["show", &gone]).fails(1);
}

#[test]
fn a_renamed_or_moved_file_keeps_its_identity() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let file = home.file_of(&id);
    let renamed = file.with_file_name("my better name.md");
    fs::rename(&file, &renamed).unwrap();
    assert_eq!(home.recall_ids("walruses", &[]), [id.as_str()]);
    assert_eq!(home.file_of(&id), renamed);

    let moved = home.memories().join("decision").join("moved.md");
    fs::create_dir_all(moved.parent().unwrap()).unwrap();
    fs::rename(&renamed, &moved).unwrap();
    assert_eq!(home.recall_ids("walruses", &[]), [id.as_str()]);
    home.hark(["edit", &id, "--tag", "still-here"]).ok();
    assert!(fs::read_to_string(home.file_of(&id)).unwrap().contains("still-here"));
    assert_eq!(disk::notes(&home.memories()).len(), 1, "an edit makes no second file");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_read() {
    let home = home();
    let text = note::text(3, "Otters guard the gate", "They bite.\n\nTwice.").replace('\n', "\r\n");
    note::drop_in(&home.memories(), "fact/windows.md", format!("\u{feff}{text}"));
    let memory = home.show(&note::short(3));
    assert_eq!(
        (memory["title"].as_str(), memory["body"].as_str()),
        (Some("Otters guard the gate"), Some("They bite.\n\nTwice."))
    );
    home.hark(["edit", &note::short(3), "--tag", "zoo"]).ok();
    assert_eq!(home.show(&note::short(3))["body"], "They bite.\n\nTwice.");
}

#[test]
fn unknown_front_matter_and_comments_survive_an_edit() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let extra = "reviewers:\n  - ann\n  - bob # on leave\nx-tool: { nested: [1, 2], text: \"a: b\" }\nblock: |\n  one\n\n  two\n";
    note::edit(&home.file_of(&id), |text| {
        text.replacen("revision: 1\n", &format!("revision: 1\n{extra}"), 1)
    });
    home.hark(["edit", &id, "--tag", "zoo", "--why", "they were free"]).ok();
    let after = fs::read_to_string(home.file_of(&id)).unwrap();
    assert!(after.contains(extra), "{after}");
    assert!(after.contains("zoo") && after.contains("they were free"), "{after}");
    home.hark(["archive", &id]).ok();
    home.hark(["restore", &id]).ok();
    assert!(fs::read_to_string(home.file_of(&id)).unwrap().contains(extra));
}

#[test]
fn values_as_people_write_them_are_read() {
    let home = home();
    let front = format!(
        "id: {}\ntags: auth, login\nimportance: 9\nkind: Warning\ncreated: 2026-01-05\n",
        note::id(4)
    );
    note::drop_in(&home.memories(), "fact/loose.md", format!("---\n{front}---\n\nTokens rot.\n"));
    let memory = home.show(&note::short(4));
    assert_eq!(memory["tags"], serde_json::json!(["auth", "login"]));
    assert_eq!((memory["importance"].as_i64(), memory["kind"].as_str()), (Some(5), Some("constraint")));
    assert!(memory["created"].as_str().unwrap().starts_with("2026-01-05"), "{memory}");
}

#[test]
fn numbers_and_dates_are_words_where_words_are_expected() {
    let home = home();
    let numbers =
        format!("---\nid: {}\ntags: [2024, 7]\ntitle: 404\n---\n\nNumbers are words too.\n", note::id(5));
    note::drop_in(&home.memories(), "fact/numbers.md", numbers);
    let memory = home.show(&note::short(5));
    assert_eq!(
        (memory["tags"].to_string(), memory["title"].as_str()),
        ("[\"2024\",\"7\"]".to_owned(), Some("404"))
    );
}

#[test]
fn a_file_that_cannot_be_read_is_kept_reported_skipped_and_comes_back_when_mended() {
    let broken: &[(&str, Vec<u8>)] = &[
        ("no front matter", b"Just a note.\n".to_vec()),
        ("unclosed", format!("---\nid: {}\ntitle: x\n", note::id(50)).into_bytes()),
        ("bad yaml", b"---\nid: [\n---\n\nbody\n".to_vec()),
        ("no id", b"---\ntitle: nameless\n---\n\nbody\n".to_vec()),
        ("bad id", b"---\nid: twelve\n---\n\nbody\n".to_vec()),
        ("bad kind", format!("---\nid: {}\nkind: pancake\n---\n\nbody\n", note::id(51)).into_bytes()),
        ("bad time", format!("---\nid: {}\ncreated: someday\n---\n\nbody\n", note::id(52)).into_bytes()),
        ("not utf-8", [note::text(53, "Bytes", "body").as_bytes(), &[0xff, 0xfe, 0xc3, 0x28]].concat()),
        ("empty", Vec::new()),
    ];
    let home = home();
    let good = home.remember("The queue is drained by walruses.");
    for (name, bytes) in broken {
        note::drop_in(&home.memories(), &format!("fact/{name}.md"), bytes);
    }
    let untouched = |home: &Home| {
        for (name, bytes) in broken {
            assert_eq!(&fs::read(home.memories().join(format!("fact/{name}.md"))).unwrap(), bytes, "{name}");
        }
    };
    assert_eq!(home.recall_ids("walruses", &[]), [good.as_str()]);
    let findings = home.findings();
    for (name, _) in broken {
        assert!(findings.contains(&format!("{name}.md")), "{name}: {findings}");
    }
    assert_eq!(home.doctor()["memories"], 1);
    let stats = home.hark(["stats", "--json"]).ok().json();
    assert_eq!(stats["unreadable_files"], broken.len(), "{stats}");
    home.hark(["reindex"]).ok();
    home.hark(["edit", &good, "--tag", "zoo"]).ok();
    untouched(&home);

    for (number, (name, _)) in (60u32..).zip(broken) {
        let text = note::text(number, "Mended", &format!("Mended after {name}."));
        fs::write(home.memories().join(format!("fact/{name}.md")), text).unwrap();
    }
    let doctor = home.doctor();
    assert_eq!(doctor["memories"], 1 + broken.len(), "{doctor}");
    assert!(!doctor["findings"].to_string().contains(".md"), "{doctor}");
}

#[test]
fn a_memory_whose_file_breaks_is_not_overwritten_by_an_edit() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let file = home.file_of(&id);
    fs::write(&file, "a person was in the middle of something").unwrap();
    for args in [vec!["edit", &id, "--tag", "x"], vec!["resolve", &id], vec!["archive", &id]] {
        let outcome = home.hark(args).run();
        assert_ne!(outcome.code, Some(0), "{outcome}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "a person was in the middle of something");
    }
    assert!(home.findings().contains(file.file_name().unwrap().to_str().unwrap()));
}

#[test]
fn two_files_with_one_id_are_both_kept_one_is_used_and_the_doctor_says_so() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let file = home.file_of(&id);
    let copy = file.with_file_name("copy.md");
    fs::write(&copy, fs::read_to_string(&file).unwrap().replace("walruses", "copycats")).unwrap();
    assert_eq!(home.recall_ids("queue drained", &[]), [id.as_str()]);
    assert!(home.findings().contains("same id"), "{}", home.findings());
    assert!(file.exists() && copy.exists());

    fs::remove_file(&file).unwrap();
    assert_eq!(home.recall_ids("copycats", &[]), [id], "with the other gone it is the memory");
    assert_eq!(home.findings(), "[]");
}

#[test]
fn a_file_that_is_far_too_big_is_skipped_and_reported() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let big = note::text(70, "Big", &"many words about nothing ".repeat(250_000));
    note::drop_in(&home.memories(), "fact/big.md", &big);
    assert_eq!(home.recall_ids("walruses", &[]), [id]);
    assert!(home.findings().contains("big.md"), "{}", home.findings());
    assert_eq!(fs::read_to_string(home.memories().join("fact/big.md")).unwrap(), big);
}

#[test]
fn files_that_are_no_notes_are_left_alone_and_unmentioned() {
    let home = home();
    home.remember("The queue is drained by walruses.");
    for name in
        ["fact/.hidden.md", "fact/notes.txt", "fact/x.md~", "fact/.#lock", ".git/HEAD.md", "fact/picture.png"]
    {
        note::drop_in(&home.memories(), name, "whatever");
    }
    let doctor = home.doctor();
    assert_eq!((doctor["memories"].as_i64(), doctor["findings"].to_string()), (Some(1), "[]".to_owned()));
}

#[test]
fn a_secret_written_into_a_file_by_hand_does_not_reach_index_or_answers() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    note::edit(&home.file_of(&id), |text| text.replace("walruses", &format!("walruses with {secret}")));
    let answer = home.recall("walruses", &["--detail", "full"]);
    assert!(answer.to_string().contains("REDACTED") && !answer.to_string().contains(secret), "{answer}");
    let holding = disk::holding(&home.store(), secret);
    assert!(
        holding.iter().all(|path| path.extension().is_some_and(|e| e == "md")),
        "only where the person put it: {holding:?}"
    );
}

#[test]
fn an_edit_through_hark_after_a_hand_edit_keeps_both_and_the_history_of_both() {
    let home = home();
    let id = home.remember_with("The queue is drained by walruses.", &["--tag", "zoo"]);
    note::edit(&home.file_of(&id), |text| text.replace("drained by walruses", "drained by penguins"));
    home.hark(["edit", &id, "--why", "walruses went on strike"]).ok();
    let memory = home.show(&id);
    assert_eq!(
        (memory["body"].as_str(), memory["why"].as_str()),
        (Some("The queue is drained by penguins."), Some("walruses went on strike"))
    );
    let history = home.hark(["history", &id, "--json"]).ok().json();
    assert!(
        history["revisions"].to_string().contains("penguins"),
        "what the person wrote is in the history: {history}"
    );
}

#[test]
fn in_a_large_store_edits_are_picked_up_too() {
    let home = home();
    for number in 0..1_400 {
        let text =
            note::text(number, &format!("Note {number} on service-{}", number % 37), "Listens on a port.");
        note::drop_in(&home.memories(), &format!("fact/note-{number}.md"), text);
    }
    assert_eq!(home.doctor()["memories"], 1_400);
    let file = |number: u32| home.memories().join(format!("fact/note-{number}.md"));

    note::edit_by_rename(&file(5), |text| text.replace("Listens on a port.", "Guarded by walruses."));
    assert_eq!(home.recall_ids("walruses", &[]), [note::short(5)], "a file moved into place");
    note::drop_in(&home.memories(), "fact/new.md", note::text(5_000, "Penguins", "Feed the queue."));
    assert_eq!(home.recall_ids("penguins", &[]), [note::short(5_000)], "a new file");
    fs::remove_file(file(6)).unwrap();
    home.hark(["show", &note::short(6)]).fails(1);

    // Written in place, the folder looks as before: it is seen where the memory is used, and by the doctor.
    note::edit(&file(7), |text| text.replace("Listens on a port.", "Watched by marmots."));
    assert_eq!(home.show(&note::short(7))["body"], "Watched by marmots.");
    note::edit(&file(8), |text| text.replace("Listens on a port.", "Watched by badgers."));
    home.hark(["edit", &note::short(8), "--tag", "zoo"]).ok();
    assert_eq!(
        home.show(&note::short(8))["body"],
        "Watched by badgers.",
        "an edit keeps what the person wrote"
    );
    note::edit(&file(9), |text| text.replace("Listens on a port.", "Watched by otters."));
    assert!(home.doctor()["findings"].to_string().contains("picked up"));
    assert_eq!(home.recall_ids("otters", &[]), [note::short(9)]);
}

/// What a person does to a file, and what a command does to the memory afterwards.
#[derive(Debug, Clone)]
enum HandEdit {
    Body(String),
    UnknownKey(String, String),
    Tag(String),
}

#[derive(Debug, Clone)]
enum Command {
    Why(String),
    Learned(String),
    Tag(String),
    Importance(u8),
    Pin,
    Resolve,
    Archive,
}

fn hand_edit() -> impl Strategy<Value = HandEdit> {
    prop_oneof![
        "[a-z]{3,8}( [a-z:#\\-]{1,8}){0,6}".prop_map(HandEdit::Body),
        ("x-[a-z]{2,6}", "[a-z0-9]{1,12}").prop_map(|(key, value)| HandEdit::UnknownKey(key, value)),
        "[a-z][a-z0-9]{1,8}".prop_map(HandEdit::Tag),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        "[a-z]{3,9}( [a-z]{1,9}){0,4}".prop_map(Command::Why),
        "[a-z]{3,9}( [a-z]{1,9}){0,4}".prop_map(Command::Learned),
        "[A-Z][a-z0-9]{1,8}".prop_map(Command::Tag),
        (1u8..=5).prop_map(Command::Importance),
        Just(Command::Pin),
        Just(Command::Resolve),
        Just(Command::Archive),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hand_edits_and_commands_in_any_order_lose_nothing(steps in prop::collection::vec((hand_edit(), command()), 1..4)) {
        let home = home();
        let id = home.remember("The first body.");
        let (mut body, mut tags, mut unknown) = ("The first body.".to_owned(), Vec::<String>::new(), Vec::<String>::new());
        let (mut why, mut learned, mut importance, mut pinned) = (None, None, 3, false);
        for (edit, command) in steps {
            let file = home.file_of(&id);
            match edit {
                HandEdit::Body(new) => {
                    // A comment in the body is text, a rule in it as well.
                    body = format!("{new}\n\n---\n\n# {new}");
                    let head = fs::read_to_string(&file).unwrap();
                    let end = head.find("\n---\n\n").unwrap() + "\n---\n\n".len();
                    fs::write(&file, format!("{}{body}\n", &head[..end])).unwrap();
                }
                HandEdit::UnknownKey(key, value) => {
                    let line = format!("{key}: {value}");
                    if unknown.iter().any(|u| u.starts_with(&format!("{key}:"))) {
                        continue;
                    }
                    note::edit(&file, |text| text.replacen("\n---\n\n", &format!("\n{line}\n---\n\n"), 1));
                    unknown.push(line);
                }
                HandEdit::Tag(tag) => {
                    if tags.contains(&tag) {
                        continue;
                    }
                    tags.push(tag);
                    let line = format!("tags: [{}]\n", tags.join(", "));
                    note::edit(&file, |text| {
                        let rest: Vec<&str> = text.split_inclusive('\n').collect();
                        let front_end = rest.iter().skip(1).position(|l| *l == "---\n").unwrap() + 1;
                        let kept = rest.iter().enumerate().filter(|(at, l)| *at >= front_end || !l.starts_with("tags:"));
                        let kept: String = kept.map(|(_, l)| *l).collect();
                        kept.replacen("origin:", &format!("{line}origin:"), 1)
                    });
                }
            }
            let run = |args: &[&str]| home.hark(args).ok();
            match command {
                Command::Why(text) => { run(&["edit", &id, "--why", &text]); why = Some(text); }
                Command::Learned(text) => { run(&["edit", &id, "--learned", &text]); learned = Some(text); }
                Command::Tag(tag) => {
                    run(&["edit", &id, "--tag", &tag]);
                    if !tags.contains(&tag) { tags.push(tag); }
                }
                Command::Importance(n) => { run(&["edit", &id, "--importance", &n.to_string()]); importance = n; }
                Command::Pin => { run(&["edit", &id, "--pin"]); pinned = true; }
                Command::Resolve => { run(&["resolve", &id]); run(&["reopen", &id]); }
                Command::Archive => { run(&["archive", &id]); run(&["restore", &id]); }
            }
        }
        let memory = home.show(&id);
        prop_assert_eq!(memory["body"].as_str(), Some(body.as_str()));
        prop_assert_eq!(memory["why"].as_str(), why.as_deref());
        prop_assert_eq!(memory["learned"].as_str(), learned.as_deref());
        prop_assert_eq!(memory["importance"].as_u64(), Some(u64::from(importance)));
        prop_assert_eq!(memory["pinned"].as_bool(), Some(pinned));
        prop_assert_eq!(memory["status"].as_str(), Some("active"));
        let mut kept: Vec<String> = memory["tags"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect();
        kept.sort();
        tags.sort();
        prop_assert_eq!(kept, tags);
        let file = fs::read_to_string(home.file_of(&id)).unwrap();
        for line in &unknown {
            prop_assert!(file.contains(line.as_str()), "{} in {}", line, file);
        }
        prop_assert_eq!(disk::notes(&home.memories()).len(), 1);
        prop_assert_eq!(home.findings(), "[]");
    }
}
