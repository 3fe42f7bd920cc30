//! How far long work is, as others see it.

use std::fmt::Write;
use std::time::{Duration, Instant};

use hark_testkit::{eventually, transcripts::Claude};
use serde_json::Value;

use super::{claude_file, home, put, sessions, signal};

/// Work that is over sooner is not shown.
const SHORT: Duration = Duration::from_millis(1_200);

/// A transcript that is read in many steps.
fn long_session(session: &str) -> String {
    let mut file = Claude::new(session, "/nowhere/shop");
    for turn in 0..1_000 {
        let mut reply = String::new();
        for word in 0..60 {
            let _ = write!(reply, "walrus{turn}x{word} ");
        }
        file.prompt(&format!("Please do thing number {turn} with care.")).says(&reply);
    }
    file.text()
}

#[test]
fn reading_transcripts_can_be_watched_and_leaves_nothing_behind() {
    let home = home();
    for session in ["a", "b"] {
        put(&claude_file(&home, session), &long_session(session));
    }
    let mut reading = home.hark(["ingest", "--json"]).spawn();
    // However fast the machine is: the reader is held in the middle for as long as short work may take.
    eventually("the first events are stored", || {
        home.hark(["stats", "--json"]).ok().json()["events"].as_u64() > Some(0)
    });
    signal(reading.id(), "STOP");
    let held = Instant::now();
    eventually("it is no short work any more", || held.elapsed() > SHORT);
    signal(reading.id(), "CONT");
    let mut seen: Vec<Value> = Vec::new();
    eventually("it is over", || {
        let stats = home.hark(["stats", "--json"]).ok().json();
        seen.extend(stats["working"].as_array().into_iter().flatten().cloned());
        reading.try_wait().unwrap().is_some()
    });
    assert!(!seen.is_empty(), "nothing was shown");
    for work in &seen {
        assert_eq!(work["what"], "reading bytes");
        let (done, total) = (work["done"].as_u64().unwrap(), work["total"].as_u64().unwrap());
        assert!(done <= total && total > 500_000, "{work}");
    }
    let far = |work: &Value| work["done"].as_u64().unwrap();
    assert!(seen.windows(2).all(|pair| far(&pair[0]) <= far(&pair[1])), "{seen:?}");
    assert_eq!(sessions(&home).len(), 2);
    let left = std::fs::read_dir(home.store().join("activity")).map_or(0, Iterator::count);
    assert_eq!(left, 0);
    assert!(home.hark(["stats", "--json"]).ok().json().get("working").is_none());
}
