//! What clients ask, by way of which path. A further surface is one more row.

use serde_json::{Value, json};

use super::client::Answer;

pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) read: Request,
    pub(super) write: Request,
}

pub(super) struct Request {
    pub(super) path: &'static str,
    /// From a text, and a number that no other request of the run has.
    pub(super) body: fn(&str, usize) -> Value,
    pub(super) check: fn(&Answer) -> Result<(), String>,
}

pub(super) static TARGETS: &[Target] = &[
    Target {
        name: "mcp",
        read: Request {
            path: "/mcp",
            body: |query, _| call("memory_recall", &json!({ "query": query, "all_projects": true })),
            check: tool_answered,
        },
        write: Request {
            path: "/mcp",
            body: |text, turn| call("memory_remember", &json!({ "text": note(text, turn), "global": true })),
            check: tool_answered,
        },
    },
    Target {
        name: "rest",
        read: Request {
            path: "/v1/recall",
            body: |query, _| json!({ "query": query, "all_projects": true }),
            check: answered,
        },
        write: Request {
            path: "/v1/remember",
            body: |text, turn| json!({ "text": note(text, turn), "global": true }),
            check: answered,
        },
    },
];

/// Unlike every other, so that none is merged with one that is there.
fn note(text: &str, turn: usize) -> String {
    format!("Load note {turn}: {text}")
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

fn answered(answer: &Answer) -> Result<(), String> {
    let is_json = serde_json::from_slice::<Value>(&answer.body).is_ok_and(|body| body.get("error").is_none());
    if answer.status == 200 && is_json { Ok(()) } else { Err(answer.words()) }
}

fn tool_answered(answer: &Answer) -> Result<(), String> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let is_good = body["result"].is_object() && body["result"]["isError"] != json!(true);
    if answer.status == 200 && is_good { Ok(()) } else { Err(answer.words()) }
}
