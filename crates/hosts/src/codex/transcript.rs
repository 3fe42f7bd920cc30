//! Rollouts of Codex CLI: one record per line. Prompts come from the model's input, without what the client
//! added. Commands come from the client's own report if there is one, because it has the exit code.

use std::borrow::Cow;
use std::collections::VecDeque;

use hark_core::{Raw, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::hook::What;
use crate::hook::names::without_frames;
use crate::hook::tools::{self, ToolUse, exit_code};
use crate::hook::typed::typed as typed_text;
use crate::hook::wire::text_of;
use crate::host::{Root, below};
use crate::transcript::{
    Calls, Identity, Reader, Shape, Skip, Told, Transcripts, is_jsonl, stem, text_in, time,
};

const CODEX: Root = Root::Var("CODEX_HOME", ".codex");

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "codex",
    shape: Shape::Lines,
    secondhand: false,
    places: &[below(CODEX, &["sessions"]), below(CODEX, &["archived_sessions"])],
    named: is_jsonl,
    begins: |head| {
        let first = head.lines().next().unwrap_or_default();
        first.contains("\"type\":\"session_meta\"") || first.contains("\"type\": \"session_meta\"")
    },
    reader: |path| Box::new(Session { identity: named_by_file(&stem(path)), ..Session::default() }),
};

/// `rollout-<time>-<thread>`; the file name identifies the session until a record does.
fn named_by_file(stem: &str) -> Identity {
    let from = stem.len().checked_sub(36).filter(|from| stem.is_char_boundary(*from));
    let thread = from.map_or(stem, |from| &stem[from..]);
    Identity { session: thread.to_owned(), ..Identity::default() }
}

#[derive(Debug, Default)]
struct Session {
    identity: Identity,
    /// Whether the file has identified its session. A fork repeats the record of its origin after its own.
    introduced: bool,
    /// Another agent started it.
    spawned: bool,
    turn: Option<String>,
    /// The turn whose prompt has been reported.
    prompted: Option<String>,
    calls: Calls,
    /// The script that runs, in code mode: the tools that it calls are reported one by one.
    script: Option<String>,
    /// Calls that the client has already reported on.
    accounted: VecDeque<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Cow<'a, str>,
    id: Option<String>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    namespace: Option<Cow<'a, str>>,
    #[serde(borrow)]
    call_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    turn_id: Option<String>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    #[serde(rename = "internal_chat_message_metadata_passthrough")]
    about: Option<About>,
}

#[derive(Deserialize)]
struct About {
    turn_id: Option<String>,
    #[serde(default)]
    content_item_kinds: Option<Vec<Option<String>>>,
}

/// What older versions put into the text of an output.
#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    metadata: Option<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    exit_code: Option<i64>,
}

#[derive(Deserialize)]
struct Compacted {
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct Context {
    turn_id: Option<String>,
    cwd: Option<String>,
    model: Option<String>,
}

#[derive(Deserialize)]
struct Meta {
    id: Option<String>,
    session_id: Option<String>,
    cwd: Option<String>,
    git: Option<Git>,
    forked_from_id: Option<String>,
    parent_thread_id: Option<String>,
    source: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Git {
    branch: Option<String>,
    commit_hash: Option<String>,
}

impl Reader for Session {
    fn read(&mut self, record: &[u8], at: u64, told: &mut Told) {
        let Ok(line) = serde_json::from_slice::<Line<'_>>(record) else { return told.skip(Skip::Broken) };
        let Some(payload) = line.payload.map(RawValue::get) else { return told.skip(Skip::Unknown) };
        let when = line.timestamp.as_deref().and_then(time);
        match &*line.kind {
            "session_meta" => match serde_json::from_str(payload) {
                Ok(meta) => self.meta(meta),
                Err(_) => told.skip(Skip::Broken),
            },
            "turn_context" => match serde_json::from_str::<Context>(payload) {
                Ok(context) => self.context(context),
                Err(_) => told.skip(Skip::Broken),
            },
            "compacted" => {
                told.stay_in(&self.identity);
                let text = serde_json::from_str(payload).map_or(String::new(), |c: Compacted| c.message);
                told.turn(None, when, What::Compacted(Raw::new(without_frames(&text))));
            }
            "response_item" if is_of(payload, SILENT) => told.skip(Skip::Noise),
            "event_msg" if !is_of(payload, EVENTS) => told.skip(Skip::Noise),
            "response_item" | "event_msg" => match serde_json::from_str::<Payload<'_>>(payload) {
                Ok(item) => self.item(&line.kind, item, when, at, told),
                Err(_) => told.skip(Skip::Broken),
            },
            "world_state" | "token_usage_record" => told.skip(Skip::Noise),
            _ => told.skip(Skip::Unknown),
        }
    }

