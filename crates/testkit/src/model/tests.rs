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
    model.play(vec![script("HELLO", vec![recall])]);
    model
}

fn script(prompt: &str, steps: Vec<Step>) -> Script {
    Script { prompt: prompt.to_owned(), steps, closing: "BYE".to_owned(), held: false }
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
    assert_eq!(asked.iter().map(|a| a.script.is_some()).collect::<Vec<_>>(), [true, true, false]);
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

#[test]
fn each_conversation_has_its_own_script() {
    let model = Model::start().unwrap();
    let step = |text: &str| vec![Step::new(&["say"], json!({ "text": text }))];
    model.play(vec![script("PARENT", step("one")), script("CHILD", step("two"))]);
    let tool = json!({ "name": "say" });
    let said = |content: Value| {
        let message = json!({ "role": "user", "content": content });
        ask(&model, "/v1/messages", &json!({ "messages": [message], "tools": [tool] }))
    };
    assert!(said(json!("PARENT")).contains(r#"{"text":"one"}"#));
    assert!(said(json!("CHILD")).contains(r#"{"text":"two"}"#));
    let quoted = "<hark-memory note=\"x\">Another session: PARENT</hark-memory>";
    assert!(said(json!([quoted, "CHILD"])).contains(r#"{"text":"two"}"#), "what hark quotes is no prompt");
    let delegated =
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "name": "say", "input": "CHILD" }] });
    let user = json!({ "role": "user", "content": "PARENT" });
    let last = ask(&model, "/v1/messages", &json!({ "messages": [user, delegated], "tools": [tool] }));
    assert!(last.contains("BYE"), "{last}");
}

#[test]
fn calls_before_the_prompt_do_not_count() {
    let model = model();
    let tool = json!({ "name": "memory_recall" });
    let call = json!({ "role": "assistant", "content": [{ "type": "tool_use", "name": "memory_recall" }] });
    let user = json!({ "role": "user", "content": "HELLO" });
    let said = ask(&model, "/v1/messages", &json!({ "messages": [call, user], "tools": [tool] }));
    assert!(said.contains("tool_use"), "{said}");
}

#[test]
fn a_summary_says_how_far_the_conversation_came() {
    let model = Model::start().unwrap();
    let steps = vec![Step::new(&["a"], json!({})).reporting(9_000), Step::new(&["b"], json!({}))];
    model.play(vec![script("HELLO", steps)]);
    let tools = json!([{ "name": "a" }, { "name": "b" }]);
    let user = json!({ "role": "user", "content": "HELLO" });
    let first = ask(&model, "/v1/messages", &json!({ "messages": [user], "tools": tools }));
    assert!(first.contains(r#""input_tokens":9000"#), "{first}");
    let called = json!({ "role": "assistant", "content": [{ "type": "tool_use", "name": "a" }] });
    let wish = json!({ "role": "user", "content": "Your task is to create a detailed summary." });
    let summary = ask(&model, "/v1/messages", &json!({ "messages": [user, called, wish], "tools": tools }));
    assert!(summary.contains("Summary of HELLO: 1 steps are done."), "{summary}");
    let after = json!({ "role": "user", "content": "Summary of HELLO: 1 steps are done." });
    let next = ask(&model, "/v1/messages", &json!({ "messages": [after], "tools": tools }));
    assert!(next.contains(r#""name":"b""#), "{next}");
    assert_eq!(model.asked().iter().map(|a| a.summarises).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn a_held_conversation_waits_to_be_released() {
    let model = Model::start().unwrap();
    model.play(vec![Script { held: true, ..script("HELLO", Vec::new()) }]);
    let body = json!({ "messages": [{ "role": "user", "content": "HELLO" }], "tools": [{ "name": "a" }] });
    assert!(ask(&model, "/v1/messages", &body).contains("BYE"), "the first one is answered");
    thread::scope(|scope| {
        let answer = scope.spawn(|| ask(&model, "/v1/messages", &body));
        assert!(model.wait_for("HELLO", MOST_HELD));
        assert!(!answer.is_finished());
        model.release();
        assert!(answer.join().unwrap().contains("BYE"));
    });
}
