//! Runs the binary and captures the outcome. A command that hangs is killed and fails the test.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;

use crate::PATIENCE;

/// One command, not yet run. Finish with `.ok()`, `.fails(1)`, `.run()` or `.spawn()`.
#[must_use = "nothing has run yet"]
pub struct Hark {
    command: Command,
    input: Option<Vec<u8>>,
}

impl Hark {
    pub fn new(command: Command) -> Self {
        Hark { command, input: None }
    }

    /// Runs in this folder.
    pub fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.input = Some(bytes.as_ref().to_vec());
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs as another user. Requires root.
    #[cfg(unix)]
    pub fn by_user(mut self, uid: u32) -> Self {
        use std::os::unix::process::CommandExt;
        self.command.uid(uid).gid(uid);
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn now(self, time: &str) -> Self {
        self.env("HARK_NOW", time)
    }

    /// For tests that need the process itself, for example to kill it.
    pub fn spawn(mut self) -> Child {
        let stdin = if self.input.is_some() { Stdio::piped() } else { Stdio::null() };
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            self.command.spawn().unwrap_or_else(|e| panic!("{:?}: {e}", self.command.get_program()));
        if let (Some(bytes), Some(mut stdin)) = (self.input.take(), child.stdin.take()) {
            thread::spawn(move || drop(stdin.write_all(&bytes)));
        }
        child
    }

    /// Runs to completion.
    pub fn run(self) -> Outcome {
        let words: Vec<String> =
            self.command.get_args().map(|a| a.to_string_lossy().chars().take(80).collect()).collect();
        let shown = format!("hark {}", words.join(" "));
        let mut child = self.spawn();
        let (stdout, stderr) = (gather(child.stdout.take()), gather(child.stderr.take()));
        let Ok(stdout) = stdout.recv_timeout(PATIENCE) else {
            let _ = child.kill();
            panic!("{shown}: still running after {PATIENCE:?}");
        };
        let status = child.wait().expect("an exit status");
        let stderr = stderr.recv_timeout(PATIENCE).unwrap_or_default();
        Outcome { shown, code: status.code(), stdout, stderr }
    }

    /// Runs and expects exit code 0.
    pub fn ok(self) -> Outcome {
        self.fails(0)
    }

    /// Runs and expects this exit code.
    pub fn fails(self, code: i32) -> Outcome {
        let outcome = self.run();
        assert_eq!(outcome.code, Some(code), "{outcome}");
        outcome
    }
}

fn gather(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (done, bytes) = mpsc::channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut all);
        }
        let _ = done.send(all);
    });
    bytes
}

/// The outcome of a command.
#[derive(Debug, Clone)]
pub struct Outcome {
    shown: String,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Outcome {
    pub fn stdout(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap_or_else(|_| panic!("stdout is not UTF-8: {self}"))
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// stdout as JSON; with `--json` it must contain nothing else.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|e| panic!("not JSON ({e}): {self}"))
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let head = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(4_000)]).into_owned();
        write!(
            f,
            "$ {}\nexit code {:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.shown,
            self.code,
            head(&self.stdout),
            head(&self.stderr)
        )
    }
}
