//! Exports of hark, from whoever made them: every string of every record, every line of every file.

use std::fs;

use hark_testkit::{Home, disk, note};
use serde_json::{Value, json};

use super::secrets::{Planted, home, put, strings};

/// A file of a memory with every key there is, in the order in which they are written.
pub(crate) fn whole_memory(number: u32) -> String {
    let other = note::id(900_000);
    format!(
        "---\n\
         # a comment\n\
         id: {}\n\
         kind: decision\n\
         title: A title\n\
         status: superseded\n\
         project: acme/shop\n\
         importance: 3\n\
         confidence: 0.5\n\
         pinned: false\n\
         origin: user\n\
         author: ann\n\
         session: a session\n\
         topic: a topic\n\
         turn: a turn\n\
         tags: [one]\n\
         files: [src/one.rs]\n\
         entities: [one]\n\
         links:\n  - {{to: {other}, relation: related, weight: 1.0, origin: user}}\n\
         why: because\n\
         learned: a lesson\n\
         created: 2026-03-01T10:00:00.000Z\n\
         updated: 2026-03-01T10:00:00.000Z\n\
         closed: 2026-03-01T10:00:00.000Z\n\
         expires: 2027-03-01T10:00:00.000Z\n\
         superseded_by: {other}\n\
         confirmed: 2026-03-01T10:00:00.000Z\n\
         confirmations: 1\n\
         helpful: 1\n\
         verdict: stale\n\
         revision: 2\n\
         colour: blue\n\
         ---\n\nThe body of note {number}.\n",
        note::id(number)
    )
}

pub(crate) fn whole_session(number: u32) -> String {
    format!(
        "---\n\
         # a comment\n\
         id: {}\n\
         host: claude-code\n\
         host_session: run-{number}\n\
         project: acme/shop\n\
         title: A title\n\
         status: closed\n\
         parent: another\n\
         branch: main\n\
         head_start: abc\n\
         head_end: def\n\
         folder: /srv/shop\n\
         transcript: /srv/t.jsonl\n\
         started: 2026-03-01T10:00:00.000Z\n\
         updated: 2026-03-01T10:00:00.000Z\n\
         ended: 2026-03-01T10:00:00.000Z\n\
         tool_calls: 2\n\
         summary_by: somebody\n\
         colour: blue\n\
         ---\n\n\
         ## Goal\n\na goal\n\n\
         ## Work completed\n\n- one\n\n\
         ## Work to be completed\n\n- two\n\n\
         ## Work done\n\n- three\n\n\
         ## Decisions\n\n- four\n\n\
         ## Files touched\n\n### Renamed\n\n- `src/new.rs` from `src/old.rs`\n\n\
         ## Plan files\n\n- `docs/plan.md`: a plan\n\n\
         ## References\n\n- [a page](https://example.com/page)\n\n\
         ## Checkpoints\n\n- 2026-03-01T10:00:00.000Z agent: a note\n\n\
         ## Summary\n\na summary\n\n\
         ## My own\n\nsomething else\n",
        note::id(number)
    )
}

/// The text once for each of its lines, with a secret in that line. Each has an id of its own.
pub(crate) fn line_by_line(
    text: impl Fn(u32) -> String,
    what: &str,
    planted: &mut Planted,
    number: &mut u32,
) -> Vec<(String, String)> {
    let count = text(0).lines().count();
    let mut all = Vec::new();
    for at in 0..count {
        for way in ["instead", "behind", "as a key"] {
            *number += 1;
            let (id, text) = (note::id(*number), text(*number));
            let line = text.lines().nth(at).expect("a line");
            if line.is_empty() || line == "---" {
                continue;
            }
            let secret = planted.secret(format!("{what} `{line}` {way}"));
            let changed = match (way, line.split_once(": ")) {
                ("as a key", _) => format!("{secret}: x\n{line}"),
                ("instead", Some((key, _))) => format!("{key}: {secret}"),
                _ => format!("{line} {secret}"),
            };
            let lines: Vec<&str> =
                text.lines().enumerate().map(|(i, l)| if i == at { changed.as_str() } else { l }).collect();
            all.push((id, lines.join("\n") + "\n"));
        }
    }
    all
}

