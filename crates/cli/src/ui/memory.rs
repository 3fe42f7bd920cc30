//! Memories as text.

use std::path::Path;

use hark_engine::ops::MemoryView;

use super::{BOLD, DIM, ID, WARN, words};

/// One line: id, kind, title, age.
pub(crate) fn line(memory: &MemoryView) -> String {
    let status =
        if memory.status == "active" { String::new() } else { format!(" {WARN}{}{WARN:#}", memory.status) };
    let from = if memory.origin == "repository" {
        format!(" {WARN}from the repository{WARN:#}")
    } else {
        String::new()
    };
    let place = memory
        .project
        .as_deref()
        .map_or_else(|| " · everywhere".to_owned(), |p| format!(" · {}", short_project(p)));
    format!(
        "{ID}{}{ID:#}  {DIM}{:<11}{DIM:#} {}{status}{from}  {DIM}{}{}{DIM:#}\n",
        memory.id,
        memory.kind,
        words(&memory.title),
        memory.age,
        words(&place),
    )
}

pub(crate) fn short_project(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// An age as a remark: `5d old`.
pub(crate) fn old(age: &str) -> String {
    if age == "now" { "just now".to_owned() } else { format!("{age} old") }
}

/// Everything about one memory.
pub(crate) fn whole(memory: &MemoryView) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#}\n", words(&memory.title));
    let project = memory.project.as_deref().unwrap_or("everywhere");
    text.push_str(&format!(
        "{ID}{}{ID:#} {DIM}· {} · {} · {} · from {} · importance {} · {}{DIM:#}\n",
        memory.id,
        memory.kind,
        memory.status,
        old(&memory.age),
        memory.origin,
        memory.importance,
        words(project),
    ));
    text.push_str(&format!("\n{}\n", words(&memory.body)));
    for (label, extra) in [("Why", &memory.why), ("Learned", &memory.learned)] {
        if let Some(extra) = extra {
            text.push_str(&format!("\n{BOLD}{label}:{BOLD:#} {}\n", words(extra)));
        }
    }
    let mut facts: Vec<(&str, String)> = Vec::new();
    for (label, list) in [("tags", &memory.tags), ("files", &memory.files), ("entities", &memory.entities)] {
        if !list.is_empty() {
            facts.push((label, list.join(", ")));
        }
    }
    for (label, value) in [("superseded by", &memory.superseded_by), ("expires", &memory.expires)] {
        facts.extend(value.iter().map(|v| (label, v.clone())));
    }
    if let Some(turn) = &memory.turn {
        let session = memory.session.as_deref().unwrap_or("a session");
        facts.push(("distilled", format!("from {session}, {turn}; confidence {:.2}", memory.confidence)));
    }
    facts.push(("created", memory.created.clone()));
    let shown = |file: &String| match Path::new(file).is_absolute() {
        true => file.clone(),
        false => format!("memories/{file}"),
    };
    facts.extend(memory.file.iter().map(|file| ("file", shown(file))));
    text.push('\n');
    for (label, value) in facts {
        text.push_str(&format!("{DIM}{label:<14}{DIM:#}{}\n", words(&value)));
    }
    text
}
