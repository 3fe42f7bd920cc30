//! MCP over stdio, line by line.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::client::{self, Pipe, STATELESS, WITH_HANDSHAKE, call, described, initialize, text};
use serde_json::{Value, json};

#[test]
fn every_version_with_a_handshake_is_served_as_asked() {
    for version in WITH_HANDSHAKE {
        let mut pipe = Pipe::open();
        let result = pipe.handshake(version, json!({}));
        assert_eq!(result["protocolVersion"], version);
        assert!(result["instructions"].as_str().unwrap().contains("memory"));

        let list = pipe.ask("tools/list", json!({}))["result"].clone();
        assert_eq!(list["tools"][0]["name"], "memory_recall", "{version}");
        for newer in ["resultType", "ttlMs", "cacheScope"] {
            assert!(list.get(newer).is_none(), "{version} does not know {newer}");
        }
        assert_eq!(pipe.ask("ping", json!({}))["result"], json!({}));
        pipe.ask("tools/call", call("memory_remember", json!({"text": "use tabs"})));
        let answer = pipe.ask("tools/call", call("memory_recall", json!({"query": "tabs"})));
        let (text, error) = text(&answer["result"]);
        assert!(text.contains("1 hits") && !error, "{text}");
        assert_eq!(answer["result"]["structuredContent"]["hits"], json!(["use tabs"]));
    }
}

#[test]
fn the_stateless_version_is_served_without_a_handshake() {
    let mut pipe = Pipe::open();
    let discovered = pipe.ask("server/discover", described(json!({})))["result"].clone();
    for version in WITH_HANDSHAKE.iter().chain([&STATELESS]) {
        let versions = discovered["supportedVersions"].as_array().unwrap();
        assert!(versions.contains(&json!(version)), "{discovered}");
    }
    assert!(discovered["instructions"].is_string());
    for (method, items) in [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let list = pipe.ask(method, described(json!({})))["result"].clone();
        assert!(list[items].is_array(), "{method}: {list}");
        assert_eq!(list["resultType"], "complete", "{method}");
        assert!(list["ttlMs"].as_u64().unwrap() > 0, "{method}");
        assert_eq!(list["cacheScope"], "public", "{method}");
    }
    let params = described(call("memory_recall", json!({"query": "caller"})));
    let result = pipe.ask("tools/call", params)["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["structuredContent"]["client"], "tester");
    // Gone in this version.
    assert_eq!(pipe.ask("ping", described(json!({})))["error"]["code"], -32601);
}

#[test]
fn a_client_may_probe_and_then_fall_back_to_the_handshake() {
    let mut pipe = Pipe::open();
    assert!(pipe.ask("server/discover", described(json!({})))["result"].is_object());
    pipe.notify("notifications/cancelled", json!({"requestId": 1}));
    let result = pipe.handshake("2025-11-25", json!({}));
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert!(pipe.ask("tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn an_unknown_version_is_answered_with_what_there_is() {
    for version in ["1999-01-01", "2099-01-01", STATELESS] {
        let mut pipe = Pipe::open();
        let answer = pipe.ask("initialize", initialize(version, json!({})));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    }
    let mut pipe = Pipe::open();
    let mut params = described(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let answer = pipe.ask("server/discover", params);
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert!(answer["error"]["data"].to_string().contains(STATELESS), "{answer}");
}

#[test]
fn tools_say_what_they_do() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    let list = pipe.ask("tools/list", json!({}))["result"].clone();
    let recall = &list["tools"][0];
    assert_eq!(recall["title"], "Recall");
    assert_eq!(recall["annotations"]["readOnlyHint"], true);
    assert!(
        recall["annotations"].get("destructiveHint").is_none(),
        "means nothing for a tool that only reads"
    );
    assert_eq!(recall["annotations"]["openWorldHint"], false);
    assert_eq!(recall["_meta"]["anthropic/alwaysLoad"], true);
    assert_eq!(recall["inputSchema"]["required"], json!(["query"]));
    let remember = &list["tools"][1];
    assert_eq!(remember["annotations"]["readOnlyHint"], false);
    assert_eq!(remember["_meta"]["anthropic/alwaysLoad"], true);
}

#[test]
fn a_name_without_the_prefix_is_understood_but_not_listed() {
    let mut pipe = Pipe::ready("2025-06-18", json!({}));
    let answer = pipe.ask("tools/call", call("recall", json!({"query": "x"})));
    assert!(text(&answer["result"]).0.starts_with("0 hits"));
    let list = pipe.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&Value> = list.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["memory_recall", "memory_remember"]);
}

#[test]
fn protocol_errors_have_their_codes_and_ids() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    let answer = pipe.ask("tools/call", call("nope", json!({})));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("nope"));
    assert_eq!(pipe.ask("no/such/method", json!({}))["error"]["code"], -32601);
    assert_eq!(pipe.ask("tools/call", json!({"name": 5}))["error"]["code"], -32602);
    let answer = pipe.ask("resources/read", json!({"uri": "hark://nothing"}));
    assert_eq!(answer["error"]["code"], -32002);
    assert_eq!(pipe.ask("prompts/get", json!({"name": "nope"}))["error"]["code"], -32602);

    pipe.send(&json!({"jsonrpc": "1.0", "id": 77, "method": "ping"}));
    assert_eq!(pipe.answer(77)["error"]["code"], -32600);
    pipe.send(&json!({"id": 78, "foo": "bar"}));
    assert_eq!(pipe.answer(78)["error"]["code"], -32600);
    let mut unopened = Pipe::open();
    let answer = unopened.ask("initialize", json!({"capabilities": 5}));
    assert_eq!(answer["error"]["code"], -32602);
    unopened.handshake("2025-11-25", json!({}));
}