/// A revision with everything in it, as an export tells it.
fn revision(number: u32) -> Value {
    json!({
        "at": "2026-03-01T10:00:00.000Z",
        "change": "edited",
        "before": {
            "id": note::id(number), "kind": "decision", "status": "superseded",
            "scope": { "project": "acme/shop" },
            "title": "a title", "body": "a body", "why": "why", "learned": "learned", "topic": "a topic",
            "tags": ["one"], "files": ["src/one.rs"], "entities": ["one"],
            "links": [{ "to": note::id(900_000), "relation": "related", "weight": 1.0, "origin": "user" }],
            "importance": 3, "confidence": 0.5, "pinned": true, "origin": "user", "author": "ann",
            "session": "a session", "turn": "a turn",
            "created": "2026-03-01T10:00:00.000Z", "updated": "2026-03-01T10:00:00.000Z",
            "closed": "2026-03-01T10:00:00.000Z", "expires": "2027-03-01T10:00:00.000Z",
            "superseded_by": note::id(900_000),
            "life": { "confirmations": 1, "confirmed": "2026-03-01T10:00:00.000Z", "helpful": 1, "verdict": "stale" },
            "revision": 1,
            "unknown": [{ "key": "colour", "raw": "colour: blue" }],
        },
    })
}

/// Every record of an export, once for each of its strings.
fn records(planted: &mut Planted) -> Vec<Value> {
    let mut number = 0;
    let mut all = Vec::new();
    for (id, text) in line_by_line(whole_memory, "memory", planted, &mut number) {
        all.push(json!({ "type": "memory", "id": id, "text": text }));
    }
    for (id, text) in line_by_line(whole_session, "session", planted, &mut number) {
        all.push(json!({ "type": "session", "id": id, "text": text }));
    }
    let mut each = |what: &str, record: &dyn Fn(u32) -> Value, planted: &mut Planted| {
        let base = record(0);
        for place in strings(&base) {
            number += 1;
            let mut record = record(number);
            put(&mut record, &place, &planted.words(format!("{what} {place}")));
            if what == "history" {
                // History is kept for a memory that is there.
                all.push(
                    json!({ "type": "memory", "id": note::id(number), "text": note::text(number, "t", "b") }),
                );
            }
            all.push(record);
        }
    };
    each(
        "memory",
        &|n| {
            json!({ "type": "memory", "id": note::id(n), "kind": "fact", "status": "active",
        "project": "acme/shop", "title": "t", "created": "2026-03-01T10:00:00.000Z",
        "updated": "2026-03-01T10:00:00.000Z", "entities": ["one"], "file": "fact/one.md",
        "text": note::text(n, "a title", &format!("body {n}")) })
        },
        planted,
    );
    each(
        "history",
        &|n| json!({ "type": "history", "id": note::id(n), "revisions": [revision(n)] }),
        planted,
    );
    each(
        "session",
        &|n| {
            json!({ "type": "session", "id": note::id(n), "file": "one.md",
        "text": whole_session(n) })
        },
        planted,
    );
    each(
        "link",
        &|n| {
            json!({ "type": "link", "from": note::id(n), "relation": "related",
        "to": note::id(900_000), "weight": 1.0, "origin": "user" })
        },
        planted,
    );
    each(
        "entity",
        &|_| {
            json!({ "type": "entity", "kind": "person", "name": "ann", "project": "acme/shop",
        "mentions": 1 })
        },
        planted,
    );
    each(
        "tombstone",
        &|n| {
            json!({ "type": "tombstone", "at": "2026-03-01T10:00:00.000Z", "why": "forgotten",
        "id": note::id(n), "marks": ["0123456789abcdef0123456789abcdef"] })
        },
        planted,
    );
    all
}

