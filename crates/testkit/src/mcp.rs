//! A minimal client that speaks line-wise JSON-RPC to `hark mcp`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use crate::PATIENCE;

/// The server exited before it answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone;

/// A server process and the client end of its pipes.
pub struct Mcp {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    next: i64,
    roots: Vec<Value>,
    /// What the server said about itself.
    pub welcome: Value,
}

impl Mcp {
    /// Starts a server and completes the handshake.
    pub fn start(command: Command) -> Self {
        Self::start_in(command, &[])
    }

    /// Like [`Mcp::start`], for a client that works in these folders and reports them when asked.
    pub fn start_in(command: Command, roots: &[&Path]) -> Self {
        Self::start_as(command, "tester", roots)
    }

    /// Like [`Mcp::start_in`], for a client that introduces itself with this name.
    pub fn start_as(mut command: Command, name: &str, roots: &[&Path]) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
        let (heard, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            // A last line cut off by a kill is not an answer.
            while stdout.read_line(&mut line).is_ok()
                && line.ends_with('\n')
                && heard.send(std::mem::take(&mut line)).is_ok()
            {}
        });
        let mut errors = child.stderr.take().expect("stderr");
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        let roots = roots.iter().map(|root| json!({ "uri": format!("file://{}", root.display()) })).collect();
        let stdin = child.stdin.take();
        let mut mcp = Mcp { stdin, child, lines, stderr: Some(stderr), next: 0, roots, welcome: Value::Null };
        let capabilities = if mcp.roots.is_empty() { json!({}) } else { json!({ "roots": {} }) };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": { "name": name, "version": "1" },
        });
        mcp.welcome = mcp.ask("initialize", &hello).expect("the handshake is answered");
        mcp.notify("notifications/initialized", &json!({}));
        mcp
    }

    pub fn notify(&mut self, method: &str, params: &Value) {
        let _ = self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting for its answer; returns its number.
    pub fn send(&mut self, method: &str, params: &Value) -> Result<i64, Gone> {
        self.next += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }))?;
        Ok(self.next)
    }

    /// The next answer, to any request.
    pub fn answer(&mut self) -> Result<Value, Gone> {
        loop {
            let line = match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return Err(Gone),
                Err(RecvTimeoutError::Timeout) => panic!("no answer after {PATIENCE:?}"),
            };
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|e| panic!("not JSON-RPC ({e}): {line}"));
            match (message.get("id"), message.get("method").and_then(Value::as_str)) {
                (Some(_), None) => return Ok(message),
                (Some(id), Some("roots/list")) => {
                    self.write(&json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": self.roots } }))?;
                }
                _ => {}
            }
        }
    }

    /// Sends a request and returns its whole answer.
    pub fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Gone> {
        let number = self.send(method, params)?;
        loop {
            let answer = self.answer()?;
            if answer["id"] == json!(number) {
                return Ok(answer);
            }
        }
    }

    /// Sends a tool call without waiting for its answer.
    pub fn send_call(&mut self, tool: &str, arguments: &Value) -> Result<i64, Gone> {
        self.send("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool and returns the `result` of the answer.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self
            .ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
            .unwrap_or_else(|Gone| panic!("the server went away during {tool} {arguments}"));
        assert!(answer.get("error").is_none(), "{tool} {arguments}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool that must succeed; returns its structured answer.
    pub fn data(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert!(result["isError"] != json!(true), "{tool} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that must fail; returns its message.
    pub fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().expect("words").to_owned()
    }

    pub fn remember(&mut self, text: &str) -> String {
        let said = self.data("memory_remember", &json!({ "text": text }));
        said["id"].as_str().expect("an id").to_owned()
    }

    /// Sends SIGKILL. [`Mcp::answer`] can still read what the server had already written.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Closes stdin and waits for the exit; returns exit code and stderr.
    pub fn close(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        let status = self.child.wait().expect("an exit status");
        let errors = self.stderr.take().and_then(|t| t.join().ok()).unwrap_or_default();
        (status.code(), errors)
    }

    fn write(&mut self, message: &Value) -> Result<(), Gone> {
        let stdin = self.stdin.as_mut().ok_or(Gone)?;
        stdin.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdin.flush()).map_err(|_| Gone)
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
