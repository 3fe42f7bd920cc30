//! `hark`: the command line. Parses, runs one command, turns failures into words and exit codes.

mod args;
mod commands;
mod environment;
mod failure;
mod tour;
mod ui;

use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use environment::Environment;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let json = cli.output.json;
    let outcome = Environment::read(cli.output).and_then(|environment| commands::run(cli.command, &environment));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}
