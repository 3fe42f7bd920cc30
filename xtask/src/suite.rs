//! `cargo xtask test`: every check that must pass before a change is merged, each with its name and
//! time. `--fast` runs the checks worth running after every edit. Needs Rust, a C compiler and git; uses
//! better tools if they are installed.

mod packages;
mod skipped;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use hark_testkit::{SKIPPED, TESTED_BINARY};

use crate::failure::{Failure, Outcome};
use crate::process::{self, Stream};
use crate::{docs, shared_data, tidy, workspace};

/// Cases of each property in a fast run, instead of 256.
const FEW_CASES: &str = "24";

/// What a step has to say about itself in the closing list.
type Note = String;
type Step = (&'static str, fn() -> Outcome<Note>);

/// Lints before tests: they are cheaper and say more. Clippy and the tests select the same
/// packages and targets, so that build scripts and macros are compiled once for both.
const STEPS: &[Step] = &[
    ("shared data", unpack_shared_data),
    ("format", format),
    ("lints", lints),
    ("release build", || workspace::release_binary().map(|_| Note::new())),
    ("tests", tests),
    ("documentation tests", doc_tests),
    ("tidy", || tidy::run().map(silently)),
    ("reference pages", || docs::run(docs::Mode::Check, &workspace::release_binary()?).map(silently)),
    ("dependencies", dependencies),
    ("protocol", crate::protocol),
    ("pages", crate::pages),
    ("interface", crate::interface),
    ("assistants", || crate::assistants(&[])),
];

/// Minutes, not a quarter of an hour. What is left out runs in CI: lints, slow tests (the profile `fast`
/// in `.config/nextest.toml` names them), most cases of properties, and everything from npm.
const FAST: &[Step] = &[("format", format), ("tidy", || tidy::run().map(silently)), ("tests", fast_tests)];

pub(crate) fn run() -> Outcome {
    go_through(STEPS)
}

pub(crate) fn run_fast() -> Outcome {
    go_through(FAST)
}

/// A step that fails does not keep the others from running: one run shows everything.
fn go_through(steps: &[Step]) -> Outcome {
    skipped::forget();
    let started = Instant::now();
    let mut closing = String::new();
    let mut failed = Vec::new();
    for (name, step) in steps {
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
    println!("\n{closing}{}", skipped::summary());
    if failed.is_empty() {
        println!("all checks passed in {:.0} s", started.elapsed().as_secs_f64());
        return Ok(());
    }
    Err(Failure::new(format!("{} (see above, each under its heading)", failed.join(", "))))
}

fn silently((): ()) -> Note {
    Note::new()
}

/// Tests that measure against shared sets look for them in `target/shared-data`, and are skipped
/// where they are absent.
fn unpack_shared_data() -> Outcome<Note> {
    let there = shared_data::unpack()?;
    Ok(if there { Note::new() } else { "absent: tests that need the shared sets are skipped".to_owned() })
}

fn format() -> Outcome<Note> {
    if !has_component("fmt", "rustfmt") {
        return Ok("skipped: rustfmt is not installed".to_owned());
    }
    fmt(true).map(silently)
}

/// Formats the sources, or checks them. `cargo fmt` does not see the operations, which a macro declares.
pub(crate) fn fmt(check: bool) -> Outcome {
    let check: &[&str] = if check { &["--check"] } else { &[] };
    process::run(process::cargo(&["fmt", "--all"]).args(["--"]).args(check))?;
    let files = workspace::files_below(&workspace::root().join("crates/engine/src/ops"), "rs");
    process::run(Command::new("rustfmt").args(["--edition", "2024"]).args(check).args(files))
}

fn lints() -> Outcome<Note> {
    if !has_component("clippy", "clippy") {
        return Ok("skipped: clippy is not installed".to_owned());
    }
    let clippy = ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    process::run(&mut process::cargo(&clippy)).map(silently)
}

/// Part of a usual Rust installation; a minimal one gets it through rustup.
fn has_component(subcommand: &str, component: &str) -> bool {
    let there = || process::output(&mut process::cargo(&[subcommand, "--version"])).is_ok();
    there() || (process::is_there("rustup", &["component", "add", component]) && there())
}

/// Outside tests run the release binary, built as users build it.
fn tests() -> Outcome<Note> {
    packages::install_missing();
    run_tests(None, Some(&workspace::release_binary()?))
}

/// With the debug binary: a release build takes longer than these tests.
fn fast_tests() -> Outcome<Note> {
    run_tests(Some("fast"), None)
}

/// nextest where it is installed: it runs tests side by side, names slow ones, and knows profiles.
fn run_tests(profile: Option<&str>, binary: Option<&Path>) -> Outcome<Note> {
    let settled = |mut command: Command| {
        command.env(SKIPPED, skipped::list());
        if let Some(binary) = binary {
            command.env(TESTED_BINARY, binary);
        }
        if profile.is_some() && std::env::var_os("PROPTEST_CASES").is_none() {
            command.env("PROPTEST_CASES", FEW_CASES);
        }
        command
    };
    let mut note = Note::new();
    if process::is_there("cargo-nextest", &["nextest", "--version"]) {
        let run = ["nextest", "run", "--locked", "--workspace", "--no-fail-fast"];
        let mut command = settled(process::cargo(&run));
        command.args(profile.into_iter().flat_map(|name| ["--profile", name]));
        process::run_watching(&mut command, Stream::Error, |line| {
            if let Some((_, counts)) = line.split_once("] ").filter(|(head, _)| head.contains("Summary [")) {
                note = counts.trim().to_owned();
            }
        })?;
        return Ok(note);
    }
    println!("cargo-nextest is not installed; using cargo test");
    // Unit tests only: which of the others are slow is known to nextest's settings.
    let targets: &[&str] =
        if profile.is_some() { &["--lib", "--bins"] } else { &["--lib", "--bins", "--tests"] };
    let mut command = settled(process::cargo(&["test", "--locked", "--workspace", "--no-fail-fast"]));
    command.args(targets);
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
