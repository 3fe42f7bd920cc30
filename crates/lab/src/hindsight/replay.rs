//! Replays recorded sessions through `hark hook`, each event at its own time. Nothing of the future reaches hark.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::client::Hark;
use crate::eval::sets::lines;
use crate::failure::{Failure, Outcome};
use crate::process;

pub(super) struct Replayed {
    pub(super) sessions: usize,
    pub(super) prompts: usize,
    pub(super) calls: usize,
    pub(super) report: Value,
}

/// A repository of its own, with a name that stays the same.
pub(super) fn repository(folder: &Path, name: &str) -> Outcome<PathBuf> {
    let repo = folder.join(name);
    fs::create_dir_all(&repo).map_err(|e| Failure::io(&repo, &e))?;
    let origin = format!("https://example.com/acme/{name}.git");
    for arguments in [&["init", "-q"][..], &["remote", "add", "origin", &origin]] {
        process::output(Command::new("git").args(arguments).current_dir(&repo))?;
    }
    Ok(repo)
}

/// Sends one event, and returns what is said.
pub(super) fn hook(hark: &Hark, folder: &Path, now: &str, payload: &Value) -> Outcome<String> {
    let mut command = hark.command(&["hook", "claude-code", &payload.to_string()]);
    let output = process::output(command.env("HARK_NOW", now).current_dir(folder))?;
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Ok(reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned())
}

pub(super) fn run(binary: &Path, folder: &Path, files: &[PathBuf]) -> Outcome<Replayed> {
    let home = folder.join("store");
    fs::create_dir_all(&home).map_err(|e| Failure::io(&home, &e))?;
    let mut replay =
        Replay { hark: Hark::new(binary, &home), repo: repository(folder, "project")?, prompts: 0, calls: 0 };
    let mut last = String::new();
    for file in files {
        last = replay.session(file)?;
    }
    let mut command = replay.hark.command(&["report", "--since", "2000-01-01", "--json"]);
    let text = process::capture(command.env("HARK_NOW", last).current_dir(&replay.repo))?;
    let report = serde_json::from_str(&text).map_err(|e| Failure::new(format!("hark report: {e}")))?;
    Ok(Replayed { sessions: files.len(), prompts: replay.prompts, calls: replay.calls, report })
}

struct Replay {
    hark: Hark,
    repo: PathBuf,
    prompts: usize,
    calls: usize,
}

impl Replay {
    /// Returns the time of the last event.
    fn session(&mut self, file: &Path) -> Outcome<String> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let session = name.split_once('_').map_or(name.as_str(), |(_, id)| id);
        let repo = self.repo.to_string_lossy().into_owned();
        let events = lines(file)?.into_iter().map(|event| placed(event, &repo)).collect::<Vec<_>>();
        let time =
            |event: Option<&Value>| event.and_then(|e| e["ts"].as_str()).unwrap_or_default().to_owned();
        let (begun, ended) = (time(events.first()), time(events.last()));
        self.tell(session, &begun, "SessionStart", json!({ "source": "startup" }))?;
        let mut said = String::new();
        let mut turns = 0;
        let mut before = begun;
        for event in &events {
            let now = time(Some(event));
            let call = json!({ "tool_name": event["tool"], "tool_input": event["input"], "tool_use_id": event["id"] });
            match event["ev"].as_str() {
                Some("says") => said = event["text"].as_str().unwrap_or_default().to_owned(),
                Some("prompt") => {
                    if turns > 0 {
                        self.stop(session, &before, &said)?;
                    }
                    turns += 1;
                    self.prompts += 1;
                    said.clear();
                    self.tell(session, &now, "UserPromptSubmit", json!({ "prompt": event["text"] }))?;
                }
                Some("before") => {
                    self.create(event)?;
                    self.tell(session, &now, "PreToolUse", call)?;
                }
                Some("after") if event["error"] == true => {
                    let text = event["output"].as_str().unwrap_or_default();
                    let is_interrupt = text.contains("doesn't want to proceed");
                    let more = json!({ "error": text, "is_interrupt": is_interrupt });
                    self.tell(session, &now, "PostToolUseFailure", joined(call, more))?;
                }
                Some("after") => {
                    let response = match event["tool"].as_str() {
                        Some("Bash") => {
                            json!({ "stdout": event["output"], "stderr": "", "interrupted": false })
                        }
                        _ => json!({ "filePath": event["input"]["file_path"], "structuredPatch": [] }),
                    };
                    let more = json!({ "tool_response": response });
                    self.tell(session, &now, "PostToolUse", joined(call, more))?;
                }
                _ => {}
            }
            before = now;
        }
        self.stop(session, &ended, &said)?;
        self.tell(session, &ended, "SessionEnd", json!({ "reason": "other" }))?;
        let mut work = self.hark.command(&["work", "--max", "20s"]);
        process::output(work.env("HARK_NOW", &ended).current_dir(&self.repo))?;
        Ok(ended)
    }

    fn stop(&mut self, session: &str, now: &str, said: &str) -> Outcome {
        self.tell(session, now, "Stop", json!({ "stop_hook_active": false, "last_assistant_message": said }))
    }

    fn tell(&mut self, session: &str, now: &str, name: &str, more: Value) -> Outcome {
        let base = json!({ "session_id": session, "transcript_path": "", "cwd": self.repo, "hook_event_name": name,
            "permission_mode": "default" });
        self.calls += 1;
        hook(&self.hark, &self.repo, now, &joined(base, more)).map(drop)
    }

    /// Edits are not applied, but a file that a session edits exists.
    fn create(&self, event: &Value) -> Outcome {
        let path = event["input"]["file_path"].as_str().map(PathBuf::from);
        let Some(path) = path.filter(|path| path.starts_with(&self.repo) && event["tool"] != "Read") else {
            return Ok(());
        };
        let is_inside = path.components().all(|part| part != std::path::Component::ParentDir);
        if let Some(folder) = path.parent().filter(|_| is_inside && !path.exists()) {
            fs::create_dir_all(folder).map_err(|e| Failure::io(folder, &e))?;
            fs::write(&path, "").map_err(|e| Failure::io(&path, &e))?;
        }
        Ok(())
    }
}

/// The recordings name their folder by a mark.
fn placed(event: Value, repo: &str) -> Value {
    match event {
        Value::String(text) => Value::String(text.replace("{CWD}", repo)),
        Value::Array(list) => Value::Array(list.into_iter().map(|item| placed(item, repo)).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (key, placed(value, repo))).collect())
        }
        other => other,
    }
}

fn joined(mut base: Value, more: Value) -> Value {
    if let (Some(base), Value::Object(more)) = (base.as_object_mut(), more) {
        base.extend(more);
    }
    base
}
