//! `load`: many clients at once on one `hark serve`, most of them reading and some writing, then slow clients, then
//! sessions that are opened and abandoned. Fails at the first wrong answer, and where memory keeps growing.

mod client;
mod server;
mod target;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::corpus::Corpus;
use crate::bench::{measure, path_after};
use crate::client::Hark;
use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Scratch};
use crate::{machine, process};
use client::Client;
use server::Server;
use target::{TARGETS, Target};

const USAGE: &str = "options of load: --clients N, --seconds N, --memories N, --sessions N, --target mcp|rest, \
                     --set NAME=VALUE (a variable of the server), --static (without the encoder, for debug binaries), --json PATH, --binary PATH";

/// One request in so many is a write.
const WRITES: usize = 10;
/// Clients that send their headers a byte at a time, and those that ask beside them.
const SLOW: usize = 40;
const BESIDE_SLOW: usize = 20;
/// Memory may be this many times what it was in the middle of the run. The store has grown since.
const MOST_GROWTH: f64 = 1.25;
/// What a server may take more after slow clients than before, and after all sessions than after the first tenth of them,
/// in kB. What an allocator keeps for the next time is within it; thousands of sessions that are kept are not.
const MOST_LEFT_KB: u64 = 32_000;

struct Options {
    clients: usize,
    span: Duration,
    memories: usize,
    sessions: usize,
    target: &'static Target,
    variables: Vec<(String, String)>,
    is_static: bool,
    json: Option<PathBuf>,
    binary: Option<PathBuf>,
}

