//! Anthropic's Messages API.

use serde_json::{Value, json};

use super::http::{Answer, event};
use super::script::{Heard, Reply, Said, Tool};
use super::{fresh, since};

pub(super) fn hear(body: &Value, prompt: &str) -> Heard {
    let tools = items(&body["tools"]).filter_map(|tool| tool["name"].as_str()).map(Tool::plain).collect();
    let called = since(&body["messages"], prompt)
        .filter(|message| message["role"] == "assistant")
        .flat_map(|message| items(&message["content"]))
        .filter(|part| part["type"] == "tool_use")
        .filter_map(|part| part["name"].as_str().map(str::to_owned))
        .collect();
    Heard { tools, called }
}

pub(super) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(super) fn speak(body: &Value, Said { reply, tokens }: &Said, stream: bool) -> Answer {
    let (block, stop) = match reply {
        Reply::Text(text) => (json!({ "type": "text", "text": text }), "end_turn"),
        Reply::Call(tool, input) => {
            let id = fresh("toolu_");
            (json!({ "type": "tool_use", "id": id, "name": tool.name, "input": input }), "tool_use")
        }
    };
    let usage = json!({ "input_tokens": tokens, "output_tokens": 20,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 });
    let mut message = json!({ "id": fresh("msg_"), "type": "message", "role": "assistant", "model": body["model"],
        "content": [block], "stop_reason": stop, "stop_sequence": null, "usage": usage });
    if !stream {
        return Answer::json(&message);
    }
    let (empty, delta) = match reply {
        Reply::Text(text) => {
            (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text }))
        }
        Reply::Call(_, input) => {
            let mut empty = block;
            empty["input"] = json!({});
            (empty, json!({ "type": "input_json_delta", "partial_json": input.to_string() }))
        }
    };
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let events = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": empty }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ];
    Answer::events(events.iter().map(|data| event(data["type"].as_str(), data)).collect())
}
