//! Markdown → session.

use serde::Deserialize;
use uuid::Uuid;

use super::super::front_matter::raw_entries;
use super::super::parse::{ParseError, checked, first_line, quoting, split, time};
use super::{
    CHECKPOINTS, DECISIONS, DONE, FILES, GOAL, KNOWN_KEYS, PENDING, PLANS, REFERENCES, SECTIONS, SUMMARY,
    TURNS, WORK, extract_mark, files, is_heading, turns, unescape,
};
use crate::memory::UnknownKey;
use crate::project::ProjectKey;
use crate::redact::{Clean, Raw};
use crate::session::{
    Checkpoint, CheckpointBy, FileOp, FileTouch, Pointer, Session, SessionId, SessionStatus, Summary, Tidy,
    UnknownSection,
};
use crate::time::Timestamp;

#[derive(Debug, Deserialize)]
struct FrontMatter {
    id: String,
    host: Option<String>,
    host_session: Option<String>,
    project: Option<String>,
    title: Option<String>,
    status: Option<String>,
    parent: Option<String>,
    branch: Option<String>,
    head_start: Option<String>,
    head_end: Option<String>,
    folder: Option<String>,
    transcript: Option<String>,
    started: Option<String>,
    updated: Option<String>,
    ended: Option<String>,
    tool_calls: Option<u32>,
    summary_by: Option<String>,
}

/// Reads one file. `clean` is the redactor: the only way for text to get into a [`Session`].
pub fn parse(text: &str, clean: &dyn Fn(Raw) -> Clean) -> Result<Session, ParseError> {
    let (yaml, body) = split(text)?;
    let front: FrontMatter =
        serde_saphyr::from_str(&yaml).map_err(|e| ParseError::Yaml(first_line(&quoting(&e, clean))))?;
    let uuid = checked("id", front.id.trim(), clean, Uuid::parse_str)?;
    let id = SessionId::from_bytes(*uuid.as_bytes());
    let field = |text: Option<String>| text.filter(|t| !t.is_empty()).map(|t| clean(Raw::new(t)));
    let named = |text: Option<String>, or: &str| field(text).unwrap_or_else(|| clean(Raw::new(or)));

    let born = Timestamp::from_millis(i64::from_be_bytes({
        let b = id.as_bytes();
        [0, 0, b[0], b[1], b[2], b[3], b[4], b[5]]
    }));
    let started = time("started", front.started.as_deref(), clean)?.unwrap_or(born);
    let mut session =
        Session::new(id, named(front.host, "unknown"), named(front.host_session, &id.full()), started);
    session.updated = time("updated", front.updated.as_deref(), clean)?.unwrap_or(started);
    session.ended = time("ended", front.ended.as_deref(), clean)?;
    session.status = match front.status {
        Some(word) => checked("status", &word, clean, |word| word.parse::<SessionStatus>())?,
        None => SessionStatus::Closed,
    };
    session.project = front.project.and_then(|key| ProjectKey::new(&clean(Raw::new(key))));
    session.title = field(front.title);
    session.parent = field(front.parent);
    session.branch = field(front.branch);
    session.head_start = field(front.head_start);
    session.head_end = field(front.head_end);
    session.folder = field(front.folder);
    session.transcript = field(front.transcript);
    session.tool_calls = front.tool_calls.unwrap_or(0);
    let unknown = raw_entries(&yaml).into_iter().filter(|(key, _)| !KNOWN_KEYS.contains(&key.as_str()));
    session.unknown = unknown
        .map(|(key, raw)| UnknownKey { key: clean(Raw::new(key)), raw: clean(Raw::new(raw)) })
        .collect();

    for (heading, lines) in sections(&body) {
        section(&mut session, heading, &lines, front.summary_by.as_deref(), clean);
    }
    Ok(session)
}

/// Splits at section headings; text before the first has none.
fn sections(body: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = vec![("", Vec::new())];
    for line in body.lines() {
        if is_heading(line) {
            found.push((line[2..].trim(), Vec::new()));
        } else if let Some((_, lines)) = found.last_mut() {
            lines.push(line);
        }
    }
    found
}

