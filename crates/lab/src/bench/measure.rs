//! The measurements themselves. Times are microseconds.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::corpus::Corpus;
use crate::client::{Hark, Server};
use crate::failure::{Failure, Outcome};
use crate::process;

/// Prompts of forty words; each store gets the same ones.
const PROMPTS: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct Rounds {
    pub(super) warm: usize,
    pub(super) cold: usize,
}

/// What does not depend on a store: start, size, protocol.
pub(super) fn process(hark: &Hark, binary: &Path, rounds: Rounds) -> Outcome<Value> {
    let start = times(rounds.cold, |_| process::output(&mut hark.command(&["--version"])).map(drop))?;
    let connect = times(rounds.cold / 2, |_| hark.serve(&[]).map(drop))?;
    let mut server = hark.serve(&[])?;
    server.request("tools/list", &json!({}))?;
    std::thread::sleep(std::time::Duration::from_millis(300));
    let idle = server.resident_kb();
    let ping = times(rounds.warm, |_| server.request("ping", &json!({})).map(drop))?;
    let list = times(rounds.warm, |_| server.request("tools/list", &json!({})).map(drop))?;
    let size = fs::metadata(binary).map_err(|e| Failure::io(binary, &e))?.len();
    Ok(json!({
        "binary_bytes": size,
        "start": quantiles(start),
        "mcp": { "connect": quantiles(connect), "ping": quantiles(ping), "tools_list": quantiles(list),
                 "idle_rss_kb": idle },
    }))
}

/// Has the product take in all files, as it does when the index is lost; `hark reindex` does the
/// same work. Returns seconds.
pub(crate) fn build_index(hark: &Hark, size: usize) -> Outcome<f64> {
    let started = Instant::now();
    let answer = hark.json(&["stats", "--json"])?;
    if answer["memories"] != json!(size) || answer["unreadable_files"] != json!(0) {
        return Err(Failure::new(format!("hark did not import all {size} files: {answer}")));
    }
    Ok(started.elapsed().as_secs_f64())
}

