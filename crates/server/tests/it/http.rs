//! MCP over streamable HTTP, byte by byte.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use crate::client::{self, Http, PATIENCE, STATELESS, WITH_HANDSHAKE, call, message, reply, text, wait};
use serde_json::{Value, json};

fn caller(message: &Value) -> Value {
    message["result"]["structuredContent"].clone()
}

/// The next message of an event stream.
fn event(stream: &mut BufReader<TcpStream>) -> Value {
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).expect("read") > 0, "the stream ended");
        if let Some(data) = line.strip_prefix("data:")
            && let Ok(message) = serde_json::from_str(data.trim())
        {
            return message;
        }
    }
}

#[test]
fn health() {
    let http = Http::start();
    let reply = http.get("/health");
    assert_eq!(reply.status, 200);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(reply.message(), json!({"status": "ok", "name": "hark", "version": version}));
    assert_eq!(http.get("/nothing").status, 404);
}

#[test]
fn every_version_with_a_handshake_has_sessions() {
    let http = Http::start();
    for version in WITH_HANDSHAKE {
        let session = http.session(version, json!({}));
        let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", version)];
        let list = http.post(&message(1, "tools/list", json!({})), &headers).message();
        assert_eq!(list["result"]["tools"][0]["name"], "memory_recall", "{version}");
        assert!(list["result"].get("ttlMs").is_none(), "{version}");
        let params = call("memory_recall", json!({"query": "caller"}));
        let answer = http.post(&message(2, "tools/call", params), &headers).message();
        assert_eq!(caller(&answer)["client"], "tester", "{version}");
    }
}

#[test]
fn the_stateless_version_needs_no_session() {
    let http = Http::start();
    let discovered = http.ask("server/discover", json!({}), &[]);
    assert!(discovered.header("Mcp-Session-Id").is_none());
    let versions = discovered.message()["result"]["supportedVersions"].clone();
    assert!(versions.as_array().unwrap().contains(&json!(STATELESS)));
    let list = http.ask("tools/list", json!({}), &[]).message()["result"].clone();
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["cacheScope"], "public");
    assert!(list["ttlMs"].as_u64().unwrap() > 0);
    let reply = http.ask("tools/call", call("memory_recall", json!({"query": "caller"})), &[]);
    assert_eq!(caller(&reply.message())["client"], "tester");
    assert_eq!(http.ask("ping", json!({}), &[]).status, 404);
}

#[test]
fn a_client_may_probe_and_then_fall_back_to_the_handshake() {
    let http = Http::start();
    assert_eq!(http.ask("server/discover", json!({}), &[]).status, 200);
    http.session("2025-11-25", json!({}));
}

#[test]
fn a_request_without_a_session_is_served() {
    let http = Http::start();
    let answer = http.post(&message(1, "tools/list", json!({})), &[]);
    assert!(answer.message()["result"]["tools"].is_array(), "{}", answer.body);
}

#[test]
fn sessions_outlive_a_restart_but_not_their_end() {
    let first = Http::start();
    let session = first.session("2025-06-18", json!({}));
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    drop(first);
    let second = Http::start();
    let params = call("memory_recall", json!({"query": "x"}));
    let reply = second.post(&message(5, "tools/call", params.clone()), &headers);
    assert!(text(&reply.message()["result"]).0.starts_with("0 hits"), "{}", reply.body);

    assert!(second.request("DELETE", "/mcp", &headers, b"").status < 300);
    assert_eq!(second.post(&message(6, "tools/call", params.clone()), &headers).status, 404);
    let made_up = [("Mcp-Session-Id", "made-up")];
    assert_eq!(second.post(&message(7, "tools/call", params), &made_up).status, 404);
}

#[test]
fn the_project_is_what_the_client_says_and_never_the_servers_folder() {
    let http = Http::start();
    let whereabouts = |headers: &[(&str, &str)]| {
        let params = call("memory_recall", json!({"query": "caller"}));
        let caller = caller(&http.ask("tools/call", params, headers).message());
        caller["project"].clone()
    };
    assert_eq!(whereabouts(&[]), Value::Null);
    assert_eq!(whereabouts(&[("X-Hark-Project-Dir", "/srv/p")]), json!("/srv/p"));
    assert_eq!(whereabouts(&[("X-Hark-Project-Dir", "relative")]), Value::Null);
}

