//! Transcripts of Claude Code: one record per line, one file per session, subagents in their own files. A
//! resumed session continues in its file; a forked one starts with copies.

use hark_core::{Raw, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::hook::What;
use crate::hook::tools::{self, ToolClass, exit_code};
use crate::hook::typed::{is_from_agent, is_summary, typed};
use crate::host::{Root, below};
use crate::transcript::{
    Calls, Identity, Reader, Shape, Skip, Told, Transcripts, is_jsonl, stem, text_in, time,
};

const CLAUDE: Root = Root::Var("CLAUDE_CONFIG_DIR", ".claude");

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "claude-code",
    shape: Shape::Lines,
    secondhand: false,
    places: &[below(CLAUDE, &["projects"])],
    named: is_jsonl,
    begins,
    reader: |path| Box::new(Session { name: stem(path), ..Session::default() }),
};

/// The first lines name the session, or are of a kind that only this client writes.
fn begins(head: &str) -> bool {
    head.lines().take(8).any(|line| {
        let is_object = line.starts_with('{');
        let own = ["\"sessionId\":\"", "\"sessionId\": \"", "\"isSnapshotUpdate\":", "\"leafUuid\":"];
        is_object && line.contains("\"type\":") && own.iter().any(|mark| line.contains(mark))
    })
}

#[derive(Debug, Default)]
struct Session {
    /// The session named by the file, for lines that name none.
    name: String,
    /// The session it was forked from.
    origin: Option<String>,
    model: Option<String>,
    calls: Calls,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    uuid: Option<String>,
    session_id: Option<String>,
    timestamp: Option<String>,
    cwd: Option<String>,
    git_branch: Option<String>,
    agent_id: Option<String>,
    prompt_id: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_compact_summary: bool,
    forked_from: Option<Origin>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_result: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Origin {
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    model: Option<String>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    is_error: Option<bool>,
}

/// Kinds of records with nothing worth keeping.
const NOISE: &[&str] = &[
    "progress",
    "file-history-snapshot",
    "summary",
    "queue-operation",
    "attachment",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "last-prompt",
    "atis-latch",
    "tools-used",
    "cost-state",
    "mode",
    "pr-link",
    "custom-title",
    "ai-title",
    "agent-name",
    "agent-color",
    "tag",
    "permission-mode",
];

impl Reader for Session {
    fn read(&mut self, record: &[u8], at: u64, told: &mut Told) {
        let Ok(line) = serde_json::from_slice::<Line<'_>>(record) else { return told.skip(Skip::Broken) };
        let is_turn = matches!(line.kind.as_str(), "user" | "assistant");
        if !is_turn {
            return told.skip(if line.kind == "system" || NOISE.contains(&line.kind.as_str()) {
                Skip::Noise
            } else {
                Skip::Unknown
            });
        }
        let compacting = line.agent_id.as_deref().is_some_and(|id| id.starts_with("acompact"));
        if compacting || line.forked_from.as_ref().is_some_and(|from| from.session_id.is_some()) {
            // A fork's own turns follow, and they name the session it was forked from.
            self.origin = line.forked_from.and_then(|from| from.session_id).or(self.origin.take());
            return told.skip(Skip::Copied);
        }
        let Some(message) = line.message.and_then(|m| serde_json::from_str::<Message<'_>>(m.get()).ok())
        else {
            return told.skip(Skip::Broken);
        };
        let Some(content) = message.content else { return told.skip(Skip::Noise) };
        self.model = message.model.filter(|model| !model.starts_with('<')).or(self.model.take());
        told.session(self.identity(&line));
        if line.kind == "user" {
            self.user(&line, content, at, told);
        } else {
            self.assistant(&line, content, at, told);
        }
    }

    fn waits_since(&self) -> Option<u64> {
        self.calls.since()
    }
}

impl Session {
    fn identity(&self, line: &Line<'_>) -> Identity {
        let session = line.session_id.clone().unwrap_or_else(|| self.name.clone());
        let (session, parent) = match &line.agent_id {
            Some(agent) if line.is_sidechain => (format!("{session}/agent-{agent}"), Some(session)),
            _ => (session, self.origin.clone()),
        };
        Identity {
            session,
            parent,
            cwd: line.cwd.clone(),
            branch: line.git_branch.clone().filter(|branch| !branch.is_empty() && branch != "HEAD"),
            commit: None,
            model: self.model.clone(),
        }
    }

