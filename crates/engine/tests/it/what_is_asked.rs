//! Questions about oneself, about a time, or about a count: the right memory comes first although others
//! share more words with the question.

use hark_engine::ops::{recall, remember};
use hark_engine::{Caller, Clock, Config, Engine, Home};
use tempfile::TempDir;

fn engine_at(folder: &TempDir, now: &str) -> Engine {
    let place = Home::new(folder.path().join("store"));
    Engine::open(place, Config::default(), Clock::from_setting(Some(now)).unwrap()).unwrap()
}

fn keep(engine: &mut Engine, text: &str) -> String {
    let request = remember::Request { text: text.to_owned(), ..remember::Request::default() };
    remember::run(engine, &Caller::user(None), request).unwrap().id
}

fn found(engine: &mut Engine, query: &str, limit: usize) -> Vec<String> {
    let budget = Some(100_000);
    let request =
        recall::Request { query: query.to_owned(), limit: Some(limit), budget, ..recall::Request::default() };
    recall::run(engine, &Caller::user(None), &request).unwrap().hits.into_iter().map(|hit| hit.id).collect()
}

const NOW: &str = "2026-09-01T12:00:00Z";

#[test]
fn what_one_told_of_oneself_answers_a_question_about_oneself() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = engine_at(&folder, NOW);
    let asked =
        keep(&mut engine, "Strings wear out. Where can somebody buy a racket, in the sports shop downtown?");
    let told =
        keep(&mut engine, "Strings wear out. By the way, I got the racket in the sports shop downtown.");
    assert_eq!(found(&mut engine, "Where did I get my racket?", 8), [told.clone(), asked.clone()]);
    assert_eq!(found(&mut engine, "Where to buy a racket?", 8), [asked, told]);
}

#[test]
fn what_happened_at_the_time_that_is_asked_about_is_looked_at_among_hundreds_that_fit_the_words() {
    let folder = tempfile::tempdir().unwrap();
    let meant =
        keep(&mut engine_at(&folder, "2026-08-22T09:00:00Z"), "The new oven arrived beside the fridge.");
    let mut engine = engine_at(&folder, "2026-06-01T09:00:00Z");
    for n in 0..400 {
        keep(
            &mut engine,
            &format!("Appliance {n} of the kitchen: which kitchen appliance {n} to buy, what it does."),
        );
    }
    drop(engine);
    let mut engine = engine_at(&folder, NOW);
    let of_all = |engine: &mut Engine, query: &str| found(engine, query, 300);
    assert!(of_all(&mut engine, "What kitchen appliance did we buy 10 days ago?").contains(&meant));
    assert!(!of_all(&mut engine, "What kitchen appliance did we buy?").contains(&meant));
}

#[test]
fn words_that_say_what_to_do_with_the_answer_find_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = engine_at(&folder, NOW);
    let replicas = keep(&mut engine, "The billing service runs with three replicas.");
    keep(&mut engine, "The total number of open tickets is currently the total number that support counts.");
    let hits = found(&mut engine, "What is the total number of replicas that billing currently has?", 8);
    assert_eq!(hits, [replicas]);
}
