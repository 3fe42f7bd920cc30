//! OpenCode's database, and Kilo's, which is the same. A record is one part of a message with its session and
//! message, as the store assembles it:
//! `{"session":{"id","parent","directory"},"message":{…},"part":{…},"part_id","created","updated"}`.

use hark_core::{Raw, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools;
use crate::host::home;
use crate::transcript::{Identity, Reader, Shape, Skip, Told, Transcripts};

pub(crate) const OPENCODE: Transcripts = Transcripts {
    host: "opencode",
    shape: Shape::Database,
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

struct Parts;

#[derive(Deserialize)]
struct Record {
    session: Session,
    message: Value,
    part: Value,
    part_id: String,
    updated: i64,
}

#[derive(Deserialize)]
struct Session {
    id: String,
    parent: Option<String>,
    directory: Option<String>,
}

impl Reader for Parts {
    fn read(&mut self, record: &[u8], _at: u64, told: &mut Told) {
        let Ok(record) = serde_json::from_slice::<Record>(record) else { return told.skip(Skip::Broken) };
        let Record { session, message, part, part_id, updated } = record;
        let is_subagent = session.parent.is_some();
        let model = message["modelID"].as_str().or(message["model"]["modelID"].as_str());
        told.session(Identity {
            session: session.id,
            parent: session.parent,
            cwd: session.directory.or_else(|| message["path"]["cwd"].as_str().map(str::to_owned)),
            model: model.map(str::to_owned),
            ..Identity::default()
        });
        let when = Some(Timestamp::from_millis(updated));
        match part["type"].as_str() {
            Some("text") if part["synthetic"] == true || part["ignored"] == true => told.skip(Skip::Noise),
            Some("text") => {
                let text = without_injections(part["text"].as_str().unwrap_or_default());
                let text = unquoted(text.trim());
                let by_user = message["role"] == "user";
                if text.is_empty() {
                    return told.skip(Skip::Noise);
                }
                // Text grows while it is written; only finished text is reported.
                if !by_user && part["time"]["end"].is_null() && message["time"]["completed"].is_null() {
                    return told.skip(Skip::Noise);
                }
                let text = Raw::new(text);
                match (by_user, is_subagent, message["summary"] == true) {
                    (true, false, _) => told.turn(None, when, What::Prompt(text)),
                    (true, true, _) => told.turn(Some(part_id), when, What::Task(text)),
                    (false, _, true) => told.turn(Some(part_id), when, What::Compacted(text)),
                    (false, _, false) => told.turn(None, when, What::Reply(text)),
                }
            }
            Some("tool") => tool(&part, when, told),
            Some(
                "step-start" | "step-finish" | "reasoning" | "snapshot" | "patch" | "file" | "agent"
                | "retry" | "compaction" | "subtask",
            ) => told.skip(Skip::Noise),
            _ => told.skip(Skip::Unknown),
        }
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

/// `opencode run` wraps its argument in quotes.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}
