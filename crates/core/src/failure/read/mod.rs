//! Finds failures in tool output, language by language.

mod go;
mod java;
mod javascript;
mod lint;
mod located;
mod native;
mod packages;
mod python;
mod rust;

use super::command::Ran;
use super::{Class, Finding, Place, signature};

/// Text without colours, carriage returns, and prefixes that some clients add.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                if rest.next() == Some('[') {
                    for c in rest.by_ref() {
                        if c.is_ascii_alphabetic() {
                            break;
                        }
                    }
                }
            }
            '\r' => {}
            c => out.push(c),
        }
    }
    if let Some(rest) = out.strip_prefix("Output: ") {
        return rest.to_owned();
    }
    if out.contains("\nOutput: ") { out.replacen("\nOutput: ", "\n", 1) } else { out }
}

/// Everything that the readers find, without repeats.
pub(super) fn findings(output: &str, place: &Place) -> Vec<Finding> {
    let lines: Vec<&str> = output.lines().collect();
    let mut found = Found { place, list: Vec::new() };
    python::read(&lines, &mut found);
    rust::read(&lines, &mut found);
    javascript::read(&lines, &mut found);
    go::read(&lines, &mut found);
    java::read(&lines, &mut found);
    native::read(&lines, &mut found);
    located::read(&lines, &mut found);
    lint::read(&lines, &mut found);
    packages::read(&lines, &mut found);
    found.list
}

/// Findings so far, and the place of their files.
struct Found<'a> {
    place: &'a Place,
    list: Vec<Finding>,
}

impl Found<'_> {
    /// Adds a finding; `files` as printed, most relevant first.
    fn add(&mut self, class: Option<Class>, message: &str, files: &[&str], symbols: &[&str]) {
        let message = one_line(message);
        if message.is_empty() || self.list.len() >= super::MOST_FINDINGS {
            return;
        }
        let mut own: Vec<String> = Vec::new();
        for file in files.iter().filter_map(|file| self.place.file(file)) {
            if !own.contains(&file) && own.len() < 6 {
                own.push(file);
            }
        }
        let mut names: Vec<String> = Vec::new();
        for symbol in symbols.iter().map(|s| s.trim()).filter(|s| is_symbol(s)) {
            if !names.iter().any(|n| n == symbol) && names.len() < 4 {
                names.push(symbol.to_owned());
            }
        }
        let class = class.unwrap_or_else(|| Class::of(&message));
        let signature = signature::of(
            class,
            &message,
            own.first().map(String::as_str),
            names.first().map(String::as_str),
        );
        if self.list.iter().any(|known| known.signature == signature) {
            return;
        }
        self.list.push(Finding { class, message, signature, files: own, symbols: names });
    }

    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

fn is_symbol(text: &str) -> bool {
    (2..=120).contains(&text.len())
        && !text.contains(char::is_whitespace)
        && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !matches!(text, "main" | "<module>" | "Object.<anonymous>" | "anonymous" | "new" | "module")
}

const MOST_CHARS: usize = 200;

/// One line without markup, truncated to the length of a message.
pub(super) fn one_line(text: &str) -> String {
    let folded: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = folded.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect();
    // Half a redaction placeholder is not a placeholder.
    match kept.rfind("[REDACTED:") {
        Some(at) if !kept[at..].contains(']') => kept[..at].trim_end().to_owned(),
        _ => kept.trim().to_owned(),
    }
}

/// `path:12:5: rest` and `path:12: rest`.
fn location(line: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while let Some(colon) = line[from..].find(':').map(|at| at + from) {
        let rest = &line[colon + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && colon > 0 {
            let mut rest = &rest[digits..];
            if let Some(column) = rest.strip_prefix(':') {
                let digits = column.bytes().take_while(u8::is_ascii_digit).count();
                if digits > 0 {
                    rest = &column[digits..];
                }
            }
            let path = line[..colon].trim();
            let ends = rest.is_empty() || rest.starts_with([':', ' ', ')', '-', ',']);
            let is_path = path.contains('.') && !path.contains(' ');
            return (ends && is_path).then(|| (path, rest.trim_start_matches([':', ' ', '-', ')', ','])));
        }
        from = colon + 1;
    }
    None
}

/// If no reader knows the output: the line that looks most like a reason.
pub(super) fn anything(output: &str, ran: &Ran, place: &Place) -> Option<Finding> {
    const REASONS: &[&str] = &[
        "error:",
        "error ",
        "fatal:",
        "failed",
        "exception",
        "denied",
        "not found",
        "cannot ",
        "could not",
        "invalid",
    ];
    let lines =
        || output.lines().map(str::trim).filter(|l| l.chars().filter(|c| c.is_alphabetic()).count() >= 6);
    let is_exit = |line: &&str| line.to_ascii_lowercase().starts_with("exit code");
    let telling = lines().filter(|l| !is_exit(l)).find(|line| {
        let lower = line.to_ascii_lowercase();
        REASONS.iter().any(|reason| lower.contains(reason))
    });
    let line = telling.or_else(|| lines().rfind(|l| !is_exit(l)))?;
    let files: Vec<&str> = line.split([' ', '\'', '"', '`', '(', ')', ',']).collect();
    let mut found = Found { place, list: Vec::new() };
    found.add(None, line, &files, &[]);
    let mut finding = found.list.pop()?;
    // Such a line identifies nothing by itself, so the command is part of the signature.
    finding.signature = format!("{} @ {}", finding.signature, ran.family);
    Some(finding)
}
