//! A long-lived process such as a server keeps much of the index in memory. Whatever others write in the
//! meantime, it must answer like a new process.

use hark_core::Status;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use hark_engine::embed::Choice;
use hark_engine::ops::{context, edit, forget, recall, reindex, remember, stats, status};
use hark_engine::{Caller, Clock, Config, Engine, Home};
use proptest::prelude::*;
use tempfile::TempDir;

const SUBJECTS: &[&str] = &["walrus", "queue", "invoice", "certificate", "staging", "harbour"];

fn open(folder: &TempDir) -> Engine {
    let place = Home::new(folder.path().join("store"));
    let mut config = Config::default();
    // Each question makes some of the encoder's missing vectors, so two processes that ask in turn may differ in them.
    config.embedding.model = Choice::Static;
    Engine::open(place, config, Clock::from_setting(Some("2026-09-01T12:00:00Z")).unwrap()).unwrap()
}

fn answers(engine: &mut Engine) -> String {
    let ask = |query: &&str| {
        let request = recall::Request {
            query: format!("the {query} of the night shift"),
            explain: true,
            ..recall::Request::default()
        };
        let answer = recall::run(engine, &Caller::user(None), &request).unwrap();
        serde_json::to_string_pretty(&answer.hits).unwrap()
    };
    SUBJECTS.iter().map(ask).collect()
}

fn keep(engine: &mut Engine, text: String) -> String {
    let request = remember::Request { text, ..remember::Request::default() };
    remember::run(engine, &Caller::user(None), request).unwrap().id
}

/// Something that another process, or the long-lived one itself, may do.
fn act(engine: &mut Engine, ids: &mut Vec<String>, what: u8, pick: usize) {
    let caller = Caller::user(None);
    let subject = SUBJECTS[pick % SUBJECTS.len()];
    let id = ids[pick % ids.len()].clone();
    match what {
        0..=2 => {
            let number = ids.len();
            ids.push(keep(engine, format!("Note {number}: the {subject} is looked after by crew {pick}.")));
        }
        3 => {
            let text = Some(format!("Now the {subject} of the night shift is nobody's, see {pick}."));
            let request = edit::Request { id, text, ..edit::Request::default() };
            edit::run(engine, &caller, &request).unwrap();
        }
        4 => {
            let request = status::Request { ids: vec![id] };
            status::run(engine, &caller, &request, Status::Archived, "archived").unwrap();
        }
        5 if ids.len() > 3 => {
            ids.retain(|kept| *kept != id);
            let request = forget::Request { ids: vec![id], yes: true, ..forget::Request::default() };
            forget::run(engine, &caller, &request).unwrap();
        }
        _ => {
            reindex::run(engine, &caller, &reindex::Request::default(), &mut |_| {}).unwrap();
        }
    }
}

/// Two chunks and a bit.
const FILLED: usize = 590;

fn entry(n: usize) -> String {
    format!("Entry {n} about the {} in yard {n}.", SUBJECTS[n % 6])
}

/// A store with entries in it: a copy of one that is filled once, for filling takes longer than everything else.
fn filled() -> (tempfile::TempDir, Vec<String>) {
    static FIRST: LazyLock<(tempfile::TempDir, Vec<String>)> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = open(&folder);
        let ids = (0..FILLED).map(|n| keep(&mut engine, entry(n))).collect();
        (folder, ids)
    });
    let copy = tempfile::tempdir().unwrap();
    copy_below(FIRST.0.path(), copy.path());
    (copy, FIRST.1.clone())
}

