//! Every protocol answers with the next step, both whole and as a stream.

use std::io::{Read, Write};

use super::*;

fn ask(model: &Model, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(model.address).unwrap();
    let body = body.to_string();
    write!(stream, "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn model() -> Model {
    let model = Model::start().unwrap();
    let recall = Step::new(&["memory_recall"], json!({ "query": "q" }))
        .found_by("tool_search", json!({ "query": "x" }));
    model.play(Script { prompt: "HELLO".to_owned(), steps: vec![recall], closing: "BYE".to_owned() });
    model
}

#[test]
fn a_call_is_made_once_and_then_the_closing_word_is_said() {
    let model = model();
    let user = json!({ "role": "user", "content": "HELLO" });
    let tool = json!({ "name": "mcp__hark__memory_recall" });
    let first = ask(&model, "/v1/messages?beta=true", &json!({ "messages": [user], "tools": [tool] }));
    assert!(first.contains("tool_use") && first.contains(r#""name":"mcp__hark__memory_recall""#), "{first}");
    let said = json!({ "role": "assistant", "content": [{ "type": "tool_use", "name": "mcp__hark__memory_recall" }] });
    let again =
        ask(&model, "/v1/messages", &json!({ "messages": [user, said], "tools": [tool], "stream": true }));
    assert!(again.contains("text_delta") && again.contains("BYE"), "{again}");
    let title = ask(&model, "/v1/messages", &json!({ "messages": [user] }));
    assert!(title.contains("A title"), "{title}");
    let asked = model.asked();
    assert_eq!(asked.iter().map(|a| a.scripted).collect::<Vec<_>>(), [true, true, false]);
    assert!(asked[0].says("HELLO") && !asked[0].says("BYE"));
}

#[test]
fn chat_and_gemini_know_their_own_calls() {
    let model = model();
    let tool = json!({ "type": "function", "function": { "name": "hark_memory_recall" } });
    let user = json!({ "role": "user", "content": "HELLO" });
    let body = json!({ "messages": [user], "tools": [tool], "stream": true });
    let said = ask(&model, "/v1/chat/completions", &body);
    assert!(said.contains("hark_memory_recall") && said.ends_with("data: [DONE]\n\n"), "{said}");
    let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": "HELLO" }] },
        { "role": "model", "parts": [{ "functionCall": { "name": "mcp_hark_memory_recall" } }] }],
        "tools": [{ "functionDeclarations": [{ "name": "mcp_hark_memory_recall" }] }] });
    let said = ask(&model, "/v1beta/models/m:streamGenerateContent?alt=sse", &body);
    assert!(said.starts_with("data: ") && said.contains("BYE"), "{said}");
}

#[test]
fn a_hidden_tool_is_looked_for_first() {
    let model = model();
    let user = json!({ "type": "message", "role": "user", "content": "HELLO" });
    let search = json!({ "type": "tool_search" });
    let first = ask(&model, "/v1/responses", &json!({ "input": [user], "tools": [search], "stream": true }));
    assert!(first.contains("tool_search_call") && first.contains("response.completed"), "{first}");
    let found = json!({ "type": "tool_search_output", "tools": [{ "type": "namespace", "name": "mcp__hark",
        "tools": [{ "type": "function", "name": "memory_recall" }] }] });
    let call = json!({ "type": "tool_search_call" });
    let second = ask(&model, "/v1/responses", &json!({ "input": [user, call, found], "tools": [search] }));
    assert!(second.contains(r#""namespace":"mcp__hark""#) && second.contains("function_call"), "{second}");
    let nothing = ask(&model, "/v1/responses", &json!({ "input": [user, call], "tools": [search] }));
    assert!(nothing.contains("no tool"), "a search is not repeated: {nothing}");
}
