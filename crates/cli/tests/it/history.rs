//! What becomes of events: their worth, digests of old ones, the way back down, and live transcripts
//! that `hark work` reads along.

use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::transcripts::Claude;
use hark_testkit::{Home, hooks, sqlite};
use serde_json::{Value, json};

const PROJECT: &str = "/nowhere/shop";

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-01T12:00:00Z")
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn claude_file(home: &Home, session: &str) -> PathBuf {
    home.user().join(format!(".claude/projects/-nowhere-shop/{session}.jsonl"))
}

fn json_of(home: &Home, arguments: &[&str]) -> Value {
    home.hark([arguments, &["--json"]].concat()).ok().json()
}

fn number(home: &Home, sql: &str) -> i64 {
    sqlite::number(&home.database(), sql)
}

/// Twenty requests with four events each behind them.
fn long_session(home: &Home) {
    let mut file = Claude::new("long", PROJECT);
    for at in 0..20 {
        let id = |what: &str| format!("toolu_{what}_{at:010}");
        file.prompt(&format!("Please rework part {at} of the importer."))
            .edits(&id("edit"), &format!("/nowhere/shop/src/part{at}.rs"))
            .runs(
                &id("test"),
                &format!("cargo test part{at}"),
                if at % 3 == 0 { "error: assertion failed: left == right" } else { "3 passed" },
                at % 3 != 0,
            )
            .calls(&id("read"), "Read", &json!({ "file_path": "/nowhere/shop/README.md" }))
            .gets(&id("read"), "read me", false)
            .says(&format!("Part {at} is reworked. {}", "It holds together well. ".repeat(12)));
    }
    put(&claude_file(home, "long"), &file.text());
    json_of(home, &["ingest"]);
}

#[test]
fn events_are_graded_by_worth() {
    let home = home();
    long_session(&home);
    let count = |tier: &str| number(&home, &format!("SELECT count(*) FROM event WHERE tier = '{tier}'"));
    // Prompts and failures; edits, commands that worked and replies; the first look at a file, and the others.
    assert_eq!((count("S"), count("M"), count("L"), count("N")), (20 + 7, 20 + 13 + 20, 1, 19));
}

#[test]
fn old_events_are_told_in_digests_that_lead_back_to_them() {
    let home = home();
    long_session(&home);
    let done = json_of(&home, &["work"]);
    assert_eq!(done["digested"], 1, "{done}");
    assert_eq!(json_of(&home, &["work"])["digested"], 0, "once");
    let facts = json_of(&home, &["describe", "long"]);
    assert_eq!(facts["digests"].as_array().unwrap().len(), 1, "one for the whole session: {facts}");
    let top = json_of(&home, &["expand", "long"]);
    assert_eq!((top["kind"].as_str(), top["parts"].as_array().unwrap().len()), (Some("session"), 1), "{top}");
    assert!(top["parts"][0]["text"].as_str().unwrap().contains("part 0 of the importer"), "{top}");

    // Every event is found on the way down, and once.
    let mut seen = std::collections::BTreeSet::new();
    let mut wanted = vec![facts["digests"][0].as_str().unwrap().to_owned()];
    let mut levels = 0;
    while let Some(id) = wanted.pop() {
        let below = json_of(&home, &["expand", &id, "--budget", "90000"]);
        assert_eq!(below["more"], 0, "{below}");
        levels += 1;
        for part in below["parts"].as_array().unwrap() {
            let id = part["id"].as_str().unwrap().to_owned();
            if id.starts_with("d-") {
                wanted.push(id);
            } else {
                assert!(seen.insert(id), "{part}");
            }
        }
    }
    assert_eq!(seen.len() as i64, number(&home, "SELECT count(*) FROM event"));
    assert!(levels > 6, "leaves and what is above them: {levels}");
    let event = seen.iter().next().unwrap();
    assert_eq!(json_of(&home, &["expand", event])["kind"], "event");
    assert!(json_of(&home, &["describe", event])["within"].as_str().unwrap().starts_with("d-"));
    for wrong in ["d-99999", "e-99999", "s-zzzzzzzz"] {
        home.hark(["expand", wrong]).fails(1);
    }
}

#[test]
fn the_same_events_come_to_the_same_digests() {
    let (one, other) = (home(), home());
    let digests = |home: &Home| {
        long_session(home);
        json_of(home, &["work"]);
        sqlite::rows(
            &home.database(),
            "SELECT level, first_at, last_at, events, body FROM digest ORDER BY id",
        )
    };
    assert_eq!(digests(&one), digests(&other));
}

#[test]
fn text_is_forgotten_at_its_age_and_what_people_said_stays() {
    let home = home();
    fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    fs::write(home.user_config(), "[history]\ndigest = \"1d\"\nkeep = \"30d\"\n").unwrap();
    long_session(&home);
    let rows = number(&home, "SELECT count(*) FROM event");
    let with_text = "SELECT count(*) FROM event WHERE tier <> 'S' AND body <> ''";
    // Years later, by the clock alone, nothing is forgotten.
    home.hark(["work"]).now("2046-01-01T00:00:00Z").ok();
    assert!(number(&home, with_text) > 20);
    // It happened three months ago, but was read today.
    sqlite::used_for(&home.database(), 40, "2026-06-01T12:00:00Z");
    json_of(&home, &["work"]);
    assert!(number(&home, with_text) > 20);
    sqlite::used_for(&home.database(), 80, "2026-07-10T12:00:00Z");
    home.hark(["work"]).now("2026-07-10T12:00:00Z").ok();
    assert_eq!(number(&home, "SELECT count(*) FROM event"), rows, "events stay known");
    assert_eq!(number(&home, with_text), 0);
    assert_eq!(number(&home, "SELECT count(*) FROM event WHERE tier = 'S' AND body = ''"), 0);
    let facts = json_of(&home, &["describe", "long"]);
    assert!(facts["gone"].as_u64().unwrap() > 20, "{facts}");
    assert_eq!(json_of(&home, &["ingest"])["events"]["new"], 0);
}

