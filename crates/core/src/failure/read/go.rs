//! Go: errors of the compiler and of linters, panics, and the `go` command itself. Tests have a reader of their
//! own.

use super::{Found, has_words, location};
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for (at, line) in lines.iter().enumerate() {
        if let Some((file, message)) = diagnostic(line) {
            let message = whole(message, &lines[at + 1..]);
            found.add(Some(class_of(&message)), &message, &[file], &[]);
        } else if let Some(message) = line.strip_prefix("panic: ") {
            panic(message, &lines[at + 1..], found);
        } else if line.ends_with(": import cycle not allowed") {
            // Every file of the cycle is part of it, and each is named without its folder.
            found.add(Some(Class::Import), line, &[], &[]);
        } else if is_wrong_folder(line) {
            found.add(Some(Class::Io), line, &[], &[]);
        } else if let Some(message) = line.strip_prefix("go: ").filter(|m| is_complaint(m)) {
            let class = match Class::of(message) {
                Class::Other if message.contains("go.mod") || message.contains("go.sum") => Class::Dependency,
                Class::Other if message.contains("module") => Class::Dependency,
                Class::Other => Class::Command,
                class => class,
            };
            found.add(Some(class), line, &[], &[]);
        }
    }
}

/// `path/x.go:12:5: message`, or `path/x.go:12: message (linter)`. What is indented belongs to a test, to a trace
/// or to the line above.
fn diagnostic(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let (file, message) = location(line).filter(|(path, _)| path.ends_with(".go"))?;
    let numbers = line[file.len()..].split(':').skip(1).take(2);
    let has_column = numbers.filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())).count() == 2;
    let is_total = message == "too many errors"
        || message.starts_with("# ")
        || message.starts_with("other declaration of ")
        || message.starts_with("previous case");
    ((has_column || linter(message).is_some()) && !message.is_empty() && !is_total).then_some((file, message))
}

/// The linter that complains: `… (errcheck)`.
fn linter(message: &str) -> Option<&str> {
    let name = message.strip_suffix(')')?.rsplit_once(" (")?.1;
    (name.len() >= 3 && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())).then_some(name)
}

/// A linter quotes a string of several lines as it is; the complaint comes after it.
fn whole(message: &str, behind: &[&str]) -> String {
    let is_open = message.matches('`').count() % 2 == 1;
    if has_words(message, 3) && !is_open {
        return message.to_owned();
    }
    match behind.iter().take(8).position(|line| linter(line).is_some()) {
        Some(end) if !behind[..=end].iter().any(|l| diagnostic(l).is_some()) => {
            format!("{message} {}", behind[..=end].join(" "))
        }
        _ => message.to_owned(),
    }
}

fn class_of(message: &str) -> Class {
    if linter(message).is_some_and(|name| name != "typecheck") {
        return Class::Lint;
    }
    const WORDS: &[(&str, Class)] = &[
        ("declared and not used", Class::Lint),
        ("imported and not used", Class::Lint),
        ("could not import", Class::Import),
        ("import cycle", Class::Import),
        ("no required module", Class::Import),
        ("is not in std", Class::Import),
        ("cannot find package", Class::Import),
        ("undefined", Class::Name),
        ("redeclared", Class::Name),
        ("syntax error", Class::Syntax),
        ("missing import path", Class::Syntax),
        ("expected ", Class::Syntax),
        ("illegal character", Class::Syntax),
        ("not terminated", Class::Syntax),
    ];
    WORDS.iter().find(|(word, _)| message.contains(word)).map_or(Class::Type, |(_, class)| *class)
}

/// Where it began, without the frames of Go itself.
fn panic(message: &str, behind: &[&str], found: &mut Found<'_>) {
    let message = message.split(" [recovered").next().unwrap_or(message);
    let frames: Vec<&str> = behind
        .iter()
        .take(60)
        .filter_map(|l| l.strip_prefix('\t'))
        .filter_map(|l| location(l.split(" +0x").next().unwrap_or(l)).map(|(path, _)| path))
        .filter(|path| {
            path.ends_with(".go") && !path.contains("/src/runtime/") && !path.contains("/src/testing/")
        })
        .collect();
    let class = match Class::of(message) {
        Class::Other => Class::Crash,
        class => class,
    };
    found.add(Some(class), message, &frames, &[]);
}

/// The package that was asked for is not there.
fn is_wrong_folder(line: &str) -> bool {
    (line.starts_with("stat ") && line.ends_with(": directory not found"))
        || line.starts_with("no Go files in ")
}

/// The `go` command also says what it downloads.
fn is_complaint(message: &str) -> bool {
    !["downloading ", "finding ", "extracting ", "added ", "upgraded ", "removed ", "creating ", "to add "]
        .iter()
        .any(|news| message.starts_with(news))
}
