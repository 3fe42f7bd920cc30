//! The corpus test: realistic questions over realistic memories, through the product. Prints how each kind of
//! question fares and what was missed.

use std::collections::{BTreeMap, HashMap};

use hark_engine::ops::{recall, remember};
use hark_engine::{Caller, Clock, Config, Engine, Home};
use hark_testkit::corpus::{self, Question};

const NOW: &str = "2026-09-01T12:00:00Z";

struct Asked {
    question: Question,
    /// Keys of the hits, best first.
    found: Vec<String>,
}

impl Asked {
    fn rank(&self) -> Option<usize> {
        self.found.iter().position(|key| self.question.expect.contains(key))
    }
}

fn ask_everything() -> Vec<Asked> {
    let folder = tempfile::tempdir().unwrap();
    let place = Home::new(folder.path().join("store"));
    let clock = Clock::from_setting(Some(NOW)).unwrap();
    let mut engine = Engine::open(place, Config::default(), clock).unwrap();
    let caller = Caller::user(None);
    let mut keys = HashMap::new();
    for note in corpus::notes() {
        let request: remember::Request = serde_json::from_value(note.arguments()).unwrap();
        let said =
            remember::run(&mut engine, &caller, request).unwrap_or_else(|e| panic!("{}: {e}", note.key));
        keys.insert(said.id, note.key);
    }
    let mut ask = |question: Question| {
        let mut request =
            recall::Request { query: question.query.clone(), limit: Some(5), ..recall::Request::default() };
        request.scope.project = question.project.clone();
        request.scope.all_projects = question.project.is_none();
        let answer = recall::run(&mut engine, &caller, &request).unwrap();
        Asked { question, found: answer.hits.iter().map(|hit| keys[&hit.id].clone()).collect() }
    };
    corpus::questions().into_iter().map(&mut ask).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is the point")]
fn nine_of_ten_questions_get_their_answer_first_and_nonsense_gets_none() {
    let asked = ask_everything();
    // Kind of question → asked, first, in the top five.
    let mut table: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut misses = Vec::new();
    for one in &asked {
        let row = table.entry(&one.question.sort).or_default();
        let (first, near) = match (one.question.is_nonsense(), one.rank()) {
            (true, _) => (one.found.is_empty(), one.found.is_empty()),
            (false, rank) => (rank == Some(0), rank.is_some()),
        };
        row[0] += 1;
        row[1] += usize::from(first);
        row[2] += usize::from(near);
        if !first {
            misses.push(format!(
                "{:<12} {:?}\n    wanted {:?}\n    got    {:?}",
                one.question.sort, one.question.query, one.question.expect, one.found
            ));
        }
    }
    println!("{:<14}{:>6}{:>7}{:>7}", "type", "asked", "hit@1", "hit@5");
    for (sort, [all, first, near]) in &table {
        println!("{sort:<14}{all:>6}{first:>7}{near:>7}");
    }
    println!("{}", misses.join("\n"));

    let (nonsense, sense): (Vec<&Asked>, Vec<&Asked>) =
        asked.iter().partition(|one| one.question.is_nonsense());
    let first = sense.iter().filter(|one| one.rank() == Some(0)).count();
    let silent = nonsense.iter().filter(|one| one.found.is_empty()).count();
    println!(
        "hit@1 {first} of {} ({:.1} %), nonsense silent {silent} of {}",
        sense.len(),
        100.0 * first as f64 / sense.len() as f64,
        nonsense.len()
    );
    assert!(first * 10 >= sense.len() * 9, "hit@1 {first} of {}", sense.len());
    // Some nonsense is near something by chance; that is at most a guess, and rare.
    assert!(silent * 100 >= nonsense.len() * 85, "nonsense silent {silent} of {}", nonsense.len());
}