    fn waits_since(&self) -> Option<u64> {
        self.calls.since()
    }
}

/// Model items with nothing to keep; they are half of a rollout, so they are not even read.
const SILENT: &[&str] = &[
    "reasoning",
    "tool_search_call",
    "tool_search_output",
    "additional_tools",
    "token_count",
    "web_search_call",
    "ghost_snapshot",
    "compaction",
];
/// The client's own events that say something.
const EVENTS: &[&str] = &["task_started", "item_completed"];

/// Whether a payload is of one of these kinds, judged by its beginning. If the kind does not come first, the
/// payload has to be read.
fn is_of(payload: &str, kinds: &[&str]) -> bool {
    let begins = payload.trim_start().strip_prefix('{').map(str::trim_start);
    let kind = begins.and_then(|rest| rest.strip_prefix("\"type\"")).map(str::trim_start);
    let kind = kind.and_then(|rest| rest.strip_prefix(':')).map(str::trim_start);
    match kind.and_then(|rest| rest.strip_prefix('"')?.split_once('"')) {
        Some((kind, _)) => kinds.contains(&kind),
        None => kinds == EVENTS,
    }
}

impl Session {
    fn meta(&mut self, meta: Meta) {
        if self.introduced {
            return;
        }
        self.introduced = true;
        let spawned = meta.source.as_ref().and_then(|source| {
            let spawn = source.get("subagent")?.get("thread_spawn")?;
            spawn.get("parent_thread_id")?.as_str().map(str::to_owned)
        });
        let git = meta.git.unwrap_or_default();
        self.spawned = spawned.is_some();
        self.identity = Identity {
            session: meta.id.or(meta.session_id).unwrap_or_else(|| self.identity.session.clone()),
            parent: meta.forked_from_id.or(meta.parent_thread_id).or(spawned),
            cwd: meta.cwd,
            branch: git.branch,
            commit: git.commit_hash,
            model: None,
        };
    }

    fn context(&mut self, context: Context) {
        self.turn = context.turn_id.or(self.turn.take());
        self.identity.cwd = context.cwd.or(self.identity.cwd.take());
        self.identity.model = context.model.or(self.identity.model.take());
    }

    fn item(&mut self, kind: &str, item: Payload<'_>, when: Option<Timestamp>, at: u64, told: &mut Told) {
        let when = when.or_else(|| item.timestamp.as_deref().and_then(time));
        told.stay_in(&self.identity);
        match (kind, &*item.kind) {
            ("response_item", "message") => self.message(&item, when, told),
            ("response_item", "function_call" | "custom_tool_call" | "local_shell_call") => {
                let Some(id) = item.call_id.as_deref().or(item.id.as_deref()) else {
                    return told.skip(Skip::Broken);
                };
                if item.name.as_deref() == Some("exec") && item.namespace.as_deref() == Some("functions") {
                    self.script = Some(id.to_owned());
                }
                self.calls.begin(id.to_owned(), at, called(&item));
            }
            ("response_item", "function_call_output" | "custom_tool_call_output") => {
                self.output(&item, when, at, told);
            }
            ("event_msg", "task_started") => {
                self.turn = item.turn_id;
                told.skip(Skip::Noise);
            }
            ("event_msg", "item_completed") => {
                let done =
                    item.item.and_then(|item| serde_json::from_str(item.get()).ok()).unwrap_or_default();
                if !self.account(&done, when, at, told) {
                    told.skip(Skip::Noise);
                }
            }
            ("response_item", kind) if SILENT.contains(&kind) => told.skip(Skip::Noise),
            ("event_msg", _) => told.skip(Skip::Noise),
            _ => told.skip(Skip::Unknown),
        }
    }

    fn message(&mut self, item: &Payload<'_>, when: Option<Timestamp>, told: &mut Told) {
        let text = item.content.map(text_in).unwrap_or_default();
        match item.role.as_deref() {
            Some("assistant") if !text.trim().is_empty() => {
                told.turn(item.id.clone(), when, What::Reply(Raw::new(text.trim_end())));
            }
            Some("user") => {
                let kinds = item.about.as_ref().and_then(|about| about.content_item_kinds.as_ref());
                let typed = kinds.is_none_or(|kinds| kinds.iter().flatten().any(|kind| kind == "user.text"));
                let Some(text) = typed_text(&text).filter(|_| typed) else { return told.skip(Skip::Noise) };
                let text =
                    text.rsplit_once("## My request for Codex:").map_or(&*text, |(_, asked)| asked).trim();
                if text.is_empty() {
                    return told.skip(Skip::Noise);
                }
                let turn = item.about.as_ref().and_then(|about| about.turn_id.clone()).or(self.turn.clone());
                // A second prompt in the same turn has no id of its own.
                let once = turn.filter(|turn| self.prompted.as_ref() != Some(turn));
                self.prompted = once.clone().or(self.prompted.take());
                let text = Raw::new(text);
                let what = if self.spawned { What::Task(text) } else { What::Prompt(text) };
                told.turn(once.or_else(|| item.id.clone()), when, what);
            }
            _ => told.skip(Skip::Noise),
        }
    }

