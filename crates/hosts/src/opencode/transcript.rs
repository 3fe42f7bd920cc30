//! OpenCode's database, and Kilo's, which is the same. A record is one part of a message with its session and
//! message, as the store assembles it:
//! `{"session":{"id","parent","directory"},"message":{…},"part":{…},"part_id","created","updated"}`.
//! Sessions that `opencode export` prints and events of its server consist of the same parts.

use std::collections::HashMap;

use hark_core::{Raw, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools;
use crate::hook::typed::typed;
use crate::host::home;
use crate::opencode::hook::unquoted;
use crate::transcript::{Identity, Reader, Shape, Skip, Told, Transcripts};

pub(crate) const OPENCODE: Transcripts = Transcripts {
    host: "opencode",
    shape: Shape::Database,
    secondhand: false,
    places: &[home(&[".local/share/opencode/opencode.db"])],
    named: |path| path.file_name().is_some_and(|name| name == "opencode.db"),
    begins: |_| false,
    reader: |_| Box::new(Parts),
};

pub(crate) const KILO: Transcripts = Transcripts {
    host: "kilo",
    places: &[home(&[".local/share/kilo/kilo.db"])],
    named: |path| path.file_name().is_some_and(|name| name == "kilo.db"),
    ..OPENCODE
};

/// What `opencode export` prints: one session with all its messages.
pub(crate) const EXPORTS: Transcripts = Transcripts {
    host: "opencode",
    shape: Shape::Document,
    secondhand: false,
    places: &[],
    named: |_| false,
    begins: |head| {
        let head: String = head.chars().take(4_000).filter(|c| !c.is_whitespace()).collect();
        head.starts_with("{\"info\":{") && head.contains("\"id\":\"ses_")
    },
    reader: |_| Box::new(Export),
};

/// What its server reports while it runs, one event per line, alone or inside a record of another program.
pub(crate) const EVENTS: Transcripts = Transcripts {
    host: "opencode",
    shape: Shape::Lines,
    secondhand: false,
    places: &[],
    named: |_| false,
    begins: |head| {
        let of_it = |line: &str| {
            ["session.", "message.", "server."]
                .iter()
                .any(|kind| line.contains(&format!("\"type\":\"{kind}")))
        };
        let first = head.lines().next().unwrap_or_default();
        first.starts_with('{') && first.contains("\"properties\":{") && of_it(first)
    },
    reader: |_| Box::new(Events::default()),
};

struct Parts;

#[derive(Deserialize)]
struct Record {
    session: Session,
    message: Value,
    part: Value,
    part_id: String,
    updated: i64,
}

#[derive(Clone, Deserialize)]
struct Session {
    id: String,
    #[serde(alias = "parentID")]
    parent: Option<String>,
    directory: Option<String>,
}

impl Reader for Parts {
    fn read(&mut self, record: &[u8], _at: u64, told: &mut Told) {
        let Ok(record) = serde_json::from_slice::<Record>(record) else { return told.skip(Skip::Broken) };
        let when = Some(Timestamp::from_millis(record.updated));
        tell(record.session, &record.message, &record.part, record.part_id, when, told);
    }
}

struct Export;

#[derive(Deserialize)]
struct Exported {
    info: Session,
    #[serde(default)]
    messages: Vec<ExportedMessage>,
}

#[derive(Deserialize)]
struct ExportedMessage {
    info: Value,
    #[serde(default)]
    parts: Vec<Value>,
}

impl Reader for Export {
    fn read(&mut self, record: &[u8], _at: u64, told: &mut Told) {
        let Ok(export) = serde_json::from_slice::<Exported>(record) else { return told.skip(Skip::Broken) };
        for message in &export.messages {
            for part in &message.parts {
                let Some(id) = part["id"].as_str() else {
                    told.skip(Skip::Broken);
                    continue;
                };
                tell(
                    export.info.clone(),
                    &message.info,
                    part,
                    id.to_owned(),
                    time_of(&message.info, part),
                    told,
                );
            }
        }
    }
}

/// When a part was finished, as far as it says.
fn time_of(message: &Value, part: &Value) -> Option<Timestamp> {
    let times = [
        &part["state"]["time"]["end"],
        &part["time"]["end"],
        &part["time"]["start"],
        &message["time"]["completed"],
        &message["time"]["created"],
    ];
    times.iter().find_map(|time| time.as_i64()).map(Timestamp::from_millis)
}

#[derive(Default)]
struct Events {
    sessions: HashMap<String, Session>,
    messages: HashMap<String, Value>,
}

impl Reader for Events {
    fn read(&mut self, record: &[u8], _at: u64, told: &mut Told) {
        let Ok(record) = serde_json::from_slice::<Value>(record) else { return told.skip(Skip::Broken) };
        let event = if record["event"].is_object() { &record["event"] } else { &record };
        let properties = &event["properties"];
        match event["type"].as_str() {
            Some("session.created" | "session.updated") => {
                if let Ok(session) = Session::deserialize(&properties["info"]) {
                    self.sessions.insert(session.id.clone(), session);
                }
                told.skip(Skip::Noise);
            }
            Some("message.updated") => {
                let info = &properties["info"];
                self.messages.insert(info["id"].as_str().unwrap_or_default().to_owned(), info.clone());
                told.skip(Skip::Noise);
            }
            Some("message.part.updated") => {
                let part = &properties["part"];
                let text = |name: &str| part[name].as_str().unwrap_or_default();
                let (Some(message), false) = (self.messages.get(text("messageID")), text("id").is_empty())
                else {
                    return told.skip(Skip::Noise);
                };
                let id = text("sessionID").to_owned();
                let directory = record["projectDirectory"].as_str().map(str::to_owned);
                let session = self.sessions.get(&id).cloned();
                let session = session.unwrap_or(Session { id, parent: None, directory });
                tell(session, message, part, text("id").to_owned(), time_of(message, part), told);
            }
            Some(_) => told.skip(Skip::Noise),
            None => told.skip(Skip::Unknown),
        }
    }
}

/// Tells one part of a message. Its id is the same wherever the part was found.
fn tell(
    session: Session,
    message: &Value,
    part: &Value,
    id: String,
    when: Option<Timestamp>,
    told: &mut Told,
) {
    let is_subagent = session.parent.is_some();
    let model = message["modelID"].as_str().or(message["model"]["modelID"].as_str());
    told.session(Identity {
        session: session.id,
        parent: session.parent,
        cwd: session.directory.or_else(|| message["path"]["cwd"].as_str().map(str::to_owned)),
        model: model.map(str::to_owned),
        ..Identity::default()
    });
    match part["type"].as_str() {
        Some("text") if part["synthetic"] == true || part["ignored"] == true => told.skip(Skip::Noise),
        Some("text") => {
            let by_user = message["role"] == "user";
            // Text grows while it is written; only finished text is reported.
            if !by_user && part["time"]["end"].is_null() && message["time"]["completed"].is_null() {
                return told.skip(Skip::Noise);
            }
            let text = part["text"].as_str().unwrap_or_default();
            let text = if by_user {
                typed(text).map(|text| unquoted(&text).into_owned())
            } else {
                Some(without_injections(text).trim().to_owned())
            };
            let Some(text) = text.filter(|text| !text.is_empty()) else { return told.skip(Skip::Noise) };
            let text = Raw::new(text);
            let what = match (by_user, is_subagent, message["summary"] == true) {
                (true, false, _) => What::Prompt(text),
                (true, true, _) => What::Task(text),
                (false, _, true) => What::Compacted(text),
                (false, _, false) => What::Reply(text),
            };
            told.turn(Some(id), when, what);
        }
        Some("tool") => tool(part, when, told),
        Some(
            "step-start" | "step-finish" | "reasoning" | "snapshot" | "patch" | "file" | "agent" | "retry"
            | "compaction" | "subtask",
        ) => told.skip(Skip::Noise),
        _ => told.skip(Skip::Unknown),
    }
}

fn tool(part: &Value, when: Option<Timestamp>, told: &mut Told) {
    let state = &part["state"];
    let (Some(name), Some(id)) = (part["tool"].as_str(), part["callID"].as_str()) else {
        return told.skip(Skip::Broken);
    };
    let failed = match state["status"].as_str() {
        Some("completed") => state["metadata"]["exit"].as_i64().is_some_and(|code| code != 0),
        Some("error") => true,
        // It is reported when it is done.
        _ => return told.skip(Skip::Noise),
    };
    let text = state["error"].as_str().or(state["metadata"]["output"].as_str()).or(state["output"].as_str());
    let output = Raw::new(without_frames(text.unwrap_or_default()));
    let tool = tools::call(name, &state["input"], None);
    told.turn(Some(id.to_owned()), when, What::AfterTool { tool, output, ok: Some(!failed) });
}
