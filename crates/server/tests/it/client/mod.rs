//! A client that speaks raw JSON-RPC to the example server, over pipes or over a socket.
#![allow(clippy::needless_pass_by_value, reason = "`json!` at the call reads better without a borrow")]

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Far beyond what anything here takes, so that only a hang fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
pub(crate) const STATELESS: &str = "2026-07-28";

/// What the example server wants to see.
pub(crate) const BEARER: &str = "Bearer echo-server-token";

/// The example next to this test binary; `cargo test` builds both.
pub(crate) fn server() -> PathBuf {
    let test = std::env::current_exe().expect("path of the test");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("target folder");
    let name = format!("echo_server{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(name);
    assert!(path.exists(), "build the example first: {}", path.display());
    path
}

pub(crate) fn initialize(version: &str, capabilities: Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "tester", "version": "1.0"},
    })
}

/// Parameters as 2026-07-28 wants them.
pub(crate) fn described(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

pub(crate) fn call(tool: &str, arguments: Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// The text of a tool's answer, and whether it is an error.
pub(crate) fn text(result: &Value) -> (String, bool) {
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"));
    (text.to_owned(), result["isError"] == json!(true))
}

pub(crate) fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().expect("wait") {
            return Some(status);
        }
        if Instant::now() > deadline {
            return None;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// A connection over pipes.
pub(crate) struct Pipe {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    early: VecDeque<Value>,
    next: i64,
}

impl Pipe {
    pub(crate) fn open() -> Self {
        let mut command = Command::new(server());
        command.arg("stdio");
        Self::start(&mut command)
    }

    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("start the server");
        let stdout = child.stdout.take().expect("stdout");
        let (tx, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if tx.send(line).is_err() {
                    break;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines, early: VecDeque::new(), next: 1 }
    }

    /// Past the handshake.
    pub(crate) fn ready(version: &str, capabilities: Value) -> Self {
        let mut pipe = Self::open();
        pipe.handshake(version, capabilities);
        pipe
    }

    pub(crate) fn handshake(&mut self, version: &str, capabilities: Value) -> Value {
        let result = self.ask("initialize", initialize(version, capabilities))["result"].clone();
        assert!(result["serverInfo"]["name"] == "hark", "{result}");
        self.notify("notifications/initialized", json!({}));
        result
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("write");
    }

    /// Whether the server still takes input.
    pub(crate) fn try_raw(&mut self, bytes: &[u8]) -> bool {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).is_ok()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message of the server, in order. Everything on stdout has to be one.
    pub(crate) fn next(&mut self) -> Value {
        if let Some(message) = self.early.pop_front() {
            return message;
        }
        self.next_line(PATIENCE).expect("a message")
    }

    /// `None` when the server has closed its output.
    pub(crate) fn next_line(&mut self, limit: Duration) -> Option<Value> {
        match self.lines.recv_timeout(limit) {
            Ok(line) => {
                let message = serde_json::from_str(&line);
                Some(message.unwrap_or_else(|_| panic!("not JSON on stdout: {line}")))
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no message within {limit:?}"),
        }
    }

    /// The answer to `id`; what comes before is kept for [`Pipe::next`].
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        let answers = |message: &Value| message["id"] == json!(id) && message.get("method").is_none();
        if let Some(at) = self.early.iter().position(answers) {
            return self.early.remove(at).expect("found");
        }
        loop {
            let message = self.next_line(PATIENCE).expect("an answer");
            if answers(&message) {
                return message;
            }
            self.early.push_back(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.stdin = None;
        if wait(&mut self.child, Duration::from_secs(5)).is_none() {
            let _ = self.child.kill().is_ok();
            let _ = self.child.wait().is_ok();
        }
    }
}

/// A server on a port of its own.
pub(crate) struct Http {
    pub(crate) child: Child,
    pub(crate) port: u16,
    said: Receiver<String>,
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The message in the body, plain or as the last event of a stream.
    pub(crate) fn message(&self) -> Value {
        let events = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let last = events.map(str::trim).rfind(|data| !data.is_empty());
        let text = last.unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|_| panic!("{} {}", self.status, self.body))
    }
}

impl Http {
    pub(crate) fn start() -> Self {
        Self::limited(&[])
    }

    /// With limits such as `headers=200`.
    pub(crate) fn limited(limits: &[&str]) -> Self {
        let mut child = Command::new(server())
            .args(["http", "0"])
            .args(limits)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start the server");
        let stderr = BufReader::new(child.stderr.take().expect("stderr"));
        let (tx, said) = channel();
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                // Read on even if nobody listens, so that the server never writes into a closed pipe.
                let _ = tx.send(line).is_ok();
            }
        });
        let mut http = Self { child, port: 0, said };
        let line = http.heard("listening on ");
        let port = line.rsplit(':').next().and_then(|port| port.parse().ok());
        http.port = port.expect("a port");
        http
    }

    /// Waits for a line on the server's standard error that contains `words`.
    pub(crate) fn heard(&self, words: &str) -> String {
        loop {
            let line = self.said.recv_timeout(PATIENCE).expect(words);
            if line.contains(words) {
                return line;
            }
        }
    }

    /// With the token, unless `headers` say otherwise; an empty value leaves a header out.
    pub(crate) fn connect(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> TcpStream {
        let mut stream = self.open();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: 127.0.0.1:{}\r\n", self.port);
        }
        if !headers.iter().any(|(name, _)| *name == "Authorization") {
            head += &format!("Authorization: {BEARER}\r\n");
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            head += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        head += "\r\n";
        stream.write_all(head.as_bytes()).expect("write");
        // The server may refuse before it has read everything.
        let _ = stream.write_all(body).is_ok();
        stream
    }

    /// A connection on which nothing was sent yet.
    pub(crate) fn open(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connect");
        stream.set_read_timeout(Some(PATIENCE)).expect("timeout");
        stream
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        reply(self.connect(method, path, headers, body))
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request("GET", path, &[], b"")
    }

    pub(crate) fn post(&self, message: &Value, headers: &[(&str, &str)]) -> Reply {
        reply(self.post_open(message, headers))
    }

    pub(crate) fn post_open(&self, message: &Value, headers: &[(&str, &str)]) -> TcpStream {
        let mut all =
            vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        all.extend_from_slice(headers);
        self.connect("POST", "/mcp", &all, message.to_string().as_bytes())
    }

    /// A self-describing request of 2026-07-28.
    pub(crate) fn ask(&self, method: &str, params: Value, headers: &[(&str, &str)]) -> Reply {
        let params = described(params);
        let name = params["name"].as_str().map(str::to_owned);
        let mut all = vec![("MCP-Protocol-Version", STATELESS), ("Mcp-Method", method)];
        if let Some(name) = &name {
            all.push(("Mcp-Name", name));
        }
        all.extend_from_slice(headers);
        self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), &all)
    }

    /// Opens a session and returns its id.
    pub(crate) fn session(&self, version: &str, capabilities: Value) -> String {
        let reply = self.post(&message(0, "initialize", initialize(version, capabilities)), &[]);
        assert_eq!(reply.message()["result"]["protocolVersion"], version, "{}", reply.body);
        let id = reply.header("Mcp-Session-Id").expect("a session").to_owned();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let reply = self.post(&initialized, &[("Mcp-Session-Id", &id)]);
        assert_eq!(reply.status, 202, "{}", reply.body);
        id
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(status.expect("run kill").success());
    }
}

pub(crate) fn message(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn reply(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let end = stream.read_to_end(&mut bytes);
    assert!(end.is_ok() || !bytes.is_empty(), "no reply: {end:?}");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Reply {
        status: status.unwrap_or_else(|| panic!("no status in {head}")),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill().is_ok();
        let _ = self.child.wait().is_ok();
    }
}
