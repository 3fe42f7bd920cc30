//! A running `hark serve`, and hand-written requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::PATIENCE;

/// Listens on a port that the system chose; stops when dropped.
#[derive(Debug)]
pub struct Serve {
    child: Child,
    port: u16,
    /// What it printed before it was ready.
    pub said: String,
}

/// The response to a request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Serve {
    /// Waits until `command`, a `hark serve --port 0`, is ready.
    pub fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("stderr"));
        let mut said = String::new();
        while !said.contains("clients need the token") {
            assert!(stderr.read_line(&mut said).expect("read") > 0, "it did not start: {said}");
        }
        thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let port = address.and_then(|address| address.rsplit(':').next()?.parse().ok()).expect("a port");
        Serve { child, port, said }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it has ended by itself, and returns its exit code; `None` if a signal ended it.
    pub fn wait(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    /// A connection on which nothing has been sent yet.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connect");
        stream.set_read_timeout(Some(PATIENCE)).expect("timeout");
        stream
    }

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n", self.port);
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).expect("write");
        let mut bytes = Vec::new();
        let end = stream.read_to_end(&mut bytes);
        assert!(end.is_ok() || !bytes.is_empty(), "no answer: {end:?}");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer { status: status.expect("a status"), head: head.to_owned(), body: body.to_owned() }
    }

    /// Sends one JSON-RPC request to `/mcp`, without a session unless `headers` name one.
    pub fn ask(&self, authorization: Option<&str>, method: &str, params: &Value) -> Answer {
        let mut headers =
            vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        headers.extend(authorization.map(|value| ("Authorization", value)));
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.request("POST", "/mcp", &headers, &message.to_string())
    }

    /// Resident memory in kB, on Linux.
    pub fn resident(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
