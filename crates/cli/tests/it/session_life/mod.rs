//! Sessions that live and end: where you left off, which ones are at work, what is told again, pauses, digests.

mod digests;
mod files;
mod hindsight;
mod left_off;
mod over;
mod pause;
mod told_again;

use std::path::Path;

use hark_testkit::Home;
use hark_testkit::hooks::context;
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-15T12:00:00Z")
}

/// Sends an event; returns what is said.
fn tell(home: &Home, host: &str, folder: &Path, session: &str, name: &str, more: &Value) -> String {
    let mut payload = json!({ "session_id": session, "cwd": folder, "hook_event_name": name });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    context(&home.hook(host, name, &payload))
}

fn start(home: &Home, host: &str, folder: &Path, session: &str, source: &str) -> String {
    tell(home, host, folder, session, "SessionStart", &json!({ "source": source }))
}

fn show(home: &Home, id: &str) -> Value {
    home.hark(["sessions", "show", id, "--json"]).ok().json()
}

fn settings(home: &Home, text: &str) {
    std::fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    std::fs::write(home.user_config(), text).unwrap();
}
