//! The lab measures the speed of hark and the quality of its results. It is separate from `xtask`, so that checking a
//! change does not build it. `cargo xtask bench` and similar commands start it.
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

mod bench;
mod coding;
mod distil;
mod eval;
mod failures;
mod hindsight;
mod learn;
mod load;
mod machine;
mod page;
mod share;
mod transcripts;

use std::process::ExitCode;

use hark_testkit::tool::failure::{Failure, Outcome};
use hark_testkit::tool::{client, failure, process, shared_data, workspace};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  bench [--quick | --million] [--json PATH] [--binary PATH]
                                measure the release binary; a full run updates docs/benchmarks.md
  bench hooks [--quick] [--binary PATH]
                                measure hooks in a store of 10,000 memories and 100,000 events
  bench serve [--quick] [--binary PATH] [--keep STORE]
                                measure recalls over HTTP with 1 to 64 clients in a store of 10,000 memories,
                                made at STORE once for several runs
  coding [--out DIR] [--stale RUN] [--gate RUN]
                                make the coding-session benchmark from the shared transcripts, or score runs on it
  distil [--errors | --all FILE]
                                score what is distilled from labelled turns of real transcripts; updates
                                docs/benchmarks.md. Or list errors of the tuned half, or all that a file yields
  eval [--set NAME] [--json PATH] [--binary PATH] [--encoder FILE|none] [--weights FILE|none]
       [--fit [--write] | --learn [--reuse] [--write]]
                                score what the release binary finds, beside plain FTS5; a full run
                                updates docs/benchmarks.md
  failures [--errors] [DIR…]    score what is read from failed runs against labels, on sessions of hook events
  hindsight [--sessions N] [--binary PATH]
                                replay sessions of the shared data and judge what was said by what followed
  load [--clients N] [--seconds N] [--memories N] [--sessions N] [--target mcp|rest] [--set NAME=VALUE]
       [--static] [--json PATH] [--binary PATH]
                                drive 200 clients against `hark serve` for a minute, then slow clients and abandoned
                                sessions; reports errors, times and memory
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
        ["bench", "hooks", options @ ..] => bench::hooks::run(options),
        ["bench", "serve", options @ ..] => bench::serve::run(options),
        ["bench", options @ ..] => bench::run(&bench::Options::parse(options)?),
        ["coding", options @ ..] => coding::run(options),
        ["distil", options @ ..] => distil::run(options),
        ["failures", options @ ..] => failures::run(options),
        ["hindsight", options @ ..] => hindsight::run(options),
        ["load", options @ ..] => load::run(options),
        ["eval", options @ ..] => eval::run(&eval::Options::parse(options)?),
        ["transcripts", folder, size] => transcripts::run(folder, size),
        ["records", path, count] => bench::make_export(path, count),
        ["store", path, count] => bench::make_store(path, count),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(Failure::new(format!("unknown command `{}`\n\n{USAGE}", other.join(" ")))),
    }
}
