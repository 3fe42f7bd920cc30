//! JavaScript and TypeScript: stacks of V8, the type checker, Jest, Vitest, Mocha, bundlers.

use super::{Found, location};
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if let Some((file, message)) = typescript(trimmed) {
            let class = match Class::of(message) {
                Class::Other => Class::Type,
                class => class,
            };
            found.add(Some(class), message, &[file], &[]);
        } else if let Some(message) = bundler(trimmed) {
            let near: Vec<&str> = nearby_files(&lines[at..(at + 4).min(lines.len())]);
            found.add(None, message, &near, &[]);
        } else if let Some(name) = trimmed.strip_prefix("● ").filter(|n| n.contains(" › ") || !n.is_empty())
        {
            jest(&lines[at + 1..], name, suite(&lines[..at]), found);
        } else if is_vitest(trimmed) {
            vitest(&lines[at..], trimmed, found);
        } else if is_error(trimmed) && has_stack(&lines[at + 1..]) && !inside_jest(lines, at) {
            let (files, symbols) = stack(&lines[at + 1..]);
            // Node prints the location of a syntax error above it.
            let above = lines[..at].iter().rev().take(5).find_map(|l| location(l.trim()).map(|(p, _)| p));
            let files: Vec<&str> = files.into_iter().chain(above).collect();
            let message = trimmed.strip_prefix("Uncaught ").unwrap_or(trimmed);
            found.add(None, message, &files, &symbols);
        }
    }
}

/// `src/a.ts(10,5): error TS2304: …` or `src/a.ts:10:5 - error TS2304: …`
fn typescript(line: &str) -> Option<(&str, &str)> {
    let at = line.find("error TS")?;
    let before = line[..at].trim_end_matches([' ', '-', ':']);
    let file = match before.rfind('(') {
        Some(open) if before.ends_with(')') => &before[..open],
        _ => before.split(':').next()?,
    };
    (!file.is_empty() && !file.contains(' ')).then_some((file, &line[at + "error ".len()..]))
}

fn bundler(line: &str) -> Option<&str> {
    line.strip_prefix("Module not found: ")
        .map(|_| line)
        .or_else(|| line.strip_prefix("✘ [ERROR] "))
        .or_else(|| line.strip_prefix("[vite]: "))
        .or_else(|| line.starts_with("error during build:").then_some(line).filter(|l| l.len() > 20))
        .or_else(|| (line.starts_with("Error: Cannot find module")).then_some(line))
}

fn nearby_files<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let words = lines.iter().flat_map(|l| l.split([' ', '(', ')', '\'', '"']));
    words
        .filter_map(|w| location(w).map(|(p, _)| p).or_else(|| w.starts_with("./src").then_some(w)))
        .take(3)
        .collect()
}

/// `● suite › name`, an empty line, the message, later the stack.
fn jest(lines: &[&str], name: &str, suite: Option<&str>, found: &mut Found<'_>) {
    let body: Vec<&str> =
        lines.iter().take_while(|l| !l.trim_start().starts_with("● ")).take(60).copied().collect();
    let Some(first) = body.iter().map(|l| l.trim()).find(|l| !l.is_empty()) else { return };
    if first.starts_with("PASS ")
        || first.starts_with("FAIL ")
        || first.starts_with("Test Suites")
        || first.starts_with("at ")
    {
        return;
    }
    let is_expectation = first.starts_with("expect(");
    let message = if is_expectation {
        let line = |mark: &str| body.iter().map(|l| l.trim()).find(|l| l.starts_with(mark)).unwrap_or("");
        format!("{first} {} {}", line("Expected"), line("Received"))
    } else {
        first.to_owned()
    };
    let (mut files, mut symbols) = stack(&body);
    // The stack of a failure inside a library names no file of the project; the suite is one.
    files.extend(suite);
    let test = name.rsplit(" › ").next().unwrap_or(name).trim().replace(' ', "_");
    symbols.insert(0, &test);
    found.add(is_expectation.then_some(Class::Test), &message, &files, &symbols);
}

/// The file of `FAIL src/a.test.js` above a failed test.
fn suite<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let head = lines.iter().rev().find_map(|l| l.trim_start().strip_prefix("FAIL "))?;
    head.split_whitespace().find(|word| has_script(word))
}

fn inside_jest(lines: &[&str], at: usize) -> bool {
    lines[..at].iter().rev().take(12).any(|l| l.trim_start().starts_with("● "))
}

fn is_vitest(line: &str) -> bool {
    line.strip_prefix("FAIL ").is_some_and(|rest| rest.contains(" > ") && has_script(rest))
}

fn has_script(text: &str) -> bool {
    [".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".svelte"].iter().any(|ending| text.contains(ending))
}

/// ` FAIL  src/a.test.ts > suite > name`, then `AssertionError: …` and ` ❯ src/a.ts:3:1`.
fn vitest(lines: &[&str], head: &str, found: &mut Found<'_>) {
    let rest = head.trim_start_matches("FAIL").trim();
    let file = rest.split(" > ").next().unwrap_or(rest).trim();
    let test = rest.rsplit(" > ").next().unwrap_or("").trim().replace(' ', "_");
    let body = &lines[1..lines.len().min(40)];
    let Some(message) = body.iter().map(|l| l.trim()).find(|l| is_error(l)) else { return };
    let mut files: Vec<&str> = body
        .iter()
        .filter_map(|l| l.trim().strip_prefix("❯ "))
        .filter_map(|l| l.split(' ').find_map(|w| location(w).map(|(p, _)| p)))
        .take(3)
        .collect();
    files.push(file);
    let class = message.starts_with("AssertionError").then_some(Class::Test);
    found.add(class, message, &files, &[&test]);
}

/// `TypeError: …`, `Error: …`, `AssertionError [ERR_ASSERTION]: …`
fn is_error(line: &str) -> bool {
    let name = line.strip_prefix("Uncaught ").unwrap_or(line).split([':', ' ']).next().unwrap_or("");
    let is_name =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$');
    name.ends_with("Error") && is_name && line.len() > name.len() + 1
}

fn has_stack(lines: &[&str]) -> bool {
    lines.iter().take(4).any(|l| l.trim_start().starts_with("at "))
}

/// Files and functions of `at fn (file:1:2)` lines, innermost first.
fn stack<'a>(lines: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut files, mut symbols) = (Vec::new(), Vec::new());
    let frames = lines
        .iter()
        .map(|l| l.trim_start())
        .skip_while(|l| !l.starts_with("at "))
        .take_while(|l| l.starts_with("at "));
    for frame in frames.take(30) {
        let rest = frame["at ".len()..].trim_start_matches("async ");
        let (name, place) = match rest.split_once(" (") {
            Some((name, place)) => (name, place.trim_end_matches(')')),
            None => ("", rest),
        };
        let place = place.strip_prefix("file://").unwrap_or(place);
        let Some((path, _)) = location(place) else { continue };
        if path.contains('(')
            || path.contains("node_modules")
            || path.starts_with("node:")
            || path.starts_with("internal/")
        {
            continue;
        }
        files.push(path);
        if !name.is_empty() && symbols.len() < 2 {
            symbols.push(name.rsplit('.').next().unwrap_or(name));
        }
    }
    (files, symbols)
}
