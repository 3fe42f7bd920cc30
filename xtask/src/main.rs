//! `cargo xtask …`: development tasks. Tests, generated reference pages and repository checks, with nothing
//! to install first. It starts the lab, for measurements, only on request.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

mod bearer_proxy;
mod browser;
mod docs;
mod e2e;
mod mcp;
mod npm;
mod rest;
mod suite;
mod tidy;

use std::process::ExitCode;

use hark_testkit::tool::failure::{Failure, Outcome};
use hark_testkit::tool::{client, failure, process, shared_data, workspace};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test                          run everything: format, lints, licences, tests, tidiness, docs
  test --fast                   run format, tidiness and the tests that are quick
  fmt                           format the sources, operations included
  docs [--check]                write the generated pages in docs, or fail if they are out of date
  tidy                          check sizes, headers and dependencies
  pages                         check the dashboard in a real browser (installs it)
  screenshots                   write pictures of the dashboard into docs/images
  mcp                           check the protocol with the official tools (installs them)
  rest                          check REST against its own description with schemathesis (installs it)
  e2e [CLIENT…]                 run real assistants with hark in them (installs them)
  e2e --newest [CLIENT…]        the same with the newest release of each; only reports

and of the lab, built for release (`cargo xtask lab` lists their options):
  bench  load  eval  hindsight  coding  distil  failures  transcripts  records  store
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("\nfailed: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Outcome {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => suite::run(),
        ["test", "--fast"] => suite::run_fast(),
        ["fmt"] => suite::fmt(false),
        ["docs"] => docs::run(docs::Mode::Write, &workspace::debug_binary()?),
        ["docs", "--check"] => docs::run(docs::Mode::Check, &workspace::debug_binary()?),
        ["tidy"] => tidy::run(),
        ["mcp"] => protocol().map(drop),
        ["pages"] => pages().map(drop),
        ["screenshots"] => {
            browser::screenshots(&tested()?, &workspace::target().join("e2e")).map_err(Failure::new)
        }
        ["rest"] => interface().map(drop),
        ["e2e", words @ ..] => assistants(words).map(drop),
        ["lab", rest @ ..] => lab(rest),
        [
            "bench" | "coding" | "distil" | "eval" | "failures" | "hindsight" | "load" | "transcripts"
            | "records" | "store",
            ..,
        ] => lab(&words),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(Failure::new(format!("unknown command `{}`\n\n{USAGE}", other.join(" ")))),
    }
}

/// Starts the lab, which has dependencies of its own that nothing here should wait for.
fn lab(arguments: &[&str]) -> Outcome {
    let cargo = ["run", "--quiet", "--locked", "--release", "--package", "hark-lab", "--"];
    // Where we were started, for paths among the arguments.
    process::run(process::cargo(&cargo).args(arguments).current_dir("."))
}

/// Fetches schemathesis into the target folder and runs it against the release binary.
fn interface() -> Outcome<String> {
    rest::run(&workspace::release_binary()?, &workspace::target().join("e2e")).map_err(Failure::new)
}

/// Fetches the official clients and suites into the target folder and runs them against the release binary.
fn protocol() -> Outcome<String> {
    mcp::run(&workspace::release_binary()?, &workspace::target().join("e2e")).map_err(Failure::new)
}

/// Fetches a browser and its driver, and runs every page and action of the dashboard.
fn pages() -> Outcome<String> {
    browser::run(&tested()?, &workspace::target().join("e2e")).map_err(Failure::new)
}

/// The release binary, or the one that `HARK_TEST_BINARY` names.
fn tested() -> Outcome<std::path::PathBuf> {
    match std::env::var_os(hark_testkit::TESTED_BINARY) {
        Some(path) => Ok(path.into()),
        None => workspace::release_binary(),
    }
}

/// Fetches real assistants into the target folder and runs them with the release binary in them, or with the
/// one that `HARK_TEST_BINARY` names; says what was skipped.
fn assistants(words: &[&str]) -> Outcome<String> {
    e2e::run(&tested()?, &workspace::target().join("e2e"), words).map_err(Failure::new)
}
