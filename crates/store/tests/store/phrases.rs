//! Phrases: searched like text, kept apart from what a memory says, and gone with it.

use std::sync::Arc;

use hark_core::redact::Raw;
use hark_core::vector::{Embedder, Vector, WordMatch};
use hark_core::{Clean, IdRef, Memory};
use hark_store::search::{Candidate, Depth, Filter, Meaning};
use hark_store::{AskedQuestion, Role, Store};

use crate::home::{Home, NOW, create, fact, redactor};

/// Knows two meanings: texts about boats, and all others.
struct Boats;

impl Embedder for Boats {
    fn id(&self) -> &str {
        "boats"
    }

    fn dims(&self) -> usize {
        256
    }

    fn embed(&self, text: &str) -> Option<Vector> {
        let sign = if text.contains("boat") { 100 } else { -100 };
        Some(Vector { scale: 1.0 / 1600.0, values: vec![sign; 256].into() })
    }

    fn knows(&self, _: &str) -> bool {
        true
    }

    fn words(&self, _: &str) -> Vec<u8> {
        Vec::new()
    }

    fn word_matches(&self, _: &[(Vec<u8>, f32)], passages: &[Vec<u8>]) -> Vec<WordMatch> {
        passages.iter().map(|_| WordMatch::default()).collect()
    }
}

fn clean(text: &str) -> Clean {
    redactor().clean(Raw::new(text))
}

fn asked_as(mut memory: Memory, phrases: &[&str]) -> Memory {
    memory.asked_as = phrases.iter().map(|text| clean(text)).collect();
    memory
}

fn found(store: &Store, query: &str, meaning: Option<&Meaning>) -> Vec<Candidate> {
    store.finish_memories().unwrap();
    let terms = store.understand(query).unwrap();
    let filter = Filter { now: NOW, ..Filter::default() };
    store.search(terms, meaning, || None, &filter, Depth::default()).unwrap().found
}

fn learn(store: &mut Store, memory: &Memory, phrase: &str) -> bool {
    store.write(NOW, |writer| writer.learn_phrase(&memory.id, &clean(phrase))).unwrap()
}

fn is_sound(store: &Store) {
    let inspection = store.inspect().unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
}

#[test]
fn the_words_of_a_phrase_propose_its_memory_by_its_body() {
    let home = Home::new();
    let mut store = home.open();
    let memory = asked_as(fact(1, "Releases go out on Tuesdays."), &["when do we ship", "deploy day"]);
    create(&mut store, &memory);
    create(&mut store, &fact(2, "The port is 8080."));
    for query in ["ship", "deploy"] {
        let found = found(&store, query, None);
        let [only] = found.as_slice() else { panic!("{query}: {found:?}") };
        assert_eq!(only.passage.ordinal(), 0, "the body is shown");
        assert!(only.phrase.unwrap().typed.score > 0.0, "{only:?}");
        assert!(only.typed.score == 0.0 && only.held == 0, "the body says nothing of it: {only:?}");
    }
    let body = found(&store, "Tuesdays", None);
    assert!(body[0].phrase.is_none() && body[0].typed.score > 0.0, "{body:?}");
    assert_eq!(home.number("SELECT passages FROM corpus WHERE id = 1"), 2, "phrases do not count");
    is_sound(&store);
}

#[test]
fn a_long_memory_is_measured_by_its_body_alone() {
    let home = Home::new();
    let mut store = home.open();
    let body = (0..80).map(|n| format!("Shelf {n} keeps jars of plums and pears.\n\n")).collect::<String>();
    create(&mut store, &asked_as(fact(1, &body), &["where is the fruit"]));
    let found = found(&store, "fruit shelf", None);
    assert!(found[0].is_long && found[0].phrase.is_some(), "{found:?}");
    assert_eq!(found[0].held.count_ones(), 1, "`fruit` is in the phrase only");
    create(&mut store, &asked_as(fact(2, "One line about apples."), &["a", "b c", "d e"]));
    assert!(!self::found(&store, "apples", None)[0].is_long, "phrases do not make a memory long");
}

#[test]
fn the_meaning_of_a_phrase_proposes_its_memory() {
    let home = Home::new();
    let mut store = home.open_with(Role::Ordinary, Arc::new(Boats)).unwrap();
    let memory = asked_as(fact(1, "The ferry leaves at noon."), &["when does the boat go"]);
    create(&mut store, &memory);
    let meaning = Meaning {
        vector: Boats.embed("boat").unwrap(),
        words: Vec::new(),
        understood: 1.0,
        about_self: false,
        times: Vec::new(),
    };
    let found = found(&store, "zzz", Some(&meaning));
    let phrase = found[0].phrase.unwrap();
    assert!(phrase.cosine > 0.9 && found[0].cosine < 0.0, "{found:?}");
}

#[test]
fn changed_phrases_are_indexed_again_and_forgotten_ones_are_gone() {
    let home = Home::new();
    let mut store = home.open();
    let before = asked_as(fact(1, "Releases go out on Tuesdays."), &["when do we ship"]);
    create(&mut store, &before);
    let after = asked_as(before.clone(), &["deploy day"]);
    store.write(NOW, |writer| writer.update(&before, &after, "edited")).unwrap();
    assert!(found(&store, "ship", None).is_empty());
    assert_eq!(found(&store, "deploy", None).len(), 1);
    store.reindex(NOW).unwrap();
    assert_eq!(found(&store, "deploy", None).len(), 1);
    is_sound(&store);
    store.write(NOW, |writer| writer.remove(&before.id)).unwrap();
    assert!(found(&store, "deploy", None).is_empty());
    assert_eq!(home.number("SELECT count(*) FROM passage"), 0);
    assert_eq!(home.number("SELECT count(*) FROM word"), 0);
    assert_eq!(home.number("SELECT passages + bodies FROM corpus WHERE id = 1"), 0);
}