fn section(
    session: &mut Session,
    heading: &str,
    lines: &[&str],
    summary_by: Option<&str>,
    clean: &dyn Fn(Raw) -> Clean,
) {
    let known = SECTIONS.iter().find(|title| title.eq_ignore_ascii_case(heading)).copied();
    let texts = || items(lines).into_iter().filter_map(|text| clean(Raw::new(text)).tidy());
    match known.unwrap_or_default() {
        GOAL => session.goal = text(lines, clean),
        DONE => session.done.extend(texts()),
        PENDING => session.pending.extend(texts()),
        WORK => session.work.extend(texts()),
        DECISIONS => session.decisions.extend(texts()),
        FILES => session.files.extend(touched(lines, session.updated, clean)),
        PLANS => session.plans.extend(items(lines).iter().filter_map(|item| pointer(item, clean))),
        REFERENCES => session.references.extend(items(lines).iter().filter_map(|item| pointer(item, clean))),
        TURNS => {
            items(lines)
                .iter()
                .filter_map(|item| turns::parse(item, clean))
                .for_each(|turn| session.add_turn(turn));
        }
        CHECKPOINTS => {
            session.checkpoints.extend(items(lines).iter().filter_map(|item| checkpoint(item, clean)));
        }
        SUMMARY => {
            session.summary = text(lines, clean).map(|text| Summary {
                extracted: summary_by.is_some_and(|mark| mark == extract_mark(&text)),
                text,
            });
        }
        _ => {
            let text = lines.join("\n").trim_matches('\n').to_owned();
            if heading.is_empty() && text.trim().is_empty() {
                return;
            }
            // All text without a heading forms one section.
            let headless = session.unknown_sections.iter_mut().find(|s| s.heading.is_empty());
            if let (true, Some(headless)) = (heading.is_empty(), headless) {
                headless.text = clean(Raw::new(format!("{}\n\n{text}", headless.text)));
            } else {
                // It is written first, wherever an empty heading put it.
                let at = if heading.is_empty() { 0 } else { session.unknown_sections.len() };
                let (heading, text) = (clean(Raw::new(heading)), clean(Raw::new(text)));
                session.unknown_sections.insert(at, UnknownSection { heading, text });
            }
        }
    }
}

fn text(lines: &[&str], clean: &dyn Fn(Raw) -> Clean) -> Option<Clean> {
    let text = lines.iter().map(|line| unescape(line)).collect::<Vec<_>>().join("\n");
    let text = text.trim_matches('\n');
    (!text.trim().is_empty()).then(|| clean(Raw::new(text)))
}

/// List items with their indented continuation lines; a line without a bullet is an item as well.
fn items(lines: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut blank = 0;
    for line in lines {
        if line.trim().is_empty() {
            blank += 1;
            continue;
        }
        match (line.strip_prefix("  "), found.last_mut()) {
            (Some(more), Some(last)) => {
                last.push_str(&"\n".repeat(blank + 1));
                last.push_str(more);
            }
            _ => {
                let start = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
                found.push(start.unwrap_or(line).to_owned());
            }
        }
        blank = 0;
    }
    found
}

fn touched(lines: &[&str], default: Timestamp, clean: &dyn Fn(Raw) -> Clean) -> Vec<FileTouch> {
    let mut op = FileOp::Modified;
    let mut found = Vec::new();
    for line in lines {
        if let Some(word) = line.strip_prefix("### ") {
            op = FileOp::from_name(word).unwrap_or(FileOp::Modified);
        } else if let Some(item) = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)) {
            found.extend(files::parse(item, op, default, clean));
        }
    }
    found
}

fn pointer(item: &str, clean: &dyn Fn(Raw) -> Clean) -> Option<Pointer> {
    let (to, label) = match files::read_code(item) {
        Some((to, rest)) => (to, rest.strip_prefix(": ").map(str::to_owned)),
        None => match markdown_link(item) {
            Some((title, url)) => (url, Some(title)),
            None => (item.to_owned(), None),
        },
    };
    Pointer { to: clean(Raw::new(to)), label: label.map(|l| clean(Raw::new(l))) }.tidy()
}

/// People write links in the usual way.
fn markdown_link(item: &str) -> Option<(String, String)> {
    let (title, rest) = item.trim().strip_prefix('[')?.split_once("](")?;
    Some((title.to_owned(), rest.strip_suffix(')')?.to_owned()))
}

fn checkpoint(item: &str, clean: &dyn Fn(Raw) -> Clean) -> Option<Checkpoint> {
    let (at, rest) = item.split_once(' ')?;
    let (by, note) = rest.split_once(':')?;
    Some(Checkpoint {
        at: Timestamp::parse_absolute(at).ok()?,
        by: CheckpointBy::from_name(by.trim())?,
        note: clean(Raw::new(note.trim())),
    })
}
