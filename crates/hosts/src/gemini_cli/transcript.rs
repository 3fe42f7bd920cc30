//! Chats of Gemini CLI: lines in current versions, whole documents in older ones. A message is written again
//! after its tools have run; a repeated part has the same id, which identifies it.

use std::path::Path;

use hark_core::{Raw, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools::{self, exit_code};
use crate::hook::wire::text_of;
use crate::host::home;
use crate::transcript::{
    Identity, Reader, Shape, Skip, Told, Transcripts, is_json, is_jsonl, stem, text_in, time,
};

pub(crate) const LINES: Transcripts = Transcripts {
    host: "gemini-cli",
    shape: Shape::Lines,
    secondhand: false,
    places: &[home(&[".gemini/tmp"])],
    named: |path| is_jsonl(path) && is_chat(path),
    begins: |head| {
        head.lines().next().is_some_and(|line| line.contains("\"projectHash\":") && line.ends_with('}'))
    },
    reader,
};

pub(crate) const DOCUMENTS: Transcripts = Transcripts {
    host: "gemini-cli",
    shape: Shape::Document,
    secondhand: false,
    places: &[home(&[".gemini/tmp"])],
    named: |path| is_json(path) && is_chat(path),
    begins: |head| {
        let head = head.get(..1_000.min(head.len())).unwrap_or(head);
        head.starts_with('{') && head.contains("\"projectHash\":") && head.contains("\"messages\":")
    },
    reader,
};

fn reader(path: &Path) -> Box<dyn Reader> {
    let root = path.parent().and_then(Path::parent);
    let identity = Identity { session: stem(path), cwd: root.and_then(project), ..Identity::default() };
    Box::new(Session { identity })
}

fn is_chat(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "chats")
}

/// A small file next to the chat folder names the project.
fn project(folder: &Path) -> Option<String> {
    let text = hark_files::regular::read_to_string(&folder.join(".project_root"), 64 * 1024).ok()?;
    Some(text.trim().to_owned()).filter(|path| path.starts_with('/') && path.len() < 4_096)
}

#[derive(Debug)]
struct Session {
    identity: Identity,
}

/// A header, a patch of it or a message in one type, because only their fields tell them apart.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    session_id: Option<String>,
    #[serde(rename = "$set", borrow)]
    set: Option<Box<Record<'a>>>,
    #[serde(default, borrow)]
    messages: Option<Vec<Record<'a>>>,
    #[serde(rename = "type")]
    kind: Option<String>,
    timestamp: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    model: Option<String>,
    tool_calls: Option<Vec<Value>>,
}

impl Reader for Session {
    fn read(&mut self, record: &[u8], _at: u64, told: &mut Told) {
        match serde_json::from_slice::<Record<'_>>(record) {
            Ok(record) => self.record(&record, told),
            Err(_) => told.skip(Skip::Broken),
        }
    }
}

impl Session {
    fn record(&mut self, record: &Record<'_>, told: &mut Told) {
        if let Some(session) = &record.session_id {
            self.identity.session.clone_from(session);
        }
        if record.model.is_some() {
            self.identity.model.clone_from(&record.model);
        }
        if let Some(set) = &record.set {
            return self.record(set, told);
        }
        if let Some(messages) = &record.messages {
            messages.iter().for_each(|message| self.record(message, told));
            return;
        }
        let when = record.timestamp.as_deref().and_then(time);
        match record.kind.as_deref() {
            Some("user") => {
                let text = without_injections(&record.content.map(text_in).unwrap_or_default());
                let text = text.trim();
                if text.is_empty() || is_noise(text) {
                    self.identity.cwd = self.identity.cwd.take().or_else(|| workspace(text));
                    return told.skip(Skip::Noise);
                }
                told.session(self.identity.clone());
                told.turn(None, when, What::Prompt(Raw::new(text)));
            }
            Some("gemini") => self.reply(record, when, told),
            Some("info" | "error" | "warning") | None => told.skip(Skip::Noise),
            Some(_) => told.skip(Skip::Unknown),
        }
    }

    fn reply(&self, record: &Record<'_>, when: Option<Timestamp>, told: &mut Told) {
        told.session(self.identity.clone());
        let text = record.content.map(text_in).unwrap_or_default();
        if !text.trim().is_empty() {
            told.turn(None, when, What::Reply(Raw::new(text.trim_end())));
        }
        for call in record.tool_calls.iter().flatten() {
            let status = call["status"].as_str().unwrap_or_default();
            let (Some(id), "success" | "error" | "cancelled") = (call["id"].as_str(), status) else {
                told.skip(Skip::Noise);
                continue;
            };
            let tool = tools::call(call["name"].as_str().unwrap_or("tool"), &call["args"], None);
            let output = output(&call["result"]);
            let ok = status == "success" && exit_code(&output).is_none_or(|code| code == 0);
            let when = call["timestamp"].as_str().and_then(time).or(when);
            let output = Raw::new(without_injections(&without_frames(&output)));
            told.turn(Some(id.to_owned()), when, What::AfterTool { tool, output, ok: Some(ok) });
        }
    }
}

fn output(result: &Value) -> String {
    let parts = result.as_array().map_or(std::slice::from_ref(result), Vec::as_slice);
    let texts = parts.iter().map(|part| {
        let response = &part["functionResponse"]["response"];
        let text = ["output", "error"].iter().find_map(|name| response[name].as_str());
        text.map_or_else(|| text_of(part), str::to_owned)
    });
    let joined = texts.collect::<Vec<_>>().join("\n");
    joined.replace("<untrusted_context>\n", "").replace("\n</untrusted_context>", "")
}

/// The client tells its model the working folder.
fn workspace(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Workspace Directories:**\n")?;
    let path = rest.lines().next()?.trim().strip_prefix("- ")?.trim();
    path.starts_with('/').then(|| path.to_owned())
}

/// Text that the client writes on behalf of the user.
fn is_noise(text: &str) -> bool {
    ["<session_context>", "System: Please continue.", "/"].iter().any(|beginning| text.starts_with(beginning))
}