#[test]
fn a_model_reads_why_a_tool_failed() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    let mut failure = |tool: &str, arguments: Value| {
        let answer = pipe.ask("tools/call", call(tool, arguments));
        let (text, error) = text(&answer["result"]);
        assert!(error, "{text}");
        text
    };
    assert_eq!(
        failure("memory_recall", json!({"query": "fail"})),
        "the index cannot be opened\nhint: run `hark doctor`"
    );
    assert!(failure("memory_recall", json!({})).starts_with("argument `query` is missing\nhint: "));
    let ill_typed = failure("memory_recall", json!({"query": "x", "limit": "many"}));
    assert!(ill_typed.starts_with("argument `limit` must be an integer"), "{ill_typed}");
    // A defect in one call leaves the server standing.
    assert!(failure("memory_recall", json!({"query": "panic"})).contains("failed unexpectedly"));
    assert_eq!(pipe.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn bad_lines_are_answered_and_survived() {
    let mut pipe = Pipe::open();
    pipe.raw(b"not json\n");
    assert_eq!(pipe.next()["error"]["code"], -32700);
    pipe.raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n");
    assert_eq!(pipe.next()["error"]["code"], -32700);
    pipe.raw(b"\n   \r\n\n");
    // Before the handshake nothing but requests means anything.
    pipe.notify("notifications/roots/list_changed", json!({}));
    pipe.notify("$/lsp", json!({}));
    pipe.send(&json!({"jsonrpc": "2.0", "id": 99, "result": {}}));
    pipe.handshake("2025-11-25", json!({}));
    pipe.raw(b"{\"jsonrpc\":\n");
    assert_eq!(pipe.next()["error"]["code"], -32700);
    pipe.notify("notifications/unheard-of", json!({}));
    assert_eq!(pipe.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn long_lines_are_served_and_longer_ones_refused() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    let long = "x".repeat(10_000_000);
    let answer = pipe.ask("tools/call", call("memory_remember", json!({"text": long})));
    assert_eq!(text(&answer["result"]).0, "remembered as m-1");
    let longer = "x".repeat(hark_server::MAX_MESSAGE_BYTES);
    pipe.request("tools/call", call("memory_remember", json!({"text": longer})));
    let refused = pipe.next();
    assert_eq!(refused["error"]["code"], -32600, "{}", refused["error"]["message"]);
    assert!(refused["error"]["message"].as_str().unwrap().contains("16 MiB"));
    assert_eq!(pipe.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn answers_to_a_batch_come_together() {
    let mut pipe = Pipe::ready("2025-03-26", json!({}));
    pipe.send(&json!([
        {"jsonrpc": "2.0", "id": 31, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 32, "method": "tools/call", "params": call("memory_recall", json!({"query": "x"}))},
        {"id": 33},
    ]));
    let batch = pipe.next();
    let mut ids: Vec<i64> = batch.as_array().unwrap().iter().map(|a| a["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [31, 32, 33], "{batch}");
    pipe.send(&json!([]));
    assert_eq!(pipe.next()["error"]["code"], -32600);
}

#[test]
fn slow_calls_do_not_hold_up_the_connection() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    // More than can be worked on at once.
    let slow: Vec<i64> = (0..6)
        .map(|_| pipe.request("tools/call", call("memory_recall", json!({"query": "sleep 2000"}))))
        .collect();
    let ping = pipe.request("ping", json!({}));
    assert_eq!(pipe.next()["id"], ping, "the ping is answered first");
    for id in slow {
        assert!(pipe.answer(id)["result"].is_object());
    }
}

#[test]
fn a_cancelled_call_is_not_answered() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    let slow = pipe.request("tools/call", call("memory_recall", json!({"query": "sleep 300"})));
    pipe.notify("notifications/cancelled", json!({"requestId": slow}));
    let next = pipe.request("tools/call", call("memory_recall", json!({"query": "sleep 900"})));
    assert_eq!(pipe.next()["id"], next);
}

#[test]
fn roots_are_asked_for_once_and_again_when_they_change() {
    let mut pipe = Pipe::ready("2025-06-18", json!({"roots": {"listChanged": true}}));
    let whereabouts =
        |pipe: &mut Pipe, id: i64| pipe.answer(id)["result"]["structuredContent"]["project"].clone();
    let ask = |pipe: &mut Pipe| pipe.request("tools/call", call("memory_recall", json!({"query": "caller"})));
    let answer_roots = |pipe: &mut Pipe, uri: &str| {
        let question = pipe.next();
        assert_eq!(question["method"], "roots/list", "{question}");
        let id = question["id"].clone();
        pipe.send(
            &json!({"jsonrpc": "2.0", "id": id, "result": {"roots": [{"uri": uri}, {"uri": "https://x"}]}}),
        );
    };

    let id = ask(&mut pipe);
    answer_roots(&mut pipe, "file:///srv/my%20project");
    // The answer may come after the call has stopped waiting for it, if the machine is busy.
    pipe.answer(id);
    let id = ask(&mut pipe);
    assert_eq!(whereabouts(&mut pipe, id), "/srv/my project", "asked once only");

    pipe.notify("notifications/roots/list_changed", json!({}));
    let id = ask(&mut pipe);
    answer_roots(&mut pipe, "file:///srv/other");
    pipe.answer(id);
    let id = ask(&mut pipe);
    assert_eq!(whereabouts(&mut pipe, id), "/srv/other");
}

#[test]
fn a_client_that_does_not_tell_its_roots_is_served_all_the_same() {
    let mut pipe = Pipe::ready("2025-06-18", json!({"roots": {}}));
    let begun = Instant::now();
    for _ in 0..3 {
        let answer = pipe.ask("tools/call", call("memory_recall", json!({"query": "caller"})));
        let caller = &answer["result"]["structuredContent"];
        let here = std::env::current_dir().unwrap();
        assert_eq!(caller["project"], here.to_str().unwrap());
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(pipe.next()["method"], "roots/list");
    // Once only: the next message is the answer to this.
    let ping = pipe.request("ping", json!({}));
    assert_eq!(pipe.next()["id"], ping);
}

#[test]
fn the_session_comes_from_the_request_or_the_environment() {
    let mut command = Command::new(client::server());
    command.arg("stdio").env("CLAUDE_CODE_SESSION_ID", "from-env");
    let mut pipe = Pipe::start(&mut command);
    pipe.handshake("2025-11-25", json!({}));
    let mut session = |meta: Value| {
        let mut params = call("memory_recall", json!({"query": "caller"}));
        params["_meta"] = meta;
        let answer = pipe.ask("tools/call", params);
        let caller = answer["result"]["structuredContent"].clone();
        (caller["session"].clone(), caller["project"].clone())
    };
    assert_eq!(session(json!({})).0, "from-env");
    assert_eq!(session(json!({"sessionId": "codex"})).0, "codex");
    assert_eq!(session(json!({"assemblySessionId": "droid"})).0, "droid");
    let turn = json!({"session_id": "turn", "workspaces": {"/srv/p": {}}});
    let (session, project) = session(json!({"x-codex-turn-metadata": turn}));
    assert_eq!((session, project), (json!("turn"), json!("/srv/p")));
}

#[test]
fn empty_lists_are_answered() {
    let lists = [
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ];
    let mut command = Command::new(client::server());
    command.arg("stdio");
    let mut older = Pipe::start(&mut command);
    older.handshake("2024-11-05", json!({}));
    let mut newer = Pipe::start(&mut command);
    for (method, items) in lists {
        assert_eq!(older.ask(method, json!({}))["result"], json!({items: []}), "{method}");
        let list = newer.ask(method, described(json!({})))["result"].clone();
        assert_eq!(list[items], json!([]), "{method}");
        assert!(list["ttlMs"].is_u64(), "{method}");
    }
}
