//! Compares the token estimate with a real tokenizer (o200k) over the search corpus: it must be high enough
//! that a budget is never exceeded, but not so high that a budget is wasted. Also measures the cost of the
//! tools themselves.
#![allow(clippy::print_stderr, reason = "prints the figures")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hark_core::budget::estimate_tokens;
use serde_json::{Value, json};

const LEAST_SHARE_COVERED: f64 = 0.99;
const MOST_ON_AVERAGE: f64 = 1.8;
const MOST_FOR_TOOLS: usize = 1500;

/// What a budget is spent on: the fields of each memory, and the memory as a whole. Questions, with their
/// typos, are never served.
fn corpus() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/corpus/memories.jsonl");
    let lines = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut texts = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).expect("a line of the corpus is JSON");
        let fields: Vec<&str> =
            ["title", "body", "why"].iter().filter_map(|field| row[*field].as_str()).collect();
        texts.extend(fields.iter().map(|text| (*text).to_owned()));
        texts.push(fields.join("\n\n"));
    }
    texts
}

#[test]
fn the_estimate_leans_high_but_not_far() {
    let tokenizer = tiktoken_rs::o200k_base().expect("the tokenizer loads");
    let texts = corpus();
    assert!(texts.len() > 1000, "{} texts", texts.len());
    let mut covered = 0usize;
    let mut ratios = Vec::with_capacity(texts.len());
    let (mut estimated, mut counted) = (0usize, 0usize);
    for text in &texts {
        let real = tokenizer.encode_ordinary(text).len();
        let estimate = estimate_tokens(text);
        covered += usize::from(estimate >= real);
        ratios.push(estimate as f64 / real.max(1) as f64);
        estimated += estimate;
        counted += real;
        if estimate < real {
            eprintln!("short: {estimate} for {real} tokens: {text:?}");
        }
    }
    let share = covered as f64 / texts.len() as f64;
    let average = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let worst = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    eprintln!(
        "{} texts: estimate covers {:.2} %, average ratio {average:.3}, least {worst:.3}, over all {:.3}",
        texts.len(),
        share * 100.0,
        estimated as f64 / counted as f64
    );
    assert!(share >= LEAST_SHARE_COVERED, "only {:.2} % are covered", share * 100.0);
    assert!(average <= MOST_ON_AVERAGE, "{average:.3} times the real count on average");
}

/// What every session pays before the first word: the tools as the built binary serves them. The tokenizer is
/// big, so only this crate's tests use it; the binary is next to them in a build of the whole workspace.
#[test]
fn the_default_tools_cost_little() {
    let tests = std::env::current_exe().expect("a test has a path");
    let beside = tests
        .ancestors()
        .nth(2)
        .expect("tests lie in deps")
        .join(format!("hark{}", std::env::consts::EXE_SUFFIX));
    let binary = std::env::var_os(hark_testkit::TESTED_BINARY).map_or(beside, PathBuf::from);
    if !binary.is_file() {
        hark_testkit::skip(format_args!("{} is not built", binary.display()));
        return;
    }
    let tools = tools_of(&binary);
    let tokenizer = tiktoken_rs::o200k_base().expect("the tokenizer loads");
    let cost = tokenizer.encode_ordinary(&tools.to_string()).len();
    let names: Vec<&str> =
        tools.as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    eprintln!("{} tools cost {cost} tokens: {}", names.len(), names.join(", "));
    assert!(!names.is_empty());
    assert!(cost <= MOST_FOR_TOOLS, "{cost} tokens");
}

/// The `tools` array of `tools/list`, over stdio.
fn tools_of(binary: &Path) -> Value {
    let home = std::env::temp_dir().join(format!("hark-tools-{}", std::process::id()));
    let mut server = Command::new(binary)
        .arg("mcp")
        .env("HARK_HOME", &home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let requests = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "tester", "version": "1" },
        }}),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }),
    ];
    let mut stdin = server.stdin.take().expect("stdin");
    for request in requests {
        writeln!(stdin, "{request}").expect("the server listens");
    }
    let lines = BufReader::new(server.stdout.take().expect("stdout")).lines();
    let answers = lines.map_while(Result::ok).filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let tools =
        answers.into_iter().find(|answer| answer["id"] == 2).map(|answer| answer["result"]["tools"].clone());
    drop(stdin);
    let _ = server.wait();
    let _ = std::fs::remove_dir_all(home);
    tools.expect("tools/list is answered")
}
