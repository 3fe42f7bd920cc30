//! Node's own test runner, which prints TAP: `not ok 1 - name` and a block with the error and its stack.

use super::{Found, location};
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for (at, line) in lines.iter().enumerate() {
        let Some(name) =
            line.trim_start().strip_prefix("not ok ").and_then(|r| r.split_once(" - ")).map(|(_, n)| n)
        else {
            continue;
        };
        let body: Vec<&str> = lines[at + 1..]
            .iter()
            .take(60)
            .map(|l| l.trim())
            .take_while(|l| *l != "..." && !l.starts_with("not ok ") && !l.starts_with("ok "))
            .collect();
        let Some(message) = error(&body) else { continue };
        // A suite fails because a test in it failed, and says only that.
        if body.contains(&"failureType: 'subtestsFailed'") {
            continue;
        }
        let stack = body.iter().skip_while(|l| !l.starts_with("stack:")).skip(1);
        let mut files: Vec<&str> = stack.filter_map(|l| frame(l)).collect();
        let place = body
            .iter()
            .find_map(|l| l.strip_prefix("location: '"))
            .and_then(|l| location(l.trim_end_matches('\'')));
        files.extend(place.map(|(path, _)| path));
        let class = match Class::of(&message) {
            _ if body.contains(&"code: 'ERR_ASSERTION'") => Class::Test,
            Class::Other => body
                .iter()
                .find_map(|l| l.strip_prefix("name: '"))
                .map(Class::of)
                .filter(|class| *class != Class::Other)
                .unwrap_or(Class::Test),
            class => class,
        };
        found.add(Some(class), &message, &files, &[&name.trim().replace(' ', "_")]);
    }
}

/// `error: "…"`, or the lines below `error: |-`.
fn error(body: &[&str]) -> Option<String> {
    let at = body.iter().position(|l| l.starts_with("error: "))?;
    let first = body[at]["error: ".len()..].trim();
    if !matches!(first, "|-" | "|" | ">-") {
        return Some(first.trim_matches(['"', '\'']).to_owned());
    }
    let lines = body[at + 1..].iter().take(8).take_while(|l| !is_field(l)).copied();
    Some(lines.collect::<Vec<_>>().join(" "))
}

fn is_field(line: &str) -> bool {
    ["code:", "name:", "expected:", "actual:", "operator:", "stack:"]
        .iter()
        .any(|field| line.starts_with(field))
}

/// `rate (/p/rate.js:1:40)` or `/p/rate.js:1:40`.
fn frame(line: &str) -> Option<&str> {
    let place = line.rsplit_once(" (").map_or(line, |(_, place)| place.trim_end_matches(')'));
    let (path, _) = location(place.trim_start_matches("async "))?;
    (!path.starts_with("node:")).then_some(path)
}
