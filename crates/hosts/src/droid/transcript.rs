//! Sessions of Droid: one message per line, with blocks as in Claude Code.

use hark_core::Raw;
use serde::Deserialize;
use serde_json::Value;

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools::{self, exit_code};
use crate::hook::wire::text_of;
use crate::host::home;
use crate::transcript::{Calls, Identity, Reader, Shape, Skip, Told, Transcripts, is_jsonl, stem, time};

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "droid",
    shape: Shape::Lines,
    secondhand: false,
    places: &[home(&[".factory/sessions"])],
    named: is_jsonl,
    begins: |head| head.lines().next().is_some_and(|line| line.contains("\"type\":\"session_start\"")),
    reader: |path| {
        Box::new(Session {
            identity: Identity { session: stem(path), ..Identity::default() },
            calls: Calls::default(),
        })
    },
};

#[derive(Debug)]
struct Session {
    identity: Identity,
    calls: Calls,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    id: Option<String>,
    cwd: Option<String>,
    timestamp: Option<String>,
    #[serde(default)]
    message: Value,
}

impl Reader for Session {
    fn read(&mut self, record: &[u8], at: u64, told: &mut Told) {
        let Ok(line) = serde_json::from_slice::<Line>(record) else { return told.skip(Skip::Broken) };
        match line.kind.as_str() {
            "session_start" => {
                let session = line.id.unwrap_or_else(|| self.identity.session.clone());
                self.identity = Identity { session, cwd: line.cwd, ..Identity::default() };
            }
            "message" => self.message(&line, at, told),
            "session_end" | "todo_state" | "compaction_state" | "session_settings" => told.skip(Skip::Noise),
            _ => told.skip(Skip::Unknown),
        }
    }

    fn waits_since(&self) -> Option<u64> {
        self.calls.since()
    }
}

impl Session {
    fn message(&mut self, line: &Line, at: u64, told: &mut Told) {
        let when = line.timestamp.as_deref().and_then(time);
        let message = &line.message;
        let is_user = message["role"] == "user";
        let hidden = message["visibility"].is_string() || message["hookEventName"].is_string();
        told.session(self.identity.clone());
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        for block in blocks {
            match block["type"].as_str() {
                Some("tool_use") => {
                    let tool = tools::call(block["name"].as_str().unwrap_or("tool"), &block["input"], None);
                    self.calls.begin(block["id"].as_str().unwrap_or_default().to_owned(), at, tool);
                }
                Some("tool_result") => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default();
                    let Some(tool) = self.calls.end(id, at) else {
                        told.skip(Skip::Orphan);
                        continue;
                    };
                    let text = text_of(&block["content"]);
                    let ok = block["is_error"] != true && exit_code(&text).is_none_or(|code| code == 0);
                    let output = Raw::new(without_injections(&without_frames(&text)));
                    told.turn(Some(id.to_owned()), when, What::AfterTool { tool, output, ok: Some(ok) });
                }
                Some("text") => {
                    let text = without_injections(block["text"].as_str().unwrap_or_default());
                    match text.trim() {
                        "" => told.skip(Skip::Noise),
                        _ if is_user && hidden => told.skip(Skip::Noise),
                        text if is_user => told.turn(None, when, What::Prompt(Raw::new(text))),
                        text => told.turn(None, when, What::Reply(Raw::new(text))),
                    }
                }
                _ => told.skip(Skip::Noise),
            }
        }
        if blocks.is_empty() {
            told.skip(Skip::Noise);
        }
    }
}