    fn user(&mut self, line: &Line<'_>, content: &RawValue, at: u64, told: &mut Told) {
        let when = line.timestamp.as_deref().and_then(time);
        if line.is_compact_summary {
            return told.turn(line.uuid.clone(), when, What::Compacted(Raw::new(text_in(content))));
        }
        let mut results = false;
        if content.get().starts_with('[') {
            let Ok(blocks) = serde_json::from_str::<Vec<Block<'_>>>(content.get()) else {
                return told.skip(Skip::Broken);
            };
            for block in blocks.iter().filter(|block| block.kind == "tool_result") {
                results = true;
                self.result(line, block, when, at, told);
            }
        }
        if line.is_meta {
            if !results {
                told.skip(Skip::Noise);
            }
            return;
        }
        let Some(text) = typed(&text_in(content)) else {
            if !results {
                told.skip(Skip::Noise);
            }
            return;
        };
        // Older versions do not mark it.
        if is_summary(&text) {
            return told.turn(line.uuid.clone(), when, What::Compacted(Raw::new(text)));
        }
        let by_agent = line.is_sidechain || is_from_agent(&text);
        let once = if by_agent { None } else { line.prompt_id.clone() };
        let what = if by_agent { What::Task(Raw::new(text)) } else { What::Prompt(Raw::new(text)) };
        told.turn(once.or_else(|| line.uuid.clone()), when, what);
    }

    fn result(
        &mut self,
        line: &Line<'_>,
        block: &Block<'_>,
        when: Option<Timestamp>,
        at: u64,
        told: &mut Told,
    ) {
        let id = block.tool_use_id.as_deref().unwrap_or_default();
        let Some(mut tool) = self.calls.end(id, at) else { return told.skip(Skip::Orphan) };
        let failed = block.is_error == Some(true);
        // The content of a file is in the file, so it is not even read here.
        let unread = matches!(tool.class, ToolClass::Read | ToolClass::Search) && !failed;
        let output = match block.content {
            Some(content) if !unread => text_in(content),
            _ => String::new(),
        };
        if tool.class == ToolClass::Edit
            && let Some(result) = line.tool_use_result
            && result.get().len() < 4 * 1024 * 1024
            && result.get().starts_with('{')
            && result.get().contains("\"create\"")
        {
            tool.learn_from(serde_json::from_str::<Value>(result.get()).ok().as_ref());
        }
        let ok = !failed && exit_code(&output).is_none_or(|code| code == 0 || tool.class != ToolClass::Shell);
        told.turn(
            Some(id.to_owned()),
            when,
            What::AfterTool { tool, output: Raw::new(output), ok: Some(ok) },
        );
    }

    fn assistant(&mut self, line: &Line<'_>, content: &RawValue, at: u64, told: &mut Told) {
        let when = line.timestamp.as_deref().and_then(time);
        let mut said = text_in(content);
        let mut any = false;
        if content.get().starts_with('[') {
            let Ok(blocks) = serde_json::from_str::<Vec<Block<'_>>>(content.get()) else {
                return told.skip(Skip::Broken);
            };
            for block in blocks {
                if let ("tool_use", Some(id), Some(name)) = (block.kind.as_str(), block.id, &block.name) {
                    any = true;
                    let input = block.input.and_then(|input| serde_json::from_str::<Value>(input.get()).ok());
                    self.calls.begin(id, at, tools::call(name, &input.unwrap_or_default(), None));
                }
            }
        }
        if said.trim().is_empty() {
            if !any {
                told.skip(Skip::Noise);
            }
            return;
        }
        said.truncate(said.trim_end().len());
        told.turn(line.uuid.clone(), when, What::Reply(Raw::new(said)));
    }
}
