//! The section of touched files: one list per operation.

use std::fmt::Write;

use super::super::render::quoted;
use crate::redact::{Clean, Raw};
use crate::session::{FileOp, FileTouch};
use crate::time::Timestamp;

pub(super) fn render(out: &mut String, files: &[FileTouch]) {
    let mut first = true;
    for op in FileOp::ALL {
        let touched: Vec<&FileTouch> = files.iter().filter(|file| file.op == *op).collect();
        if touched.is_empty() {
            continue;
        }
        let mut word = op.name().to_owned();
        word[..1].make_ascii_uppercase();
        let _ = write!(out, "{}### {word}\n\n", if first { "" } else { "\n" });
        first = false;
        for file in touched {
            let from = file.from.as_ref().map(|from| format!(" (was {})", code(from))).unwrap_or_default();
            let times = if file.edits == 1 { "once".to_owned() } else { format!("{} times", file.edits) };
            let _ = writeln!(out, "- {}{from}, {times}, {} to {}", code(&file.path), file.first, file.last);
        }
    }
}

/// A path as code; one that contains a backtick or a line break as a quoted string.
pub(super) fn code(text: &str) -> String {
    let plain = !text.contains('`') && !text.chars().any(char::is_control) && text.trim() == text;
    if plain && !text.is_empty() { format!("`{text}`") } else { quoted(text) }
}

/// Reads what [`code`] wrote at the beginning of `line`; returns it and the rest.
pub(super) fn read_code(line: &str) -> Option<(String, &str)> {
    if let Some(rest) = line.strip_prefix('`') {
        let (inner, rest) = rest.split_once('`')?;
        return Some((inner.to_owned(), rest));
    }
    if line.starts_with('"') {
        let mut stream = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let text = stream.next()?.ok()?;
        let rest = line.get(stream.byte_offset()..)?;
        return Some((text, rest));
    }
    None
}

/// A line of the list. If written by hand, a path is enough.
pub(super) fn parse(
    line: &str,
    op: FileOp,
    default: Timestamp,
    clean: &dyn Fn(Raw) -> Clean,
) -> Option<FileTouch> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    let (path, rest) = read_code(line).unwrap_or_else(|| (line.to_owned(), ""));
    let (from, rest) = match rest.strip_prefix(" (was ").and_then(read_code) {
        Some((from, rest)) => (Some(from), rest.strip_prefix(')').unwrap_or(rest)),
        None => (None, rest),
    };
    let mut parts = rest.trim_start_matches(',').trim().splitn(2, ", ");
    let edits = match parts.next().unwrap_or_default() {
        "once" => 1,
        times => times.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(1),
    };
    let mut span = parts.next().unwrap_or_default().split(" to ");
    let mut time = || span.next().and_then(|text| Timestamp::parse_absolute(text).ok()).unwrap_or(default);
    let (first, last) = (time(), time());
    Some(FileTouch {
        path: clean(Raw::new(path)),
        op,
        from: from.map(|f| clean(Raw::new(f))),
        edits,
        first,
        last,
    })
}
