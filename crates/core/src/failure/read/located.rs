//! The form that most compilers and checkers share: `file:line:column: error: message`. Go, which omits the word
//! `error`, has a reader of its own.

use super::{Found, location};
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for line in lines {
        let line = line.trim_start();
        let Some((path, rest)) = location(line) else { continue };
        if !is_source(path) || is_read_elsewhere(path) || rest.is_empty() {
            continue;
        }
        let lower = rest.get(..24).unwrap_or(rest).to_ascii_lowercase();
        if lower.starts_with("warning")
            || lower.starts_with("note")
            || lower.starts_with("info")
            || lower.starts_with("in ")
        {
            continue;
        }
        let error =
            ["error: ", "fatal error: ", "syntax error"].iter().find(|mark| lower.starts_with(**mark));
        let code = lint_code(rest);
        let message = match error {
            Some(mark) if *mark != "syntax error" => &rest[mark.len()..],
            Some(_) => rest,
            None if code.is_some() => rest,
            None => continue,
        };
        let class = match Class::of(message) {
            Class::Other if code.is_some() => Class::Lint,
            Class::Other if path.ends_with(".py") => Class::Type,
            Class::Other => Class::Syntax,
            class => class,
        };
        let class = if rest.contains("syntax error") { Class::Syntax } else { class };
        found.add(Some(class), message, &[path], &[]);
    }
}

/// Languages whose readers know more about this form.
fn is_read_elsewhere(path: &str) -> bool {
    [".go", ".java", ".kt", ".scala"].iter().any(|ending| path.ends_with(ending))
}

pub(super) fn is_source(path: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "c", "cc", "cpp", "cxx", "h", "hpp", "m", "mm", "go", "py", "pyi", "java", "kt", "swift", "zig",
        "rb", "php", "sh", "cs", "scala", "ex", "exs", "dart", "hs", "ml", "proto", "tf", "yml", "yaml",
        "ts", "tsx", "js", "jsx", "mjs", "cjs", "rs", "vue", "svelte",
    ];
    path.rsplit('.').next().is_some_and(|ending| ENDINGS.contains(&ending))
}

/// `F401 …`, `E501 …`, `C0111: …`, `SC2086: …` in front of a message.
fn lint_code(rest: &str) -> Option<&str> {
    let word = rest.split([' ', ':']).next()?;
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.len() - letters;
    ((1..=4).contains(&letters)
        && (2..=4).contains(&digits)
        && word[letters..].bytes().all(|b| b.is_ascii_digit()))
    .then_some(word)
}
