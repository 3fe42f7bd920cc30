//! The server under load.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use crate::client::Hark;
use crate::failure::{Failure, Outcome};

pub(super) const TOKEN: &str = "a-token-for-the-load";

/// Listens on a port that the system chose; stops when dropped.
pub(super) struct Server {
    child: Child,
    pub(super) addr: String,
}

impl Server {
    pub(super) fn start(hark: &Hark, variables: &[(String, String)]) -> Outcome<Self> {
        let mut command = hark.command(&["serve", "--port", "0"]);
        command
            .env("HARK_SERVE_TOKEN", TOKEN)
            // The worker must not read the transcripts of whoever measures.
            .env("HOME", hark.home())
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| Failure::new(format!("hark serve: {e}")))?;
        let stderr = child.stderr.take().ok_or_else(|| Failure::new("no stderr"))?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let addr =
            lines.find_map(|line| Some(line.split_once("http://")?.1.split_once("/mcp")?.0.to_owned()));
        let addr = addr.ok_or_else(|| Failure::new("hark serve did not start"))?;
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Server { child, addr })
    }

    pub(super) fn resident_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
