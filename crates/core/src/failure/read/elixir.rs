//! Elixir: the compiler, ExUnit, Credo, Dialyzer.

use super::{Found, location};
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    let compiles = lines.iter().any(|l| l.trim_start().starts_with("└─ "));
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let behind = &lines[at + 1..];
        if let Some(message) = trimmed.strip_prefix("error: ").filter(|_| compiles) {
            compiler(message, behind, found);
        } else if let Some(name) = test_name(line) {
            test(name, behind, found);
        } else if let Some(message) = trimmed.strip_prefix("┃ [") {
            // `[W] ↗ message`, and the place below it.
            let message = message.split_once("] ").map_or(message, |(_, m)| m);
            let message = message.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`');
            let place = behind.iter().take(4).find_map(|l| {
                location(l.trim_start_matches(['┃', ' ']).split(" #(").next().unwrap_or(""))
                    .map(|(path, _)| path)
            });
            if let Some(file) = place {
                found.add(Some(Class::Lint), message, &[file], &[]);
            }
        } else if let Some(file) = dialyzer(trimmed) {
            let message: Vec<&str> =
                behind.iter().take(4).map(|l| l.trim()).take_while(|l| !l.is_empty()).collect();
            found.add(Some(Class::Type), &message.join(" "), &[file], &[]);
        } else if let Some(message) = line.strip_prefix("** (Mix) ") {
            found.add(None, message, &[], &[]);
        } else if let Some(rest) = line.strip_prefix("** (") {
            // `** (CompileError) lib/a.ex:3: undefined function f/0`
            let (kind, text) = rest.split_once(") ").unwrap_or((rest, ""));
            if let Some((file, message)) = location(text).filter(|(file, _)| is_source(file)) {
                let class = if message.starts_with("undefined ") { Class::Name } else { Class::of(kind) };
                let class = if class == Class::Other { Class::Syntax } else { class };
                found.add(Some(class), message, &[file], &[]);
            }
        }
    }
}

/// `error: undefined variable "x"`, code, and `└─ lib/a.ex:3:5: A.f/1`.
fn compiler(message: &str, behind: &[&str], found: &mut Found<'_>) {
    let Some(place) = behind.iter().take(14).find_map(|l| l.trim_start().strip_prefix("└─ ")) else {
        return;
    };
    let Some((file, rest)) = location(place) else { return };
    let class = match Class::of(message) {
        Class::Other if message.starts_with("undefined ") => Class::Name,
        Class::Other if message.contains("does not exist") || message.contains("is not loaded") => {
            Class::Name
        }
        Class::Other => Class::Syntax,
        class => class,
    };
    found.add(Some(class), message, &[file], &[rest.rsplit('.').next().unwrap_or("")]);
}

/// `  1) test adds up (App.CartTest)`
fn test_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(' ')?.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let name = rest[digits..].strip_prefix(") ")?;
    let is_test = ["test ", "property ", "doctest "].iter().any(|kind| name.starts_with(kind));
    (digits > 0 && is_test && name.ends_with(')')).then(|| name.rsplit_once(" (").map_or(name, |(n, _)| n))
}

/// The place of the test, then what went wrong, then the code and the stack.
fn test(name: &str, behind: &[&str], found: &mut Found<'_>) {
    let body: Vec<&str> =
        behind.iter().take(60).take_while(|l| test_name(l).is_none()).map(|l| l.trim()).collect();
    let Some((file, _)) = body.first().and_then(|l| location(l)) else { return };
    let Some(first) = body.iter().skip(1).find(|l| !l.is_empty()) else { return };
    let symbol = name.replace(' ', "_");
    if let Some(raised) = first.strip_prefix("** (") {
        let class = match Class::of(raised) {
            Class::Other => Class::Test,
            class => class,
        };
        found.add(Some(class), &raised.replacen(')', ":", 1), &[file], &[&symbol]);
        return;
    }
    let field = |mark: &str| body.iter().find_map(|l| l.strip_prefix(mark)).map_or("", str::trim);
    let sides =
        format!("{} (left: {}, right: {})", field("code:"), side(field("left:")), side(field("right:")));
    found.add(Some(Class::Test), &format!("{first}: {sides}"), &[file], &[&symbol]);
}

/// A page of HTML is no value to remember.
fn side(value: &str) -> &str {
    let end = value.char_indices().nth(60).map_or(value.len(), |(at, _)| at);
    &value[..end]
}

/// `lib/a.ex:57:13:pattern_match`
fn dialyzer(line: &str) -> Option<&str> {
    let (place, kind) = line.rsplit_once(':')?;
    let is_kind =
        kind.len() > 4 && kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') && kind.contains('_');
    let (file, rest) = location(place)?;
    (is_kind && rest.is_empty() && is_source(file)).then_some(file)
}

fn is_source(path: &str) -> bool {
    [".ex", ".exs", ".eex", ".heex"].iter().any(|ending| path.ends_with(ending))
}
