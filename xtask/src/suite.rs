//! `cargo xtask test`: everything that must hold before a change goes in, step by step, each with
//! its name and time. Needs Rust, a C compiler and git; uses better tools where they are installed.

use std::time::{Duration, Instant};

use crate::failure::{Failure, Outcome};
use crate::{docs, process, tidy, workspace};

type Step = (&'static str, fn() -> Outcome);

/// Lints before tests: they are cheaper and say more. Clippy and the tests select the same
/// packages and targets, so that build scripts and macros are compiled once for both.
const STEPS: &[Step] = &[
    ("shared data", unpack_shared_data),
    ("format", format),
    ("lints", lints),
    ("tests", tests),
    ("documentation tests", doc_tests),
    ("tidy", tidy::run),
    ("reference pages", || docs::run(docs::Mode::Check)),
    ("dependencies", dependencies),
];

pub(crate) fn run() -> Outcome {
    let started = Instant::now();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for (name, step) in STEPS {
        println!("\n== {name}");
        let at = Instant::now();
        step().map_err(|failure| Failure::new(format!("{name}: {failure}")))?;
        times.push((name, at.elapsed()));
        println!("== {name}: ok in {:.1} s", at.elapsed().as_secs_f64());
    }
    println!();
    for (name, took) in times {
        println!("{name:<22} {:>7.1} s", took.as_secs_f64());
    }
    println!("everything holds, in {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Tests that measure against shared sets look for them in `target/shared-data`, and pass over
/// them where they are absent.
fn unpack_shared_data() -> Outcome {
    let script = workspace::root().join("../shared/data/unpack");
    if !script.is_file() {
        println!("absent: tests that need the shared sets are passed over");
        return Ok(());
    }
    let folder = workspace::root().join("target/shared-data");
    process::run(std::process::Command::new("bash").arg(&script).arg(&folder))
}

fn format() -> Outcome {
    process::run(&mut process::cargo(&["fmt", "--all", "--check"]))
}

fn lints() -> Outcome {
    process::run(&mut process::cargo(&[
        "clippy",
        "--locked",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))
}

/// nextest where it is installed: it runs tests side by side and names slow ones.
fn tests() -> Outcome {
    if process::is_there("cargo-nextest", &["nextest", "--version"]) {
        return process::run(&mut process::cargo(&[
            "nextest",
            "run",
            "--locked",
            "--workspace",
            "--no-fail-fast",
        ]));
    }
    println!("cargo-nextest is not installed; using cargo test");
    process::run(&mut process::cargo(&["test", "--locked", "--workspace", "--all-targets", "--no-fail-fast"]))
}

/// nextest does not run these.
fn doc_tests() -> Outcome {
    process::run(&mut process::cargo(&["test", "--locked", "--workspace", "--doc", "--quiet"]))
}

/// The full check where cargo-deny is installed; `tidy` has already looked at licences, sources
/// and duplicates from the same `deny.toml`.
fn dependencies() -> Outcome {
    if process::is_there("cargo-deny", &["--version"]) {
        return process::run(&mut process::cargo(&[
            "deny",
            "--offline",
            "check",
            "bans",
            "licenses",
            "sources",
        ]));
    }
    println!("cargo-deny is not installed; `tidy` has checked licences, sources and duplicates");
    println!("for the full check: cargo install --locked cargo-deny");
    Ok(())
}