fn import(home: &Home, name: &str, text: &str) -> Value {
    let path = home.root().join(name);
    fs::write(&path, text).unwrap();
    home.hark(["import", path.to_str().unwrap(), "--json"]).run().json()
}

/// A record with a secret for its type or time is none, and refuses the file it is in.
fn is_record(record: &&Value) -> bool {
    ["type", "at", "why"].iter().all(|key| !record[*key].as_str().unwrap_or_default().contains("ghp_"))
}

/// Everything came in that could: else nothing would be proved.
fn assert_taken(told: &Value, least: u64) {
    let count = |key: &str| told[key].as_u64().unwrap_or_default();
    assert!(count("added") + count("sessions_added") >= least, "{told}");
    assert!(count("redacted") >= least / 2, "{told}");
}

#[test]
fn no_string_of_a_streamed_export_leaves_a_secret_on_disk() {
    let home = home();
    let mut planted = Planted::new();
    let records = records(&mut planted);
    let mut text = json!({ "format": "hark-export", "version": 1 }).to_string();
    for record in records.iter().filter(is_record) {
        text.push('\n');
        text.push_str(&record.to_string());
    }
    let told = import(&home, "all.ndjson", &text);
    assert_taken(&told, 120);
    assert_eq!(told["revisions"], 15, "every text of a revision: {told}");
    planted.assert_absent(&home.store(), |_| true);
    home.hark(["reindex"]).ok();
    planted.assert_absent(&home.store(), |_| true);
    for record in records.iter().filter(|record| !is_record(record)) {
        let text = format!("{}\n{record}", json!({ "format": "hark-export", "version": 1 }));
        let path = home.root().join("odd.ndjson");
        fs::write(&path, text).unwrap();
        let _ = home.hark(["import", path.to_str().unwrap()]).run();
    }
    planted.assert_absent(&home.store(), |_| true);
}

#[test]
fn nor_of_a_document_nor_of_what_others_exported() {
    for flags in [&[][..], &["--from-others"]] {
        let home = home();
        let mut planted = Planted::new();
        let mut document = json!({ "format": "hark-export", "version": 1,
            "chosen": { "project": planted.words("chosen"), "kinds": [planted.words("kinds")] } });
        for record in records(&mut planted).iter().filter(is_record) {
            let section = match record["type"].as_str().unwrap_or_default() {
                "memory" => "memories",
                "session" => "sessions",
                "history" => "history",
                "link" => "links",
                "entity" => "entities",
                "tombstone" => "tombstones",
                _ => continue,
            };
            if document.get(section).is_none() {
                document[section] = json!([]);
            }
            document[section].as_array_mut().unwrap().push(record.clone());
        }
        let path = home.root().join("all.json");
        fs::write(&path, document.to_string()).unwrap();
        let line = [&["import", path.to_str().unwrap(), "--json"], flags].concat();
        assert_taken(&home.hark(line).run().json(), 120);
        planted.assert_absent(&home.store(), |_| true);
    }
}

#[test]
fn nor_does_a_folder_of_notes() {
    let home = home();
    let mut planted = Planted::new();
    let folder = home.root().join("notes");
    let mut number = 0;
    for (sub, text) in [("memories/decision", whole_memory as fn(u32) -> String), ("sessions", whole_session)]
    {
        fs::create_dir_all(folder.join(sub)).unwrap();
        for (at, (_, text)) in line_by_line(text, sub, &mut planted, &mut number).into_iter().enumerate() {
            fs::write(folder.join(sub).join(format!("{at}.md")), text).unwrap();
        }
    }
    let named = planted.secret("name of a file");
    number += 1;
    fs::write(folder.join(format!("memories/decision/{named}.md")), whole_memory(number)).unwrap();
    let told = home.hark(["import", folder.to_str().unwrap(), "--json"]).run().json();
    assert!(told["added"].as_u64().unwrap() > 40, "{told}");
    planted.assert_absent(&home.store(), |_| true);
    assert!(!disk::notes(&home.store()).is_empty());
}
