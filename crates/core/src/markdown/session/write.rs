//! Session → markdown.

use std::fmt::Write;

use super::super::front_matter::of_others;
use super::super::render::{line, optional, scalar};
use super::{
    CHECKPOINTS, DECISIONS, DONE, FILES, GOAL, KNOWN_KEYS, PENDING, PLANS, REFERENCES, SUMMARY, TURNS, WORK,
    escape, extract_mark, files, turns,
};
use crate::redact::Clean;
use crate::session::{Pointer, Session};

/// The whole file.
pub fn render(session: &Session) -> String {
    let mut out = String::with_capacity(2_048);
    front_matter(&mut out, session);
    // Text without a heading stays first, or it would belong to the last section.
    let (headless, headed): (Vec<_>, Vec<_>) =
        session.unknown_sections.iter().partition(|section| section.heading.is_empty());
    for section in headless {
        let _ = write!(out, "\n{}\n", section.text.trim_matches('\n'));
    }
    if let Some(goal) = &session.goal {
        text(&mut out, GOAL, goal);
    }
    list(&mut out, DONE, &session.done);
    list(&mut out, PENDING, &session.pending);
    list(&mut out, WORK, &session.work);
    list(&mut out, DECISIONS, &session.decisions);
    if !session.files.is_empty() {
        heading(&mut out, FILES);
        files::render(&mut out, &session.files);
    }
    pointers(&mut out, PLANS, &session.plans);
    pointers(&mut out, REFERENCES, &session.references);
    if !session.turns.is_empty() {
        heading(&mut out, TURNS);
        turns::render(&mut out, &session.turns);
    }
    if !session.checkpoints.is_empty() {
        heading(&mut out, CHECKPOINTS);
        for checkpoint in &session.checkpoints {
            let _ = writeln!(out, "- {} {}: {}", checkpoint.at, checkpoint.by.name(), item(&checkpoint.note));
        }
    }
    if let Some(summary) = &session.summary {
        text(&mut out, SUMMARY, &summary.text);
    }
    for section in headed {
        heading(&mut out, &section.heading);
        let _ = writeln!(out, "{}", section.text.trim_matches('\n'));
    }
    out
}

fn front_matter(out: &mut String, session: &Session) {
    let (comments, entries) = of_others(&session.unknown, KNOWN_KEYS);
    out.push_str("---\n");
    out.push_str(&comments);
    line(out, "id", &session.id.full());
    line(out, "host", &scalar(&session.host));
    line(out, "host_session", &scalar(&session.host_session));
    if let Some(project) = &session.project {
        line(out, "project", &scalar(project.as_str()));
    }
    optional(out, "title", session.title.as_ref());
    line(out, "status", session.status.name());
    optional(out, "parent", session.parent.as_ref());
    optional(out, "branch", session.branch.as_ref());
    optional(out, "head_start", session.head_start.as_ref());
    optional(out, "head_end", session.head_end.as_ref());
    optional(out, "folder", session.folder.as_ref());
    optional(out, "transcript", session.transcript.as_ref());
    line(out, "started", &session.started.to_string());
    line(out, "updated", &session.updated.to_string());
    if let Some(ended) = session.ended {
        line(out, "ended", &ended.to_string());
    }
    line(out, "tool_calls", &session.tool_calls.to_string());
    if let Some(summary) = session.summary.as_ref().filter(|s| s.extracted) {
        line(out, "summary_by", &extract_mark(&summary.text));
    }
    out.push_str(&entries);
    out.push_str("---\n");
}

fn heading(out: &mut String, title: &str) {
    let _ = write!(out, "\n## {title}\n\n");
}

fn text(out: &mut String, title: &str, text: &Clean) {
    heading(out, title);
    for line in text.lines() {
        let _ = writeln!(out, "{}", escape(line));
    }
}

fn list(out: &mut String, title: &str, items: &[Clean]) {
    if items.is_empty() {
        return;
    }
    heading(out, title);
    for text in items {
        let _ = writeln!(out, "- {}", item(text));
    }
}

/// Lines after the first are indented, so that none of them becomes a heading or an item.
fn item(text: &str) -> String {
    let indented = text.lines().map(|line| if line.is_empty() { String::new() } else { format!("  {line}") });
    indented.collect::<Vec<_>>().join("\n").trim_start().to_owned()
}

fn pointers(out: &mut String, title: &str, pointers: &[Pointer]) {
    if pointers.is_empty() {
        return;
    }
    heading(out, title);
    for pointer in pointers {
        let to = files::code(&pointer.to);
        let _ = match &pointer.label {
            Some(label) => writeln!(out, "- {to}: {label}"),
            None => writeln!(out, "- {to}"),
        };
    }
}

/// `2026-03-03_14-32_claude-code_auth-fix_7k3q9x2d.md`: sorts by time, is readable, and is unique by id.
pub fn file_name(session: &Session) -> String {
    let started = session.started.to_string();
    let day = started.get(..10).unwrap_or("undated");
    let minute = started.get(11..16).unwrap_or("00-00").replace(':', "-");
    let host = slug(&session.host, 24);
    let about = session.slug().or(session.about()).map(|text| slug(text, 40)).filter(|s| !s.is_empty());
    let about = about.unwrap_or_else(|| "session".to_owned());
    format!("{day}_{minute}_{host}_{about}_{}.md", session.id.tail())
}

fn slug(text: &str, most: usize) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.chars().count() >= most {
            break;
        }
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    // File systems count bytes.
    while slug.len() > 120 {
        slug.pop();
    }
    slug.trim_end_matches('-').to_owned()
}
