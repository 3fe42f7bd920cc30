//! A coding session as the generator sees it, whichever client wrote it, and the Claude Code reader.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
}

impl Role {
    pub(super) fn name(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    Said { role: Role, text: String },
    Ran(Run),
}

/// A shell command and what became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Run {
    pub(super) command: String,
    /// What the assistant said the command was for. Never part of a document: it is the question.
    pub(super) goal: String,
    pub(super) ok: bool,
    pub(super) output: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) project: String,
    /// When it began and ended, as written in the transcript (ISO 8601, so text order is time order).
    pub(super) began: String,
    pub(super) ended: String,
    pub(super) events: Vec<Event>,
    pub(super) files: BTreeSet<String>,
}

impl Session {
    pub(super) fn said(&self) -> impl Iterator<Item = (Role, &str)> {
        self.events.iter().filter_map(|event| match event {
            Event::Said { role, text } => Some((*role, text.as_str())),
            Event::Ran(_) => None,
        })
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.events.iter().filter_map(|event| match event {
            Event::Ran(run) => Some(run),
            Event::Said { .. } => None,
        })
    }

    pub(super) fn say(&mut self, role: Role, text: &str) {
        if let Some(text) = spoken(text) {
            self.events.push(Event::Said { role, text });
        }
    }

    pub(super) fn seen_at(&mut self, time: &str) {
        if time.len() < 10 {
            return;
        }
        if self.began.is_empty() || time < self.began.as_str() {
            time.clone_into(&mut self.began);
        }
        if time > self.ended.as_str() {
            time.clone_into(&mut self.ended);
        }
    }

    pub(super) fn edited(&mut self, path: &str, cwd: &str) {
        let path = path.strip_prefix(cwd).unwrap_or(path).trim_start_matches('/');
        if !path.is_empty() && !cwd.is_empty() && !path.starts_with("Users/") && !path.starts_with("home/") {
            self.files.insert(path.to_owned());
        }
    }
}

/// What a person or the model wrote, without what the client wraps around it or sends in their name.
fn spoken(text: &str) -> Option<String> {
    let mut text = text.to_owned();
    while let (Some(from), Some(to)) = (text.find("<system-reminder>"), text.find("</system-reminder>")) {
        let to = to + "</system-reminder>".len();
        if from >= to {
            break;
        }
        text.replace_range(from..to, "");
    }
    let text = text.trim();
    let machine = ["<", "[Request interrupted", "Caveat:", "This session is being continued", "# AGENTS.md"];
    let by_machine = text.is_empty() || machine.iter().any(|start| text.starts_with(start));
    (!by_machine).then(|| text.to_owned())
}

/// Sessions of one project's Claude Code files. Resumed sessions and subagents repeat lines of
/// others: a line counts once, by its id, and a subagent belongs to the session that started it.
#[derive(Default)]
pub(super) struct Claude {
    seen: BTreeSet<String>,
    /// Where the result of a call belongs: session and position of its event.
    open: BTreeMap<String, (String, usize)>,
    pub(super) sessions: BTreeMap<String, Session>,
}

impl Claude {
    pub(super) fn read(&mut self, text: &str) {
        // Torn and foreign lines are part of real transcripts.
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            self.line(&line);
        }
    }

    fn line(&mut self, line: &Value) {
        let text = |key: &str| line[key].as_str().unwrap_or_default();
        let (kind, id) = (text("type"), text("sessionId"));
        let skipped = ["isMeta", "isCompactSummary"].iter().any(|key| line[*key] == true);
        let repeated = !text("uuid").is_empty() && !self.seen.insert(text("uuid").to_owned());
        if id.is_empty() || skipped || repeated || !matches!(kind, "user" | "assistant") {
            return;
        }
        // A subagent's prompt is written by the assistant.
        let role = if kind == "user" && line["isSidechain"] != true { Role::User } else { Role::Assistant };
        let session = self.sessions.entry(id.to_owned()).or_default();
        session.seen_at(text("timestamp"));
        match &line["message"]["content"] {
            Value::String(said) => session.say(role, said),
            Value::Array(blocks) => {
                for block in blocks {
                    match block["type"].as_str().unwrap_or_default() {
                        "text" => session.say(role, block["text"].as_str().unwrap_or_default()),
                        "tool_use" => call(session, block, text("cwd"), id, &mut self.open),
                        "tool_result" => {
                            let place = block["tool_use_id"].as_str().and_then(|call| self.open.remove(call));
                            if let Some((owner, at)) = place
                                && owner == id
                                && let Some(Event::Ran(run)) = session.events.get_mut(at)
                            {
                                run.output = flat(&block["content"]);
                                run.ok = block["is_error"] != true;
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn call(
    session: &mut Session,
    block: &Value,
    cwd: &str,
    id: &str,
    open: &mut BTreeMap<String, (String, usize)>,
) {
    let input = |key: &str| block["input"][key].as_str().unwrap_or_default();
    match block["name"].as_str().unwrap_or_default() {
        "Bash" => {
            if let Some(call) = block["id"].as_str() {
                open.insert(call.to_owned(), (id.to_owned(), session.events.len()));
            }
            let (command, goal) = (input("command").to_owned(), input("description").to_owned());
            session.events.push(Event::Ran(Run { command, goal, ..Run::default() }));
        }
        "Edit" | "Write" | "MultiEdit" => session.edited(input("file_path"), cwd),
        _ => {}
    }
}

/// Text of a result that is a string or a list of blocks.
pub(super) fn flat(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claude_lines_become_one_session() {
        let lines = [
            r#"{"type":"user","uuid":"1","sessionId":"s","timestamp":"2026-01-02T00:00:00Z","cwd":"/p","message":{"content":"build it <system-reminder>x</system-reminder>"}}"#,
            "{torn",
            r#"{"type":"assistant","uuid":"2","sessionId":"s","timestamp":"2026-01-02T00:01:00Z","cwd":"/p","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"make","description":"Build"}},{"type":"tool_use","id":"e","name":"Edit","input":{"file_path":"/p/src/a.rs"}}]}}"#,
            r#"{"type":"user","uuid":"3","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"boom","is_error":true}]}}"#,
            r#"{"type":"user","uuid":"1","sessionId":"s2","message":{"content":"build it"}}"#,
            r#"{"type":"user","uuid":"4","sessionId":"s","isMeta":true,"message":{"content":"meta"}}"#,
        ];
        let mut claude = Claude::default();
        claude.read(&lines.join("\n"));
        assert_eq!(claude.sessions.len(), 1);
        let session = &claude.sessions["s"];
        assert_eq!(session.said().collect::<Vec<_>>(), [(Role::User, "build it")]);
        let run = session.runs().next().unwrap();
        assert!(!run.ok && run.output == "boom" && run.goal == "Build");
        assert_eq!(session.files.iter().collect::<Vec<_>>(), ["src/a.rs"]);
        assert_eq!((session.began.as_str(), session.ended.len()), ("2026-01-02T00:00:00Z", 20));
    }
}
