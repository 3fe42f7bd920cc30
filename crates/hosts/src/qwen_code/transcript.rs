//! Chats of Qwen Code: one record per line, with parts as in Gemini CLI and ids as in Claude Code.

use hark_core::{Raw, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools::{self, exit_code};
use crate::hook::typed::typed;
use crate::host::home;
use crate::transcript::{Calls, Identity, Reader, Shape, Skip, Told, Transcripts, is_jsonl, stem, time};

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "qwen-code",
    shape: Shape::Lines,
    secondhand: false,
    places: &[home(&[".qwen/projects"])],
    named: is_jsonl,
    begins: |head| {
        head.lines().take(4).any(|line| line.contains("\"provenance\":") && line.contains("\"sessionId\":"))
    },
    reader: |path| Box::new(Session { name: stem(path), ..Session::default() }),
};

#[derive(Debug, Default)]
struct Session {
    name: String,
    model: Option<String>,
    calls: Calls,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    session_id: Option<String>,
    timestamp: Option<String>,
    cwd: Option<String>,
    git_branch: Option<String>,
    model: Option<String>,
    provenance: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    parts: Vec<Value>,
}

impl Reader for Session {
    fn read(&mut self, record: &[u8], at: u64, told: &mut Told) {
        let Ok(line) = serde_json::from_slice::<Line>(record) else { return told.skip(Skip::Broken) };
        let parts = match (line.kind.as_str(), line.message) {
            ("user" | "assistant" | "tool_result", Some(message)) => message.parts,
            ("system", _) | ("user" | "assistant" | "tool_result", None) => return told.skip(Skip::Noise),
            _ => return told.skip(Skip::Unknown),
        };
        self.model = line.model.or(self.model.take());
        told.session(Identity {
            session: line.session_id.unwrap_or_else(|| self.name.clone()),
            cwd: line.cwd,
            branch: line.git_branch,
            model: self.model.clone(),
            ..Identity::default()
        });
        let when = line.timestamp.as_deref().and_then(time);
        match line.kind.as_str() {
            "user" => {
                let by_user = line.provenance.as_deref().is_none_or(|by| by == "real_user");
                let Some(text) = typed(&texts(&parts)).filter(|_| by_user) else {
                    return told.skip(Skip::Noise);
                };
                told.turn(None, when, What::Prompt(Raw::new(text)));
            }
            "assistant" => self.assistant(&parts, when, at, told),
            _ => self.results(&parts, when, at, told),
        }
    }

    fn waits_since(&self) -> Option<u64> {
        self.calls.since()
    }
}

impl Session {
    fn assistant(&mut self, parts: &[Value], when: Option<Timestamp>, at: u64, told: &mut Told) {
        let text = texts(parts);
        if !text.trim().is_empty() {
            told.turn(None, when, What::Reply(Raw::new(without_frames(text.trim_end()))));
        }
        for call in parts.iter().map(|part| &part["functionCall"]).filter(|call| call.is_object()) {
            let (Some(id), Some(name)) = (call["id"].as_str(), call["name"].as_str()) else { continue };
            let args = &call["args"];
            // A hidden tool is called through another one.
            let tool = match (name, args["name"].as_str()) {
                ("tool_call", Some(inner)) => tools::call(inner, &args["arguments"], None),
                _ => tools::call(name, args, None),
            };
            self.calls.begin(id.to_owned(), at, tool);
        }
    }

    fn results(&mut self, parts: &[Value], when: Option<Timestamp>, at: u64, told: &mut Told) {
        for part in parts.iter().map(|part| &part["functionResponse"]).filter(|part| part.is_object()) {
            let id = part["id"].as_str().unwrap_or_default();
            let Some(tool) = self.calls.end(id, at) else {
                told.skip(Skip::Orphan);
                continue;
            };
            let response = &part["response"];
            let error = response["error"].as_str();
            let text = error.or(response["output"].as_str()).unwrap_or_default();
            let ok = error.is_none() && exit_code_within(text).is_none_or(|code| code == 0);
            let output = Raw::new(without_injections(&without_frames(text)));
            told.turn(Some(id.to_owned()), when, What::AfterTool { tool, output, ok: Some(ok) });
        }
    }
}

/// It lists the outcome of a command below its output.
fn exit_code_within(text: &str) -> Option<i64> {
    let line = text.lines().rev().take(12).find(|line| line.starts_with("Exit Code: "));
    line.map_or_else(|| exit_code(text), exit_code)
}

fn texts(parts: &[Value]) -> String {
    let spoken = parts.iter().filter(|part| part["thought"].as_bool() != Some(true));
    let texts: Vec<&str> = spoken.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}
