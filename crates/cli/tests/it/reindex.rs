//! The index is disposable: made again from the files alone it gives the same answers.

use hark_engine::ops::remember;
use hark_engine::{Caller, Clock, Config, Engine};
use hark_testkit::{Home, corpus, disk};
use serde_json::{Value, json};

const NOW: &str = "2026-09-01T12:00:00Z";

/// A home that holds the whole corpus, stored through the engine as the user.
fn home_with_corpus() -> Home {
    home_with(corpus::notes())
}

fn home_with(notes: Vec<corpus::Note>) -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_hark")).at(NOW);
    let place = hark_engine::Home::new(home.store());
    let clock = Clock::from_setting(Some(NOW)).unwrap();
    let mut engine = Engine::open(place, Config::default(), clock).unwrap();
    let caller = Caller::user(Some(home.work()));
    for note in notes {
        let request: remember::Request = serde_json::from_value(note.arguments()).unwrap();
        remember::run(&mut engine, &caller, request).unwrap_or_else(|e| panic!("{}: {e}", note.key));
    }
    home
}

fn answers(home: &Home, flags: &[&str]) -> Vec<Value> {
    let fixed: Vec<String> = corpus::questions().into_iter().step_by(3).take(50).map(|q| q.query).collect();
    assert_eq!(fixed.len(), 50);
    let ask = |query: &String| {
        let mut answer = home.recall(query, flags);
        answer.as_object_mut().unwrap().remove("micros").expect("micros");
        answer
    };
    let answers: Vec<Value> = fixed.iter().map(ask).collect();
    let hits: usize = answers.iter().map(|a| a["hits"].as_array().unwrap().len()).sum();
    assert!(hits >= 50, "the recalls find something: {hits} hits");
    answers
}

#[test]
fn fifty_recalls_answer_the_same_after_the_index_is_removed_and_rebuilt() {
    let home = home_with_corpus();
    // Also picked up by a command that only reads, which makes no vectors of the encoder.
    std::fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    std::fs::write(home.user_config(), "[embedding]\nmodel = \"static\"\n").unwrap();
    let flags = ["--all-projects", "--explain", "--limit", "10"];
    let before = answers(&home, &flags);
    let files = disk::notes(&home.memories());

    home.remove_index();
    let said = home.hark(["reindex", "--json"]).ok().json();
    assert_eq!(said["memories"], corpus::notes().len());
    let after = answers(&home, &flags);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after, "{}", before["query"]);
    }
    assert_eq!(disk::notes(&home.memories()), files, "no file was touched");

    // Rebuilt in place, and picked up by a command that only reads.
    home.hark(["reindex"]).ok();
    assert_eq!(answers(&home, &flags), before);
    home.remove_index();
    assert_eq!(answers(&home, &flags), before);
}

/// With vectors of the encoder, which took long to make and are in no file.
#[test]
fn recalls_answer_the_same_with_the_encoder() {
    // The encoder takes a fifth of a second for a text in a debug build, and all of them go through it four times.
    let notes: Vec<corpus::Note> = corpus::notes().into_iter().step_by(27).take(12).collect();
    // What a person would ask who half remembers it.
    let questions: Vec<String> = notes.iter().map(|note| format!("what about {}", note.title)).collect();
    let home = home_with(notes);
    home.hark(["model", "embed"]).ok();
    assert_eq!(questions.len(), 12);
    // One process for all questions: it loads the encoder once.
    let ask = || -> Vec<Value> {
        let mut mcp = home.mcp();
        let one = |query: &String| {
            let asked = json!({ "query": query, "limit": 10, "all_projects": true, "explain": true });
            let mut answer = mcp.data("memory_recall", &asked);
            answer.as_object_mut().unwrap().remove("micros");
            answer
        };
        questions.iter().map(one).collect()
    };
    let before = ask();
    let explained = |query: &String| home.recall(query, &["--all-projects", "--explain"]).to_string();
    let heard = questions.iter().take(4).filter(|query| explained(query).contains("\"encoder\"")).count();
    assert!(heard >= 2, "the encoder has a say in {heard} of 4 answers");
    for way in ["in place", "removed"] {
        if way == "removed" {
            home.remove_index();
        }
        let said = home.hark(["reindex", "--json"]).ok().json();
        let vectors = &said["vectors"];
        assert!(
            vectors["embedded"] == vectors["passages"] && vectors["passages"].as_u64() >= Some(12),
            "{said}"
        );
        let equal = ask().iter().zip(&before).filter(|(after, before)| after == before).count();
        assert_eq!(equal, 12, "equal answers after an index was rebuilt, {way}");
    }
    // Too little time: that is said, and done later.
    home.remove_index();
    let said = home.hark(["reindex", "--max-seconds", "0"]).ok().stderr();
    assert!(said.contains("have no vector yet") && said.contains("hark model embed"), "{said}");
    home.hark(["model", "embed"]).ok();
    assert_eq!(ask(), before);
}

#[test]
fn links_history_tags_and_status_survive_the_loss_of_the_index() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark")).at(NOW);
    let old = home.remember_with("Sessions live in Redis.", &["--tag", "auth", "--kind", "decision"]);
    let new = home.remember_with("Sessions live in Postgres.", &["--tag", "auth", "--supersedes", &old]);
    let task = home.remember_with("Drop the Redis cluster, see #77.", &["--kind", "task"]);
    home.hark(["relate", &task, &new, "--as", "caused_by", "--weight", "0.5"]).ok();
    home.hark(["edit", &new, "--why", "one store less to run"]).ok();
    home.hark(["resolve", &task]).ok();

    let look = || -> Vec<Value> {
        let ask = |args: &[&str]| home.hark([args, &["--json"]].concat()).ok().json();
        let mut all: Vec<Value> = [&old, &new, &task]
            .iter()
            .flat_map(|id| {
                [ask(&["show", id.as_str()]), ask(&["links", id.as_str()]), ask(&["history", id.as_str()])]
            })
            .collect();
        all.extend([ask(&["tags"]), ask(&["context", "#77"]), ask(&["timeline", "--status", "resolved"])]);
        all
    };
    let before = look();
    home.remove_index();
    home.hark(["reindex"]).ok();
    for (before, after) in before.iter().zip(look()) {
        assert_eq!(*before, after);
    }
}
