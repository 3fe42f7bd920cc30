//! `bench serve`: recalls over HTTP with more and more clients, with an export beside them, and the memory that the
//! server takes and gives back.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::corpus::Corpus;
use super::{measure, path_after};
use crate::client::Hark;
use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Scratch};
use crate::{machine, process};

const MEMORIES: usize = 10_000;
const CLIENTS: [usize; 4] = [1, 4, 16, 64];
/// How long each number of clients is measured.
const SPAN: Duration = Duration::from_secs(8);
const TOKEN: &str = "a-token-for-the-benchmark";
/// Longer than a server keeps what it no longer needs.
const IDLE: Duration = Duration::from_secs(25);

pub(crate) fn run(words: &[&str]) -> Outcome {
    let (mut memories, mut span, mut binary, mut keep) = (MEMORIES, SPAN, None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--binary" => binary = Some(path_after(word, words.next())?),
            "--keep" => keep = Some(path_after(word, words.next())?),
            "--quick" => (memories, span) = (MEMORIES / 10, SPAN / 4),
            other => return Err(Failure::new(format!("unknown option `{other}` of bench serve"))),
        }
    }
    let binary = match binary {
        Some(path) => std::fs::canonicalize(&path).map_err(|e| Failure::io(&path, &e))?,
        None => workspace::release_binary()?,
    };
    let corpus = Corpus::new(&workspace::root())?;
    let scratch = Scratch::new("bench-serve")?;
    let hark = Hark::new(&binary, &keep.unwrap_or_else(|| scratch.path().join("store")));
    if !hark.home().exists() {
        corpus.write(hark.home(), memories)?;
        measure::build_index(&hark, memories)?;
        // As in a store that is used: the encoder has given every passage its vector.
        process::output(&mut hark.command(&["model", "embed", "--json"]))?;
    }
    println!("{memories} memories; load {}", machine::describe()["load"]);

    let server = Server::start(&hark)?;
    let question = |i: usize| corpus.question((i * 7919) % memories);
    let idle = server.resident_kb();
    server.load(4, span / 4, &question)?;
    println!("| clients | recalls a second | p50 ms | p99 ms |\n|---|---|---|---|");
    let mut alone = 0.0;
    for clients in CLIENTS {
        let mut times = server.load(clients, span, &question)?;
        let rate = times.len() as f64 / span.as_secs_f64();
        let (p50, p99) = (quantile(&mut times, 0.5), quantile(&mut times, 0.99));
        if clients == 1 {
            alone = p50;
        }
        println!("| {clients} | {rate:.0} | {p50:.1} | {p99:.1} |");
    }
    let busy = server.resident_kb();
    let export = Export::start(&hark, &scratch.path().join("export.jsonl"));
    let mut times = server.load(1, span, &question)?;
    let exports = export.stop()?;
    let beside = quantile(&mut times, 0.5);
    println!("\nbeside {exports} exports: p50 {beside:.1} ms, {:.2} times that without", beside / alone);
    std::thread::sleep(IDLE);
    let after = server.resident_kb();
    println!("resident: {idle} kB at the start, {busy} kB under load, {after} kB when idle again");
    Ok(())
}

fn quantile(times: &mut [f64], at: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    let index = ((times.len() as f64 * at) as usize).min(times.len().saturating_sub(1));
    times.get(index).copied().unwrap_or_default()
}

struct Server {
    child: Child,
    addr: String,
}

impl Server {
    fn start(hark: &Hark) -> Outcome<Self> {
        let mut command = hark.command(&["serve", "--port", "0"]);
        command
            .env("HARK_SERVE_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| Failure::new(format!("hark serve: {e}")))?;
        let stderr = child.stderr.take().ok_or_else(|| Failure::new("no stderr"))?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let addr =
            lines.find_map(|line| Some(line.split_once("http://")?.1.split_once("/mcp")?.0.to_owned()));
        let addr = addr.ok_or_else(|| Failure::new("hark serve did not start"))?;
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Server { child, addr })
    }

    /// Lets so many clients ask for a while, one question after the other. Returns milliseconds.
    fn load(
        &self,
        clients: usize,
        span: Duration,
        question: &(impl Fn(usize) -> String + Sync),
    ) -> Outcome<Vec<f64>> {
        let next = AtomicUsize::new(0);
        let until = Instant::now() + span;
        let one = || -> Outcome<Vec<f64>> {
            let mut client = Client::connect(&self.addr)?;
            let mut times = Vec::new();
            while Instant::now() < until {
                let query = question(next.fetch_add(1, Ordering::Relaxed));
                let started = Instant::now();
                client.recall(&query)?;
                times.push(started.elapsed().as_secs_f64() * 1e3);
            }
            Ok(times)
        };
        std::thread::scope(|scope| {
            let asking: Vec<_> = (0..clients).map(|_| scope.spawn(one)).collect();
            let mut all = Vec::new();
            for client in asking {
                all.extend(client.join().map_err(|_| Failure::new("a client panicked"))??);
            }
            Ok(all)
        })
    }

    fn resident_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One connection that stays open.
struct Client {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Client {
    fn connect(addr: &str) -> Outcome<Self> {
        let stream = TcpStream::connect(addr).map_err(|e| Failure::new(format!("{addr}: {e}")))?;
        let _ = stream.set_nodelay(true);
        Ok(Client { stream: BufReader::new(stream), host: addr.to_owned() })
    }

    fn recall(&mut self, query: &str) -> Outcome {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "memory_recall", "arguments": { "query": query, "all_projects": true } } })
        .to_string();
        let fail = |e: std::io::Error| Failure::new(format!("recall: {e}"));
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).map_err(fail)?;
        let answer: Value = serde_json::from_slice(&self.answer().map_err(fail)?)
            .map_err(|e| Failure::new(format!("recall: {e}")))?;
        match answer["result"]["isError"] == json!(true) || answer.get("error").is_some() {
            true => Err(Failure::new(format!("recall: {answer}"))),
            false => Ok(()),
        }
    }

    fn answer(&mut self) -> std::io::Result<Vec<u8>> {
        let (mut length, mut line) = (0, String::new());
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let lower = line.trim().to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if lower.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(body)
    }
}

/// Exports of the whole store, one after the other, in processes of their own.
struct Export {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Outcome<usize>>,
}

/// More than can be made while one measurement runs.
const MOST_EXPORTS: usize = 200;

impl Export {
    fn start(hark: &Hark, path: &Path) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let path = path.display().to_string();
        let commands: Vec<_> =
            (0..MOST_EXPORTS).map(|_| hark.command(&["export", &path, "--json"])).collect();
        let is_over = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            let mut count = 0;
            for mut command in commands {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let _ = std::fs::remove_file(&path);
                process::output(&mut command)?;
                count += 1;
            }
            Ok(count)
        });
        Export { over, thread }
    }

    fn stop(self) -> Outcome<usize> {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| Failure::new("the export panicked"))?
    }
}