    fn output(&mut self, item: &Payload<'_>, when: Option<Timestamp>, at: u64, told: &mut Told) {
        let id = item.call_id.as_deref().unwrap_or_default();
        if self.script.as_deref() == Some(id) {
            self.script = None;
        }
        if self.accounted.iter().any(|known| known == id) {
            self.calls.end(id, at);
            return told.skip(Skip::Noise);
        }
        let Some(tool) = self.calls.end(id, at) else { return told.skip(Skip::Orphan) };
        let mut text = item.output.map(said).unwrap_or_default();
        // Older versions put an object into the text.
        let inner = text.starts_with('{').then(|| serde_json::from_str::<Output<'_>>(&text).ok()).flatten();
        let code = inner.as_ref().and_then(|inner| inner.metadata.as_ref()?.exit_code);
        if let Some(output) = inner.and_then(|inner| inner.output) {
            text = said(output);
        }
        let code = code.or_else(|| exit_code(&text));
        let output = Raw::new(without_frames(&text));
        told.turn(
            Some(id.to_owned()),
            when,
            What::AfterTool { tool, output, ok: code.map(|code| code == 0) },
        );
    }

    /// The client's report of a finished action; false if the report is of no interest.
    fn account(&mut self, done: &Value, when: Option<Timestamp>, at: u64, told: &mut Told) -> bool {
        let Some(id) = done["id"].as_str().map(str::to_owned) else { return false };
        let known = self.calls.end(&id, at);
        let is_call = known.is_some();
        let (tool, output, ok) = match done["type"].as_str() {
            Some("CommandExecution") => {
                let tool = known.unwrap_or_else(|| {
                    tools::call("Bash", &json!({ "command": command(&done["command"]) }), None)
                });
                let ok = done["exit_code"].as_i64().map(|code| code == 0);
                (tool, text_of(&done["aggregated_output"]), ok)
            }
            Some("FileChange") => {
                let output = [&done["stdout"], &done["stderr"]].map(text_of).join("\n");
                let tool = known.unwrap_or_else(|| {
                    let paths: Vec<&String> =
                        done["changes"].as_object().into_iter().flatten().map(|c| c.0).collect();
                    tools::call("apply_patch", &json!({ "files": paths }), None)
                });
                (tool, output, done["status"].as_str().map(|status| status == "completed"))
            }
            Some("McpToolCall") => {
                let tool = known.unwrap_or_else(|| {
                    let name = done["tool"].as_str().unwrap_or("tool");
                    let server = done["server"].as_str();
                    let full = server.map_or(name.to_owned(), |server| format!("mcp__{server}__{name}"));
                    tools::call(&full, &done["arguments"], server)
                });
                let failed = done["result"]["isError"].as_bool() == Some(true) || !done["error"].is_null();
                (tool, text_of(&done["result"]), Some(!failed))
            }
            _ => {
                if let Some(tool) = known {
                    self.calls.begin(id, at, tool);
                }
                return false;
            }
        };
        // A script and the tools that it calls are one thing, told once.
        let script = self.script.take_if(|script| !is_call && *script != id);
        for id in script.into_iter().chain([id.clone()]) {
            if self.accounted.len() >= 256 {
                self.accounted.pop_front();
            }
            self.accounted.push_back(id);
        }
        told.turn(Some(id), when, What::AfterTool { tool, output: Raw::new(without_frames(&output)), ok });
        true
    }
}

fn called(item: &Payload<'_>) -> ToolUse {
    let name = item.name.as_deref().unwrap_or("shell");
    let given = item.arguments.or(item.input).or(item.action);
    let input = match given.map(|given| serde_json::from_str(given.get()).unwrap_or_default()) {
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        Some(other) => other,
        None => Value::Null,
    };
    let input = match input.get("command") {
        Some(list @ Value::Array(_)) => {
            let mut input = input.clone();
            input["command"] = Value::String(command(list));
            input
        }
        _ => input,
    };
    tools::call(name, &input, None)
}

/// `["bash", "-lc", "make"]` is `make`.
fn command(words: &Value) -> String {
    let words: Vec<&str> = words.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [shell, "-lc" | "-c", script] if shell.ends_with("sh") => (*script).to_owned(),
        words => words.join(" "),
    }
}

/// The text of an output, which is a string or a list of parts.
fn said(output: &RawValue) -> String {
    match output.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str(output.get()).unwrap_or_default(),
        _ => text_of(&serde_json::from_str::<Value>(output.get()).unwrap_or_default()),
    }
}
