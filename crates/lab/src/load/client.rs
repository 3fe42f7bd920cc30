//! A client of `hark serve` that keeps its connection, and two that misbehave.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::server::TOKEN;

/// Longer than any answer should take, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two bytes of a slow client.
const DRIBBLE: Duration = Duration::from_millis(200);

pub(super) struct Client {
    stream: BufReader<TcpStream>,
    host: String,
}

pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn words(&self) -> String {
        let text: String = String::from_utf8_lossy(&self.body).chars().take(300).collect();
        format!("status {}: {text}", self.status)
    }
}

impl Client {
    pub(super) fn connect(addr: &str) -> Result<Client, String> {
        let open = || -> io::Result<TcpStream> {
            let stream = TcpStream::connect(addr)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            Ok(stream)
        };
        let stream = open().map_err(|e| format!("connect: {e}"))?;
        Ok(Client { stream: BufReader::new(stream), host: addr.to_owned() })
    }

    pub(super) fn post(&mut self, path: &str, body: &Value) -> Result<Answer, String> {
        self.send(path, body, "keep-alive").and_then(|()| self.answer()).map_err(|e| format!("{path}: {e}"))
    }

    /// A handshake after which nothing comes, not even a goodbye.
    pub(super) fn open_session(mut self) -> Result<(), String> {
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "load", "version": "1" } } });
        let mut answer = String::new();
        let sent = self.send("/mcp", &hello, "close");
        sent.and_then(|()| self.stream.read_to_string(&mut answer))
            .map_err(|e| format!("initialize: {e}"))?;
        let head = answer.to_ascii_lowercase();
        let is_open = head.starts_with("http/1.1 200") && head.contains("mcp-session-id:");
        if is_open { Ok(()) } else { Err(answer.chars().take(300).collect()) }
    }

    fn send(&mut self, path: &str, body: &Value, connection: &str) -> io::Result<()> {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: {connection}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())
    }

    fn answer(&mut self) -> io::Result<Answer> {
        let (mut length, mut line) = (0, String::new());
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("the connection was closed"))?;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let lower = line.trim().to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if lower.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Answer { status, body })
    }
}

/// Sends headers a byte at a time until it is over; fails when the server has had enough.
pub(super) fn dribble(addr: &str, over: &AtomicBool) -> io::Result<()> {
    let mut stream = TcpStream::connect(addr)?;
    stream.write_all(b"POST /mcp HTTP/1.1\r\nX-Slow: ")?;
    while !over.load(Ordering::Relaxed) {
        stream.write_all(b"a")?;
        thread::sleep(DRIBBLE);
    }
    Ok(())
}