#[test]
fn grep_finds_words_of_past_sessions() {
    let home = home();
    long_session(&home);
    let all = ["--all-projects"];
    let found = json_of(&home, &[&["grep", "assertion failed: left"], &all[..]].concat());
    assert_eq!(found["matches"].as_array().unwrap().len(), 7, "{found}");
    assert!(found["matches"][0]["text"].as_str().unwrap().contains("left == right"), "{found}");
    let found = json_of(&home, &[&["grep", r"cargo test part1\d$", "-n", "3"], &all[..]].concat());
    assert_eq!((found["matches"].as_array().unwrap().len(), &found["more"]), (3, &json!(true)), "{found}");
    let none = json_of(&home, &[&["grep", "Assertion"], &all[..]].concat());
    assert_eq!(none["matches"], json!([]), "capitals matter if there are any");
    // Case and word boundaries beyond ASCII are features of a dependency that a build may lack.
    for pattern in ["größe", r"\bgröße\s\d+"] {
        home.hark(["grep", pattern]).ok();
    }
    let refused = home.hark(["grep", "a(b"]).fails(1).stderr();
    assert!(refused.contains("regular expression"), "{refused}");
    assert_eq!(json_of(&home, &["grep", "importer"])["matches"], json!([]), "another project");
}

#[test]
fn work_reads_along_what_hooks_do_not_see() {
    let home = home();
    let path = claude_file(&home, "live");
    let mut file = Claude::new("live", home.work().to_str().unwrap());
    file.prompt("Watch this session while it runs, please.");
    put(&path, &file.text());
    let start = json!({ "session_id": "live", "cwd": home.work(), "hook_event_name": "SessionStart",
        "source": "startup", "transcript_path": path });
    hooks::reply(&home.hark(["hook", "claude-code", "SessionStart"]).stdin(start.to_string()).ok());
    assert_eq!(json_of(&home, &["work"])["read"], 1);
    file.says("I am watching.");
    put(&path, &file.text());
    assert_eq!(json_of(&home, &["work"])["read"], 1);
    assert_eq!(json_of(&home, &["work"])["read"], 0);
    // A file that nobody named is left alone until it is asked for; then its like are read along.
    let mut other = Claude::new("other", PROJECT);
    other.prompt("Nobody told hark about this one.");
    put(&home.user().join(".claude/projects/-x/other.jsonl"), &other.text());
    assert_eq!(json_of(&home, &["work"])["read"], 1, "transcripts of this assistant were read before");
}

fn bodies(home: &Home) -> Vec<String> {
    let conn = sqlite::open(&home.database());
    let mut read = conn.prepare("SELECT body FROM digest ORDER BY id").unwrap();
    let rows = read.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>();
    rows.unwrap()
}

/// A home whose user names a command for summaries; it is a script of the shell.
#[cfg(unix)]
fn summarised_by(script: &str) -> Home {
    let home = home();
    let line = format!("[history]\nsummarise = [\"/bin/sh\", \"-c\", {}]\n", Value::from(script));
    put(&home.user_config(), &line);
    long_session(&home);
    json_of(&home, &["work"]);
    home
}

#[cfg(unix)]
#[test]
fn a_command_of_the_users_own_may_sum_up_and_is_cleaned_too() {
    let key = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let home = summarised_by(&format!("echo \"He saw $(grep -c '^## prompt') requests, with {key}\""));
    let bodies = bodies(&home);
    assert!(bodies.iter().all(|body| body.starts_with("In short: He saw ")), "{bodies:?}");
    assert!(
        bodies.iter().all(|body| body.contains("The user asked: ")),
        "what was said is there too: {bodies:?}"
    );
    assert!(!bodies.iter().any(|body| body.contains(key)), "{bodies:?}");
}

#[cfg(unix)]
#[test]
fn without_an_answer_digests_are_what_they_would_have_been() {
    let home = home();
    long_session(&home);
    json_of(&home, &["work"]);
    let plain = bodies(&home);
    for script in ["exit 3", "cat >/dev/null", "echo half; kill -9 $$"] {
        assert_eq!(bodies(&summarised_by(script)), plain, "{script}");
    }
}

#[cfg(unix)]
#[test]
fn a_project_cannot_name_a_command() {
    let home = home();
    let store = home.work().join(".hark");
    put(&store.join("config.toml"), "[history]\nsummarise = [\"/bin/sh\", \"-c\", \"touch ran\"]\n");
    let said =
        home.hark(["config", "get", "history.summarise"]).without("HARK_HOME").within(home.work()).ok();
    assert_eq!(said.stdout().trim(), "[]");
}
