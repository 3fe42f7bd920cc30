//! Many processes on one store, some of them killed: what was acknowledged is there, nobody was
//! told to wait, and the index says what the files say.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use hark_testkit::mcp::Gone;
use hark_testkit::{Home, Seeded, disk, sqlite};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

const TOPICS: &[&str] =
    &["gateway timeout", "schema migration", "retry budget", "cache eviction", "flaky snapshot"];
const QUERIES: &[&str] = &[
    "gateway timeout",
    "retry budget of client 7",
    "schema migraton",
    "cache eviction note 101",
    "why is the snapshot flaky",
    "client 31 note 0",
];

fn words(client: usize, number: usize) -> String {
    format!(
        "Client {client} note {number}: the {} was handled in service-{}.",
        TOPICS[number % TOPICS.len()],
        client % 7
    )
}

/// What callers were told.
#[derive(Default)]
struct Told {
    acknowledged: Vec<String>,
    complaints: Vec<String>,
}

#[test]
fn thirty_two_servers_write_at_once_a_third_is_killed_and_nothing_acknowledged_is_lost() {
    const CLIENTS: usize = 32;
    const NOTES: usize = 200;
    let home = home();
    let told = Mutex::new(Told::default());
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (home, told) = (&home, &told);
            scope.spawn(move || {
                let mut chance = Seeded::new(4711 + client as u64);
                let last = if client % 3 == 0 { 1 + chance.below(NOTES - 1) } else { NOTES };
                let heard = write_notes(home, client, last, last < NOTES, &mut chance);
                let mut told = told.lock().unwrap();
                told.acknowledged.extend(heard.acknowledged);
                told.complaints.extend(heard.complaints);
            });
        }
    });
    let told = told.into_inner().unwrap();
    assert!(told.acknowledged.len() >= CLIENTS * 2 / 3 * NOTES, "{} acknowledged", told.acknowledged.len());
    check(&home, &told);
}

/// One server that stores notes; a doomed one is killed in the middle of its last.
fn write_notes(home: &Home, client: usize, count: usize, doomed: bool, chance: &mut Seeded) -> Told {
    let mut told = Told::default();
    let mut mcp = home.mcp();
    for number in 0..count {
        let sent = mcp.send_call("memory_remember", &json!({ "text": words(client, number) }));
        if doomed && number + 1 == count {
            thread::sleep(Duration::from_micros(chance.below(6_000) as u64));
            mcp.kill();
        }
        match sent.and_then(|_| mcp.answer()) {
            Ok(answer) => hear(&answer, &mut told),
            Err(Gone) if doomed && number + 1 == count => {}
            Err(Gone) => told.complaints.push(format!("client {client} lost its server at note {number}")),
        }
    }
    let (_, errors) = mcp.close();
    told.complaints.extend(Some(errors).filter(|e| !e.is_empty()));
    told
}

fn hear(answer: &Value, told: &mut Told) {
    match answer["result"]["structuredContent"]["id"].as_str() {
        Some(id) => told.acknowledged.push(id.to_owned()),
        None => told.complaints.push(answer.to_string()),
    }
}

#[test]
fn short_commands_write_at_once_some_are_killed_and_nothing_acknowledged_is_lost() {
    const WRITERS: usize = 16;
    const NOTES: usize = 12;
    let home = home();
    let told = Mutex::new(Told::default());
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (home, told) = (&home, &told);
            scope.spawn(move || {
                let mut chance = Seeded::new(99 + writer as u64);
                for number in 0..NOTES {
                    let text = words(writer, number);
                    let mut child = home.hark(["remember", "--json", text.as_str()]).spawn();
                    let doomed = chance.below(3) == 0;
                    if doomed {
                        thread::sleep(Duration::from_micros(chance.below(40_000) as u64));
                        let _ = child.kill();
                    }
                    let output = child.wait_with_output().unwrap();
                    let mut told = told.lock().unwrap();
                    let said = serde_json::from_slice::<Value>(&output.stdout).ok();
                    match said.as_ref().and_then(|s| s["id"].as_str()) {
                        Some(id) => told.acknowledged.push(id.to_owned()),
                        None if doomed && !output.status.success() => {}
                        None => told.complaints.push(format!("{output:?}")),
                    }
                    if !output.stderr.is_empty() {
                        told.complaints.push(String::from_utf8_lossy(&output.stderr).into_owned());
                    }
                }
            });
        }
    });
    let told = told.into_inner().unwrap();
    assert!(told.acknowledged.len() >= WRITERS * NOTES / 2, "{} acknowledged", told.acknowledged.len());
    check(&home, &told);
}

