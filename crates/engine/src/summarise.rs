//! Summaries by a command that the user names. Without one nothing is asked; if it fails, says nothing or
//! takes too long, the digest is what it would have been without it.
//!
//! It gets clean text only, and what it says is cleaned again. A project's own settings cannot name one.

use std::process::Command;
use std::time::{Duration, Instant};

use hark_store::HeldEvent;

use crate::program;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// What is read of an answer, in bytes.
const MOST_ANSWER: u64 = 4_000;
/// What is asked about, in bytes.
const MOST_INPUT: usize = 24_000;

/// What the command makes of these events; nothing is no reason to fail.
pub(crate) fn ask(command: &[String], events: &[HeldEvent], until: Instant) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let left = until.saturating_duration_since(Instant::now()).min(PATIENCE);
    if left.is_zero() {
        return None;
    }
    let bytes =
        program::answer(Command::new(program).args(arguments), Some(told(events)), MOST_ANSWER, left)?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
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