impl Options {
    fn parse(words: &[&str]) -> Outcome<Options> {
        let mut options = Options {
            clients: 200,
            span: Duration::from_secs(60),
            memories: 10_000,
            sessions: 10_000,
            target: &TARGETS[0],
            variables: Vec::new(),
            is_static: false,
            json: None,
            binary: None,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || -> Outcome<usize> {
                let next = words.next().copied().unwrap_or_default();
                next.parse().map_err(|_| Failure::new(format!("{word}: `{next}` is not a number\n{USAGE}")))
            };
            match *word {
                "--clients" => options.clients = number()?.max(1),
                "--seconds" => options.span = Duration::from_secs(number()? as u64),
                "--memories" => options.memories = number()?.max(1),
                "--sessions" => options.sessions = number()?,
                "--static" => options.is_static = true,
                "--json" => options.json = Some(path_after(word, words.next())?),
                "--binary" => options.binary = Some(path_after(word, words.next())?),
                "--target" => {
                    let name = words.next().copied().unwrap_or_default();
                    options.target = TARGETS
                        .iter()
                        .find(|target| target.name == name)
                        .ok_or_else(|| Failure::new(format!("unknown target `{name}`\n{USAGE}")))?;
                }
                "--set" => {
                    let (name, value) = words
                        .next()
                        .and_then(|word| word.split_once('='))
                        .ok_or_else(|| Failure::new(format!("--set needs NAME=VALUE\n{USAGE}")))?;
                    options.variables.push((name.to_owned(), value.to_owned()));
                }
                other => return Err(Failure::new(format!("unknown option `{other}`\n{USAGE}"))),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(words: &[&str]) -> Outcome {
    let mut options = Options::parse(words)?;
    let binary = match &options.binary {
        Some(path) => std::fs::canonicalize(path).map_err(|e| Failure::io(path, &e))?,
        None => workspace::release_binary()?,
    };
    let corpus = Corpus::new(&workspace::root())?;
    let scratch = Scratch::new("load")?;
    let hark = Hark::new(&binary, &scratch.path().join("store"));
    corpus.write(hark.home(), options.memories)?;
    measure::build_index(&hark, options.memories)?;
    if options.is_static {
        let config = scratch.path().join("config.toml");
        std::fs::write(&config, "[embedding]\nmodel = \"static\"\n").map_err(|e| Failure::io(&config, &e))?;
        options.variables.push(("HARK_CONFIG".to_owned(), config.display().to_string()));
    } else {
        // As in a store that is used: the encoder has given every passage its vector.
        process::output(&mut hark.command(&["model", "embed", "--json"]))?;
    }
    let server = Server::start(&hark, &options.variables)?;
    let ask = |turn: usize| corpus.question((turn * 7919) % options.memories);
    println!(
        "{} clients on {} for {} s, {} memories; machine load {}",
        options.clients,
        options.target.name,
        options.span.as_secs(),
        options.memories,
        machine::describe()["load"]
    );

    let crowd = Crowd { server: &server, target: options.target, ask: &ask };
    // Connections and models are opened on first use; that is not growth.
    crowd.drive(options.clients.min(16), options.span / 10)?;
    let start = server.resident_kb();
    let (load, middle) = thread::scope(|scope| {
        let driven = scope.spawn(|| crowd.drive(options.clients, options.span));
        thread::sleep(options.span / 2);
        let middle = server.resident_kb();
        let load = driven.join().map_err(|_| Failure::new("the clients panicked"))?;
        Ok::<_, Failure>((load?, middle))
    })?;
    let end = server.resident_kb();
    load.print("load");
    println!("resident: {start} kB at the start, {middle} kB in the middle, {end} kB at the end");

    let before_slow = server.resident_kb();
    let (slow, cut_off) = crowd.beside_slow(options.span / 4)?;
    let after_slow = server.resident_kb();
    slow.print("beside slow clients");
    println!("{SLOW} slow clients ({cut_off} cut off): {before_slow} kB before, {after_slow} kB after");

    // The server keeps a few hundred sessions; from then on each makes room for the next.
    let first = options.sessions / 10;
    let mut seconds = open_and_abandon(&server, first)?;
    let after_first = server.resident_kb();
    seconds += open_and_abandon(&server, options.sessions - first)?;
    let after_sessions = server.resident_kb();
    println!(
        "{} sessions opened and abandoned in {seconds:.0} s: {after_first} kB after the first {first}, \
         {after_sessions} kB after all",
        options.sessions
    );

    if let Some(path) = &options.json {
        let report = json!({
            "commit": machine::commit(), "date": machine::date(), "machine": machine::describe(),
            "target": options.target.name, "clients": options.clients, "seconds": options.span.as_secs(),
            "memories": options.memories, "load": load.report(), "beside_slow": slow.report(),
            "resident_kb": { "start": start, "middle": middle, "end": end, "before_slow": before_slow,
                "after_slow": after_slow, "after_first_sessions": after_first, "after_sessions": after_sessions },
            "sessions": options.sessions,
        });
        std::fs::write(path, format!("{report:#}\n")).map_err(|e| Failure::io(path, &e))?;
    }
    let left = [("slow clients", before_slow, after_slow), ("sessions", after_first, after_sessions)];
    judge(&[&load, &slow], middle, end, &left)
}

/// `left` has what took memory, and how much there was before and after it.
fn judge(tallies: &[&Tally], middle: u64, end: u64, left: &[(&str, u64, u64)]) -> Outcome {
    let mut wrong: Vec<String> = tallies.iter().filter_map(|tally| tally.first_error.clone()).collect();
    if end as f64 > middle as f64 * MOST_GROWTH {
        wrong.push(format!("memory grew from {middle} kB in the middle to {end} kB"));
    }
    for (what, before, after) in left {
        if *after > before + MOST_LEFT_KB {
            wrong.push(format!("{what} left {} kB", after - before));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::new(wrong.join("; "))) }
}

struct Crowd<'a> {
    server: &'a Server,
    target: &'static Target,
    ask: &'a (dyn Fn(usize) -> String + Sync),
}

/// What clients met with. Times are milliseconds.
#[derive(Default)]
struct Tally {
    reads: Vec<f64>,
    writes: Vec<f64>,
    errors: usize,
    first_error: Option<String>,
    seconds: f64,
}

impl Crowd<'_> {
    /// Lets so many clients ask for a while, one request after the other.
    fn drive(&self, clients: usize, span: Duration) -> Outcome<Tally> {
        let (all, next) = (Mutex::new(Tally::default()), AtomicUsize::new(0));
        let began = Instant::now();
        thread::scope(|scope| {
            for _ in 0..clients {
                scope.spawn(|| {
                    let one = self.one(began + span, &next);
                    all.lock().unwrap_or_else(PoisonError::into_inner).add(one);
                });
            }
        });
        let mut tally = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        tally.seconds = began.elapsed().as_secs_f64();
        if tally.reads.is_empty() {
            return Err(Failure::new(tally.first_error.unwrap_or_else(|| "nothing was answered".to_owned())));
        }
        Ok(tally)
    }

    fn one(&self, until: Instant, next: &AtomicUsize) -> Tally {
        let mut tally = Tally::default();
        let mut client: Option<Client> = None;
        while Instant::now() < until {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let is_write = turn.is_multiple_of(WRITES);
            let request = if is_write { &self.target.write } else { &self.target.read };
            let text = (self.ask)(turn);
            let body = (request.body)(&text, turn);
            let began = Instant::now();
            let outcome = match client.take() {
                Some(client) => Ok(client),
                None => Client::connect(&self.server.addr),
            }
            .and_then(|mut client| {
                let answer = client.post(request.path, &body)?;
                Ok((client, answer))
            })
            .and_then(|(kept, answer)| (request.check)(&answer).map(|()| kept));
            let took = began.elapsed().as_secs_f64() * 1e3;
            match outcome {
                Ok(kept) => {
                    client = Some(kept);
                    if is_write { &mut tally.writes } else { &mut tally.reads }.push(took);
                }
                Err(why) => {
                    tally.errors += 1;
                    tally.first_error.get_or_insert(why);
                }
            }
        }
        tally
    }

    /// The same while others send their headers a byte at a time. Returns how many of those were cut off, too.
    fn beside_slow(&self, span: Duration) -> Outcome<(Tally, usize)> {
        let (over, cut_off) = (AtomicBool::new(false), AtomicUsize::new(0));
        let tally = thread::scope(|scope| {
            for _ in 0..SLOW {
                scope.spawn(|| {
                    if client::dribble(&self.server.addr, &over).is_err() {
                        cut_off.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let tally = self.drive(BESIDE_SLOW, span);
            over.store(true, Ordering::Relaxed);
            tally
        })?;
        Ok((tally, cut_off.into_inner()))
    }
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.errors += other.errors;
        self.first_error = self.first_error.take().or(other.first_error);
    }

    fn report(&self) -> Value {
        let times = |times: &[f64]| {
            json!({ "count": times.len(), "p50_ms": quantile(times, 0.5), "p99_ms": quantile(times, 0.99),
                "most_ms": quantile(times, 1.0) })
        };
        json!({ "errors": self.errors, "first_error": self.first_error, "seconds": self.seconds,
            "reads": times(&self.reads), "writes": times(&self.writes) })
    }

    fn print(&self, what: &str) {
        let rate = (self.reads.len() + self.writes.len()) as f64 / self.seconds.max(0.001);
        println!("{what}: {} errors, {rate:.0} requests a second", self.errors);
        for (name, times) in [("reads", &self.reads), ("writes", &self.writes)] {
            println!(
                "  {name:<6} {:>7}, p50 {:.1} ms, p99 {:.1} ms, slowest {:.1} ms",
                times.len(),
                quantile(times, 0.5),
                quantile(times, 0.99),
                quantile(times, 1.0)
            );
        }
    }
}

fn quantile(times: &[f64], at: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = ((sorted.len() as f64 * at) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}

/// Handshakes after which nothing follows. Returns seconds.
fn open_and_abandon(server: &Server, sessions: usize) -> Outcome<f64> {
    const AT_ONCE: usize = 8;
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < sessions {
                    if let Err(why) = Client::connect(&server.addr).and_then(Client::open_session) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                        return;
                    }
                }
            });
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(why) => Err(Failure::new(format!("a handshake failed: {why}"))),
        None => Ok(began.elapsed().as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_growth_are_failures() {
        let good = Tally::default();
        let (same, more) = ([("sessions", 100_000, 120_000)], [("sessions", 100_000, 141_000)]);
        assert!(judge(&[&good], 100_000, 110_000, &same).is_ok());
        assert!(judge(&[&good], 100_000, 130_000, &same).is_err());
        assert!(judge(&[&good], 100_000, 100_000, &more).is_err());
        let bad = Tally { errors: 1, first_error: Some("500".to_owned()), ..Tally::default() };
        assert!(judge(&[&good, &bad], 1, 1, &[]).is_err());
    }

    #[test]
    fn quantiles_are_of_sorted_times() {
        let times: Vec<f64> = (0..100).rev().map(f64::from).collect();
        assert_eq!(
            (quantile(&times, 0.5), quantile(&times, 0.99), quantile(&times, 1.0)),
            (50.0, 99.0, 99.0)
        );
        assert!(quantile(&[], 0.5).abs() < f64::EPSILON);
    }
}
