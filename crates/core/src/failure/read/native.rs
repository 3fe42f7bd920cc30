//! C and C++: the linker, assertions, sanitizers, GoogleTest. Compiler errors have the common form.

use super::{Found, location};
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if let Some(from) = trimmed.find("undefined reference to ") {
            let symbol = trimmed[from..].split(['`', '\'']).nth(1).unwrap_or("");
            let symbol = symbol.split('(').next().unwrap_or(symbol);
            let file =
                trimmed.split(':').find(|part| is_source(part)).map(|p| p.rsplit(' ').next().unwrap_or(p));
            let files: Vec<&str> = file.into_iter().collect();
            found.add(Some(Class::Link), &trimmed[from..], &files, &[symbol]);
        } else if let Some((head, _)) =
            trimmed.split_once("Assertion ").filter(|_| trimmed.ends_with("failed."))
        {
            // `prog: src/a.c:10: main: Assertion `x' failed.`
            let file = head.split([' ', ':']).find(|part| is_source(part));
            let symbol = head.trim_end_matches([' ', ':']).rsplit(": ").next().unwrap_or("");
            let files: Vec<&str> = file.into_iter().collect();
            let from = head.len();
            found.add(Some(Class::Test), &trimmed[from..], &files, &[symbol.split('(').next().unwrap_or("")]);
        } else if let Some(rest) = trimmed.strip_prefix("SUMMARY: ").filter(|r| r.contains("Sanitizer")) {
            let file = rest.split(' ').find_map(|w| location(w).map(|(p, _)| p));
            let symbol = rest.rsplit(" in ").next().unwrap_or("");
            let files: Vec<&str> = file.into_iter().collect();
            let message = rest.split(" /").next().unwrap_or(rest);
            let message = file.map_or(message, |f| message.split(f).next().unwrap_or(message));
            found.add(Some(Class::Memory), message, &files, &[symbol]);
        } else if let Some(place) = trimmed.strip_suffix(": Failure") {
            // GoogleTest: the location, then the expectation.
            let Some((file, _)) = location(place) else { continue };
            let message: Vec<&str> = lines.iter().skip(at + 1).take(3).map(|l| l.trim()).collect();
            let test = lines[..at].iter().rev().find_map(|l| l.strip_prefix("[ RUN      ] ")).unwrap_or("");
            found.add(Some(Class::Test), &message.join(" "), &[file], &[test.trim()]);
        } else if trimmed.starts_with("Segmentation fault") || trimmed.contains(": Segmentation fault") {
            found.add(Some(Class::Crash), "Segmentation fault: the program crashed", &[], &[]);
        }
    }
}

fn is_source(text: &str) -> bool {
    [".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".m", ".mm"].iter().any(|ending| text.ends_with(ending))
}
