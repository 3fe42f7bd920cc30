//! OpenAI's Chat Completions API, which most other providers speak as well.

use serde_json::{Value, json};

use super::anthropic::items;
use super::http::{Answer, event};
use super::script::{Heard, Reply, Said, Tool};
use super::{fresh, since};

pub(super) fn hear(body: &Value, prompt: &str) -> Heard {
    let tools =
        items(&body["tools"]).filter_map(|tool| tool["function"]["name"].as_str()).map(Tool::plain).collect();
    let called = since(&body["messages"], prompt)
        .flat_map(|message| items(&message["tool_calls"]))
        .filter_map(|call| called(&call["function"]))
        .collect();
    Heard { tools, called }
}

/// The tool that was actually called: Qwen has one that calls others.
fn called(function: &Value) -> Option<String> {
    let name = function["name"].as_str()?;
    let arguments: Value =
        serde_json::from_str(function["arguments"].as_str().unwrap_or_default()).unwrap_or_default();
    let inner = arguments["name"].as_str().filter(|_| name == "tool_call");
    Some(inner.unwrap_or(name).to_owned())
}

pub(super) fn speak(body: &Value, Said { reply, tokens }: &Said, stream: bool) -> Answer {
    let (text, calls, finish) = match reply {
        Reply::Text(text) => (json!(text), None, "stop"),
        Reply::Call(tool, input) => {
            let function = json!({ "name": tool.name, "arguments": input.to_string() });
            let call = json!({ "index": 0, "id": fresh("call_"), "type": "function", "function": function });
            (Value::Null, Some(json!([call])), "tool_calls")
        }
    };
    let usage = json!({ "prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20 });
    let mut delta = json!({ "role": "assistant", "content": text });
    if let Some(calls) = calls {
        delta["tool_calls"] = calls;
    }
    let id = fresh("chatcmpl-");
    if !stream {
        return Answer::json(
            &json!({ "id": id, "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{ "index": 0, "message": delta, "finish_reason": finish }], "usage": usage }),
        );
    }
    let chunk = |choices: Value, usage: &Value| {
        let data = json!({ "id": id, "object": "chat.completion.chunk", "created": 1, "model": body["model"],
            "choices": choices, "usage": usage });
        event(None, &data)
    };
    Answer::events(
        [
            chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]), &Value::Null),
            chunk(json!([{ "index": 0, "delta": {}, "finish_reason": finish }]), &Value::Null),
            chunk(json!([]), &usage),
            "data: [DONE]\n\n".to_owned(),
        ]
        .concat(),
    )
}
