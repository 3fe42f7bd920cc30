//! Python: tracebacks, syntax errors, pytest's sections and summary.

use super::{Found, location};
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    let before = found.list.len();
    sections(lines, found);
    if found.list.len() == before {
        tracebacks(lines, found);
    }
    if found.list.len() == before {
        summary(lines, found);
    }
}

/// `____ test_login ____`, then code, `E   KeyError: 'user'` and `src/auth.py:4: KeyError`.
fn sections(lines: &[&str], found: &mut Found<'_>) {
    let mut at = 0;
    while at < lines.len() {
        let Some(test) = heading(lines[at]) else {
            at += 1;
            continue;
        };
        let end = (at + 1..lines.len())
            .find(|next| heading(lines[*next]).is_some() || lines[*next].starts_with("====="))
            .unwrap_or(lines.len());
        let body = &lines[at + 1..end];
        let message =
            body.iter().find_map(|l| l.strip_prefix("E  ").map(str::trim)).filter(|m| !m.is_empty());
        let mut files: Vec<&str> = Vec::new();
        for line in body.iter().filter(|l| !l.starts_with(' ') && !l.starts_with("E ")) {
            if let Some((path, _)) = location(line).filter(|(path, _)| path.ends_with(".py")) {
                files.push(path);
            }
        }
        for line in body {
            if let Some((path, _)) = frame(line) {
                files.push(path);
            }
        }
        // The last one is where it broke.
        files.reverse();
        let name = test.rsplit('.').next().unwrap_or(test);
        let name = name.split('[').next().unwrap_or(name);
        if let Some(message) = message {
            let is_test = message.starts_with("assert")
                || message.starts_with("AssertionError")
                || message.starts_with("Failed");
            found.add(is_test.then_some(Class::Test), message, &files, &[name]);
        }
        at = end;
    }
}

fn heading(line: &str) -> Option<&str> {
    let inner = line.strip_prefix("___")?.trim_matches('_').trim();
    let inner =
        inner.strip_prefix("ERROR collecting ").or(inner.strip_prefix("ERROR at setup of ")).unwrap_or(inner);
    (!inner.is_empty() && line.ends_with('_') && !inner.starts_with("Captured")).then_some(inner)
}

/// `  File "x.py", line 3, in login`
fn frame(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (path, rest) = rest.split_once("\", line ")?;
    let symbol = rest.split_once(", in ").map_or("", |(_, name)| name.trim());
    Some((path, symbol))
}

/// Frames, and the exception that ends them.
fn tracebacks(lines: &[&str], found: &mut Found<'_>) {
    let mut frames: Vec<(&str, &str)> = Vec::new();
    let mut test = "";
    for line in lines {
        if let Some(name) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")) {
            test = name.split([' ', '(']).next().unwrap_or("");
        }
        if let Some(found_frame) = frame(line) {
            frames.push(found_frame);
            continue;
        }
        let is_exception = exception(line).is_some();
        if is_exception && !frames.is_empty() {
            let own: Vec<&(&str, &str)> =
                frames.iter().rev().filter(|(p, _)| found.place.file(p).is_some()).collect();
            let files: Vec<&str> = own.iter().map(|(path, _)| *path).collect();
            let mut symbols: Vec<&str> = own.iter().take(2).map(|(_, symbol)| *symbol).collect();
            symbols.push(test);
            found.add(None, line, &files, &symbols);
            frames.clear();
        }
    }
    if found.is_empty()
        && let Some(line) = lines.iter().rev().find(|l| exception(l).is_some() && !l.starts_with(' '))
        && (line.starts_with("ModuleNotFoundError") || line.starts_with("ImportError"))
    {
        found.add(None, line, &[], &[]);
    }
}

/// `KeyError: 'x'`, `pkg.errors.NotReady: …`, `AssertionError`
fn exception(line: &str) -> Option<&str> {
    let name = line.split([':', ' ']).next()?;
    let last = name.rsplit('.').next()?;
    let looks = last.ends_with("Error")
        || last.ends_with("Exception")
        || last.ends_with("Warning")
        || last.ends_with("Exit");
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    (looks && is_name && last.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

/// `FAILED tests/test_a.py::test_x - KeyError: 'user'`
fn summary(lines: &[&str], found: &mut Found<'_>) {
    for line in lines {
        let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) else {
            continue;
        };
        let (id, message) = rest.split_once(" - ").unwrap_or((rest, ""));
        let mut parts = id.split("::");
        let Some(file) = parts.next().filter(|f| f.ends_with(".py")) else { continue };
        let test = parts.last().unwrap_or("").split('[').next().unwrap_or("");
        let message = if message.is_empty() { format!("{test} failed") } else { message.to_owned() };
        let class = message.starts_with("assert").then_some(Class::Test);
        found.add(class, &message, &[file], &[test]);
    }
}
