//! The product as its users meet it: as a command, and as an MCP server over stdio.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::failure::{Failure, Outcome};
use super::process;

/// A binary and a data directory of its own, far from the user's.
#[derive(Clone)]
pub struct Hark {
    binary: PathBuf,
    home: PathBuf,
}

impl Hark {
    pub fn new(binary: &Path, home: &Path) -> Self {
        Hark { binary: binary.to_owned(), home: home.to_owned() }
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.settled(Command::new(&self.binary), arguments)
    }

    /// The same under another program, such as a profiler.
    pub fn command_under(&self, wrapper: &[&str], arguments: &[&str]) -> Command {
        let mut command = Command::new(wrapper[0]);
        command.args(&wrapper[1..]).arg(&self.binary);
        self.settled(command, arguments)
    }

    fn settled(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.args(arguments).current_dir(&self.home);
        command
            .env("HARK_HOME", &self.home)
            .env("HOME", &self.home)
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100");
        command.env("HARK_CONFIG", self.home.join("no-such-config.toml")).env_remove("HARK_NOW");
        command
    }

    pub fn json(&self, arguments: &[&str]) -> Outcome<Value> {
        let text = process::capture(&mut self.command(arguments))?;
        serde_json::from_str(&text).map_err(|e| Failure::new(format!("hark {}: {e}", arguments.join(" "))))
    }

    /// Starts `hark mcp` and shakes hands.
    pub fn serve(&self, arguments: &[&str]) -> Outcome<Server> {
        let mut all = vec!["mcp"];
        all.extend(arguments);
        let mut child = self
            .command(&all)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| Failure::new(format!("hark mcp: {e}")))?;
        let no_pipe = || Failure::new("hark mcp: no pipe");
        let input = child.stdin.take().ok_or_else(no_pipe)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(no_pipe)?);
        let mut server = Server { child, input: Some(input), output, next: 0 };
        server.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": { "name": "xtask", "version": "0" } }),
        )?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }
}

/// A running `hark mcp`.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    pub fn request(&mut self, method: &str, parameters: &Value) -> Outcome<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))?;
        let mut line = String::new();
        loop {
            line.clear();
            let read =
                self.output.read_line(&mut line).map_err(|e| Failure::new(format!("hark mcp: {e}")))?;
            if read == 0 {
                return Err(Failure::new(format!("hark mcp: ended while {method} was under way")));
            }
            let message: Value =
                serde_json::from_str(&line).map_err(|e| Failure::new(format!("hark mcp: {e}: {line}")))?;
            if message["id"] != json!(id) {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(Failure::new(format!("hark mcp: {method}: {error}")));
            }
            return Ok(message["result"].clone());
        }
    }

    /// Calls a tool; what it says about itself as data.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Outcome<Value> {
        let result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        if result["isError"] == json!(true) {
            return Err(Failure::new(format!("{tool}: {}", result["content"][0]["text"])));
        }
        Ok(result["structuredContent"].clone())
    }

    fn send(&mut self, message: &Value) -> Outcome {
        let fail = |e: std::io::Error| Failure::new(format!("hark mcp: {e}"));
        let Some(input) = self.input.as_mut() else { return Err(Failure::new("hark mcp: closed")) };
        let mut line = message.to_string();
        line.push('\n');
        input.write_all(line.as_bytes()).and_then(|()| input.flush()).map_err(fail)
    }

    /// Memory in use, in kilobytes, where the system tells.
    pub fn resident_kb(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").trim().parse().ok()
    }
}

impl Drop for Server {
    /// The end of its input is the end of the server.
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
