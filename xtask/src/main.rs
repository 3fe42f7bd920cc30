//! `cargo xtask …`: everything around the product that is not the product. Tests, benchmarks,
//! generated reference pages and tidiness checks, with nothing to install beforehand.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

mod bearer_proxy;
mod bench;
mod client;
mod coding;
mod distil;
mod docs;
mod e2e;
mod eval;
mod failure;
mod machine;
mod mcp;
mod npm;
mod page;
mod process;
mod share;
mod shared_data;
mod suite;
mod tidy;
mod transcripts;
mod workspace;

use std::process::ExitCode;

use failure::{Failure, Outcome};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test                          run everything: format, lints, licences, tests, tidiness, docs
  docs [--check]                write docs/reference from the code, or fail if it is out of date
  tidy                          check sizes, headers and dependencies
  mcp                           check the protocol with the official tools (installs them)
  e2e [CLIENT…]                 run real assistants with hark in them (installs them)
  bench [--quick | --million] [--json PATH] [--binary PATH]
                                measure the release binary; a full run updates docs/benchmarks.md
  bench hooks [--quick] [--binary PATH]
                                measure hooks in a store of 10,000 memories and 100,000 events
  coding [--out DIR] [--stale RUN] [--gate RUN]
                                make the coding-session benchmark from the shared transcripts, or score runs on it
  distil [--errors | --all FILE]
                                score what is distilled from labelled turns of real transcripts; updates
                                docs/benchmarks.md. Or list errors of the tuned half, or all that a file yields
  eval [--set NAME] [--json PATH] [--binary PATH] [--encoder FILE|none] [--fit]
                                score what the release binary finds, beside plain FTS5; a full run
                                updates docs/benchmarks.md
  transcripts DIR SIZE          write made-up transcripts (2GB, 500MB), to measure `hark ingest` on
  records FILE COUNT            write made-up memories as an export, to measure `hark import` on
  store PATH COUNT              write a store of made-up memories, as `bench` measures them
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
        ["docs"] => docs::run(docs::Mode::Write),
        ["docs", "--check"] => docs::run(docs::Mode::Check),
        ["tidy"] => tidy::run(),
        ["mcp"] => protocol(),
        ["bench", "hooks", options @ ..] => bench::hooks::run(options),
        ["e2e", clients @ ..] => assistants(clients).map(drop),
        ["bench", options @ ..] => bench::run(&bench::Options::parse(options)?),
        ["coding", options @ ..] => coding::run(options),
        ["distil", options @ ..] => distil::run(options),
        ["eval", options @ ..] => eval::run(&eval::Options::parse(options)?),
        ["transcripts", folder, size] => transcripts::run(folder, size),
        ["records", path, count] => bench::make_export(path, count),
        ["store", path, count] => bench::make_store(path, count),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(Failure::new(format!("`{}` is not a command\n\n{USAGE}", other.join(" ")))),
    }
}

/// Fetches the official clients and suites into the target folder and runs them against the debug binary.
fn protocol() -> Outcome {
    mcp::run(&workspace::debug_binary()?, &workspace::target().join("e2e")).map_err(Failure::new)
}

/// Fetches real assistants into the target folder and runs them with the debug binary in them; says what
/// was passed over.
fn assistants(clients: &[&str]) -> Outcome<String> {
    e2e::run(&workspace::debug_binary()?, &workspace::target().join("e2e"), clients).map_err(Failure::new)
}
