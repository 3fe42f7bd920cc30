//! Summaries by a command that the user names. Without one nothing is asked; if it fails, says nothing or
//! takes too long, the digest is what it would have been without it.
//!
//! It gets clean text only, and what it says is cleaned again. A project's own settings cannot name one.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hark_store::HeldEvent;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// What is read of an answer, in bytes.
const MOST_ANSWER: u64 = 4_000;
/// What is asked about, in bytes.
const MOST_INPUT: usize = 24_000;

/// What the command makes of these events; nothing is no reason to fail.
pub(crate) fn ask(command: &[String], events: &[HeldEvent], until: Instant) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let until = until.min(Instant::now() + PATIENCE);
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // Both ends by threads: a command may answer before it has read, or never do either.
    let (mut stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
    let input = told(events);
    thread::spawn(move || stdin.write_all(input.as_bytes()));
    let answer = thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut stdout = stdout.take(MOST_ANSWER);
        stdout.read_to_end(&mut bytes).map(|_| bytes)
    });
    if !ended_well(&mut child, until) {
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    let bytes = answer.join().ok()?.ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn ended_well(child: &mut Child, until: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(20)),
            _ => return false,
        }
    }
}

/// The events as text: who or what, about what, and how it went.
fn told(events: &[HeldEvent]) -> String {
    let mut text = String::new();
    for event in events {
        let failed = if event.ok == Some(false) { " (failed)" } else { "" };
        let head = [event.kind.as_str(), &event.tool, &event.target].join(" ");
        text.push_str(&format!("## {}{failed}\n{}\n\n", head.trim(), event.body.trim()));
        if text.len() > MOST_INPUT {
            let end = text.floor_char_boundary(MOST_INPUT);
            text.truncate(end);
            break;
        }
    }
    text
}
