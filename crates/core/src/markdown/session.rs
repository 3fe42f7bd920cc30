//! A session as a markdown file: front matter, then one section per part of a session.
//!
//! Sections may be edited, reordered and omitted. An unknown section is kept at the end; a heading of the
//! same level inside a text is escaped with a backslash.

mod files;
mod read;
mod turns;
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

/// The sections, in written order.
pub const SECTIONS: &[&str] =
    &[GOAL, DONE, PENDING, WORK, DECISIONS, FILES, PLANS, REFERENCES, TURNS, CHECKPOINTS, SUMMARY];

const GOAL: &str = "Goal";
const DONE: &str = "Work completed";
const PENDING: &str = "Work to be completed";
const WORK: &str = "Work done";
const DECISIONS: &str = "Decisions";
const FILES: &str = "Files touched";
const PLANS: &str = "Plan files";
const REFERENCES: &str = "References";
const TURNS: &str = "Turns";
const CHECKPOINTS: &str = "Checkpoints";
const SUMMARY: &str = "Summary";

/// A mark that shows that nobody has changed an extracted summary.
fn extract_mark(text: &str) -> String {
    format!("hark-{}", &blake3::hash(text.as_bytes()).to_hex()[..8])
}

/// `## x` inside a text would start a section.
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
