//! Finds failures in tool output, language by language.

mod elixir;
mod go;
mod go_tests;
mod java;
mod javascript;
mod lint;
mod located;
mod native;
mod packages;
mod python;
mod rust;
mod surroundings;
mod tap;
mod text;

use super::command::{Ran, Step};
use super::{Class, Finding, Place, signature};
use text::{has_parts, has_words, is_log, location};
pub(super) use text::{one_line, plain};

/// Everything that the readers find, without repeats.
pub(super) fn findings(output: &str, place: &Place) -> Vec<Finding> {
    let lines: Vec<&str> = output.lines().collect();
    let mut found = Found { place, list: Vec::new() };
    surroundings::read(&lines, &mut found);
    if !found.is_empty() {
        // Whatever else is printed follows from it.
        return found.list;
    }
    python::read(&lines, &mut found);
    rust::read(&lines, &mut found);
    javascript::read(&lines, &mut found);
    tap::read(&lines, &mut found);
    go::read(&lines, &mut found);
    go_tests::read(&lines, &mut found);
    elixir::read(&lines, &mut found);
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
        if class.is_about_surroundings() {
            own.clear();
        }
        let (symbol, file) = (names.first().map(String::as_str), own.first().map(String::as_str));
        let Some(message) = with_words(message, symbol, file) else { return };
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

/// Adds what a message that says little is about: the function, else the file. `None` if it says nothing even then.
fn with_words(message: String, symbol: Option<&str>, file: Option<&str>) -> Option<String> {
    if has_words(&message, 3) {
        return Some(message);
    }
    // `assert 3 == 4` says something about the test it is in; `+0x190` and `got:` say nothing about anything.
    let least = if symbol.is_some() && !message.ends_with(':') { 1 } else { 2 };
    if !has_parts(&message, least) {
        return None;
    }
    let name = file.map(|path| path.rsplit('/').next().unwrap_or(path));
    let mut longer = message;
    if let Some(place) = symbol.or(name) {
        longer = format!("{longer} in {place}");
    }
    if !has_words(&longer, 3)
        && let Some(name) = name.filter(|_| symbol.is_some())
    {
        longer = format!("{longer} ({name})");
    }
    has_parts(&longer, 3).then_some(longer)
}

#[cfg(test)]
pub(super) fn finding_of(message: &str) -> Option<Finding> {
    let mut found = Found { place: &Place::default(), list: Vec::new() };
    found.add(None, message, &[], &["load"]);
    found.list.pop()
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
        "must be",
        "ignored by",
        "not formatted",
        "conflict",
    ];
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|l| !is_total(l) && !is_log(l)).collect();
    let is_reason = |line: &&&str| {
        let lower = line.to_ascii_lowercase();
        has_words(line, 3) && REASONS.iter().any(|reason| lower.contains(reason))
    };
    // What ends in a colon announces the reason.
    let telling =
        lines.iter().filter(|l| !l.ends_with(':')).find(is_reason).or_else(|| lines.iter().find(is_reason));
    // A tool that says one thing says why; of many lines, the last one is only the last.
    let only =
        lines.iter().rfind(|l| has_words(l, 3)).filter(|_| ran.step == Step::Other && lines.len() <= 3);
    let line = telling.or(only)?;
    let files: Vec<&str> = line
        .split([' ', '\'', '"', '`', '(', ')', ','])
        .map(|word| location(word).map_or(word, |(path, _)| path))
        .filter(|word| located::is_source(word))
        .collect();
    let mut found = Found { place, list: Vec::new() };
    let class = match (Class::of(line), ran.step) {
        (Class::Other, Step::Test) => Class::Test,
        (Class::Other, Step::Lint) => Class::Lint,
        (class, _) => class,
    };
    found.add(Some(class), line, &files, &[]);
    let mut finding = found.list.pop()?;
    // Such a line identifies nothing by itself, so the command is part of the signature.
    finding.signature = format!("{} @ {}", finding.signature, ran.family);
    Some(finding)
}

/// Says that something failed, not what.
fn is_total(line: &str) -> bool {
    const TOTALS: &[&str] = &[
        "FAIL\t",
        "FAIL ",
        "--- ",
        "=== ",
        "ok  \t",
        "?   \t",
        "# ",
        "$ ",
        "> ",
        "ERROR task failed",
        "exit code",
        "Exit code",
        "exit status",
        "Exit status",
        "Finished in",
        "make: ***",
        "make[",
        "npm ERR! A complete log",
        "npm error A complete log",
        "npm ERR! Test failed",
        "npm ERR! Lifecycle",
        "npm error Lifecycle",
        "error Command failed with exit code",
        "ELIFECYCLE",
        "ERR_PNPM_RECURSIVE",
        "error: Recipe",
        "error: could not compile",
        "error: test failed",
        "error: aborting due to",
        "hint: ",
        "warning: ",
        "Warning: ",
        "usage: ",
    ];
    TOTALS.iter().any(|total| line.starts_with(total))
}
