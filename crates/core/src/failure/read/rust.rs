//! Rust: compiler errors, panics, failed tests.

use super::Found;
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("error[E") || line.starts_with("error: ") {
            diagnostic(lines, at, found);
        } else if let Some((who, place)) = panic(line) {
            let inline = place.split_once(", ");
            // Old panics say `'message', src/lib.rs:4:5`, new ones put the message on the next line.
            let (message, place) = match inline {
                Some((message, place)) if place.contains(".rs:") => (message.trim_matches('\''), place),
                _ => {
                    let next = lines.get(at + 1).map_or("", |l| l.trim());
                    (next, place)
                }
            };
            let file = place
                .split(".rs:")
                .next()
                .map(|stem| format!("{stem}.rs"))
                .filter(|_| place.contains(".rs:"));
            let name = who.rsplit("::").next().unwrap_or(who);
            let is_test = who.contains("::") || message.starts_with("assertion");
            let class =
                is_test.then(|| Class::of(message)).map(|c| if c == Class::Other { Class::Test } else { c });
            let files: Vec<&str> = file.as_deref().into_iter().collect();
            found.add(class.or(Some(Class::Crash)), message, &files, &[name]);
        }
    }
}

/// `error[E0308]: mismatched types` with `  --> src/lib.rs:10:5` below it.
fn diagnostic(lines: &[&str], at: usize, found: &mut Found<'_>) {
    let message = lines[at];
    const TOTALS: &[&str] = &[
        "error: could not compile",
        "error: aborting",
        "error: test failed",
        "error: test run",
        "error: build failed",
        "error: Recipe",
        "error: process",
    ];
    if TOTALS.iter().any(|total| message.starts_with(total)) {
        return;
    }
    let arrow = lines.iter().skip(at + 1).take(4).find_map(|l| l.trim_start().strip_prefix("--> "));
    let file = arrow.and_then(|place| place.split(':').next());
    if file.is_none() && !message.starts_with("error[E") && !is_cargo(message) {
        return;
    }
    let files: Vec<&str> = file.into_iter().collect();
    let class = match Class::of(message) {
        // A lint names itself in a note; the compiler numbers its errors.
        Class::Other if message.starts_with("error: ") && file.is_some() => Class::Lint,
        Class::Other => Class::Type,
        class => class,
    };
    found.add(Some(class), message, &files, &[]);
}

fn is_cargo(message: &str) -> bool {
    [
        "no matching package",
        "failed to select a version",
        "failed to parse manifest",
        "linking with",
        "failed to run custom build",
    ]
    .iter()
    .any(|part| message.contains(part))
}

/// `thread 'tests::foo' panicked at src/lib.rs:10:5:`
fn panic(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("thread '")?;
    let (who, rest) = rest.split_once('\'')?;
    let (_, place) = rest.split_once("panicked at ")?;
    Some((who, place))
}
