//! OpenAI's Responses API as Codex uses it: tools in namespaces, tools behind a search, and tools that take
//! plain text.

use serde_json::{Value, json};

use super::anthropic::items;
use super::http::{Answer, event};
use super::script::{Heard, Reply, Said, Tool};
use super::{fresh, since};

const SEARCH: &str = "tool_search";

pub(super) fn hear(body: &Value, prompt: &str) -> Heard {
    let mut heard = Heard::default();
    offer(&body["tools"], None, &mut heard.tools);
    // Tools that a search found, whenever it was.
    let found =
        |item: &&Value| matches!(item["type"].as_str(), Some("tool_search_output" | "additional_tools"));
    for item in items(&body["input"]).filter(found) {
        offer(&item["tools"], None, &mut heard.tools);
    }
    for item in since(&body["input"], prompt) {
        match item["type"].as_str().unwrap_or_default() {
            "tool_search_call" => heard.called.push(SEARCH.to_owned()),
            "function_call" | "custom_tool_call" => {
                heard.called.extend(item["name"].as_str().map(str::to_owned));
            }
            _ => {}
        }
    }
    heard
}

fn offer(tools: &Value, namespace: Option<&str>, offered: &mut Vec<Tool>) {
    for tool in items(tools) {
        let kind = tool["type"].as_str().unwrap_or_default();
        let name = tool["name"].as_str().unwrap_or(kind);
        if kind == "namespace" {
            offer(&tool["tools"], Some(name), offered);
        } else {
            let namespace = namespace.map(str::to_owned);
            offered.push(Tool { namespace, name: name.to_owned(), freeform: kind == "custom" });
        }
    }
}

pub(super) fn speak(body: &Value, Said { reply, tokens }: &Said, stream: bool) -> Answer {
    let item = item(reply);
    let usage = json!({ "input_tokens": tokens, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 20,
        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": tokens + 20 });
    let whole = json!({ "id": fresh("resp_"), "object": "response", "created_at": 1, "status": "completed",
        "model": body["model"], "output": [item], "usage": usage, "parallel_tool_calls": true,
        "tool_choice": "auto", "tools": [] });
    if !stream {
        return Answer::json(&whole);
    }
    let mut begun = whole.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    let mut added = item.clone();
    added["status"] = json!("in_progress");
    let id = &item["id"];
    let mut events = vec![
        json!({ "type": "response.created", "response": begun }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": added }),
    ];
    if let Reply::Text(text) = reply {
        events.push(json!({ "type": "response.output_text.delta", "item_id": id, "output_index": 0,
            "content_index": 0, "delta": text }));
        events.push(json!({ "type": "response.output_text.done", "item_id": id, "output_index": 0,
            "content_index": 0, "text": text }));
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": 0, "item": item }));
    events.push(json!({ "type": "response.completed", "response": whole }));
    let numbered = events.iter_mut().enumerate().map(|(at, data)| {
        data["sequence_number"] = json!(at);
        event(data["type"].as_str(), data)
    });
    Answer::events(numbered.collect())
}

fn item(reply: &Reply) -> Value {
    let (tool, input) = match reply {
        Reply::Text(text) => {
            return json!({ "type": "message", "id": fresh("msg_"), "role": "assistant", "status": "completed",
                "content": [{ "type": "output_text", "text": text, "annotations": [] }] });
        }
        Reply::Call(tool, input) => (tool, input),
    };
    let call = fresh("call_");
    if tool.name == SEARCH {
        return json!({ "type": "tool_search_call", "id": fresh("tsc_"), "call_id": call, "execution": "client",
            "status": "completed", "arguments": input });
    }
    let mut item = if tool.freeform {
        json!({ "type": "custom_tool_call", "id": fresh("ctc_"), "call_id": call, "name": tool.name,
            "input": input, "status": "completed" })
    } else {
        json!({ "type": "function_call", "id": fresh("fc_"), "call_id": call, "name": tool.name,
            "arguments": input.to_string(), "status": "completed" })
    };
    if let Some(namespace) = &tool.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}
