//! The section of turns: a line each, its parts separated by `|`.

use std::fmt::Write;

use super::files::{code, read_code};
use crate::redact::{Clean, Raw};
use crate::session::{Check, Turn};
use crate::time::Timestamp;

pub(super) fn render(out: &mut String, turns: &[Turn]) {
    for turn in turns {
        let files: Vec<String> = turn.files.iter().map(|file| code(file)).collect();
        let check = turn.check.as_ref().map(|check| format!("{} {}", check.verdict(), code(&check.command)));
        let (files, check) = (files.join(", "), check.unwrap_or_default());
        let _ = writeln!(out, "- {} {} | {files} | {check} | {}", turn.at, turn.asked, turn.said);
    }
}

/// A line of the list. What is not a turn is left out.
pub(super) fn parse(line: &str, clean: &dyn Fn(Raw) -> Clean) -> Option<Turn> {
    let (at, rest) = line.trim().split_once(' ')?;
    let at = Timestamp::parse_absolute(at).ok()?;
    let mut parts = rest.splitn(4, '|').map(str::trim);
    let asked = clean(Raw::new(parts.next()?));
    let files = files(parts.next().unwrap_or_default(), clean);
    let check = parts.next().unwrap_or_default().split_once(' ').and_then(|(verdict, command)| {
        let (command, _) = read_code(command.trim())?;
        Some(Check { command: clean(Raw::new(command)), passed: verdict == "passed" })
    });
    let said = clean(Raw::new(parts.next().unwrap_or_default()));
    Turn::new(at, &asked, files, check, &said)
}

fn files(list: &str, clean: &dyn Fn(Raw) -> Clean) -> Vec<Clean> {
    let mut found = Vec::new();
    let mut rest = list;
    while let Some((path, after)) = read_code(rest) {
        found.push(clean(Raw::new(path)));
        rest = after.trim_start_matches([',', ' ']);
    }
    found
}