#[test]
fn roots_are_asked_for_on_the_stream_of_the_call() {
    let http = Http::start();
    let session = http.session("2025-06-18", json!({"roots": {}}));
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    let ask = |id| {
        let params = call("memory_recall", json!({"query": "caller"}));
        BufReader::new(http.post_open(&message(id, "tools/call", params), &headers))
    };
    let mut stream = ask(1);
    let question = event(&mut stream);
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots = json!({"roots": [{"uri": "file:///srv/p"}]});
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": roots});
    assert_eq!(http.post(&answer, &headers).status, 202);
    assert_eq!(event(&mut stream)["id"], 1);
    assert_eq!(caller(&event(&mut ask(2)))["project"], json!("/srv/p"));
}

#[test]
fn strangers_are_refused() {
    let http = Http::start();
    let port = http.port;
    let status = |path: &str, headers: &[(&str, &str)]| http.request("GET", path, headers, b"").status;
    let ours = format!("localhost:{port}");
    let page = format!("http://localhost:{port}");
    assert_eq!(status("/health", &[("Host", &ours)]), 200);
    assert_eq!(status("/health", &[("Host", &ours), ("Origin", &page)]), 200);
    for path in ["/health", "/mcp", "/"] {
        let rebound = format!("evil.example:{port}");
        for host in ["evil.example", &rebound, "localhost", "localhost:1"] {
            assert_eq!(status(path, &[("Host", host)]), 403, "{path} {host}");
        }
        for origin in ["http://evil.example", "null", "http://localhost:1", "https://localhost"] {
            assert_eq!(status(path, &[("Origin", origin)]), 403, "{path} {origin}");
        }
    }
    let message = message(1, "tools/list", json!({}));
    assert_eq!(http.post(&message, &[("Origin", "http://evil.example")]).status, 403);
    assert_eq!(http.post(&message, &[("Host", "evil.example")]).status, 403);
    assert_eq!(http.post(&message, &[("Origin", &page)]).status, 200);
}

#[test]
fn bad_bodies_get_errors() {
    let http = Http::start();
    let post = |body: &[u8]| {
        let headers =
            [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        http.request("POST", "/mcp", &headers, body)
    };
    for (body, code) in [
        (&b"{"[..], -32700),
        (b"\xff", -32700),
        (b"{}", -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#, -32602),
    ] {
        let reply = post(body);
        assert_eq!(reply.status, 400, "{}", reply.body);
        assert_eq!(reply.message()["error"]["code"], code);
    }
    let reply = http.ask("tools/call", call("nope", json!({})), &[]);
    assert_eq!(reply.message()["error"]["code"], -32602);
    let long = vec![b' '; hark_server::MAX_MESSAGE_BYTES + 1];
    assert_eq!(post(&long).status, 413);
    assert_eq!(http.get("/health").status, 200);
}

#[test]
fn a_port_in_use_is_named_with_the_way_out() {
    let http = Http::start();
    let output = Command::new(client::server())
        .args(["http", &http.port.to_string()])
        .stdin(Stdio::null())
        .output()
        .expect("start a second server");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("port {}", http.port)), "{said}");
    assert!(said.contains("already in use") && said.contains("--port"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_after_the_calls_under_way() {
    for signal in ["-TERM", "-INT"] {
        let mut http = Http::start();
        // A listening stream would go on for ever.
        let session = http.session("2025-06-18", json!({}));
        let listen = [("Mcp-Session-Id", session.as_str()), ("Accept", "text/event-stream")];
        let _listening = http.connect("GET", "/mcp", &listen, b"");
        let slow = http.post_open(
            &message(1, "tools/call", call("memory_recall", json!({"query": "sleep 500"}))),
            &[("Mcp-Session-Id", session.as_str())],
        );
        http.heard("sleeping");
        http.signal(signal);
        let reply = reply(slow);
        assert!(text(&reply.message()["result"]).0.starts_with("0 hits"), "{}", reply.body);
        let status = wait(&mut http.child, PATIENCE).expect("still running");
        assert!(status.success(), "{signal}: {status}");
    }
}
