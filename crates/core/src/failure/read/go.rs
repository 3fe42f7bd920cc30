//! Go: failed tests and panics. Compiler errors have the common `file:line:column` form.

use super::{Found, location};
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("--- FAIL: ") {
            let test = rest.split(' ').next().unwrap_or(rest);
            let body = lines
                .iter()
                .skip(at + 1)
                .take(12)
                .take_while(|l| l.starts_with([' ', '\t']) && !l.trim_start().starts_with("--- "));
            let mut told = body.filter_map(|l| location(l.trim()).filter(|(path, _)| path.ends_with(".go")));
            // A test that only contains failed subtests says nothing itself.
            if let Some((file, message)) = told.next() {
                let message = if message.is_empty() { format!("{test} failed") } else { message.to_owned() };
                let name = test.split('/').next().unwrap_or(test);
                found.add(Some(Class::Test), &message, &[file], &[name]);
            }
        } else if let Some(message) = line.strip_prefix("panic: ") {
            let frames: Vec<&str> = lines
                .iter()
                .skip(at + 1)
                .take(40)
                .filter_map(|l| l.strip_prefix('\t'))
                .filter_map(|l| location(l.split(" +0x").next().unwrap_or(l)).map(|(path, _)| path))
                .filter(|path| {
                    path.ends_with(".go")
                        && !path.contains("/src/runtime/")
                        && !path.contains("/src/testing/")
                })
                .collect();
            let class = match Class::of(message) {
                Class::Other => Class::Crash,
                class => class,
            };
            found.add(Some(class), message, &frames, &[]);
        }
    }
}
