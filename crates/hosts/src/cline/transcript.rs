//! Tasks of Cline: one document of messages per session, with blocks as in Claude Code. A second document
//! next to it names the project folder.

use std::collections::HashMap;
use std::path::Path;

use hark_core::{Raw, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools::{self, ToolUse, exit_code};
use crate::hook::wire::text_of;
use crate::host::home;
use crate::transcript::{Identity, Reader, Shape, Skip, Told, Transcripts};

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "cline",
    shape: Shape::Document,
    secondhand: false,
    places: &[home(&[".cline/data/sessions"])],
    named: |path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".messages.json")),
    begins: |head| {
        let head: String = head.chars().take(600).filter(|c| !c.is_whitespace()).collect();
        head.starts_with("{\"version\":") && head.contains("\"agent\":") && head.contains("\"sessionId\":")
    },
    reader: |path| Box::new(Session { about: about(path) }),
};

struct Session {
    about: Value,
}

/// The neighbouring document: `<id>.json` next to `<id>.messages.json`.
fn about(path: &Path) -> Value {
    let name = path.file_name().map(|name| name.to_string_lossy().replace(".messages.json", ".json"));
    let file = name.map(|name| path.with_file_name(name)).filter(|beside| beside != path);
    let text = file.and_then(|file| hark_files::regular::read_to_string(&file, 1 << 20).ok());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    session_id: String,
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Value,
    ts: Option<i64>,
    #[serde(default)]
    metadata: Value,
    #[serde(default, rename = "modelInfo")]
    model: Value,
}

impl Reader for Session {
    fn read(&mut self, record: &[u8], _at: u64, told: &mut Told) {
        let Ok(document) = serde_json::from_slice::<Document>(record) else { return told.skip(Skip::Broken) };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let model = document.messages.iter().find_map(|message| text(&message.model["id"]));
        told.session(Identity {
            session: document.session_id,
            parent: text(&self.about["parent_session_id"]),
            cwd: text(&self.about["cwd"]).or_else(|| text(&self.about["workspace_root"])),
            branch: text(&self.about["metadata"]["git"]["branch"]),
            commit: None,
            model,
        });
        let mut calls: HashMap<String, ToolUse> = HashMap::new();
        for message in &document.messages {
            let when = message.ts.map(Timestamp::from_millis);
            let single = [message.content.clone()];
            let blocks = message.content.as_array().map_or(&single[..], Vec::as_slice);
            for block in blocks {
                read_block(message, block, when, &mut calls, told);
            }
        }
    }
}

fn read_block(
    message: &Message,
    block: &Value,
    when: Option<Timestamp>,
    calls: &mut HashMap<String, ToolUse>,
    told: &mut Told,
) {
    let by_user = message.role == "user";
    match block["type"].as_str() {
        Some("tool_use") => {
            let tool = tools::call(block["name"].as_str().unwrap_or("tool"), &block["input"], None);
            calls.insert(block["id"].as_str().unwrap_or_default().to_owned(), tool);
        }
        Some("tool_result") => {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            let Some(tool) = calls.remove(id) else { return told.skip(Skip::Orphan) };
            let (text, ok) = outcome(&block["content"]);
            let ok = ok && block["is_error"] != true;
            let output = Raw::new(without_frames(&text));
            told.turn(Some(id.to_owned()), when, What::AfterTool { tool, output, ok: Some(ok) });
        }
        Some("text") | None => {
            let text = block["text"].as_str().or(block.as_str()).unwrap_or_default();
            let text = without_injections(text);
            let text = asked(&text);
            let by_hooks = message.metadata["displayRole"] == "system";
            match text.trim() {
                "" => told.skip(Skip::Noise),
                _ if by_hooks => told.skip(Skip::Noise),
                text if by_user => told.turn(None, when, What::Prompt(Raw::new(text))),
                text => told.turn(None, when, What::Reply(Raw::new(text))),
            }
        }
        _ => told.skip(Skip::Noise),
    }
}

/// Results of several commands form a list, each with its own outcome.
fn outcome(content: &Value) -> (String, bool) {
    let list = content.as_array().map(Vec::as_slice).unwrap_or_default();
    if !list.is_empty() && list.iter().all(|item| item.get("success").is_some()) {
        let texts: Vec<String> =
            list.iter().map(|item| text_of(item.get("error").unwrap_or(&item["result"]))).collect();
        return (texts.join("\n"), list.iter().all(|item| item["success"] == true));
    }
    let text = text_of(content);
    let ok = exit_code(&text).is_none_or(|code| code == 0) && !text.contains("\"isError\":true");
    (text, ok)
}

/// What the user typed, without the surrounding tag.
fn asked(text: &str) -> &str {
    let Some((_, rest)) = text.split_once("<user_input").and_then(|(_, rest)| rest.split_once('>')) else {
        return text;
    };
    rest.split("</user_input>").next().unwrap_or(rest)
}