/// Everything that depends on how much is remembered.
pub(super) fn store(hark: &Hark, corpus: &Corpus, size: usize, rounds: Rounds) -> Outcome<Value> {
    let seconds = build_index(hark, size)?;
    println!("{size} memories: indexed in {seconds:.1} s");
    let index_bytes: u64 = ["hark.db", "hark.db-wal"]
        .iter()
        .filter_map(|f| fs::metadata(hark.home().join(f)).ok())
        .map(|m| m.len())
        .sum();

    let question = |i: usize| corpus.question((i * 7919) % size);
    let mut server = hark.serve(&[])?;
    for i in 0..10 {
        recall(&mut server, &question(size / 2 + i))?;
    }
    let mut found = 0usize;
    let warm = times(rounds.warm, |i| {
        let answer = recall(&mut server, &question(i))?;
        let title = corpus.title((i * 7919) % size);
        let is_it = |hit: &Value| hit["title"].as_str() == Some(&title);
        found += usize::from(answer["hits"].as_array().is_some_and(|hits| hits.iter().any(is_it)));
        Ok(())
    })?;
    let rss = server.resident_kb();
    let prompt = times(rounds.warm.min(200), |i| recall(&mut server, &corpus.prompt(i % PROMPTS)).map(drop))?;
    let fresh = |i: usize| corpus.body(10_000_000 + i);
    let mut after_write = Vec::new();
    let mut remember = Vec::new();
    for i in 0..rounds.warm / 2 {
        let text = fresh(i);
        let started = Instant::now();
        server.call("memory_remember", &json!({ "text": text, "global": true }))?;
        remember.push(started.elapsed().as_secs_f64() * 1e6);
        let started = Instant::now();
        recall(&mut server, &question(i))?;
        after_write.push(started.elapsed().as_secs_f64() * 1e6);
    }
    drop(server);
    println!("{size} memories: warm measured");

    let mut stated = Vec::new();
    let cold = times(rounds.cold, |i| {
        let answer = hark.json(&["recall", &question(i), "--all-projects", "--json"])?;
        stated.push(answer["micros"].as_f64().unwrap_or_default());
        Ok(())
    })?;
    let cold_prompt = times(rounds.cold / 2, |i| {
        let prompt = corpus.prompt(i % PROMPTS);
        process::output(&mut hark.command(&["recall", &prompt, "--all-projects", "--json"])).map(drop)
    })?;
    let cold_remember = times(rounds.cold, |i| {
        let text = fresh(1_000_000 + i);
        process::output(&mut hark.command(&["remember", &text, "--global", "--json"])).map(drop)
    })?;
    // The event as an argument, as one client gives it; the rest of the way is the same.
    let hook =
        |event: Value| process::output(&mut hark.command(&["hook", "codex", &event.to_string()])).map(drop);
    let after_tool = times(rounds.cold, |i| {
        hook(
            json!({ "session_id": "bench", "cwd": "/", "hook_event_name": "PostToolUse", "tool_name": "apply_patch",
            "tool_input": { "command": format!("*** Begin Patch\n*** Update File: src/{i}.rs\n@@\n-a\n+b\n*** End Patch\n") },
            "tool_response": "Success.", "tool_use_id": format!("call_{i}") }),
        )
    })?;
    let with_prompt = times(rounds.cold, |i| {
        hook(
            json!({ "session_id": "bench", "cwd": "/", "hook_event_name": "UserPromptSubmit", "turn_id": i.to_string(),
            "prompt": corpus.prompt(i % PROMPTS) }),
        )
    })?;
    println!("{size} memories: cold measured");
    Ok(json!({
        "memories": size,
        "index_seconds": seconds,
        "index_per_second": size as f64 / seconds,
        "index_bytes": index_bytes,
        "found": found as f64 / rounds.warm as f64,
        "recall_warm": quantiles(warm),
        "recall_cold_stated": quantiles(stated),
        "recall_after_write": quantiles(after_write),
        "recall_cold": quantiles(cold),
        "prompt_warm": quantiles(prompt),
        "prompt_cold": quantiles(cold_prompt),
        "remember_warm": quantiles(remember),
        "remember_cold": quantiles(cold_remember),
        "hook_after_tool": quantiles(after_tool),
        "hook_prompt": quantiles(with_prompt),
        "rss_after_recalls_kb": rss,
    }))
}

fn recall(server: &mut Server, query: &str) -> Outcome<Value> {
    server.call("memory_recall", &json!({ "query": query, "all_projects": true }))
}

/// Instructions of whole processes, which do not depend on how busy the machine is.
pub(super) fn instructions(hark: &Hark, corpus: &Corpus) -> Outcome<Value> {
    if !process::is_there("valgrind", &["--version"]) {
        println!("instruction counts: valgrind is not installed");
        return Ok(Value::Null);
    }
    let count = |arguments: &[&str]| -> Outcome<Value> {
        let wrapper = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
        let output = process::output(&mut hark.command_under(&wrapper, arguments))?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find_map(|line| line.split_once("Collected :"));
        Ok(line.and_then(|(_, n)| n.trim().parse::<u64>().ok()).into())
    };
    let question = corpus.question(17);
    let text = corpus.body(20_000_000);
    println!("instruction counts under callgrind");
    Ok(json!({
        "start": count(&["--version"])?,
        "recall": count(&["recall", &question, "--all-projects", "--json"])?,
        "remember": count(&["remember", &text, "--global", "--json"])?,
    }))
}

pub(super) fn times(rounds: usize, mut work: impl FnMut(usize) -> Outcome) -> Outcome<Vec<f64>> {
    let mut taken = Vec::with_capacity(rounds);
    for i in 0..rounds {
        let started = Instant::now();
        work(i)?;
        taken.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok(taken)
}

pub(super) fn quantiles(mut taken: Vec<f64>) -> Value {
    taken.sort_by(f64::total_cmp);
    let at = |share: f64| taken.get(((taken.len() as f64 * share).ceil() as usize).max(1) - 1).copied();
    json!({ "p50": at(0.50), "p99": at(0.99), "rounds": taken.len() })
}
