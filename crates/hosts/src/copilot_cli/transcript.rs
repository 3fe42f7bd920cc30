//! Sessions of Copilot CLI: one event per line, in `events.jsonl` in the session's folder.

use hark_core::Raw;
use serde::Deserialize;
use serde_json::Value;

use crate::hook::What;
use crate::hook::names::without_frames;
use crate::hook::tools;
use crate::hook::typed::typed;
use crate::host::{Root, below};
use crate::transcript::{Calls, Identity, Reader, Shape, Skip, Told, Transcripts, time};

const COPILOT: Root = Root::Var("COPILOT_HOME", ".copilot");

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "copilot-cli",
    shape: Shape::Lines,
    secondhand: false,
    places: &[below(COPILOT, &["session-state"])],
    named: |path| path.file_name().is_some_and(|name| name == "events.jsonl"),
    begins: |head| head.lines().next().is_some_and(|line| line.contains("\"type\":\"session.start\"")),
    reader: |path| {
        let folder = path.parent().and_then(|folder| folder.file_name());
        let name = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Box::new(Session {
            identity: Identity { session: name, ..Identity::default() },
            ..Session::default()
        })
    },
};

#[derive(Debug, Default)]
struct Session {
    identity: Identity,
    calls: Calls,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    timestamp: Option<String>,
    #[serde(default)]
    data: Value,
}

impl Reader for Session {
    fn read(&mut self, record: &[u8], at: u64, told: &mut Told) {
        let Ok(line) = serde_json::from_slice::<Line>(record) else { return told.skip(Skip::Broken) };
        let data = &line.data;
        let text = |name: &str| data[name].as_str().unwrap_or_default();
        let when = line.timestamp.as_deref().and_then(time);
        match line.kind.as_str() {
            "session.start" => self.begin(data),
            "user.message" => {
                let Some(said) = typed(text("content")) else { return told.skip(Skip::Noise) };
                told.session(self.identity.clone());
                told.turn(None, when, What::Prompt(Raw::new(said)));
            }
            "assistant.message" => {
                let said = without_frames(text("content"));
                if said.trim().is_empty() {
                    return told.skip(Skip::Noise);
                }
                told.session(self.identity.clone());
                told.turn(None, when, What::Reply(Raw::new(said.trim_end())));
            }
            "tool.execution_start" => {
                let tool = tools::call(text("toolName"), &data["arguments"], data["mcpServerName"].as_str());
                self.calls.begin(text("toolCallId").to_owned(), at, tool);
            }
            "tool.execution_complete" => {
                let id = text("toolCallId");
                let Some(tool) = self.calls.end(id, at) else { return told.skip(Skip::Orphan) };
                let code = data["shellExecution"]["exitCode"].as_i64();
                let ok = data["success"].as_bool().map(|ok| ok && code.is_none_or(|code| code == 0));
                let error = data["error"]["message"].as_str().or(data["error"].as_str());
                let result = &data["result"];
                // Additions by hooks follow the tool's own output.
                let said = error.or(result["content"].as_str()).unwrap_or_default();
                let said = said.split("Additional guidance from postToolUse").next().unwrap_or_default();
                told.session(self.identity.clone());
                let output = Raw::new(without_frames(said));
                told.turn(Some(id.to_owned()), when, What::AfterTool { tool, output, ok });
            }
            "session.compaction_complete" => {
                told.session(self.identity.clone());
                told.turn(None, when, What::Compacted(Raw::new(without_frames(text("summaryContent")))));
            }
            kind if KNOWN.iter().any(|known| kind.starts_with(known)) => told.skip(Skip::Noise),
            _ => told.skip(Skip::Unknown),
        }
    }

    fn waits_since(&self) -> Option<u64> {
        self.calls.since()
    }
}

const KNOWN: &[&str] =
    &["hook.", "session.", "system.", "assistant.", "tool.", "subagent.", "skill.", "permission.", "abort"];

impl Session {
    fn begin(&mut self, data: &Value) {
        let context = &data["context"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.identity = Identity {
            session: text(&data["sessionId"]).unwrap_or_else(|| self.identity.session.clone()),
            parent: text(&data["parentSessionId"]),
            cwd: text(&context["cwd"]),
            branch: text(&context["branch"]),
            commit: text(&context["headCommit"]),
            model: text(&data["selectedModel"]),
        };
    }
}
