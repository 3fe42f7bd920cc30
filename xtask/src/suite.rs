//! `cargo xtask test`: everything that must hold before a change goes in, step by step, each with
//! its name and time. Needs Rust, a C compiler and git; uses better tools where they are installed.

use std::time::Instant;

use crate::failure::{Failure, Outcome};
use crate::process::{self, Stream};
use crate::{docs, shared_data, tidy};

/// What a step has to say about itself in the closing list.
type Note = String;
type Step = (&'static str, fn() -> Outcome<Note>);

/// Lints before tests: they are cheaper and say more. Clippy and the tests select the same
/// packages and targets, so that build scripts and macros are compiled once for both.
const STEPS: &[Step] = &[
    ("shared data", unpack_shared_data),
    ("format", format),
    ("lints", lints),
    ("tests", tests),
    ("documentation tests", doc_tests),
    ("tidy", || tidy::run().map(silently)),
    ("reference pages", || docs::run(docs::Mode::Check).map(silently)),
    ("dependencies", dependencies),
    ("protocol", || crate::protocol().map(silently)),
    ("assistants", || crate::assistants(&[])),
];

/// A step that fails does not keep the others from running: one run shows everything.
pub(crate) fn run() -> Outcome {
    let started = Instant::now();
    let mut closing = String::new();
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        println!("\n== {name}");
        let at = Instant::now();
        let outcome = step();
        let took = at.elapsed().as_secs_f64();
        let (verdict, note) = match &outcome {
            Ok(note) => ("ok", note.clone()),
            Err(failure) => {
                println!("{failure}");
                failed.push(*name);
                ("FAILED", String::new())
            }
        };
        println!("== {name}: {verdict} in {took:.1} s");
        closing.push_str(&format!("{name:<20} {verdict:<7} {took:>7.1} s  {note}\n"));
    }
    println!("\n{closing}");
    if failed.is_empty() {
        println!("everything holds, in {:.0} s", started.elapsed().as_secs_f64());
        return Ok(());
    }
    Err(Failure::new(format!("{} (see above, each under its heading)", failed.join(", "))))
}

fn silently((): ()) -> Note {
    Note::new()
}

/// Tests that measure against shared sets look for them in `target/shared-data`, and pass over
/// them where they are absent.
fn unpack_shared_data() -> Outcome<Note> {
    let there = shared_data::unpack()?;
    Ok(if there { Note::new() } else { "absent: tests that need the shared sets are passed over".to_owned() })
}

fn format() -> Outcome<Note> {
    if !has_component("fmt", "rustfmt") {
        return Ok("passed over: rustfmt is not installed".to_owned());
    }
    process::run(&mut process::cargo(&["fmt", "--all", "--check"])).map(silently)
}

fn lints() -> Outcome<Note> {
    if !has_component("clippy", "clippy") {
        return Ok("passed over: clippy is not installed".to_owned());
    }
    let clippy = ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    process::run(&mut process::cargo(&clippy)).map(silently)
}

/// Part of a usual Rust installation; a minimal one gets it through rustup.
fn has_component(subcommand: &str, component: &str) -> bool {
    let there = || process::output(&mut process::cargo(&[subcommand, "--version"])).is_ok();
    there() || (process::is_there("rustup", &["component", "add", component]) && there())
}

/// nextest where it is installed: it runs tests side by side and names slow ones.
fn tests() -> Outcome<Note> {
    let mut note = Note::new();
    if process::is_there("cargo-nextest", &["nextest", "--version"]) {
        let mut command = process::cargo(&["nextest", "run", "--locked", "--workspace", "--no-fail-fast"]);
        process::run_watching(&mut command, Stream::Error, |line| {
            if let Some((_, counts)) = line.split_once("] ").filter(|(head, _)| head.contains("Summary [")) {
                note = counts.trim().to_owned();
            }
        })?;
        return Ok(note);
    }
    println!("cargo-nextest is not installed; using cargo test");
    let mut command =
        process::cargo(&["test", "--locked", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"]);
    let (mut passed, mut ignored) = (0, 0);
    process::run_watching(&mut command, Stream::Out, |line| {
        passed += counted(line, "passed");
        ignored += counted(line, "ignored");
    })?;
    Ok(format!("{passed} tests run: {passed} passed, {ignored} skipped"))
}

/// The number before `word` in a line such as `test result: ok. 12 passed; 0 failed; …`.
fn counted(line: &str, word: &str) -> usize {
    let Some(counts) = line.strip_prefix("test result: ") else { return 0 };
    let words: Vec<&str> = counts.split([' ', ';']).filter(|w| !w.is_empty()).collect();
    let at = words.iter().position(|w| *w == word).unwrap_or(0);
    at.checked_sub(1).and_then(|before| words[before].parse().ok()).unwrap_or(0)
}

/// nextest does not run these.
fn doc_tests() -> Outcome<Note> {
    process::run(&mut process::cargo(&["test", "--locked", "--workspace", "--doc", "--quiet"])).map(silently)
}

/// The full check where cargo-deny is installed; `tidy` has already looked at licences, sources
/// and duplicates from the same `deny.toml`.
fn dependencies() -> Outcome<Note> {
    if process::is_there("cargo-deny", &["--version"]) {
        let deny = ["deny", "--offline", "check", "bans", "licenses", "sources"];
        return process::run(&mut process::cargo(&deny)).map(silently);
    }
    Ok("as in `tidy`; for the full check: cargo install --locked cargo-deny".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_the_runner() {
        let line =
            "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!((counted(line, "passed"), counted(line, "ignored")), (12, 3));
        assert_eq!(counted("running 12 tests", "passed"), 0);
    }
}
