//! A running service from outside: it learns as sessions happen, works in the background, and never stops answering.

mod progress;
mod tailing;
mod units;
mod worker;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hark_testkit::{Home, Serve};
use serde_json::Value;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn serve(home: &Home, flags: &[&str]) -> Serve {
    let mut command = home.program(home.binary());
    command.args(["serve", "--port", "0"]).args(flags);
    Serve::start(command)
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn claude_file(home: &Home, session: &str) -> PathBuf {
    home.user().join(format!(".claude/projects/-nowhere-shop/{session}.jsonl"))
}

fn sessions(home: &Home) -> Vec<Value> {
    let listed = home.hark(["sessions", "--all-projects", "--json"]).ok().json();
    listed["sessions"].as_array().unwrap().clone()
}

/// The prompts of a session, in order.
fn prompts(home: &Home, session: &str) -> Vec<String> {
    let shown = home.hark(["expand", session, "--json"]).run();
    if shown.code != Some(0) {
        return Vec::new();
    }
    let events = shown.json()["parts"].as_array().cloned().unwrap_or_default();
    let prompts = events.iter().filter(|event| event["kind"] == "prompt");
    prompts.map(|event| event["text"].as_str().unwrap_or_default().to_owned()).collect()
}

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}