#[test]
fn writers_and_readers_of_every_sort_at_once_see_no_lock_and_no_half_written_memory() {
    let home = home();
    let id = home.remember("The gateway timeout is thirty seconds, edited by everybody at once.");
    let complaints = Mutex::new(Vec::new());
    let run = |args: Vec<String>| {
        let outcome = home.hark(&args).run();
        if outcome.code != Some(0) || outcome.stderr().contains("locked") || outcome.stderr().contains("busy")
        {
            complaints.lock().unwrap().push(outcome.to_string());
        }
    };
    thread::scope(|scope| {
        for worker in 0..6 {
            let (run, id) = (&run, &id);
            scope.spawn(move || {
                for round in 0..10 {
                    let words: Vec<String> = match worker {
                        0 => vec!["edit".into(), id.clone(), "--tag".into(), format!("round-{round}")],
                        1 => vec![
                            "edit".into(),
                            id.clone(),
                            "--why".into(),
                            format!("because of round {round}"),
                        ],
                        2 => vec!["recall".into(), "gateway timeout".into(), "--json".into()],
                        3 => vec!["reindex".into()],
                        4 => vec!["doctor".into(), "--json".into()],
                        _ => vec!["remember".into(), format!("note {round} of the sixth worker")],
                    };
                    run(words);
                }
            });
        }
    });
    assert_eq!(complaints.into_inner().unwrap(), Vec::<String>::new());
    let memory = home.show(&id);
    let tags: BTreeSet<&str> = memory["tags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(tags.len(), 10, "every edit is kept: {memory}");
    assert_eq!(memory["why"], "because of round 9");
    assert_eq!(home.doctor()["healthy"], true);
}

#[test]
fn edits_and_rebuilds_killed_in_the_middle_leave_a_whole_memory_and_a_whole_index() {
    let home = home();
    let id = home.remember("The gateway timeout is 0 seconds.");
    for number in 0..60 {
        home.remember(&words(number, number));
    }
    let mut chance = Seeded::new(7);
    for round in 1..=40 {
        let text = format!("The gateway timeout is {round} seconds.");
        let rebuild = round % 4 == 0;
        let args = if rebuild { vec!["reindex"] } else { vec!["edit", &id, "--text", &text] };
        let acknowledged = run_and_kill(&home, &args, &mut chance);
        let memory = home.show(&id);
        let body = memory["body"].as_str().unwrap();
        assert!(body.starts_with("The gateway timeout is ") && body.ends_with(" seconds."), "{body}");
        assert!(!acknowledged || rebuild || body == text, "acknowledged {text}, found {body}");
    }
    one_file_each(&home, 61);
}

#[test]
fn a_change_of_kind_killed_in_the_middle_leaves_one_file() {
    let home = home();
    let id = home.remember("The gateway timeout is thirty seconds.");
    let mut chance = Seeded::new(8);
    for round in 0..150 {
        run_and_kill(&home, &["edit", &id, "--kind", ["fact", "lesson"][round % 2]], &mut chance);
    }
    one_file_each(&home, 1);
    assert_eq!(home.recall_ids("gateway timeout", &[]), [id.as_str()]);
}

/// Whether it had succeeded before it was killed.
fn run_and_kill(home: &Home, args: &[&str], chance: &mut Seeded) -> bool {
    let mut child = home.hark(args).spawn();
    thread::sleep(Duration::from_micros(chance.below(25_000) as u64));
    let _ = child.kill();
    child.wait().unwrap().success()
}

fn one_file_each(home: &Home, memories: usize) {
    let doctor = home.doctor();
    assert_eq!(
        (&doctor["healthy"], &doctor["memories"], doctor["findings"].to_string()),
        (&json!(true), &json!(memories), "[]".to_owned())
    );
    assert_eq!(disk::notes(&home.memories()).len(), memories);
}

/// The state after a storm.
fn check(home: &Home, told: &Told) {
    assert!(
        told.complaints.is_empty(),
        "{} complaints, first: {}",
        told.complaints.len(),
        told.complaints[0]
    );
    let unique: BTreeSet<&String> = told.acknowledged.iter().collect();
    assert_eq!(unique.len(), told.acknowledged.len(), "an id was given twice");

    let on_disk: BTreeSet<String> = disk::notes(&home.memories())
        .keys()
        .filter_map(|path| Some(format!("m-{}", path.file_stem()?.to_str()?.rsplit_once('_')?.1)))
        .collect();
    for id in &told.acknowledged {
        assert!(on_disk.contains(id), "{id} was acknowledged and has no file");
    }
    for ids in told.acknowledged.chunks(400) {
        let args = ["show", "--json"].into_iter().chain(ids.iter().map(String::as_str));
        let shown = home.hark(args).ok().json();
        assert_eq!(shown["memories"].as_array().map(Vec::len), Some(ids.len()));
    }

    let doctor = home.doctor();
    assert_eq!(doctor["healthy"], true, "{doctor}");
    assert_eq!(sqlite::integrity(&home.database()), "ok");
    assert_eq!(doctor["memories"], on_disk.len(), "each file is a row");

    let before = state(home);
    home.hark(["reindex"]).ok();
    let after = state(home);
    assert_eq!(before.0, after.0, "the same memories");
    assert_eq!(before.0, on_disk, "those of the files");
    assert_eq!(before.1, after.1, "the same answers");
}

fn state(home: &Home) -> (BTreeSet<String>, Vec<Value>) {
    let listed = home.hark(["list", "--all-projects", "--limit", "10000", "--json"]).ok().json();
    let ids =
        listed["memories"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap().to_owned()).collect();
    let ask = |query: &&str| {
        let mut answer = home.hark(["recall", "--json", query]).now("2030-01-01T00:00:00Z").ok().json();
        answer.as_object_mut().unwrap().remove("micros");
        assert!(!answer["hits"].as_array().unwrap().is_empty(), "{query} finds nothing");
        answer
    };
    (ids, QUERIES.iter().map(ask).collect())
}
