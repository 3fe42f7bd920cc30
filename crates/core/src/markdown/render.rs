//! Memory → markdown, always in the same form, so that a diff shows only actual changes.

use std::fmt::Write;

use super::front_matter::{KNOWN_KEYS, of_others};
use super::guidance;
use crate::life::Life;
use crate::memory::{Importance, Memory};
use crate::redact::Clean;

/// The whole file.
pub fn render(memory: &Memory) -> String {
    let mut out = String::with_capacity(memory.body.len() + 512);
    let (comments, entries) = of_others(&memory.unknown, KNOWN_KEYS);
    out.push_str("---\n");
    out.push_str(&comments);
    line(&mut out, "id", &memory.id.full());
    line(&mut out, "kind", memory.kind.name());
    line(&mut out, "title", &scalar(&memory.title));
    line(&mut out, "status", memory.status.name());
    if let Some(project) = memory.scope.project() {
        line(&mut out, "project", &scalar(project.as_str()));
    }
    if memory.importance != Importance::DEFAULT {
        line(&mut out, "importance", &memory.importance.get().to_string());
    }
    line(&mut out, "confidence", &decimal(memory.confidence));
    if memory.pinned {
        line(&mut out, "pinned", "true");
    }
    line(&mut out, "origin", memory.origin.name());
    optional(&mut out, "author", memory.author.as_ref());
    optional(&mut out, "session", memory.session.as_ref());
    optional(&mut out, "topic", memory.topic.as_ref());
    optional(&mut out, "turn", memory.turn.as_ref());
    list(&mut out, "tags", &memory.tags);
    list(&mut out, "files", &memory.files);
    list(&mut out, "entities", &memory.entities);
    list(&mut out, "asked_as", &memory.asked_as);
    guidance::render(&mut out, &memory.guidance);
    if !memory.links.is_empty() {
        out.push_str("links:\n");
        for link in &memory.links {
            let _ = writeln!(
                out,
                "  - {{to: {}, relation: {}, weight: {}, origin: {}}}",
                link.to.full(),
                link.relation,
                decimal(link.weight),
                link.origin
            );
        }
    }
    optional(&mut out, "why", memory.why.as_ref());
    optional(&mut out, "learned", memory.learned.as_ref());
    line(&mut out, "created", &memory.created.to_string());
    line(&mut out, "updated", &memory.updated.to_string());
    for (key, time) in [("closed", memory.closed), ("expires", memory.expires)] {
        if let Some(time) = time {
            line(&mut out, key, &time.to_string());
        }
    }
    if let Some(id) = memory.superseded_by {
        line(&mut out, "superseded_by", &id.full());
    }
    life(&mut out, &memory.life);
    line(&mut out, "revision", &memory.revision.to_string());
    out.push_str(&entries);
    out.push_str("---\n\n");
    out.push_str(&memory.body);
    out.push('\n');
    out
}

fn life(out: &mut String, life: &Life) {
    if let Some(at) = life.confirmed {
        line(out, "confirmed", &at.to_string());
    }
    for (key, count) in [("confirmations", life.confirmations), ("helpful", life.helpful)] {
        if count > 0 {
            line(out, key, &count.to_string());
        }
    }
    if let Some(verdict) = life.verdict {
        line(out, "verdict", verdict.name());
    }
}

/// `use-postgres-for-auth_7k3q9x2d.md`: readable, safe on every file system, unique by id.
pub fn file_name(memory: &Memory) -> String {
    let mut slug = String::new();
    for c in memory.title.chars() {
        if slug.chars().count() >= 48 {
            break;
        }
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    // File systems count bytes: 48 ideographs are 144.
    while slug.len() > 150 {
        slug.pop();
    }
    let slug = slug.trim_end_matches('-');
    let slug = if slug.is_empty() { memory.kind.name() } else { slug };
    format!("{slug}_{}.md", memory.id.tail())
}

pub(super) fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key}: {value}");
}

pub(super) fn optional(out: &mut String, key: &str, value: Option<&Clean>) {
    if let Some(value) = value {
        line(out, key, &scalar(value));
    }
}

pub(super) fn list(out: &mut String, key: &str, values: &[Clean]) {
    if !values.is_empty() {
        let items: Vec<String> = values.iter().map(|v| flow_scalar(v)).collect();
        line(out, key, &format!("[{}]", items.join(", ")));
    }
}

fn decimal(value: f32) -> String {
    let text = format!("{:.3}", value.clamp(0.0, 1.0));
    let trimmed = text.trim_end_matches('0').trim_end_matches('.');
    if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() }
}

/// Plain if YAML reads it back as the same string, otherwise quoted as in JSON.
pub(super) fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

pub(super) fn flow_scalar(text: &str) -> String {
    let simple = is_plain(text) && !text.contains([',', '[', ']', '{', '}']);
    if simple { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    let starts_well = text.starts_with(char::is_alphabetic);
    let ends_well = !text.ends_with(char::is_whitespace) && !text.ends_with(':');
    let safe = text.chars().all(|c| {
        c.is_alphanumeric()
            || matches!(c, ' ' | '-' | '_' | '.' | '/' | '(' | ')' | '+' | ';' | '=' | '\'' | ',' | '$' | '^')
    });
    let reserved = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n" | "nan" | "inf"
    );
    starts_well && ends_well && safe && !reserved
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{85}') => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
