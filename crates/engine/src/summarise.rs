//! Summaries by a command that the user configures. If there is none, or it fails, prints nothing or takes
//! too long, the digest is the same as without it.
//!
//! The command receives only clean text, and its output is cleaned again. A project's own settings cannot
//! name one.

use std::process::Command;
use std::time::{Duration, Instant};

use hark_store::HeldEvent;

use crate::program;

/// The time limit for one answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The maximum number of bytes read from an answer.
const MOST_ANSWER: u64 = 4_000;
/// The maximum number of bytes sent to the command.
const MOST_INPUT: usize = 24_000;

/// The command's summary of these events; an empty answer is not an error.
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

/// The events as text: the actor, the target and the outcome.
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
