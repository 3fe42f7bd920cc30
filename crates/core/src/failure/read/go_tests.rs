//! Go: failed tests. `t.Log` and `t.Error` print alike, so the words decide which line is the complaint.

use super::{Found, has_words, location};
use crate::failure::Class;

/// What one test printed.
#[derive(Default)]
struct Test<'a> {
    name: &'a str,
    failed: bool,
    said: Vec<Said<'a>>,
}

struct Said<'a> {
    file: &'a str,
    text: String,
}

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    let is_run = lines.iter().any(|l| {
        l.trim_start().starts_with("--- FAIL: ")
            || *l == "FAIL"
            || l.starts_with("FAIL\t")
            || *l == "exit status 1"
    });
    if !is_run {
        return;
    }
    let tests = collect(lines);
    // Cut off by `tail`, the output may end before it says which test failed.
    let none_is_named = !tests.iter().any(|test| test.failed);
    for test in tests.iter().filter(|test| test.failed || (none_is_named && test.name.is_empty())) {
        let root = test.name.split('/').next().unwrap_or(test.name);
        for said in complaints(&test.said, test.failed) {
            found.add(Some(Class::Test), &said.text, &[said.file], &[root]);
        }
    }
}

/// With `-v`, a test's lines come before its result, else after it.
fn collect<'a>(lines: &[&'a str]) -> Vec<Test<'a>> {
    let mut tests: Vec<Test<'a>> = vec![Test::default()];
    let mut now = 0;
    let mut depth = 0;
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if let Some(rest) = line.strip_prefix("=== ") {
            let mut words = rest.split_whitespace();
            if matches!(words.next(), Some("RUN" | "CONT" | "NAME")) {
                now = of(&mut tests, words.next().unwrap_or(""));
                depth = 0;
            }
        } else if let Some(name) = result(trimmed, "--- FAIL: ") {
            now = of(&mut tests, name);
            tests[now].failed = true;
            depth = line.len() - trimmed.len();
        } else if let Some(name) = result(trimmed, "--- PASS: ").or_else(|| result(trimmed, "--- SKIP: ")) {
            now = of(&mut tests, name);
        } else if line.starts_with("FAIL") || line.starts_with("ok  \t") || line.starts_with("PASS") {
            now = 0;
        } else if line.starts_with(' ')
            && line.len() - trimmed.len() >= depth
            && let Some((file, text)) = location(trimmed).filter(|(path, _)| is_name(path))
        {
            let text = text_of(text, line.len() - trimmed.len(), &lines[at + 1..]);
            tests[now].said.push(Said { file, text });
        }
    }
    tests
}

/// `TestName` of `--- FAIL: TestName (0.00s)`.
fn result<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    line.strip_prefix(mark)?.split(' ').next()
}

fn of<'a>(tests: &mut Vec<Test<'a>>, name: &'a str) -> usize {
    if let Some(known) = tests.iter().position(|test| test.name == name) {
        return known;
    }
    tests.push(Test { name, ..Test::default() });
    tests.len() - 1
}

/// Tests print the name of a file without its folder.
fn is_name(path: &str) -> bool {
    path.ends_with(".go") && !path.contains('/') && path.len() > ".go".len()
}

/// The message, with the lines that belong to it if it says little: `got:` and then what it got, or the fields of an
/// assertion library.
fn text_of(text: &str, indent: usize, behind: &[&str]) -> String {
    let more: Vec<&str> = behind
        .iter()
        .take(24)
        .take_while(|l| l.trim().is_empty() || l.len() - l.trim_start().len() > indent)
        .map(|l| l.trim())
        .filter(|l| !l.is_empty())
        .collect();
    if text.is_empty() {
        return asserted(&more).unwrap_or_default();
    }
    if has_words(text, 3) && !text.ends_with(':') {
        return text.to_owned();
    }
    format!("{text} {}", more.join(" "))
}

/// `Error:` and `Messages:` of testify, whose first line has no text.
fn asserted(lines: &[&str]) -> Option<String> {
    let field = |name: &str| {
        let from = lines.iter().position(|l| l.starts_with(name))?;
        let first = lines[from][name.len()..].trim();
        let rest = lines[from + 1..].iter().take_while(|l| !is_field(l)).copied();
        Some(std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" "))
    };
    let error = field("Error:")?;
    Some(match field("Messages:") {
        Some(message) => format!("{message}: {error}"),
        None => error,
    })
}

fn is_field(line: &str) -> bool {
    ["Error Trace:", "Error:", "Test:", "Messages:"].iter().any(|name| line.starts_with(name))
}

/// Lines that complain. A test that failed without any such line ended at its last one.
fn complaints<'t, 'a>(said: &'t [Said<'a>], failed: bool) -> Vec<&'t Said<'a>> {
    let own = |s: &&Said<'_>| s.file.ends_with("_test.go");
    let telling: Vec<&Said<'a>> = said.iter().filter(|s| own(s) && complains(&s.text)).collect();
    if !telling.is_empty() || !failed {
        return telling;
    }
    said.iter().rev().find(own).or(said.last().filter(|s| complains(&s.text))).into_iter().collect()
}

fn complains(text: &str) -> bool {
    const COMPLAINTS: &[&str] = &[
        "expected",
        "want",
        "should",
        "got",
        "fail",
        "error",
        "unexpected",
        "mismatch",
        " not ",
        "n't ",
        "missing",
        "must",
        "invalid",
        "cannot",
        "could not",
        "nil",
        "still",
        "never",
        "no such",
        "violation",
        "timed out",
        "differ",
        "empty",
        "too many",
        "too few",
        "wrong",
        "is not",
        "was not",
        "exceeds",
        "panic",
    ];
    const PROGRESS: &[&str] = &[
        "phase ",
        "step ",
        "note:",
        "✓",
        "✅",
        "got expected",
        "received expected",
        "as expected",
        "successfully",
        "correctly",
        "passed",
        "completed",
        "ok:",
        "skipping",
        "info:",
        "debug:",
    ];
    let lower = text.to_lowercase();
    let begins: String = lower.chars().take(48).collect();
    COMPLAINTS.iter().any(|word| lower.contains(word))
        && !PROGRESS.iter().any(|word| begins.contains(word))
        && !lower.ends_with(" successfully")
}
