//! A session as a markdown file: front matter, then one section for each thing a session holds.
//!
//! Sections may be edited, reordered and left out. A section we do not know is kept at the end;
//! a heading of our level inside a text is written with a backslash before it.

mod files;
mod read;
mod write;

pub use read::parse;
pub use write::{file_name, render};

#[cfg(test)]
mod tests;

/// Front-matter keys that this version reads and writes.
pub const KNOWN_KEYS: &[&str] = &[
    "id",
    "host",
    "host_session",
    "project",
    "title",
    "status",
    "parent",
    "branch",
    "head_start",
    "head_end",
    "folder",
    "transcript",
    "started",
    "updated",
    "ended",
    "tool_calls",
    "summary_by",
];

/// The sections, in the order in which they are written.
pub const SECTIONS: &[&str] =
    &[GOAL, DONE, PENDING, WORK, DECISIONS, FILES, PLANS, REFERENCES, CHECKPOINTS, SUMMARY];

const GOAL: &str = "Goal";
const DONE: &str = "Work completed";
const PENDING: &str = "Work to be completed";
const WORK: &str = "Work done";
const DECISIONS: &str = "Decisions";
const FILES: &str = "Files touched";
const PLANS: &str = "Plan files";
const REFERENCES: &str = "References";
const CHECKPOINTS: &str = "Checkpoints";
const SUMMARY: &str = "Summary";

/// Tells a summary that nobody has changed since we took it from the events.
fn extract_mark(text: &str) -> String {
    format!("hark-{}", &blake3::hash(text.as_bytes()).to_hex()[..8])
}

/// `## x` inside a text would begin a section.
fn escape(line: &str) -> String {
    if is_heading(line.trim_start_matches('\\')) { format!("\\{line}") } else { line.to_owned() }
}

fn unescape(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if is_heading(rest.trim_start_matches('\\')) => rest,
        _ => line,
    }
}

fn is_heading(line: &str) -> bool {
    line.starts_with("## ") || line == "##"
}