#[test]
fn learned_phrases_are_beside_the_index_and_survive_it() {
    let home = Home::new();
    let mut store = home.open();
    let memory = asked_as(fact(1, "Releases go out on Tuesdays."), &["deploy day"]);
    create(&mut store, &memory);
    let file = crate::home::file_of(&home, &store, &memory);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(learn(&mut store, &memory, "when do we ship"));
    assert!(!learn(&mut store, &memory, "When do we SHIP?"), "known already");
    assert!(!learn(&mut store, &memory, "Deploy day"), "the writer said so");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "its file does not change");
    assert_eq!(store.find(&IdRef::Full(memory.id)).unwrap().memory, memory);
    assert_eq!(found(&store, "ship", None).len(), 1);
    is_sound(&store);
    store.reindex(NOW).unwrap();
    assert_eq!(found(&store, "ship", None).len(), 1);
    drop(store);
    home.remove_database();
    let mut store = home.open();
    assert_eq!(found(&store, "ship", None).len(), 1);
    is_sound(&store);
    let changed = Memory { title: clean("Another title"), ..memory.clone() };
    store.write(NOW, |writer| writer.update(&memory, &changed, "edited")).unwrap();
    assert_eq!(found(&store, "ship", None).len(), 1, "a change keeps them");
    is_sound(&store);
}

#[test]
fn at_most_eight_phrases_whoever_gave_them() {
    let home = Home::new();
    let mut store = home.open();
    let memory =
        asked_as(fact(1, "Releases go out on Tuesdays."), &["one thing", "two things", "three things"]);
    create(&mut store, &memory);
    let learned = (0..9).filter(|n| learn(&mut store, &memory, &format!("way number {n}"))).count();
    assert_eq!(learned, 5);
    assert_eq!(store.learned_phrases(&memory.id).unwrap().len(), 5);
    let more: Vec<String> = (0..6).map(|n| format!("own words {n}")).collect();
    let more = asked_as(memory.clone(), &more.iter().map(String::as_str).collect::<Vec<_>>());
    store.write(NOW, |writer| writer.update(&memory, &more, "edited")).unwrap();
    assert_eq!(store.learned_phrases(&memory.id).unwrap().len(), 2, "the writer's go first");
    is_sound(&store);
}

#[test]
fn what_was_learned_goes_with_its_memory() {
    let home = Home::new();
    let mut store = home.open();
    let (gone, kept) = (fact(1, "Releases go out on Tuesdays."), fact(2, "The port is 8080."));
    create(&mut store, &gone);
    create(&mut store, &kept);
    learn(&mut store, &gone, "when do we ship");
    learn(&mut store, &kept, "where does it listen");
    let asked = AskedQuestion { asked: clean("when do we ship"), found: vec![gone.id] };
    store.note_question("me", &asked, NOW);
    assert!(store.question_of("me", NOW).unwrap().is_some());
    store.write(NOW, |writer| writer.remove(&gone.id)).unwrap();
    let file = std::fs::read_to_string(home.layout().phrases()).unwrap();
    assert!(!file.contains("ship") && file.contains("listen"), "{file}");
    assert!(store.question_of("me", NOW).unwrap().is_none());
    assert!(found(&store, "ship", None).is_empty());
    assert_eq!(found(&store, "listen", None).len(), 1);
    store.empty(NOW).unwrap();
    assert!(!home.layout().phrases().exists());
}

#[test]
fn an_edited_list_of_phrases_is_taken_over() {
    let home = Home::new();
    let mut store = home.open();
    let memory = fact(1, "Releases go out on Tuesdays.");
    create(&mut store, &memory);
    learn(&mut store, &memory, "when do we ship");
    learn(&mut store, &memory, "day of deploys");
    let path = home.layout().phrases();
    let text = std::fs::read_to_string(&path).unwrap();
    let kept: String = text.lines().filter(|line| !line.contains("ship")).map(|l| format!("{l}\n")).collect();
    std::fs::write(&path, kept).unwrap();
    store.refresh_fully(NOW).unwrap();
    assert!(found(&store, "ship", None).is_empty());
    assert_eq!(found(&store, "deploys", None).len(), 1);
    is_sound(&store);
}

#[test]
fn questions_are_known_for_some_minutes_and_phrases_wanted_once() {
    let home = Home::new();
    let store = home.open();
    let id = fact(1, "x").id;
    let asked = AskedQuestion { asked: clean("when do we ship"), found: vec![id] };
    store.note_question("me", &asked, NOW);
    assert_eq!(store.question_of("me", NOW.plus_millis(60_000)).unwrap().unwrap().found, [id]);
    assert!(store.question_of("me", NOW.plus_millis(3_600_000)).unwrap().is_none());
    assert!(store.question_of("another", NOW).unwrap().is_none());
    assert!(store.wants_phrases(&id) && !store.wants_phrases(&id));
}
