//! Chats of Gemini CLI: lines in current versions, whole documents in older ones. A message is written again
//! after its tools have run; a repeated part has the same id, which identifies it.

use std::io::{BufRead, BufReader, Read};
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
    // Reading may start behind the header, and the name of the file has only a part of the id.
    let session = header(path).unwrap_or_else(|| stem(path));
    let identity = Identity { session, cwd: root.and_then(project), ..Identity::default() };
    Box::new(Session { identity })
}

/// The session that the first line of the file names.
fn header(path: &Path) -> Option<String> {
    let mut line = String::new();
    let file = hark_files::regular::open(path).ok()?;
    BufReader::new(file.take(LONGEST_HEADER)).read_line(&mut line).ok()?;
    serde_json::from_str::<Record<'_>>(&line).ok()?.session_id
}

const LONGEST_HEADER: u64 = 64 * 1024;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Item;

    #[test]
    fn what_is_appended_belongs_to_the_session_of_the_header() {
        let folder = std::env::temp_dir().join(format!("hark-gemini-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("session-2026-11-18T02-59-a1903c02.jsonl");
        let header =
            r#"{"sessionId":"a1903c02-b2f1-4236-b937-fa89394ca5af","projectHash":"x","kind":"main"}"#;
        std::fs::write(&path, format!("{header}\n")).unwrap();
        let mut told = Told::default();
        let later = r#"{"id":"1","timestamp":"2026-11-18T02:59:57.952Z","type":"user","content":"And now the tests"}"#;
        reader(&path).read(later.as_bytes(), 100, &mut told);
        let sessions: Vec<&str> = told
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Session(identity) => Some(identity.session.as_str()),
                Item::Turn(_) => None,
            })
            .collect();
        assert_eq!(sessions, ["a1903c02-b2f1-4236-b937-fa89394ca5af"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
