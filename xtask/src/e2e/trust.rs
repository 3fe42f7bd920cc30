//! Codex runs a hook only after its user has reviewed it. This does what the review does: it asks Codex for
//! the hooks that it found, and writes their hashes into its settings.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(30);

/// `server` is `codex app-server`, ready to start.
pub(super) fn review(mut server: Command, project: &Path, settings: &Path) -> Result<usize, String> {
    let failed = |e: std::io::Error| format!("codex app-server: {e}");
    let mut child =
        server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(failed)?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("codex app-server: no pipes".to_owned());
    };
    let asked = [
        json!({ "id": 1, "method": "initialize", "params": { "clientInfo": { "name": "e2e", "version": "0" } } }),
        json!({ "method": "initialized" }),
        json!({ "id": 2, "method": "hooks/list", "params": { "cwds": [project] } }),
    ];
    let written = asked.iter().try_for_each(|line| writeln!(input, "{line}"));
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let answer: Value = serde_json::from_str(&line).unwrap_or_default();
            if answer["id"] == 2 {
                let _ = send.send(answer);
                return;
            }
        }
    });
    let answer = receive.recv_timeout(PATIENCE);
    let _ = child.kill();
    let _ = child.wait();
    written.map_err(failed)?;
    let answer = answer.map_err(|_| "codex app-server does not list its hooks".to_owned())?;
    let hooks = answer["result"]["data"][0]["hooks"].as_array().cloned().unwrap_or_default();
    let mut file = OpenOptions::new().append(true).open(settings).map_err(failed)?;
    for hook in &hooks {
        writeln!(file, "\n[hooks.state.{}]\ntrusted_hash = {}", hook["key"], hook["currentHash"])
            .map_err(failed)?;
    }
    Ok(hooks.len())
}