/// With the times of files, by which the index knows that they are as they were.
fn copy_below(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for found in fs::read_dir(from).unwrap() {
        let (found, to) = (found.as_ref().unwrap().path(), to.join(found.as_ref().unwrap().file_name()));
        if found.is_dir() {
            copy_below(&found, &to);
        } else {
            fs::copy(&found, &to).unwrap();
            let changed = fs::metadata(&found).unwrap().modified().unwrap();
            fs::File::options().write(true).open(&to).unwrap().set_modified(changed).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_long_lived_process_answers_like_a_new_one(
        acts in prop::collection::vec((0u8..7, 0usize..1_000, any::<bool>()), 1..12)
    ) {
        let (folder, mut ids) = filled();
        let mut lasting = open(&folder);
        lasting.rest_between_calls().unwrap();
        // Its own, whose words it has yet to count.
        ids.extend((FILLED..FILLED + 10).map(|n| keep(&mut lasting, entry(n))));
        answers(&mut lasting);
        let mut other = open(&folder);
        for (what, pick, own) in acts {
            act(if own { &mut lasting } else { &mut other }, &mut ids, what, pick);
            prop_assert_eq!(answers(&mut lasting), answers(&mut open(&folder)));
        }
        // Words that were counted later, removed or never counted make no difference.
        let before = answers(&mut lasting);
        reindex::run(&mut other, &Caller::user(None), &reindex::Request::default(), &mut |_| {}).unwrap();
        prop_assert_eq!(before, answers(&mut other));
    }
}

/// The first caller does the work that a server left, although the server itself never will.
#[test]
fn the_next_caller_counts_words_that_a_server_left() {
    let find = |engine: &mut Engine, query: &str| -> Vec<String> {
        let request = recall::Request { query: query.to_owned(), ..recall::Request::default() };
        let answer = recall::run(engine, &Caller::user(None), &request).unwrap();
        answer.hits.into_iter().map(|hit| hit.id).collect()
    };
    let words = |engine: &mut Engine| {
        stats::run(engine, &Caller::user(None), &stats::Request::default()).unwrap().stats.words
    };
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(&folder);
    server.rest_between_calls().unwrap();
    let kept = keep(&mut server, "The zwiebelturm is painted in October.".to_owned());
    let dropped = keep(&mut server, "The zwiebelring is fried in oil.".to_owned());
    // Forgotten before it was counted: the counts of other words must not decrease.
    let caller = Caller::user(None);
    let request = forget::Request { ids: vec![dropped], yes: true, ..forget::Request::default() };
    forget::run(&mut server, &caller, &request).unwrap();
    drop(server);

    let mut asking = open(&folder);
    assert_eq!(find(&mut asking, "zwiebelturm"), [kept.as_str()]);
    assert_eq!(find(&mut asking, "zweibelturm"), [kept.as_str()], "by a typo");
    assert_eq!(find(&mut asking, "zwiebelring"), Vec::<String>::new());
    let counted = words(&mut asking);
    reindex::run(&mut asking, &caller, &reindex::Request::default(), &mut |_| {}).unwrap();
    let rebuilt = words(&mut asking);
    assert_eq!(counted, rebuilt);
}

#[test]
fn an_entity_that_a_server_left_is_known_to_who_asks() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(&folder);
    server.rest_between_calls().unwrap();
    let kept = keep(&mut server, "The ferry timetable is read by `src/harbour/ferry.rs` at dawn.".to_owned());
    drop(server);
    let request = context::Request { reference: "ferry.rs".to_owned(), ..context::Request::default() };
    let answer = context::run(&mut open(&folder), &Caller::user(None), &request).unwrap();
    let found: Vec<&str> = answer.memories.iter().map(|memory| memory.id.as_str()).collect();
    assert_eq!(found, [kept.as_str()]);
}

/// Both the server and others recognise repeats of what is not finished yet.
#[test]
fn a_repeat_of_pending_work_is_not_a_second_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(&folder);
    server.rest_between_calls().unwrap();
    let first = keep(&mut server, "Deployments of the walrus service wait for the night shift.".to_owned());
    assert_eq!(
        keep(&mut server, "Deployments of the walrus service wait for the night shift.".to_owned()),
        first
    );
    let nearly = "Deployments of the walrus service wait for the night shift!";
    assert_eq!(keep(&mut open(&folder), nearly.to_owned()), first);
    let other = keep(&mut server, "The certificate of the walrus service is renewed in May.".to_owned());
    assert_ne!(other, first);
}

/// A query searches every segment of the full-text index.
#[test]
fn a_worker_merges_the_segments_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let mut writing = open(&folder);
    for number in 0..40 {
        keep(&mut writing, format!("Note {number}: the harbour is looked after by crew {}.", number * 7));
    }
    let (before, parts) = (answers(&mut writing), writing.parts_of_index().unwrap());
    hark_engine::worker::run(&mut open(&folder), std::time::Duration::from_secs(20), None).unwrap();
    let joined = writing.parts_of_index().unwrap();
    assert!(joined < parts && joined <= 2, "{parts} parts became {joined}");
    assert_eq!(answers(&mut writing), before);
}
