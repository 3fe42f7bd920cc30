//! Ten thousand pairs of statements: repeats become one memory, newer states do not.
//!
//! All pairs go through the lookup and the decision that `remember` uses; a sample goes through `remember`
//! itself, to show that the result is the same.

#![expect(clippy::print_stdout, reason = "the measure is worth reading")]

use std::collections::BTreeMap;

use hark_core::likeness::{Likeness, bands, compare};
use hark_engine::ops::remember;
use hark_engine::{Caller, Clock, Config, Engine, Home, embed};
use hark_testkit::pairs::{Pair, pairs};

const SEED: u64 = 20_261_116;
const COUNT: usize = 10_000;

fn is_merged(pair: &Pair) -> bool {
    let embedder = embed::default_embedder();
    let met = bands("x fact", &pair.before);
    let is_found = bands("x fact", &pair.after).iter().any(|band| met.contains(band));
    let cosine = embedder.embed(&pair.before).zip(embedder.embed(&pair.after)).map(|(a, b)| a.cosine(&b));
    is_found
        && matches!(
            compare(&pair.before, &pair.after, cosine),
            Likeness::Same | Likeness::More | Likeness::Less
        )
}

#[test]
fn repeats_are_merged_and_updates_are_not() {
    let mut counts: BTreeMap<(bool, bool), (usize, usize)> = BTreeMap::new();
    let mut odd: Vec<String> = Vec::new();
    for pair in pairs(SEED, COUNT) {
        let merged = is_merged(&pair);
        let (total, together) = counts.entry((pair.is_update, pair.held_out)).or_default();
        *total += 1;
        *together += usize::from(merged);
        if merged == pair.is_update && odd.len() < 40 {
            odd.push(format!("{} | {} | {}", pair.how, pair.before, pair.after));
        }
    }
    let share = |is_update: bool| {
        let of = |held_out| counts.get(&(is_update, held_out)).copied().unwrap_or_default();
        let (seen, unseen) = (of(false), of(true));
        println!(
            "{}: {}/{} merged on known templates, {}/{} on held out ones",
            if is_update { "updates" } else { "repeats" },
            seen.1,
            seen.0,
            unseen.1,
            unseen.0
        );
        (seen.1 + unseen.1) as f64 / (seen.0 + unseen.0) as f64
    };
    let (repeats, updates) = (share(false), share(true));
    println!("repeats merged {:.2} %, updates merged {:.3} %", repeats * 100.0, updates * 100.0);
    println!("{}", odd.join("\n"));
    assert!(repeats >= 0.95, "{repeats}");
    assert!(updates <= 0.005, "{updates}");
}

#[test]
fn remember_does_what_the_measure_says() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("store"));
    let clock = Clock::from_setting(Some("2026-09-01T12:00:00Z")).unwrap();
    let mut engine = Engine::open(home, Config::default(), clock).unwrap();
    for (at, pair) in pairs(SEED, 240).iter().enumerate() {
        // Each pair has its own project, so that pairs do not affect each other.
        let mut say = |text: &str| {
            let mut request = remember::Request { text: text.to_owned(), ..remember::Request::default() };
            request.scope.project = Some(format!("pairs/p{at}"));
            remember::run(&mut engine, &Caller::user(None), request).unwrap()
        };
        let first = say(&pair.before);
        let second = say(&pair.after);
        assert_eq!(first.id == second.id, is_merged(pair), "{pair:?}");
        assert_eq!(second.confirmed.is_some(), is_merged(pair));
    }
}
