//! Checkers that print the file as a heading with the complaints below it: ESLint, newer Ruff, ShellCheck.

use super::Found;
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    let mut file = "";
    for (at, line) in lines.iter().enumerate() {
        if is_heading(line) {
            file = line.trim();
        } else if let Some(message) = complaint(line)
            && !file.is_empty()
        {
            found.add(Some(Class::Lint), message, &[file], &[]);
        } else if let Some(rest) = line.strip_prefix("In ").filter(|r| r.contains(" line ")) {
            // ShellCheck.
            let script = rest.split(" line ").next().unwrap_or("");
            let message = lines
                .iter()
                .skip(at + 1)
                .take(4)
                .find_map(|l| l.find("SC2").or(l.find("SC1")).map(|from| &l[from..]));
            if let Some(message) = message.filter(|m| m.contains("(error)")) {
                found.add(Some(Class::Lint), message, &[script], &[]);
            }
        } else if let Some(place) = line.trim_start().strip_prefix("--> ").filter(|p| p.contains(".py:")) {
            // Ruff prints the message above the location.
            let above = lines[..at].iter().rev().find(|l| !l.trim().is_empty());
            let path = place.split(':').next().unwrap_or("");
            if let Some(message) = above.filter(|m| m.len() > 5) {
                found.add(Some(Class::Lint), message, &[path], &[]);
            }
        }
    }
}

/// A path alone on its line.
fn is_heading(line: &str) -> bool {
    let trimmed = line.trim_end();
    !trimmed.starts_with(' ')
        && !trimmed.contains(' ')
        && [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte", ".css"]
            .iter()
            .any(|e| trimmed.ends_with(e))
}

/// `  12:5  error  'x' is not defined  no-undef`
fn complaint(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(' ')?.trim_start();
    let (place, rest) = rest.split_once(' ')?;
    let (row, column) = place.split_once(':')?;
    let is_place = [row, column].iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let message = rest.trim_start().strip_prefix("error")?;
    (is_place && message.starts_with(' ')).then(|| message.trim_start())
}
