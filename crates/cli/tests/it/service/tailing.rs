//! Transcripts that grow while a service runs.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use hark_testkit::transcripts::Claude;
use hark_testkit::{Home, eventually, sqlite};

use super::{claude_file, home, prompts, put, serve, sessions};

const PROJECT: &str = "/nowhere/shop";

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn events(home: &Home) -> i64 {
    sqlite::number(&home.database(), "SELECT count(*) FROM event")
}

/// The text of what `more` adds to a transcript.
fn grown(file: &mut Claude, more: impl FnOnce(&mut Claude)) -> String {
    let before = file.text().len();
    more(file);
    file.text()[before..].to_owned()
}

#[test]
fn a_session_is_known_while_it_happens_and_nothing_is_read_twice_after_a_kill() {
    // On the day of the transcript: the events of old sessions are condensed.
    let home = home().at("2026-03-01T12:00:00Z");
    let (path, mut file) = (claude_file(&home, "live"), Claude::new("live", PROJECT));
    put(&path, "");
    let server = serve(&home, &[]);
    eventually("the service watches", || home.doctor()["service"]["folders"].as_u64() > Some(0));
    append(
        &path,
        &grown(&mut file, |file| {
            file.prompt("Please make the billing importer restartable.").says("I will.");
        }),
    );
    let began = Instant::now();
    eventually("the session is known", || sessions(&home).len() == 1);
    eventually("its prompt is known", || prompts(&home, "live").len() == 1);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(prompts(&home, "live")[0].contains("importer restartable"));

    append(
        &path,
        &grown(&mut file, |file| {
            file.prompt("Now the exporter, too.");
        }),
    );
    eventually("the next prompt is known", || prompts(&home, "live").len() == 2);
    let before = events(&home);
    assert!(home.doctor()["service"]["read"].as_u64().unwrap() >= 2);

    // SIGKILL, in the middle of whatever it does.
    drop(server);
    assert!(home.doctor()["service"].is_null(), "a service that was killed is not shown as running");
    append(
        &path,
        &grown(&mut file, |file| {
            file.prompt("And a third thing.");
        }),
    );
    let server = serve(&home, &[]);
    eventually("what happened meanwhile is known", || prompts(&home, "live").len() == 3);
    append(
        &path,
        &grown(&mut file, |file| {
            file.prompt("And a fourth.");
        }),
    );
    eventually("and what happens now", || prompts(&home, "live").len() == 4);
    assert_eq!((sessions(&home).len(), events(&home)), (1, before + 2), "nothing twice");
    drop(server);
    home.hark(["ingest", "--json"]).ok();
    assert_eq!(events(&home), before + 2, "the whole transcript was known already");
}

#[test]
fn without_inotify_and_in_places_of_the_settings_transcripts_are_read_too() {
    let home = home();
    let place = home.user().join("old-laptop");
    put(&home.user_config(), "[ingest]\npaths = [\"~/old-laptop\"]\nwatch = \"poll\"\n");
    put(
        &place.join("here.jsonl"),
        Claude::new("here", PROJECT).prompt("Move the cache to Redis.").text().as_str(),
    );
    let server = serve(&home, &[]);
    eventually("what was there is read", || sessions(&home).len() == 1);
    put(
        &place.join("deeper/there.jsonl"),
        Claude::new("there", PROJECT).prompt("Drop the cache.").text().as_str(),
    );
    eventually("and what is new", || sessions(&home).len() == 2);
    let service = home.doctor()["service"].clone();
    assert_eq!((&service["watches"], &service["folders"]), (&"polling".into(), &0.into()), "{service}");
    assert!(!home.findings().contains("every few seconds"), "it was asked for");
    drop(server);
}

#[test]
fn documents_are_read_again_when_they_change() {
    let home = home();
    let readme = home.work().join("README.md");
    put(&readme, "# Shop\n\n## Storage\n\nInvoices are kept in PostgreSQL, in one schema per tenant.\n");
    home.hark(["bootstrap", "--json"]).ok();
    let said = |words: &str| {
        let facts = std::fs::read_dir(home.memories().join("fact")).into_iter().flatten().flatten();
        facts.filter_map(|file| std::fs::read_to_string(file.path()).ok()).any(|text| text.contains(words))
    };
    assert!(said("PostgreSQL"));
    let server = serve(&home, &[]);
    put(&readme, "# Shop\n\n## Storage\n\nInvoices are kept in CockroachDB, in one schema per tenant.\n");
    eventually("the new text is known", || said("CockroachDB"));
    assert!(!said("PostgreSQL"));

    // A folder that is gone says nothing: an unmounted drive is not a decision to forget. A document that was read after
    // it was gone shows that the service has looked since.
    let other = home.root().join("other");
    put(
        &other.join("README.md"),
        "# Other\n\n## Queue\n\nJobs wait in RabbitMQ until a worker takes them.\n",
    );
    home.hark(["bootstrap", "--json"]).within(&other).ok();
    std::fs::rename(home.work(), home.root().join("elsewhere")).unwrap();
    put(&other.join("README.md"), "# Other\n\n## Queue\n\nJobs wait in NATS until a worker takes them.\n");
    eventually("the other document is known", || said("NATS"));
    assert!(said("CockroachDB") && !said("status: archived"));
    drop(server);
}

#[test]
fn the_setting_turns_reading_off() {
    let home = home();
    put(&home.user_config(), "[ingest]\nwatch = \"off\"\n");
    put(
        &claude_file(&home, "private"),
        Claude::new("private", PROJECT).prompt("Nobody's business.").text().as_str(),
    );
    let server = serve(&home, &[]);
    eventually("the service has worked", || home.doctor()["service"]["last_work"].is_string());
    assert_eq!(home.doctor()["service"]["watches"], "off");
    assert!(sessions(&home).is_empty());
    drop(server);
}
