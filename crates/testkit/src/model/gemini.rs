//! Gemini's `generateContent` and its stream.

use serde_json::{Value, json};

use super::anthropic::items;
use super::http::{Answer, event};
use super::script::{Heard, Reply, Said, Tool};
use super::{fresh, since};

pub(super) fn hear(body: &Value, prompt: &str) -> Heard {
    let tools = items(&body["tools"])
        .flat_map(|tool| items(&tool["functionDeclarations"]))
        .filter_map(|function| function["name"].as_str())
        .map(Tool::plain)
        .collect();
    let called = since(&body["contents"], prompt)
        .flat_map(|content| items(&content["parts"]))
        .filter_map(|part| part["functionCall"]["name"].as_str().map(str::to_owned))
        .collect();
    Heard { tools, called }
}

pub(super) fn speak(body: &Value, Said { reply, tokens }: &Said, stream: bool) -> Answer {
    let part = match reply {
        Reply::Call(tool, input) => {
            json!({ "functionCall": { "name": tool.name, "args": input, "id": fresh("fc_") } })
        }
        Reply::Text(text) => {
            json!({ "text": shaped(&body["generationConfig"]).unwrap_or_else(|| text.clone()) })
        }
    };
    let answer = json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": tokens, "candidatesTokenCount": 20, "totalTokenCount": tokens + 20 },
        "modelVersion": "fake-model", "responseId": fresh("r"),
    });
    if stream { Answer::events(event(None, &answer)) } else { Answer::json(&answer) }
}

/// Side questions (which model, who speaks next) want an object of a given shape.
fn shaped(config: &Value) -> Option<String> {
    let schema =
        [&config["responseJsonSchema"], &config["responseSchema"]].into_iter().find(|s| s.is_object())?;
    let mut object = serde_json::Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let value = match (items(&property["enum"]).last(), property["type"].as_str().unwrap_or_default()) {
            (Some(last), _) => last.clone(),
            (None, "integer" | "number" | "INTEGER" | "NUMBER") => json!(1),
            (None, "boolean" | "BOOLEAN") => json!(false),
            (None, "array" | "ARRAY") => json!([]),
            _ => json!("some"),
        };
        object.insert(name.clone(), value);
    }
    Some(Value::Object(object).to_string())
}
