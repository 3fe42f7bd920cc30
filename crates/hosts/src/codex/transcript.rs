//! Rollouts of Codex CLI: one record per line. Prompts come from the model's input, without what the client
//! added. Commands come from the client's own report if there is one, because it has the exit code.

use std::collections::VecDeque;

use hark_core::{Raw, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools::{self, ToolUse, exit_code};
use crate::hook::wire::text_of;
use crate::host::{Root, below};
use crate::transcript::{
    Calls, Identity, Reader, Shape, Skip, Told, Transcripts, is_jsonl, stem, text_in, time,
};

const CODEX: Root = Root::Var("CODEX_HOME", ".codex");

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "codex",
    shape: Shape::Lines,
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
    /// Calls that the client has already reported on.
    accounted: VecDeque<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    timestamp: Option<String>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    id: Option<String>,
    role: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    name: Option<String>,
    call_id: Option<String>,
    arguments: Option<Value>,
    input: Option<Value>,
    action: Option<Value>,
    output: Option<Value>,
    turn_id: Option<String>,
    timestamp: Option<String>,
    item: Option<Value>,
    #[serde(rename = "internal_chat_message_metadata_passthrough")]
    about: Option<About>,
}

#[derive(Deserialize)]
struct About {
    turn_id: Option<String>,
    #[serde(default)]
    content_item_kinds: Option<Vec<Option<String>>>,
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
        match line.kind.as_str() {
            "session_meta" => match serde_json::from_str(payload) {
                Ok(meta) => self.meta(meta),
                Err(_) => told.skip(Skip::Broken),
            },
            "turn_context" => match serde_json::from_str::<Value>(payload) {
                Ok(context) => self.context(&context),
                Err(_) => told.skip(Skip::Broken),
            },
            "compacted" => {
                told.session(self.identity.clone());
                let value: Value = serde_json::from_str(payload).unwrap_or_default();
                let text = value["message"].as_str().unwrap_or_default();
                told.turn(None, when, What::Compacted(Raw::new(without_frames(text))));
            }
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

    fn context(&mut self, context: &Value) {
        let text = |name: &str| context[name].as_str().map(str::to_owned);
        self.turn = text("turn_id").or(self.turn.take());
        self.identity.cwd = text("cwd").or(self.identity.cwd.take());
        self.identity.model = text("model").or(self.identity.model.take());
    }

    fn item(&mut self, kind: &str, item: Payload<'_>, when: Option<Timestamp>, at: u64, told: &mut Told) {
        let when = when.or_else(|| item.timestamp.as_deref().and_then(time));
        told.session(self.identity.clone());
        match (kind, item.kind.as_str()) {
            ("response_item", "message") => self.message(&item, when, told),
            ("response_item", "function_call" | "custom_tool_call" | "local_shell_call") => {
                let Some(id) = item.call_id.clone().or(item.id.clone()) else {
                    return told.skip(Skip::Broken);
                };
                self.calls.begin(id, at, called(&item));
            }
            ("response_item", "function_call_output" | "custom_tool_call_output") => {
                self.output(&item, when, at, told);
            }
            ("event_msg", "task_started") => {
                self.turn = item.turn_id;
                told.skip(Skip::Noise);
            }
            ("event_msg", "item_completed") => {
                let done = item.item.unwrap_or_default();
                if !self.account(&done, when, at, told) {
                    told.skip(Skip::Noise);
                }
            }
            (
                "response_item",
                "reasoning" | "tool_search_call" | "tool_search_output" | "additional_tools" | "token_count"
                | "web_search_call" | "ghost_snapshot" | "compaction",
            ) => told.skip(Skip::Noise),
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
                let text = without_injections(&text);
                let text =
                    text.rsplit_once("## My request for Codex:").map_or(&*text, |(_, asked)| asked).trim();
                if !typed || text.is_empty() || is_noise(text) {
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
        if self.accounted.iter().any(|known| known == id) {
            self.calls.end(id, at);
            return told.skip(Skip::Noise);
        }
        let Some(tool) = self.calls.end(id, at) else { return told.skip(Skip::Orphan) };
        let output = item.output.clone().unwrap_or_default();
        // Older versions put an object into the text.
        let inner = output.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let code = inner.as_ref().and_then(|inner| inner["metadata"]["exit_code"].as_i64());
        let text = match &inner {
            Some(Value::Object(inner)) if inner.contains_key("output") => text_of(&inner["output"]),
            _ => text_of(&output),
        };
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
        if self.accounted.len() >= 256 {
            self.accounted.pop_front();
        }
        self.accounted.push_back(id.clone());
        told.turn(Some(id), when, What::AfterTool { tool, output: Raw::new(without_frames(&output)), ok });
        true
    }
}

fn called(item: &Payload<'_>) -> ToolUse {
    let name = item.name.as_deref().unwrap_or("shell");
    let given = item.arguments.as_ref().or(item.input.as_ref()).or(item.action.as_ref());
    let input = match given {
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(other) => other.clone(),
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

/// Text that the client writes on behalf of the user.
fn is_noise(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "<environment_context>",
        "<user_instructions>",
        "# AGENTS.md instructions",
        "<INSTRUCTIONS>",
        "<turn_aborted>",
        "<permissions instructions>",
        "<user_action>",
        "<skill>",
        "<subagent_notification>",
        "<user_shell_command>",
    ];
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}
