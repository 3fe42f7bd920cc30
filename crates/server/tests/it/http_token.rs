//! Who shows no token gets nothing but `/health`, and hears what to do about it.

use crate::client::{BEARER, Http, Reply, call, initialize, message};
use serde_json::json;

fn refused(reply: &Reply) {
    assert_eq!(reply.status, 401, "{}", reply.body);
    assert!(
        reply.header("WWW-Authenticate").is_some_and(|asked| asked.starts_with("Bearer")),
        "{}",
        reply.head
    );
    assert_eq!(reply.header("Connection"), Some("close"), "{}", reply.head);
    let said = reply.message();
    let hint = said["hint"].as_str().expect("a hint");
    for command in ["hark install generic", "hark install", "hark doctor", "Authorization: Bearer"] {
        assert!(hint.contains(command), "{hint}");
    }
    assert!(said["error"].as_str().expect("an error").contains("token"), "{said}");
}

#[test]
fn everything_but_health_needs_it() {
    let http = Http::start();
    let wrong = [
        "",
        "Bearer",
        "Bearer wrong",
        "Basic echo-server-token",
        "echo-server-token",
        "Bearer echo-server-toke",
    ];
    for shown in wrong {
        let headers = [("Authorization", shown)];
        assert_eq!(http.request("GET", "/health", &headers, b"").status, 200, "{shown}");
        for path in
            ["/", "/mcp", "/nothing", "/health/", "/health/../mcp", "//health", "/stats", "/v1/memories"]
        {
            for method in ["GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT"] {
                let reply = http.request(method, path, &headers, b"");
                assert_eq!(reply.status, 401, "{shown}: {method} {path}");
            }
        }
        let list = message(1, "tools/list", json!({}));
        refused(&http.post(&list, &headers));
        refused(&http.post(&message(1, "initialize", initialize("2025-06-18", json!({}))), &headers));
        refused(&http.ask("tools/call", call("memory_recall", json!({"query": "x"})), &headers));
    }
    assert_eq!(http.post(&message(1, "tools/list", json!({})), &[("Authorization", BEARER)]).status, 200);
}

#[test]
fn a_session_of_somebody_else_does_not_stand_in_for_it() {
    let http = Http::start();
    let session = http.session("2025-06-18", json!({}));
    let headers = [("Mcp-Session-Id", session.as_str()), ("Authorization", "")];
    refused(&http.post(&message(1, "tools/list", json!({})), &headers));
    assert_eq!(http.request("DELETE", "/mcp", &headers, b"").status, 401);
    let listen =
        [("Mcp-Session-Id", session.as_str()), ("Accept", "text/event-stream"), ("Authorization", "")];
    assert_eq!(http.request("GET", "/mcp", &listen, b"").status, 401);
    let ours = [("Mcp-Session-Id", session.as_str())];
    assert_eq!(http.post(&message(2, "tools/list", json!({})), &ours).status, 200);
}

#[test]
fn a_page_that_knows_the_token_is_still_a_stranger() {
    let http = Http::start();
    let headers = [("Authorization", BEARER), ("Origin", "http://evil.example")];
    assert_eq!(http.post(&message(1, "tools/list", json!({})), &headers).status, 403);
}
