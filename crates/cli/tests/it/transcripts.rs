//! Transcripts of real clients, where the shared test data is: every assistant is read, hooks and
//! transcripts of one session agree, and reading all of it twice adds nothing.

use std::path::PathBuf;

use hark_testkit::hooks::{recorded, reply};
use hark_testkit::{Home, sqlite};
use serde_json::Value;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-11-16T12:00:00Z")
}

fn shared() -> Option<PathBuf> {
    hark_testkit::shared("transcripts")
}

fn ingest(home: &Home, path: &std::path::Path) -> Value {
    home.hark(["ingest", "--json", path.to_str().unwrap()]).ok().json()
}

fn rows(home: &Home) -> Vec<i64> {
    let count = |table: &&str| sqlite::number(&home.database(), &format!("SELECT count(*) FROM {table}"));
    ["event", "session", "session_file", "checkpoint", "cursor", "memory"].iter().map(count).collect()
}

#[test]
fn everything_read_twice_adds_nothing() {
    let Some(folder) = shared() else { return };
    let home = home();
    let first = ingest(&home, &folder);
    assert!(first["events"]["new"].as_u64().unwrap() > 5_000, "{first}");
    assert_eq!(first["files"]["failed"], 0, "{first}");
    let before = rows(&home);
    let second = ingest(&home, &folder);
    assert_eq!(
        (second["events"]["new"].as_u64(), second["files"]["read"].as_u64()),
        (Some(0), Some(0)),
        "{second}"
    );
    assert_eq!(rows(&home), before);
    sqlite::open(&home.database()).execute_batch("DELETE FROM cursor").unwrap();
    let third = ingest(&home, &folder);
    assert_eq!(third["events"]["new"], 0, "by ids alone: {third}");
    assert_eq!(rows(&home), before);
    assert_eq!(sqlite::integrity(&home.database()), "ok");
}

#[test]
fn every_assistant_is_read() {
    let Some(folder) = shared() else { return };
    let home = home();
    ingest(&home, &folder.join("recorded"));
    let prompts = sqlite::rows(
        &home.database(),
        "SELECT DISTINCT s.host FROM event e JOIN session s ON s.num = e.session \
         WHERE e.kind = 'prompt' AND e.body LIKE '%deploy? USER-PROMPT-1' ORDER BY 1",
    );
    let hosts = "aider claude-code cline codex continue copilot-cli droid gemini-cli kilo opencode qwen-code";
    let expected: Vec<String> = hosts.split(' ').map(|host| format!("Text(\"{host}\")")).collect();
    assert_eq!(prompts, expected);
    // Each ran a command that prints, one that fails, and edited one file; Aider has no tools.
    for host in hosts.split(' ').filter(|host| *host != "aider") {
        let count = |what: &str| {
            sqlite::number(
                &home.database(),
                &format!(
                    "SELECT count(*) FROM event e JOIN session s ON s.num = e.session WHERE s.host = '{host}' AND {what}"
                ),
            )
        };
        assert!(count("e.body LIKE '%BASH-OUT-1%' AND e.ok = 1") > 0, "{host}: a command");
        let edited = format!(
            "SELECT count(*) FROM session_file f JOIN session s ON s.num = f.session WHERE s.host = '{host}' \
             AND f.path LIKE '%notes.txt'"
        );
        assert!(sqlite::number(&home.database(), &edited) > 0, "{host}: an edit");
    }
    let told = "SELECT count(*) FROM event WHERE body LIKE '%CTX-FROM%' AND kind IN ('prompt', 'reply')";
    assert_eq!(sqlite::number(&home.database(), told), 0, "what hooks said is nobody's prompt");
}

#[test]
fn hooks_and_transcripts_of_one_session_agree() {
    let (Some(folder), Some(events)) = (shared(), recorded()) else { return };
    let home = home();
    for event in &events {
        let mut words = vec!["hook", event.host];
        words.extend(event.arguments.iter().map(String::as_str));
        let mut command = home.hark(words).stdin(&event.stdin).now(&event.at);
        for (name, value) in &event.environment {
            command = command.env(name, value);
        }
        reply(&command.run());
    }
    // Droid runs no hook after a command that fails; only its transcript knows.
    let calls = "SELECT s.host, s.host_session, count(*) FROM event e JOIN session s ON s.num = e.session \
                 WHERE e.kind = 'tool' AND NOT (s.host = 'droid' AND e.ok = 0) GROUP BY s.num ORDER BY 1, 2";
    let by_hooks = sqlite::rows(&home.database(), calls);
    assert!(!by_hooks.is_empty());
    ingest(&home, &folder.join("recorded"));
    let both = sqlite::rows(&home.database(), calls);
    for row in &by_hooks {
        let session = row.rsplit_once('|').unwrap().0;
        let now = both.iter().find(|other| other.rsplit_once('|').unwrap().0 == session).unwrap();
        assert_eq!(now, row, "as many calls as hooks told");
    }
    let prompts = "SELECT s.host, count(*) FROM event e JOIN session s ON s.num = e.session \
                   WHERE e.kind = 'prompt' AND e.via <> 'transcript' GROUP BY s.num \
                   HAVING count(*) <> (SELECT count(*) FROM event o WHERE o.session = s.num AND o.kind = 'prompt')";
    assert_eq!(sqlite::rows(&home.database(), prompts), Vec::<String>::new(), "each prompt once");
}
