//! Clients that are slow, idle or many: cut off, and nobody else notices.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::client::{self, BEARER, Http, call, initialize, message, reply, text};
use serde_json::json;

/// All that comes until the server closes the connection. Panics when it does not.
fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(e) if e.kind() != ErrorKind::ConnectionReset => panic!("still open: {e}"),
        _ => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

fn health(http: &Http) -> u16 {
    http.request("GET", "/health", &[("Authorization", "")], b"").status
}

#[test]
fn headers_that_do_not_end_are_cut_off() {
    let http = Http::limited(&["headers=300"]);
    let begun = Instant::now();
    let mut silent = http.open();
    let mut slow = http.open();
    slow.write_all(b"GET /health HTTP/1.1\r\nHost: 127").expect("write");
    let mut trickle = http.open();
    trickle.set_read_timeout(Some(Duration::from_millis(20))).expect("timeout");
    trickle.write_all(b"GET /health HTTP/1.1\r\n").expect("write");
    // A byte now and then does not help.
    loop {
        let mut byte = [0; 1];
        let closed = match trickle.read(&mut byte) {
            Ok(0) => true,
            Ok(_) => false,
            Err(e) => !matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        };
        if closed || trickle.write_all(b"X").is_err() {
            break;
        }
        assert!(begun.elapsed() < client::PATIENCE, "still open");
    }
    rest(&mut silent);
    rest(&mut slow);
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert_eq!(health(&http), 200);
}

#[test]
fn a_connection_kept_for_later_ends_when_nothing_comes() {
    let http = Http::limited(&["headers=300"]);
    let mut stream = http.open();
    let body = message(1, "tools/list", json!({})).to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {BEARER}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        http.port,
        body.len()
    );
    let begun = Instant::now();
    stream.write_all(request.as_bytes()).expect("write");
    let answer = rest(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("memory_recall"), "{answer}");
    assert!(begun.elapsed() >= Duration::from_millis(300), "not kept alive");
}

#[test]
fn a_body_that_does_not_arrive_is_given_up() {
    let http = Http::limited(&["body=300"]);
    let headers = [("Content-Type", "application/json"), ("Content-Length", "1000")];
    let mut stream = http.connect("POST", "/mcp", &headers, b"");
    stream.write_all(b"{\"jsonrpc\":").expect("write");
    let answer = reply(stream);
    assert_eq!(answer.status, 408, "{}", answer.body);
    assert_eq!(health(&http), 200);
}

#[test]
fn headers_without_end_are_refused() {
    let http = Http::start();
    let mut stream = http.open();
    let _ = stream.write_all(b"GET /health HTTP/1.1\r\n").is_ok();
    let line = format!("X-Filler: {}\r\n", "x".repeat(4000));
    for _ in 0..64 {
        if stream.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    let answer = rest(&mut stream);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert_eq!(health(&http), 200);
}

#[test]
fn when_all_seats_are_taken_health_still_answers() {
    let http = Http::limited(&["connections=8", "spare=2"]);
    let taken: Vec<TcpStream> = (0..8).map(|_| http.open()).collect();
    // Connections are taken up in order, so the eight hold their seats when the next is looked at.
    for _ in 0..20 {
        assert_eq!(health(&http), 200);
    }
    let refused = http.post(&message(1, "tools/list", json!({})), &[]);
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.header("Retry-After"), Some("1"));
    assert_eq!(http.request("GET", "/health", &[("Host", "evil.example")], b"").status, 403);
    assert_eq!(http.post(&message(1, "tools/list", json!({})), &[("Authorization", "")]).status, 401);

    let spare: Vec<TcpStream> = (0..2).map(|_| http.open()).collect();
    let begun = Instant::now();
    let turned_away = rest(&mut http.open());
    assert!(turned_away.starts_with("HTTP/1.1 503"), "{turned_away}");
    assert!(begun.elapsed() < Duration::from_secs(2), "not at once");
    for mut stream in spare {
        rest(&mut stream);
    }
    assert_eq!(health(&http), 200);

    drop(taken);
    let mut status = 0;
    let begun = Instant::now();
    while status != 200 && begun.elapsed() < client::PATIENCE {
        status = http.post(&message(2, "tools/list", json!({})), &[]).status;
    }
    assert_eq!(status, 200);
}

#[test]
fn the_session_used_longest_ago_makes_room_and_comes_back() {
    let http = Http::limited(&["sessions=4"]);
    let recall = |session: &str, query: &str| {
        let params = call("memory_recall", json!({ "query": query }));
        http.post(&message(1, "tools/call", params), &[("Mcp-Session-Id", session)])
    };
    let sessions: Vec<String> = (0..12).map(|_| http.session("2025-06-18", json!({}))).collect();
    for session in sessions.iter().chain(&sessions) {
        let answer = recall(session, "caller");
        assert_eq!(answer.status, 200, "{}", answer.body);
        let caller = answer.message()["result"]["structuredContent"].clone();
        assert_eq!(caller["client"], "tester", "what the client said is kept");
    }
    let ended = &sessions[11];
    assert!(http.request("DELETE", "/mcp", &[("Mcp-Session-Id", ended)], b"").status < 300);
    assert_eq!(recall(ended, "x").status, 404);
}

#[test]
fn an_idle_session_ends_and_comes_back() {
    let http = Http::limited(&["idle=200"]);
    let session = http.session("2025-06-18", json!({}));
    let listen = [("Mcp-Session-Id", session.as_str()), ("Accept", "text/event-stream")];
    let begun = Instant::now();
    // The stream of a session ends with it.
    rest(&mut http.connect("GET", "/mcp", &listen, b""));
    assert!(begun.elapsed() >= Duration::from_millis(150), "{:?}", begun.elapsed());
    let params = call("memory_recall", json!({"query": "x"}));
    let answer = http.post(&message(1, "tools/call", params), &[("Mcp-Session-Id", &session)]);
    assert!(text(&answer.message()["result"]).0.starts_with("0 hits"), "{}", answer.body);
}

/// Resident memory of the server, in kB.
#[cfg(target_os = "linux")]
fn resident(http: &Http) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", http.child.id())).expect("status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("VmRSS");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn sessions_that_are_opened_and_left_cost_no_memory() {
    let http = Http::start();
    let open = |count: usize| {
        for _ in 0..count {
            let hello = message(0, "initialize", initialize("2025-06-18", json!({})));
            assert_eq!(http.post(&hello, &[]).status, 200);
        }
    };
    // Beyond the cap, and beyond what is remembered of former ones.
    open(1_500);
    let before = resident(&http);
    open(4_000);
    let after = resident(&http);
    // Without a cap 4,000 sessions take more than 200 MB; an allocator under several threads keeps some of what it had.
    assert!(after < before + 24 * 1024, "{before} kB before, {after} kB after");
}
